"""Parallel dimensions, cores, devices: numbers 13 to 19 and 22 to 24."""
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import f32, i32, ramp
from conformance_common import SMEM, case, out, grid_call, copy, increment, parallel, mesh_kernel, on_cores, several, cores_used


@case("13_parallel_dimension", [ramp((32, 512))], reference=lambda x: x + 1, cores={1: (), 2: (), 3: ()})
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(increment, (4, 4), [spec], spec, out((32, 512)), compiler_params=parallel("parallel", "arbitrary"))(x)


# JAX's TPU interpreter refuses what JAX's lowering takes; the module runs as it says.
@case("14_arbitrary_before_parallel", [ramp((32, 512))], reference=lambda x: x + 1, cores={1: (), 2: (), 3: ()})
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(increment, (4, 4), [spec], spec, out((32, 512)), compiler_params=parallel("arbitrary", "parallel"))(x)


# Core i may only read what core i + 1 wrote once all have passed the barrier.
for _cores in (1, 2, 4):
    @on_cores(f"15_core_map_{_cores}", [ramp((16, 128), i32)], _cores,
              reference=lambda x, n=_cores: jnp.concatenate([x[i * 16 // n:(i + 1) * 16 // n] + 1 + i for i in range(n)]))
    def _(x, cores=_cores):
        rows = 16 // cores
        x = x.reshape(cores, rows, 128)

        @mesh_kernel(cores, out((cores, rows, 128), i32), [pltpu.VMEM((rows, 128), i32), pltpu.SemaphoreType.REGULAR])
        def kernel(x, o, buffer, barrier):
            core = lax.axis_index("core")
            pltpu.sync_copy(x.at[core], buffer)
            buffer[...] += 1 + core
            pltpu.core_barrier(barrier, core_axis_name="core")
            pltpu.sync_copy(buffer, o.at[core])
        return kernel(x).reshape(16, 128)


# One core fills memory that both have, the other copies it out; what orders them is the semaphore. Without it the reader, where it comes
# first, finds nothing written.
for _writer in (0, 1):
    for _half in (False, True):
        for _ordered in (True, False):
            @on_cores(f"{'16' if _ordered else '17'}_shared_buffer_writer{_writer}{'_halves' * _half}{'' if _ordered else '_unordered'}",
                      [ramp((16, 128), i32)], 2, reference=lambda x: x, findings=() if _ordered else ("race",), compare=_ordered,
                      cores={2: () if _ordered else ("race", "uninitialized")[:1 + _writer]})
            def _(x, writer=_writer, half=_half, ordered=_ordered):
                @mesh_kernel(2, out((16, 128), i32), [pltpu.SemaphoreType.REGULAR])
                def kernel(x, o, semaphore):
                    def scoped(shared):
                        core = lax.axis_index("core")

                        @pl.when(core == writer)
                        def _():
                            for at in (pl.ds(0, 8), pl.ds(8, 8)) if half else (pl.ds(0, 16),):
                                pltpu.sync_copy(x.at[at], shared.at[at])
                                if ordered:
                                    pl.semaphore_signal(semaphore, 1, core_index=1 - writer)

                        @pl.when(core != writer)
                        def _():
                            for at in (pl.ds(0, 8), pl.ds(8, 8)) if half else (pl.ds(0, 16),):
                                if ordered:
                                    pl.semaphore_wait(semaphore, 1)
                                pltpu.sync_copy(shared.at[at], o.at[at])
                    pl.run_scoped(scoped, pltpu.HBM((16, 128), i32))
                return kernel(x)


# The slow core multiplies before it reads: that it comes late orders nothing.
for _ordered in (True, False):
    @on_cores(f"{'16' if _ordered else '17'}_shared_buffer_slow_reader{'' if _ordered else '_unordered'}", [ramp((256, 256), i32) % 4], 2,
              reference=lambda x: x @ x.T, findings=() if _ordered else ("race",), compare=_ordered, cores={2: () if _ordered else ("race",)})
    def _(x, ordered=_ordered):
        @mesh_kernel(2, out((256, 256), i32), [pltpu.SemaphoreType.REGULAR, pltpu.VMEM((256, 256), f32), pltpu.VMEM((256, 256), i32)])
        def kernel(x, o, semaphore, wide, whole):
            def scoped(shared):
                @pl.when(lax.axis_index("core") == 0)
                def _():
                    pltpu.sync_copy(x, shared)
                    if ordered:
                        pl.semaphore_signal(semaphore, 1, core_index=1)

                @pl.when(lax.axis_index("core") == 1)
                def _():
                    pltpu.sync_copy(x, whole)
                    wide[...] = whole[...].astype(f32)
                    product = lax.dot_general(wide[...], wide[...], (((1,), (1,)), ((), ())), preferred_element_type=f32)
                    if ordered:
                        pl.semaphore_wait(semaphore, 1)
                    pltpu.sync_copy(shared, whole)
                    whole[...] = product.astype(i32) + whole[...] - whole[...]
                    pltpu.sync_copy(whole, o)
            pl.run_scoped(scoped, pltpu.HBM((256, 256), i32))
        return kernel(x)


@case("18_two_cores_one_block", [ramp((16, 128))], reference=lambda x: x[8:], cores={1: (), 2: ("race",)})
def _(x):
    return grid_call(copy, (2,), [pl.BlockSpec((8, 128), lambda i: (i, 0))], pl.BlockSpec((8, 128), lambda i: (0, 0)), out((8, 128)),
                     compiler_params=parallel("parallel"))(x)


@case("18_two_cores_own_blocks", [ramp((16, 128))], reference=lambda x: x + 1, cores={1: (), 2: ()})
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return grid_call(increment, (2,), [spec], spec, out((16, 128)), compiler_params=parallel("parallel"))(x)


# A counter in memory that only one core has: who ran which program, and in which order. The rows where a core begins are an input; were
# they others, the counter would be read before it is set, or show another number.
for _cores in range(1, 7):
    _rows = -(-4 // _cores)

    @case(f"19_programs_of_{_cores}_cores", [np.array([i % _rows == 0 for i in range(4)], np.int32)], cores={_cores: ()}, inspect=cores_used, interpret_options=several(_cores),
          reference=lambda first, rows=_rows: jnp.array([[i % rows * 4 + j for j in range(4)] for i in range(4)], i32).repeat(8, 0).repeat(128, 1))
    def _(first):
        def kernel(first, o, count):
            begins = (first[pl.program_id(0)] == 1) & (pl.program_id(1) == 0)

            @pl.when(begins)
            def _():
                count[0] = 0

            @pl.when(~begins)
            def _():
                count[0] += 1
            o[...] = jnp.full((8, 128), count[0], i32)
        return grid_call(kernel, (4, 4), [SMEM], pl.BlockSpec((8, 128), lambda i, j: (i, j)), out((32, 512), i32),
                         scratch_shapes=[pltpu.SMEM((1,), i32)], compiler_params=parallel("parallel", "arbitrary"))(first)


for _name in ("22_right_permute", "23_all_gather", "23_all_reduce_sum", "23_reduce_scatter_sum", "24_pairs_of_devices", "24_two_writers_of_a_device"):
    @case(_name, [], lacks="copies to other devices are not simulated")
    def _():
        raise NotImplementedError
