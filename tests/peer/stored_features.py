"""What Pallas on a TPU has beside plain blocks, for tests/data/features: windows, run-time grids, masks, scopes, cores, prefetched scalars, bitcasts."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import bf16, f32, i8, i32, u32
from stored import Hashed, stored

ANY, SMEM, VMEM = (pl.BlockSpec(memory_space=space) for space in (pl.ANY, pltpu.SMEM, pltpu.VMEM))
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


def copy(x, o):
    o[...] = x[...]


def parallel(*semantics):
    return pltpu.CompilerParams(dimension_semantics=semantics)


# Windows of 16 rows, 8 apart, over 24 rows with 8 rows of padding below and above. What is padding is not read, or is.
for _reads_padding in (False, True):
    @stored(f"element_padding{'_read' * _reads_padding}", [Hashed((24, 128))], findings=("uninitialized",) if _reads_padding else (), compare=not _reads_padding,
            reference=lambda x: jnp.concatenate([x[:8], x[:8] + x[8:16], x[8:16] + x[16:], x[16:]]))
    def _(x, reads_padding=_reads_padding):
        def kernel(x, o):
            i = pl.program_id(0)
            if reads_padding:
                o[...] = x[:8] + x[8:]  # fault
                return

            @pl.when(i == 0)
            def _():
                o[...] = x[8:]

            @pl.when(i == 3)
            def _():
                o[...] = x[:8]

            @pl.when((i > 0) & (i < 3))
            def _():
                o[...] = x[:8] + x[8:]
        window = pl.BlockSpec((pl.Element(16, (8, 8)), pl.Element(128)), lambda i: (i * 8, 0))
        return pl.pallas_call(kernel, grid=(4,), in_specs=[window], out_specs=ROWS, out_shape=out((32, 128)))(x)


@stored("dynamic_grid", [np.int32(2), np.int32(3), Hashed((32, 512)), Hashed((32, 512), f32, 1)],
        reference=lambda m, n, x, z: z.at[:16, :384].set(x[:16, :384] + 6))
def _(m, n, x, z):
    def kernel(x, z, o):
        o[...] = x[...] + (pl.num_programs(0) * pl.num_programs(1)).astype(f32)
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return pl.pallas_call(kernel, grid=(m, n), in_specs=[spec, ANY], out_specs=spec, out_shape=out((32, 512)), input_output_aliases={1: 0})(x, z)


@stored("dynamic_grid_of_none", [np.int32(0), Hashed((16, 128))], reference=lambda n, x: x)
def _(n, x):
    def kernel(x, o):
        o[...] = x[...] + 1
    return pl.pallas_call(kernel, grid=(n,), in_specs=[ROWS], out_specs=ROWS, out_shape=out((16, 128)), input_output_aliases={0: 0})(x)


@stored("dynamic_grid_too_large", [np.int32(5), Hashed((32, 128))], reference=None, compare=False, findings=("out_of_bounds",))
def _(n, x):
    return pl.pallas_call(copy, grid=(n,), in_specs=[ROWS], out_specs=ROWS, out_shape=out((32, 128)))(x)


def mask_of(rows, columns):
    row, column = (lax.broadcasted_iota(i32, (16, 256), d) for d in (0, 1))
    return (row >= 4) & (row < 4 + rows) & (column >= 5) & (column < 5 + columns)


@stored("masked_store", [Hashed((16, 256), i32)], reference=lambda x: jnp.full((16, 256), -1, i32).at[4:14, 5:135].set(x[4:14, 5:135]))
def _(x):
    def kernel(x, o):
        o[...] = jnp.full((16, 256), -1, i32)
        pltpu.store(o, x[...], mask=mask_of(10, 130))
    return pl.pallas_call(kernel, out_shape=out((16, 256), i32))(x)


# Lanes outside the mask are never touched: half of the scratch is never written, and none of that is read.
@stored("masked_store_of_part", [Hashed((16, 256), i32)], reference=lambda x: jnp.where(jnp.arange(16)[:, None] < 6, x * 2, -1))
def _(x):
    def kernel(x, o, scratch):
        keep = lax.broadcasted_iota(i32, (16, 256), 0) < 6
        pltpu.store(scratch, x[...] * 2, mask=keep)
        o[...] = jnp.where(keep, scratch[...], -1)
    return pl.pallas_call(kernel, out_shape=out((16, 256), i32), scratch_shapes=[pltpu.VMEM((16, 256), i32)])(x)


@stored("masked_store_leaves_gaps", [Hashed((16, 256), i32)], reference=None, compare=False, findings=("ownership",))
def _(x):
    def kernel(x, o):
        pltpu.store(o, x[...], mask=mask_of(10, 130))
    return pl.pallas_call(kernel, out_shape=out((16, 256), i32))(x)


@stored("run_scoped", [Hashed((8, 128)), Hashed((16, 128), f32, 1)], reference=lambda x, y: x * 2 + y[8:] + 3)
def _(x, y):
    def kernel(x, y, o):
        def scoped(buffer, scalar, slots, dma, regular):
            buffer[...] = x[...] * 2
            scalar[0] = 3.0
            transfer = pltpu.make_async_copy(y.at[pl.ds(8, 8)], slots.at[1], dma.at[1])
            transfer.start()
            pl.semaphore_signal(regular, 2)
            transfer.wait()
            pl.semaphore_wait(regular, 2)
            return buffer[...] + slots[1] + scalar[0]
        o[...] = pl.run_scoped(scoped, pltpu.VMEM((8, 128), f32), pltpu.SMEM((1,), f32), pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,)),
                               pltpu.SemaphoreType.REGULAR)
    return pl.pallas_call(kernel, in_specs=[VMEM, ANY], out_shape=out((8, 128)))(x, y)


# The region runs again in each turn: what the last turn wrote is gone.
for _fresh in (True, False):
    @stored(f"run_scoped_in_a_loop{'' if _fresh else '_keeps_nothing'}", [Hashed((8, 128))], findings=() if _fresh else ("uninitialized",), compare=_fresh,
            reference=lambda x: x * 4)
    def _(x, fresh=_fresh):
        def kernel(x, o):
            def turn(i, total):
                def scoped(buffer):
                    @pl.when((i == 0) | fresh)
                    def _():
                        buffer[...] = x[...]
                    return total + buffer[...]  # fault
                return pl.run_scoped(scoped, pltpu.VMEM((8, 128), f32))
            o[...] = lax.fori_loop(0, 4, turn, jnp.zeros((8, 128)))
        return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


# The result is memory that pl.kernel allocates outside (AllocateBuffer), with one core and with two.
for _count in (1, 2):
    @stored(f"allocated_result_{_count}_cores", [Hashed((16, 128))], reference=lambda x: x + 1)
    def _(x, count=_count):
        mesh, rows = pltpu.create_tensorcore_mesh("core", num_cores=count), 16 // count

        @pl.kernel(out_shape=out((16, 128)), mesh=mesh, scratch_shapes=[pltpu.VMEM((rows, 128), f32)])
        def kernel(x, o, scratch):
            part = pl.ds(pl.multiple_of(lax.axis_index("core") * rows, 8), rows)
            pltpu.sync_copy(x.at[part], scratch)
            scratch[...] += 1
            pltpu.sync_copy(scratch, o.at[part])
        return kernel(x)


# Each program of a core_parallel dimension is a core of its own, whatever --cores says.
@stored("core_parallel", [Hashed((16, 128))], reference=lambda x: x + 1, cores={1: (), 2: ()})
def _(x):
    def kernel(x, o):
        o[...] = x[...] + 1
    return pl.pallas_call(kernel, grid=(2,), in_specs=[ROWS], out_specs=ROWS, out_shape=out((16, 128)), compiler_params=parallel("core_parallel"))(x)


@stored("core_parallel_one_block", [Hashed((16, 128))], reference=None, compare=False, findings=("race",))
def _(x):
    return pl.pallas_call(copy, grid=(2,), in_specs=[ROWS], out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)), out_shape=out((8, 128)),
                          compiler_params=parallel("core_parallel"))(x)


def prefetched(kernel, steps, x, table):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(steps,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i, s: (s[i], 0, 0))],
                                        out_specs=pl.BlockSpec((1, 8, 128), lambda i, s: (i, 0, 0)))
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=out((steps, 8, 128), i32))(table, x)


TABLE = np.array([5, 0, 3, 3, 1, 2], np.int32)


@stored("scalar_prefetch", [Hashed((6, 8, 128), i32), TABLE], reference=lambda x, s: x[s])
def _(x, table):
    return prefetched(lambda s, x, o: copy(x, o), 6, x, table)


# The next block is being fetched while the body runs: what it changes of the table must lie further ahead than that, or behind.
for _ahead, _findings in ((-1, ()), (1, ("race",)), (2, ("race",))):
    @stored(f"scalar_prefetch_changed_{'behind' if _ahead < 0 else f'{_ahead}_ahead'}", [Hashed((6, 8, 128), i32), TABLE], findings=_findings,
            compare=not _findings, reference=lambda x, s: x[s])
    def _(x, table, ahead=_ahead):
        def kernel(s, x, o):
            i = pl.program_id(0)

            @pl.when((i + ahead >= 0) & (i + ahead < 6))
            def _():
                s[i + ahead] = 0  # fault
            o[...] = x[...]
        return prefetched(kernel, 6, x, table)


def wide(x, dtype):
    """What x.bitcast(dtype) holds, for a wider type: what stands below each other, the first in the low bits."""
    ratio = np.dtype(dtype).itemsize // x.dtype.itemsize
    return lax.bitcast_convert_type(x.reshape(-1, ratio, x.shape[1]).swapaxes(1, 2), dtype)


def narrow(x, dtype):
    parts = lax.bitcast_convert_type(x, dtype)
    return parts.swapaxes(1, 2).reshape(-1, x.shape[1])


@stored("bitcast_wider_load", [Hashed((16, 128), bf16)], reference=lambda x: wide(x, u32)[2:6])
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(u32)[2:6]
    return pl.pallas_call(kernel, out_shape=out((4, 128), u32))(x)


@stored("bitcast_four_times_wider", [Hashed((32, 128), i8)], reference=lambda x: wide(x, i32))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(i32)[...]
    return pl.pallas_call(kernel, out_shape=out((8, 128), i32))(x)


@stored("bitcast_wider_store", [Hashed((8, 128), i32)], reference=lambda x: narrow(x, bf16))
def _(x):
    def kernel(x, o):
        o.bitcast(i32)[...] = x[...]
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16))(x)


@stored("bitcast_narrower_load", [Hashed((8, 128), i32)], reference=lambda x: narrow(x, bf16)[3:11])
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(bf16)[3:11]
    return pl.pallas_call(kernel, out_shape=out((8, 128), bf16))(x)


@stored("bitcast_four_times_narrower", [Hashed((8, 128), i32)], reference=lambda x: narrow(x, i8))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(i8)[...]
    return pl.pallas_call(kernel, out_shape=out((32, 128), i8))(x)


@stored("bitcast_narrower_store", [Hashed((16, 128), bf16)], reference=lambda x: wide(x, i32))
def _(x):
    def kernel(x, o):
        halves = o.bitcast(bf16)
        halves[:6] = x[:6]
        halves[6:] = x[6:]
    return pl.pallas_call(kernel, out_shape=out((8, 128), i32))(x)


# Rows of a wider scratch, one slot after the other, by DMA.
@stored("bitcast_narrower_dma", [Hashed((16, 128), bf16)], reference=lambda x: x * 2)
def _(x):
    def kernel(x, o, scratch, semaphore):
        transfer = pltpu.make_async_copy(x, scratch.at[1].bitcast(bf16), semaphore)
        transfer.start()
        transfer.wait()
        o[...] = scratch.at[1].bitcast(bf16)[...] * 2
    return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((16, 128), bf16), scratch_shapes=[pltpu.VMEM((2, 8, 128), i32), pltpu.SemaphoreType.DMA])(x)


@stored("bitcast_narrower_unwritten", [Hashed((16, 128), bf16)], reference=None, compare=False, findings=("uninitialized",))
def _(x):
    def kernel(x, o, scratch):
        scratch.bitcast(bf16)[:8] = x[:8]
        o[...] = scratch.bitcast(bf16)[...]  # fault
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16), scratch_shapes=[pltpu.VMEM((8, 128), i32)])(x)
