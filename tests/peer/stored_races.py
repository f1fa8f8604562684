"""Kernels with the faults that people make by hand, each beside its right twin, for tests/data/user_races."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import f32, i32
from stored import Hashed, stored

ANY, SMEM, VMEM = (pl.BlockSpec(memory_space=space) for space in (pl.ANY, pltpu.SMEM, pltpu.VMEM))
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


def twins(name, fault, inputs, findings, reference, **options):
    """Registers what follows twice: NAME, right, and NAME_FAULT, called with faulty=True."""
    def add(make):
        stored(name, inputs, reference=reference, **{**options, "cores": {n: () for n in options.get("cores", {})}})(make(False))
        stored(f"{name}_{fault}", inputs, reference=None, compare=False, findings=findings, **options)(make(True))
        return make
    return add


BLOCKS = [Hashed((64, 128))]


@twins("copy_in", "missing_wait", BLOCKS, ("race", "leak"), lambda x: x * 2)
def _(faulty):
    """Two slots; the body may read a slot once its copy was awaited."""
    def double(x):
        def kernel(x_hbm, o_ref, buffer, sems):
            def copy(step):
                slot = step % 2
                return pltpu.make_async_copy(x_hbm.at[pl.ds(step * 8, 8)], buffer.at[slot], sems.at[slot])
            copy(0).start()

            @pl.loop(0, 8)
            def _(step):
                @pl.when(step + 1 < 8)
                def _():
                    copy(step + 1).start()
                if not faulty:
                    copy(step).wait()
                o_ref[pl.ds(step * 8, 8)] = buffer[step % 2] * 2  # fault
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((64, 128)), scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])(x)
    return double


@twins("prefetch", "into_the_slot_in_use", BLOCKS, ("race",), lambda x: x + 1)
def _(faulty):
    """The next block goes into the other slot."""
    slots = 1 if faulty else 2

    def add_one(x):
        def kernel(x_hbm, o_ref, buffer, sems):
            def copy(step):
                slot = lax.rem(step, slots)
                return pltpu.make_async_copy(x_hbm.at[pl.ds(step * 8, 8)], buffer.at[slot], sems.at[slot])
            copy(0).start()

            def body(step, carry):
                copy(step).wait()

                @pl.when(step < 7)
                def _():
                    copy(step + 1).start()
                o_ref[pl.ds(step * 8, 8)] = buffer[lax.rem(step, slots)] + 1  # fault
                return carry
            lax.fori_loop(0, 8, body, 0)
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((64, 128)), scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])(x)
    return add_one


@twins("three_slots", "prefetched_too_far", BLOCKS, ("race",), lambda x: x * x)
def _(faulty):
    """With three slots two blocks may be on their way while one is used."""
    ahead = 3 if faulty else 2

    def square(x):
        def kernel(x_hbm, o_ref, slots, sems):
            def fetch(i):
                return pltpu.make_async_copy(x_hbm.at[pl.ds(i * 8, 8), :], slots.at[i % 3], sems.at[i % 3])
            for i in range(ahead):
                fetch(i).start()
            for i in range(8):
                fetch(i).wait()
                if i + ahead < 8:
                    fetch(i + ahead).start()
                o_ref[pl.ds(i * 8, 8), :] = jnp.square(slots[i % 3])  # fault
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((64, 128)), scratch_shapes=[pltpu.VMEM((3, 8, 128), f32), pltpu.SemaphoreType.DMA((3,))])(x)
    return square


@twins("copy_out", "slot_overwritten", [Hashed((32, 128))], ("race",), lambda x: x * 4)
def _(faulty):
    """A block's way out must be over before its slot is filled again."""
    def times_four(x):
        def kernel(x_ref, o_hbm, staging, sem):
            def store(i):
                return pltpu.make_async_copy(staging.at[0 if faulty else i % 2], o_hbm.at[pl.ds(i * 8, 8)], sem.at[i % 2])
            for i in range(4):
                if i >= 2:
                    store(i - 2).wait()
                staging[0 if faulty else i % 2] = x_ref[pl.ds(i * 8, 8)] * 4  # fault
                store(i).start()
            store(2).wait()
            store(3).wait()
        return pl.pallas_call(kernel, in_specs=[VMEM], out_specs=ANY, out_shape=out((32, 128)),
                              scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])(x)
    return times_four


@twins("results", "last_copy_not_awaited", [Hashed((16, 128))], ("leak",), lambda x: x + 3)
def _(faulty):
    """The last copy out is awaited before the kernel ends."""
    def add_three(x):
        def kernel(x_ref, o_hbm, staging, sem):
            staging[...] = x_ref[...] + 3
            copy = pltpu.make_async_copy(staging, o_hbm, sem)
            copy.start()  # fault
            if not faulty:
                copy.wait()
        return pl.pallas_call(kernel, in_specs=[VMEM], out_specs=ANY, out_shape=out((16, 128)), scratch_shapes=[pltpu.VMEM((16, 128), f32), pltpu.SemaphoreType.DMA])(x)
    return add_three


@twins("two_inputs", "one_semaphore", [Hashed((16, 128)), Hashed((16, 128), f32, 1)], ("race",), lambda x, y: x * 2 + y)
def _(faulty):
    """Each copy has a semaphore of its own: a wait on a common one may end by the other's bytes."""
    def axpy(x, y):
        def kernel(x_hbm, y_hbm, o_ref, x_vmem, y_vmem, sems):
            first = pltpu.make_async_copy(x_hbm, x_vmem, sems.at[0])
            second = pltpu.make_async_copy(y_hbm, y_vmem, sems.at[0 if faulty else 1])
            first.start()
            second.start()
            first.wait()
            o_ref[...] = x_vmem[...] * 2  # fault
            second.wait()
            o_ref[...] += y_vmem[...]
        block = pltpu.VMEM((16, 128), f32)
        return pl.pallas_call(kernel, in_specs=[ANY, ANY], out_shape=out((16, 128)), scratch_shapes=[block, block, pltpu.SemaphoreType.DMA((2,))])(x, y)
    return axpy


@twins("two_halves", "half_awaited", [Hashed((16, 128))], ("leak",), lambda x: x - 1)
def _(faulty):
    """The wait is for as many bytes as the copy has."""
    def subtract(x):
        def kernel(x_hbm, o_ref, buffer, sem):
            pltpu.make_async_copy(x_hbm, buffer, sem).start()  # fault
            rows = pl.ds(0, 8 if faulty else 16)
            pltpu.make_async_copy(x_hbm.at[rows], buffer.at[rows], sem).wait()
            o_ref[...] = buffer[...] - 1
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((16, 128)), scratch_shapes=[pltpu.VMEM((16, 128), f32), pltpu.SemaphoreType.DMA])(x)
    return subtract


@twins("through_hbm", "read_back_too_early", [Hashed((8, 128))], ("race",), lambda x: (x * 2, x * 2 + 1))
def _(faulty):
    """What went to HBM is fetched again once it is there."""
    def round_trip(x):
        def kernel(x_ref, hbm, o_ref, staging, back, sems):
            staging[...] = x_ref[...] * 2
            there = pltpu.make_async_copy(staging, hbm, sems.at[0])
            there.start()
            if not faulty:
                there.wait()
            here = pltpu.make_async_copy(hbm, back, sems.at[1])
            here.start()  # fault
            if faulty:
                there.wait()
            here.wait()
            o_ref[...] = back[...] + 1
        block = pltpu.VMEM((8, 128), f32)
        return pl.pallas_call(kernel, in_specs=[VMEM], out_specs=[ANY, VMEM], out_shape=[out((8, 128)), out((8, 128))],
                              scratch_shapes=[block, block, pltpu.SemaphoreType.DMA((2,))])(x)
    return round_trip


@twins("pipeline", "one_output_slot", [Hashed((64, 128))], ("race",), lambda x: x + 5)
def _(faulty):
    """emit_pipeline stores a block while the next is worked out: an output needs two slots."""
    def add_five(x):
        def body(x_ref, o_ref):
            o_ref[...] = x_ref[...] + 5  # fault

        def kernel(x_hbm, o_hbm):
            mode = pl.Buffered(1) if faulty else pl.Buffered(2)
            pltpu.emit_pipeline(body, grid=(8,), in_specs=[ROWS], out_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=mode)])(x_hbm, o_hbm)
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out((64, 128)))(x)
    return add_five


@twins("running_sum", "previous_block_in_flight", [Hashed((64, 128), i32)], ("race",), lambda x: jnp.cumsum(x.reshape(8, 8, 128), 0).reshape(64, 128))
def _(faulty):
    """A block that needs the one before it keeps it; in HBM it is still on its way."""
    def sums(x):
        def kernel(x_hbm, o_hbm, total, sem):
            total[...] = jnp.zeros_like(total)

            def body(x_ref, o_ref):
                i = pl.program_id(0)
                if faulty:
                    @pl.when(i > 0)
                    def _():
                        copy = pltpu.make_async_copy(o_hbm.at[pl.ds((i - 1) * 8, 8)], total, sem)
                        copy.start()  # fault
                        copy.wait()
                o_ref[...] = total[...] + x_ref[...]
                if not faulty:
                    total[...] = o_ref[...]
            pltpu.emit_pipeline(body, grid=(8,), in_specs=[ROWS], out_specs=[ROWS])(x_hbm, o_hbm)
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out((64, 128), i32), scratch_shapes=[pltpu.VMEM((8, 128), i32), pltpu.SemaphoreType.DMA])(x)
    return sums


@twins("column_sum", "over_a_parallel_dimension", [Hashed((64, 128), i32)], ("race",), lambda x: jnp.sum(x.reshape(8, 8, 128), 0),
       cores={2: ("race", "uninitialized"), 4: ("race", "uninitialized")})
def _(faulty):
    """What programs add up together is no parallel dimension: the second core begins with what the first alone has zeroed."""
    def total(x):
        def kernel(x_ref, o_ref):
            @pl.when(pl.program_id(0) == 0)
            def _():
                o_ref[...] = jnp.zeros_like(o_ref)
            o_ref[...] += x_ref[...]
        semantics = "parallel" if faulty else "arbitrary"
        return pl.pallas_call(kernel, grid=(8,), in_specs=[ROWS], out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)), out_shape=out((8, 128), i32),
                              compiler_params=pltpu.CompilerParams(dimension_semantics=(semantics,)))(x)
    return total


@twins("hand_over", "signalled_too_early", [Hashed((16, 128))], ("race",), lambda x: x)
def _(faulty):
    """A core says that data is there when it is."""
    def pass_on(x):
        @pl.kernel(out_shape=out((16, 128)), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2), scratch_shapes=[pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA])
        def kernel(x_hbm, o_hbm, ready, sem):
            def scoped(shared):
                @pl.when(lax.axis_index("core") == 0)
                def _():
                    copy = pltpu.make_async_copy(x_hbm, shared, sem)
                    copy.start()
                    if faulty:
                        pl.semaphore_signal(ready, 1, core_index=1)
                    copy.wait()
                    if not faulty:
                        pl.semaphore_signal(ready, 1, core_index=1)

                @pl.when(lax.axis_index("core") == 1)
                def _():
                    pl.semaphore_wait(ready, 1)
                    pltpu.sync_copy(shared, o_hbm)  # fault
            pl.run_scoped(scoped, pltpu.HBM((16, 128), f32))
        return kernel(x)
    return pass_on


# Only where the reader comes after the writer in the simulator's order does it see anything written: two findings, or one.
@twins("exchange", "without_barrier", [Hashed((16, 128), i32)], ("race",), lambda x: jnp.concatenate([x[8:], x[:8]]), cores={2: ("race", "uninitialized")})
def _(faulty):
    """Both cores have written before either reads what the other wrote."""
    def swap(x):
        @pl.kernel(out_shape=out((16, 128), i32), mesh=pltpu.create_tensorcore_mesh("core", num_cores=2), scratch_shapes=[pltpu.SemaphoreType.REGULAR])
        def kernel(x_hbm, o_hbm, barrier):
            core = lax.axis_index("core")
            mine, other = pl.ds(pl.multiple_of(core * 8, 8), 8), pl.ds(pl.multiple_of((1 - core) * 8, 8), 8)

            def scoped(shared):
                pltpu.sync_copy(x_hbm.at[mine], shared.at[mine])
                if not faulty:
                    pltpu.core_barrier(barrier, core_axis_name="core")
                pltpu.sync_copy(shared.at[other], o_hbm.at[mine])  # fault
            pl.run_scoped(scoped, pltpu.HBM((16, 128), i32))
        return kernel(x)
    return swap


@twins("accumulator", "never_zeroed", [Hashed((128, 128)), Hashed((128, 128), f32, 1)], ("uninitialized",),
       lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-4)
def _(faulty):
    """Scratch holds nothing before the first program writes it."""
    def matmul(x, y):
        def kernel(x_ref, y_ref, o_ref, acc):
            if not faulty:
                @pl.when(pl.program_id(0) == 0)
                def _():
                    acc[...] = jnp.zeros_like(acc)
            acc[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=f32)  # fault

            @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
            def _():
                o_ref[...] = acc[...]
        return pl.pallas_call(kernel, grid=(1,), in_specs=[pl.BlockSpec((128, 128), lambda k: (0, k)), pl.BlockSpec((128, 128), lambda k: (k, 0))],
                              out_specs=pl.BlockSpec((128, 128), lambda k: (0, 0)), out_shape=out((128, 128)), scratch_shapes=[pltpu.VMEM((128, 128), f32)])(x, y)
    return matmul


START = [Hashed((32, 128)), np.array([3], np.int32)]


@twins("row_of_a_table", "outside", START, ("out_of_bounds",), lambda x, s: x[24:32])
def _(faulty):
    """A start that comes from data stays inside."""
    def take(x, start):
        def kernel(start_ref, x_ref, o_ref):
            begin = start_ref[0] * 8 + (4 if faulty else 0)
            o_ref[...] = x_ref[pl.ds(begin, 8)]  # fault
        return pl.pallas_call(kernel, in_specs=[SMEM, VMEM], out_shape=out((8, 128)))(start, x)
    return take


@twins("copied_row_of_a_table", "outside", START, ("out_of_bounds",), lambda x, s: x[24:32])
def _(faulty):
    """The same for a copy's source."""
    def take(x, start):
        def kernel(start_ref, x_hbm, o_ref, sem):
            begin = jnp.minimum(start_ref[0], 3) + (1 if faulty else 0)
            copy = pltpu.make_async_copy(x_hbm.at[pl.ds(begin * 8, 8)], o_ref, sem)
            copy.start()  # fault
            copy.wait()
        return pl.pallas_call(kernel, in_specs=[SMEM, ANY], out_shape=out((8, 128)), scratch_shapes=[pltpu.SemaphoreType.DMA])(start, x)
    return take


@twins("count", "left_in_a_semaphore", [Hashed((8, 128))], ("leak",), lambda x: x * 3)
def _(faulty):
    """A semaphore is zero again when the kernel ends."""
    def triple(x):
        def kernel(x_ref, o_ref, done):
            for part in range(2):
                o_ref[pl.ds(part * 4, 4)] = x_ref[pl.ds(part * 4, 4)] * 3
                pl.semaphore_signal(done, 1)  # fault
            pl.semaphore_wait(done, 1 if faulty else 2)
        return pl.pallas_call(kernel, out_shape=out((8, 128)), scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)
    return triple


@twins("slots", "wait_on_the_other_slot", BLOCKS, ("deadlock",), lambda x: x / 2)
def _(faulty):
    """A wait is on the semaphore of the slot that was started."""
    def halve(x):
        def kernel(x_hbm, o_ref, buffer, sems):
            for i in range(8):
                copy = pltpu.make_async_copy(x_hbm.at[pl.ds(i * 8, 8)], buffer.at[i % 2], sems.at[i % 2])
                copy.start()
                if faulty:
                    pltpu.make_async_copy(x_hbm.at[pl.ds(i * 8, 8)], buffer.at[i % 2], sems.at[(i + 1) % 2]).wait()  # fault
                else:
                    copy.wait()
                o_ref[pl.ds(i * 8, 8)] = buffer[i % 2] / 2
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((64, 128)), scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])(x)
    return halve


@twins("in_place", "overtaken", [Hashed((32, 128))], ("race",), lambda x: jnp.concatenate([x[:8], x[:24]]))
def _(faulty):
    """Rows move down in place from the last block up; the next block must be in before it is overwritten."""
    def shift(x):
        def kernel(x_hbm, o_hbm, buffer, sems):
            def fetch(i):
                return pltpu.make_async_copy(o_hbm.at[pl.ds(i * 8, 8)], buffer.at[i % 2], sems.at[0, i % 2])

            def store(i):
                return pltpu.make_async_copy(buffer.at[i % 2], o_hbm.at[pl.ds(i * 8 + 8, 8)], sems.at[1, i % 2])
            order = (0, 1, 2) if faulty else (2, 1, 0)
            fetch(order[0]).start()
            for this, following in zip(order, (*order[1:], None)):
                fetch(this).wait()
                if following is not None:
                    fetch(following).start()
                store(this).start()  # fault
                store(this).wait()
        return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out((32, 128)), input_output_aliases={0: 0},
                              scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2, 2))])(x)
    return shift


@twins("window_sent_on", "awaited_by_the_next_program", [Hashed((32, 128))], ("race",), lambda x: (x, x + 1))
def _(faulty):
    """A copy from a window ends before its program does: the memory is then another block's."""
    def send(x):
        def kernel(x_ref, log_hbm, o_ref, sem):
            i = pl.program_id(0)
            copy = pltpu.make_async_copy(x_ref, log_hbm.at[pl.ds(i * 8, 8)], sem)
            if faulty:
                @pl.when(i > 0)
                def _():
                    copy.wait()
            copy.start()  # fault
            o_ref[...] = x_ref[...] + 1
            if not faulty:
                copy.wait()
            else:
                @pl.when(i == pl.num_programs(0) - 1)
                def _():
                    copy.wait()
        return pl.pallas_call(kernel, grid=(4,), in_specs=[ROWS], out_specs=[ANY, ROWS], out_shape=[out((32, 128)), out((32, 128))],
                              scratch_shapes=[pltpu.SemaphoreType.DMA])(x)
    return send


@twins("window_filled", "awaited_by_the_next_program", [Hashed((32, 128))], ("race",), lambda x: x)
def _(faulty):
    """A copy into an output's window ends before its program does: the block is stored then."""
    def fill(x):
        def kernel(x_hbm, o_ref, sem):
            i = pl.program_id(0)
            copy = pltpu.make_async_copy(x_hbm.at[pl.ds(i * 8, 8)], o_ref, sem)
            if faulty:
                @pl.when(i > 0)
                def _():
                    copy.wait()
            copy.start()  # fault
            if not faulty:
                copy.wait()
            else:
                @pl.when(i == pl.num_programs(0) - 1)
                def _():
                    copy.wait()
        return pl.pallas_call(kernel, grid=(4,), in_specs=[ANY], out_specs=ROWS, out_shape=out((32, 128)), scratch_shapes=[pltpu.SemaphoreType.DMA])(x)
    return fill
