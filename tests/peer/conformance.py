"""Kernels that show one property of Pallas each: grids, windows, memory, DMAs, pipelines. The first 30 numbers in names are the rows of the table in docs/peer.md."""
import inspect

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import bf16, f32, i8, i16, i32, noise, ramp, u32
from cases import case as register

ANY, SMEM = pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pltpu.SMEM)
X, Y = noise((8, 128)), noise((8, 128), seed=1)


def case(name, inputs, **options):
    return register(name, inputs, source="conformance", **options)


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


def grid_call(kernel, grid, in_specs, out_specs, out_shape, **options):
    return pl.pallas_call(kernel, grid=grid, in_specs=in_specs, out_specs=out_specs, out_shape=out_shape, **options)


def copy(x, o):
    o[...] = x[...]


def increment(x, o):
    o[...] = x[...] + 1


@case("01_revisited_output", [ramp((32, 512))], reference=lambda x: x, findings=("ownership",), compare=False)
def _(x):
    return grid_call(copy, (4, 4), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (j, 0)), out((32, 128)))(x)


@case("02_matmul", [noise((1024, 1024)), noise((1024, 1024), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-3)
def _(x, y):
    def kernel(x, y, o):
        o[...] = jnp.dot(x[...], y[...], preferred_element_type=f32)
    return grid_call(kernel, (2, 2), [pl.BlockSpec((512, 1024), lambda i, j: (i, 0)), pl.BlockSpec((1024, 512), lambda i, j: (0, j))],
                     pl.BlockSpec((512, 512), lambda i, j: (i, j)), out((1024, 1024)))(x, y)


@case("03_input_block_outside", [ramp((32, 128))], reference=lambda x: x, findings=("out_of_bounds",), compare=False)
def _(x):
    return grid_call(copy, (4,), [pl.BlockSpec((8, 128), lambda i: (i + 1, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((32, 128)))(x)


@case("03_output_block_outside", [ramp((32, 128))], reference=lambda x: x, findings=("out_of_bounds", "ownership"), compare=False)
def _(x):
    return grid_call(copy, (4,), [pl.BlockSpec((8, 128), lambda i: (i, 0))], pl.BlockSpec((8, 128), lambda i: (i + 2, 0)), out((32, 128)))(x)


for _stop, _findings in ((5, ()), (6, ("out_of_bounds",))):
    @case(f"04_scalar_index_{_stop}", [np.array([2, 5, 9, 15, 17], np.int32), np.array([1, _stop], np.int32)], findings=_findings, compare=not _findings,
          reference=lambda x, s: jnp.array([46], i32))
    def _(x, s):
        def kernel(s, x, o):
            o[0] = lax.fori_loop(s[0], s[1], lambda i, total: total + x[i], 0)
        return pl.pallas_call(kernel, in_specs=[SMEM, SMEM], out_specs=SMEM, out_shape=out((1,), i32))(s, x)


@case("05_dma_range_outside", [ramp((8, 8, 128)), np.array([4], np.int32)], reference=lambda x, s: x, findings=("out_of_bounds",), compare=False)
def _(x, s):
    def kernel(s, x, o):
        pltpu.sync_copy(x.at[pl.ds(s[0], 8), 1], o)
    return pl.pallas_call(kernel, in_specs=[SMEM, ANY], out_shape=out((8, 128)))(s, x)


@case("06_scalar_prefetch", [ramp((512, 512), i32), np.array([128, 256], np.int32)], reference=lambda x, s: lax.dynamic_slice(x, (128, 256), (128, 128)))
def _(x, s):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(1,), out_specs=pl.BlockSpec((128, 128), lambda i, s: (0, 0)),
                                        in_specs=[pl.BlockSpec((128, 128), lambda i, s: (lax.div(s[0], 128), lax.div(s[1], 128)))])
    return pl.pallas_call(lambda s, x, o: copy(x, o), grid_spec=spec, out_shape=out((128, 128), i32))(s, x)


@case("06_trivial_scalar_prefetch", [noise((8, 8, 128)), np.array([4, 3, 2, 5, 3, 5, 2, 7], np.int32)], reference=lambda x, s: x[s])
def _(x, s):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(8,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i, s: (s[i], 0, 0))],
                                        out_specs=pl.BlockSpec((1, 8, 128), lambda i, s: (i, 0, 0)))
    return pl.pallas_call(lambda s, x, o: copy(x, o), grid_spec=spec, out_shape=out((8, 8, 128)))(s, x)


@case("07_dynamic_grid_and_aliasing", [np.array(12, np.int32), ramp((32, 128))], reference=lambda n, x: x + 1)
def _(n, x):
    spec = pl.BlockSpec((32, 128), lambda i: (0, 0))
    return grid_call(increment, (n,), [spec], spec, out((32, 128)), input_output_aliases={0: 0})(x)


@case("07_dynamic_grid_two", [np.array(2, np.int32), np.array(3, np.int32), ramp((32, 512))], reference=lambda m, n, x: x.at[16:].set(0).at[:, 384:].set(0) + 1 - (x * 0 + 1).at[:16, :384].set(0))
def _(m, n, x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    kernel = lambda x, z, o: increment(x, o)
    return grid_call(kernel, (m, n), [spec, ANY], spec, out((32, 512)), input_output_aliases={1: 0})(x, jnp.zeros((32, 512)))


@case("07_num_programs", [ramp((32, 128)), np.array(4, np.int32)], reference=lambda x, n: x + 4)
def _(x, n):
    def kernel(x, o):
        o[...] = x[...] + pl.num_programs(0).astype(f32)
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return grid_call(kernel, (n,), [spec], spec, out((32, 128)))(x)


# Program (i, j) reads block (i, j) of what it changes and writes block (j, i): above the diagonal it finds what was written below.
CORNERS = np.array([[0, 5, 10, 15], [1, 5, 15, 20], [2, 6, 10, 25], [3, 7, 11, 15]], np.float32)


@case("08_aliasing", [np.zeros((32, 512), np.float32)], reference=lambda x: jnp.kron(CORNERS, jnp.ones((8, 128))))
def _(x):
    def kernel(x, o):
        o[...] = x[...] + (pl.program_id(0) * 4 + pl.program_id(1)).astype(f32)
    return grid_call(kernel, (4, 4), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (j, i)), out((32, 512)),
                     input_output_aliases={0: 0})(x)


for _space in (pl.ANY, pltpu.HBM):
    for _wait_first in (True, False):
        @case(f"09_read_{'after' if _wait_first else 'before'}_wait_{_space.value}", [X], reference=lambda x: x + 1, compare=_wait_first,
              findings=() if _wait_first else ("race",))
        def _(x, wait_first=_wait_first, space=_space):
            def kernel(x, o, buffer, semaphore):
                transfer = pltpu.make_async_copy(x, buffer, semaphore)
                transfer.start()
                if wait_first:
                    transfer.wait()
                o[...] = buffer[...] + 1
                if not wait_first:
                    transfer.wait()
            return pl.pallas_call(kernel, in_specs=[pl.BlockSpec(memory_space=space)], out_shape=out((8, 128)),
                                  scratch_shapes=[pltpu.VMEM((8, 128), f32), pltpu.SemaphoreType.DMA])(x)


@case("10_skip_floating_point", [], lacks="it computes every operation and can't skip those on floats")
def _():
    raise NotImplementedError


for _dtype, _name in ((f32, "f32"), (bf16, "bf16"), (i16, "i16")):
    @case(f"11_uninitialized_{_name}", [ramp((16, 128), _dtype)], reference=lambda x: x, findings=("uninitialized",), compare=False)
    def _(x, dtype=_dtype):
        def kernel(x, o, scratch):
            o[...] = x[...] + scratch[...] if dtype != i16 else (x[...].astype(i32) + scratch[...].astype(i32)).astype(i16)
        return pl.pallas_call(kernel, out_shape=out((16, 128), dtype), scratch_shapes=[pltpu.VMEM((16, 128), dtype)])(x)


def five_stores(document, cores):
    """A block goes back to HBM when the next program has another one, and at the end; never more often."""
    outputs = [each for each in document["kernels"][0]["traffic"] if each["operand"].startswith("output")]
    stores = [each["write_backs"] for each in outputs]
    return "" if stores == [4, 1] else f"{stores} blocks were stored, not [4, 1]"


@case("12_number_of_stores", [ramp((16, 256))], reference=lambda x: (x, jnp.array([[4]], i32)), inspect=five_stores)
def _(x):
    def kernel(x, o, count):
        first = (pl.program_id(0) == 0) & (pl.program_id(1) == 0)
        count[0, 0] = jnp.where(first, 0, count[0, 0]) + 1
        o[...] = x[...]
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(kernel, (2, 2), [spec], [spec, SMEM], [out((16, 256)), out((1, 1), i32)])(x)


@case("12_number_of_stores_of_revisited_blocks", [ramp((16, 256))], reference=lambda x: jnp.array([1, 3], i32).repeat(8)[:, None] * jnp.ones((1, 128), i32) + 1,
      inspect=lambda document, cores: "" if document["kernels"][0]["traffic"][1]["write_backs"] == 2 else "not two stores")
def _(x):
    def kernel(x, o):
        o[...] = jnp.full((8, 128), pl.program_id(0) * 2 + pl.program_id(1) + 1, i32)
    return grid_call(kernel, (2, 2), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (i, 0)), out((16, 128), i32))(x)


def parallel(*semantics):
    return pltpu.CompilerParams(dimension_semantics=semantics)


def cores_used(document, cores):
    """Rows go to cores in contiguous parts of ceil(4 / cores)."""
    used = -(-4 // -(-4 // cores))
    got = document["kernels"][0]
    return "" if (got["cores"], got["programs"]) == (used, 16) else f"{got['cores']} cores ran {got['programs']} programs, not {used} cores 16"


@case("13_parallel_dimension", [ramp((32, 512))], reference=lambda x: x + 1, cores={1: (), 2: (), 3: ()})
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(increment, (4, 4), [spec], spec, out((32, 512)), compiler_params=parallel("parallel", "arbitrary"))(x)


# JAX's TPU interpreter refuses what JAX's lowering takes; the module runs as it says.
@case("14_arbitrary_before_parallel", [ramp((32, 512))], reference=lambda x: x + 1, cores={1: (), 2: (), 3: ()})
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(increment, (4, 4), [spec], spec, out((32, 512)), compiler_params=parallel("arbitrary", "parallel"))(x)


def mesh_kernel(cores, out_shape, scratch_shapes):
    """A decorator: the kernel runs on as many cores at once."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=cores)
    if "out_shape" in inspect.signature(pl.kernel).parameters:
        return pl.kernel(out_shape=out_shape, mesh=mesh, scratch_shapes=scratch_shapes)
    return pl.kernel(out_type=out_shape, mesh=mesh, scratch_types=scratch_shapes)  # newer versions of JAX


def on_cores(name, inputs, count, **options):
    return case(name, inputs, interpret_options=several(count), **options)


def several(count):
    """JAX's TPU interpreter with as many cores."""
    return {"num_cores_or_threads": count, "vector_clock_size": 64, "allow_hbm_allocation_in_run_scoped": True}


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


# JAX's lowering refuses this load itself: the kernel that ours is given is one on VMEM, moved.
for _space in (pl.ANY, pltpu.HBM):
    @case(f"20_load_from_{_space.value}", [X], reference=lambda x: x, wrong="is reached by DMA only", compare=False,
          lowered=(lambda x: pl.pallas_call(copy, out_shape=out((8, 128)))(x), lambda text, space=_space: text.replace("<vmem>", f"<{space.value}>")))
    def _(x, space=_space):
        return pl.pallas_call(copy, in_specs=[pl.BlockSpec(memory_space=space)], out_shape=out((8, 128)))(x)


@case("21_store_to_half", [np.arange(16, dtype=np.int32).repeat(1024).reshape(16, 8, 128)], reference=lambda x: jnp.concatenate([x[:8], x[:8]]))
def _(x):
    def kernel(x, o):
        pltpu.sync_copy(x.at[:8], o.at[8:])
    return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out((16, 8, 128), i32), input_output_aliases={0: 0})(x)


for _name in ("22_right_permute", "23_all_gather", "23_all_reduce_sum", "23_reduce_scatter_sum", "24_pairs_of_devices", "24_two_writers_of_a_device"):
    @case(_name, [], lacks="copies to other devices are not simulated")
    def _():
        raise NotImplementedError


def pipeline(name, inputs, **options):
    """JAX can interpret emit_pipeline only with facts of a chip that a CPU does not have."""
    return case(name, inputs, interpreter="emit_pipeline needs a TPU's layout facts", **options)


for _slots in (2, 4):
    @pipeline(f"25_pipeline_copy_{_slots}", [ramp((512, 512), i32)], reference=lambda x: x)
    def _(x, slots=_slots):
        def outer(x, o):
            pltpu.emit_pipeline(copy, grid=(4, 4), in_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, j), pipeline_mode=pl.Buffered(slots))],
                                out_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, j))])(x, o)
        return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((512, 512), i32))(x)


GATHERS = ([0, 1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 7, 7, 7, 7], [0, 0, 1, 1, 1, 7, 2, 2, 3, 0], [3, 3, 3, 5, 5, 1])
for _number, _indices in enumerate(GATHERS):
    for _slots in (2, 4):
        for _lookahead in (False, True):
            @pipeline(f"26_gather_{_number}_slots{_slots}{'_lookahead' * _lookahead}", [ramp((1024, 128), i32), np.array(_indices, np.int32)],
                      reference=lambda x, s: x.reshape(8, 128, 128)[s].reshape(-1, 128))
            def _(x, s, slots=_slots, lookahead=_lookahead, count=len(_indices)):
                def outer(s, x, o):
                    mode = pl.Buffered(slots, use_lookahead=lookahead)
                    pltpu.emit_pipeline(copy, grid=(count,), in_specs=[pl.BlockSpec((128, 128), lambda i: (s[i], 0), pipeline_mode=mode)],
                                        out_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))])(x, o)
                return pl.pallas_call(outer, in_specs=[SMEM, ANY], out_specs=ANY, out_shape=out((count * 128, 128), i32))(s, x)


for _number, _indices in enumerate(([0, 0, 2, 2, 2, 5, 3, 3], [5] * 8)):
    @pipeline(f"27_scatter_{_number}", [ramp((1024, 128), i32), np.array(_indices, np.int32), np.zeros((1024, 128), np.int32)],
              reference=lambda x, s, z, at=_indices: z.reshape(8, 128, 128).at[jnp.array(sorted(set(at)))].set(
                  x.reshape(8, 128, 128)[jnp.array([max(i for i, v in enumerate(at) if v == k) for k in sorted(set(at))])]).reshape(1024, 128))
    def _(x, s, z):
        def outer(s, x, z, o):
            pltpu.emit_pipeline(copy, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))],
                                out_specs=[pl.BlockSpec((128, 128), lambda i: (s[i], 0))])(x, o)
        return pl.pallas_call(outer, in_specs=[SMEM, ANY, ANY], out_specs=ANY, out_shape=out((1024, 128), i32), input_output_aliases={2: 0})(s, x, z)


# The second cycle's first block is fetched while the first cycle's last program runs.
@pipeline("28_two_cycles", [ramp((512, 512), i32)], reference=lambda x: x)
def _(x):
    def outer(x, o):
        spec = pl.BlockSpec((128, 128), lambda i, j: (i, j))
        run, make = pltpu.emit_pipeline_with_allocations(copy, grid=(4, 4), in_specs=[spec], out_specs=[spec], should_accumulate_out=(False,))

        def scoped(allocations):
            def cycle(number):
                def prefetch(source, target, scheduler):
                    scheduler.prefetch(source, x)
                run(x, o, allocations=allocations, first_cycle=number == 0, last_cycle=number == 1, prefetch=prefetch)
            cycle(0)
            cycle(1)
        pl.run_scoped(scoped, make(x, o))
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((512, 512), i32))(x)


@pipeline("28_accumulated_output", [noise((1024, 128))], reference=lambda x: jnp.sum(x.reshape(8, 128, 128), 0), tolerance=1e-5)
def _(x):
    def body(x, o):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o[...] = jnp.zeros_like(o)
        o[...] += x[...]

    def outer(x, o):
        pltpu.emit_pipeline(body, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))], out_specs=[pl.BlockSpec((128, 128), lambda i: (0, 0))])(x, o)
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((128, 128)))(x)


# What was in HBM is added to the sum when it is stored; it is fetched once and stored once.
@pipeline("28_accumulator", [ramp((1024, 128), i32), ramp((128, 128), i32, 1)], reference=lambda x, z: jnp.sum(x.reshape(8, 128, 128), 0) + z)
def _(x, z):
    def body(x, o):
        o[...] = jnp.where(pl.program_id(0) == 0, 0, o[...]) + x[...]

    def outer(x, z, o):
        pltpu.emit_pipeline(body, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))], should_accumulate_out=(True,),
                            out_specs=[pl.BlockSpec((128, 128), lambda i: (0, 0))])(x, o, schedule=["default", "fixed"])
    return pl.pallas_call(outer, in_specs=[ANY, ANY], out_specs=ANY, out_shape=out((128, 128), i32), input_output_aliases={1: 0})(x, z)


@pipeline("29_bounded_slice_static", [ramp((16, 8, 128))], reference=lambda x: x[4:12])
def _(x):
    def outer(x, o):
        pltpu.emit_pipeline(copy, grid=(1,), in_specs=[pl.BlockSpec((pl.BoundedSlice(8), 8, 128), lambda i: (pl.ds(4, 8), 0, 0))],
                            out_specs=[pl.BlockSpec((8, 8, 128), lambda i: (0, 0, 0))])(x, o)
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((8, 8, 128)))(x)


@pipeline("29_bounded_slice_dynamic", [ramp((16, 8, 128)), np.array([[11, 16], [8, 11], [3, 8], [0, 3]], np.int32)], reference=lambda x, s: x)
def _(x, s):
    def outer(s, x, o):
        def where(i):
            return pl.ds(s[i, 0], s[i, 1] - s[i, 0]), 0, 0
        spec = pl.BlockSpec((pl.BoundedSlice(16), 8, 128), where)
        pltpu.emit_pipeline(copy, grid=(4,), in_specs=[spec], out_specs=[spec])(x, o)
    return pl.pallas_call(outer, in_specs=[SMEM, ANY], out_specs=ANY, out_shape=out((16, 8, 128)))(s, x)


@case("30_element_windows", [ramp((128, 128))], reference=lambda x: jnp.concatenate([x[8 * i:8 * i + 8] + x[8 * i + 8:8 * i + 16] for i in range(15)]))
def _(x):
    def kernel(x, o):
        o[...] = x[:8] + x[8:]
    return grid_call(kernel, (15,), [pl.BlockSpec((pl.Element(16), pl.Element(128)), lambda i: (i * 8, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((120, 128)))(x)


@case("30_element_padding", [ramp((8, 128))], reference=lambda x: x, interpreter="plain")
def _(x):
    def kernel(x, o):
        o[...] = x[:8]
    return grid_call(kernel, (1,), [pl.BlockSpec((pl.Element(16, (0, 8)), pl.Element(128)), lambda i: (0, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((8, 128)))(x)


@case("31_padding_is_undefined", [ramp((12, 128))], reference=lambda x: jnp.sum(x.reshape(-1)), findings=("uninitialized",), compare=False)
def _(x):
    def kernel(x, o):
        o[...] = jnp.broadcast_to(jnp.sum(x[...], 0, keepdims=True), o.shape)
    return grid_call(kernel, (2,), [pl.BlockSpec((8, 128), lambda i: (i, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((16, 128)))(x)


@case("31_masked_matmul", [noise((32, 200)), noise((200, 128), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-4)
def _(x, y):
    def kernel(x, y, o):
        k = pl.program_id(0)

        @pl.when(k == 0)
        def _():
            o[...] = jnp.zeros_like(o)
        left = jnp.where(lax.broadcasted_iota(i32, (32, 128), 1) + k * 128 < 200, x[...], 0)
        right = jnp.where(lax.broadcasted_iota(i32, (128, 128), 0) + k * 128 < 200, y[...], 0)
        o[...] += jnp.dot(left, right, preferred_element_type=f32)
    return grid_call(kernel, (2,), [pl.BlockSpec((32, 128), lambda k: (0, k)), pl.BlockSpec((128, 128), lambda k: (k, 0))],
                     pl.BlockSpec((32, 128), lambda k: (0, 0)), out((32, 128)))(x, y)


@case("32_semaphore_counting", [np.zeros((8, 128), np.int32)], reference=lambda x: jnp.array([1, 2, 3, 4, 1, 0], i32), interpreter="its interpreters can't read semaphores")
def _(x):
    def kernel(x, o, semaphore):
        for i in range(4):
            pl.semaphore_signal(semaphore)
            o[i] = pl.semaphore_read(semaphore)
        pl.semaphore_wait(semaphore, 3)
        o[4] = pl.semaphore_read(semaphore)
        pl.semaphore_wait(semaphore)
        o[5] = pl.semaphore_read(semaphore)
    return pl.pallas_call(kernel, out_specs=SMEM, out_shape=out((6,), i32), scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)


@case("32_semaphore_array", [np.array([1], np.int32)], reference=lambda x: jnp.array([2], i32), interpreter="its interpreters can't read semaphores")
def _(x):
    def kernel(x, o, semaphores):
        pl.semaphore_signal(semaphores.at[x[0]], 5)
        pl.semaphore_wait(semaphores.at[x[0]], 3)
        o[0] = pl.semaphore_read(semaphores.at[1])
        pl.semaphore_wait(semaphores.at[1], 2)
    return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32), scratch_shapes=[pltpu.SemaphoreType.REGULAR((4,))])(x)


@case("33_masked_store", [ramp((16, 256), i32)],
      reference=lambda x: jnp.full((16, 256), -1, i32).at[4:14, 5:135].set(x[4:14, 5:135]))
def _(x):
    def kernel(x, o):
        row, column = (lax.broadcasted_iota(i32, (16, 256), d) for d in (0, 1))
        o[...] = jnp.full((16, 256), -1, i32)
        pltpu.store(o, x[...], mask=(row >= 4) & (row < 14) & (column >= 5) & (column < 135))
    return pl.pallas_call(kernel, out_shape=out((16, 256), i32))(x)


@case("33_masked_store_leaves_gaps", [ramp((8, 128), i32)], reference=lambda x: x, findings=("ownership",), compare=False)
def _(x):
    def kernel(x, o):
        pltpu.store(o, x[...], mask=lax.broadcasted_iota(i32, (8, 128), 0) < 6)
    return pl.pallas_call(kernel, out_shape=out((8, 128), i32))(x)


@case("34_strided_load", [noise((32, 128))], reference=lambda x: x[1::4])
def _(x):
    def kernel(x, o):
        o[...] = x[pl.ds(1, 8, stride=4)]
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("34_strided_store", [noise((16, 128))], reference=lambda x: jnp.stack([x[:8], x[8:]], 1).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o[pl.ds(0, 8, stride=2)] = x[:8]
        o[pl.ds(1, 8, stride=2)] = x[8:]
    return pl.pallas_call(kernel, out_shape=out((16, 128)))(x)


@case("35_bool_reference", [np.arange(1024).reshape(8, 128) % 3 == 0], reference=lambda x: ~x)
def _(x):
    def kernel(x, o):
        o[...] = jnp.logical_not(x[...])
    return pl.pallas_call(kernel, out_shape=out((8, 128), jnp.bool_))(x)


@case("36_while", [np.array([27], np.int32)], reference=lambda n: jnp.array([111], i32))
def _(n):
    def kernel(n, o):
        def step(state):
            value, count = state
            return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), count + 1
        o[0] = lax.while_loop(lambda s: s[0] != 1, step, (n[0], 0))[1]
    return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32))(n)


@case("36_while_vector", [X], reference=lambda x: x * 8)
def _(x):
    def kernel(x, o):
        o[...] = lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x[...]))[1]
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("36_fori_and_cond", [ramp((8, 128), i32), np.array([5], np.int32)], reference=lambda x, n: x + 5 + 5 * 10)
def _(x, n):
    def kernel(n, x, o):
        def step(i, v):
            return lax.cond(i % 2 == 0, lambda v: v + 1, lambda v: v + 1, v) + i * 5
        o[...] = lax.fori_loop(0, n[0], step, x[...])
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128), i32))(n, x)


@case("36_scan", [noise((4, 8, 128))], reference=lambda x: jnp.sum(x, 0), tolerance=1e-6)
def _(x):
    def kernel(x, o):
        o[...] = lax.fori_loop(0, 4, lambda i, v: v + x[i], jnp.zeros((8, 128)), unroll=True)
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("37_run_scoped", [X], reference=lambda x: x * 2 + 1)
def _(x):
    def kernel(x, o):
        def scoped(a, b):
            a[...] = x[...] * 2
            b[0] = 1.0
            return a[...] + b[0]
        o[...] = pl.run_scoped(scoped, pltpu.VMEM((8, 128), f32), pltpu.SMEM((1,), f32))
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("38_debug_print_and_delay", [ramp((8, 128), i32), np.array([3], np.int32)], reference=lambda x, n: x, interpreter="its TPU interpreter prints nothing")
def _(x, n):
    def kernel(n, x, o):
        pl.debug_print("n = {}", n[0])
        pl.debug_print("here")
        pl.debug_print("x: {}", x[...])
        pl.delay(100)
        o[...] = x[...]
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128), i32))(n, x)


@case("39_multiple_of", [noise((64, 128)), np.array([3], np.int32)], reference=lambda x, n: x[24:32])
def _(x, n):
    def kernel(n, x, o):
        o[...] = x[pl.ds(pl.multiple_of(n[0] * 8, 8), 8)]
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128)))(n, x)


@case("40_dma_slices", [noise((4, 16, 256))], reference=lambda x: x[2, 8:16, 128:256])
def _(x):
    def kernel(x, o, semaphore):
        transfer = pltpu.make_async_copy(x.at[2].at[8:16, 128:256], o, semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((8, 128)), scratch_shapes=[pltpu.SemaphoreType.DMA])(x)


@case("40_dma_dynamic_size", [ramp((32, 8, 128)), np.array([5], np.int32)], reference=lambda x, n: jnp.zeros_like(x).at[:5].set(x[:5]))
def _(x, n):
    def kernel(n, x, z, o, semaphore):
        transfer = pltpu.make_async_copy(x.at[pl.ds(0, n[0])], o.at[pl.ds(0, n[0])], semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[SMEM, ANY, ANY], out_specs=ANY, out_shape=out((32, 8, 128)), input_output_aliases={2: 0},
                          scratch_shapes=[pltpu.SemaphoreType.DMA])(n, x, jnp.zeros_like(x))


@case("41_reshaped_reference", [noise((16, 256))], reference=lambda x: x.reshape(2, 8, 256)[1], interpreter="its interpreters can't reshape references")
def _(x):
    def kernel(x, o):
        o[...] = x.reshape(2, 8, 256)[1]
    return pl.pallas_call(kernel, out_shape=out((8, 256)))(x)


@case("41_bitcast_reference", [noise((16, 128), bf16)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x.reshape(8, 2, 128).swapaxes(1, 2), u32))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(u32)[...]
    return pl.pallas_call(kernel, out_shape=out((8, 128), u32))(x)


@case("41_bitcast_reference_store", [ramp((8, 128), u32)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x, bf16).swapaxes(1, 2).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o.bitcast(u32)[...] = x[...]
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16))(x)


@case("41_bitcast_to_narrower", [ramp((8, 128), u32)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x, bf16).swapaxes(1, 2).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(bf16)[...]
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16))(x)


@case("41_dma_of_bitcast", [noise((16, 128), bf16)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x.reshape(8, 2, 128).swapaxes(1, 2), u32))
def _(x):
    def kernel(x, o, semaphore):
        transfer = pltpu.make_async_copy(x.bitcast(u32), o, semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((8, 128), u32), scratch_shapes=[pltpu.SemaphoreType.DMA])(x)


@case("42_prefetch_changed_by_body", [np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32).repeat(1024).reshape(6, 8, 128)],
      reference=lambda s, x: x[jnp.array([0, 1, 3, 3, 3, 3])], findings=("race",))
def _(s, x):
    def kernel(s, x, o):
        for i in range(1, 6):
            s[i] = 3
        o[...] = x[...]
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(6,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i, s: (s[i], 0, 0))],
                                        out_specs=pl.BlockSpec((1, 8, 128), lambda i, s: (i, 0, 0)))
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=out((6, 8, 128), i32))(s, x)


@case("43_single_buffer", [ramp((32, 128))], reference=lambda x: x + 1)
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(1))
    return grid_call(increment, (4,), [spec], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((32, 128)))(x)


@case("44_random_bits", [np.array([1], np.int32)], reference=lambda x: x, refused="prng", compare=False, interpreter="its interpreters give zeros")
def _(x):
    def kernel(x, o):
        pltpu.prng_seed(x[0])
        o[...] = pltpu.prng_random_bits((8, 128))
    return pl.pallas_call(kernel, in_specs=[SMEM], out_shape=out((8, 128), i32))(x)


@case("45_two_results_one_kernel", [X], reference=lambda x: (jnp.minimum(x, 0), (x > 0).astype(i8)))
def _(x):
    def kernel(x, low, positive):
        low[...] = jnp.minimum(x[...], 0)
        positive[...] = (x[...] > 0).astype(i32).astype(i8)
    return pl.pallas_call(kernel, out_shape=[out((8, 128)), out((8, 128), i8)])(x)


@case("46_core_barrier_free_kernel", [X], reference=lambda x: x + 1, interpreter="pl.kernel with a mesh of one core")
def _(x):
    @mesh_kernel(1, out((8, 128)), [pltpu.VMEM((8, 128), f32)])
    def kernel(x, o, scratch):
        pltpu.sync_copy(x, scratch)
        scratch[...] += 1
        pltpu.sync_copy(scratch, o)
    return kernel(x)


@case("47_padded_matmul", [noise((100, 300)), noise((300, 200), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-4)
def _(x, y):
    def kernel(x, y, o, total):
        @pl.when(pl.program_id(2) == 0)
        def _():
            total[...] = jnp.zeros_like(total)
        total[...] += jnp.dot(x[...], y[...], preferred_element_type=f32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o[...] = total[...]
    x, y = jnp.pad(x, ((0, 28), (0, 84))), jnp.pad(y, ((0, 84), (0, 56)))
    return grid_call(kernel, (2, 2, 3), [pl.BlockSpec((64, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
                     pl.BlockSpec((64, 128), lambda i, j, k: (i, j)), out((128, 256)), scratch_shapes=[pltpu.VMEM((64, 128), f32)])(x, y)[:100, :200]


@case("48_vmap", [noise((3, 16, 128))], reference=lambda x: x * 2 + 1)
def _(x):
    def one(x):
        def kernel(x, o):
            o[...] = x[...] * 2 + 1
        spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return grid_call(kernel, (2,), [spec], spec, out((16, 128)))(x)
    return jax.vmap(one)(x)


@case("49_check", [np.array([3], np.int32)], reference=lambda n: n + 1, interpreter="pl.debug_check is off in interpretation")
def _(n):
    def kernel(n, o):
        pl.debug_check(n[0] > 2, "n is too small")
        o[0] = n[0] + 1
    with pl.enable_debug_checks():
        return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32))(n)
