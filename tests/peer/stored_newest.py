"""A handful of kernels for the newest JAX that PyPI has (tests/data/newest_jax): what it writes must be read."""
import inspect

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import bf16, f32, i32
from production import BLOCKS, dot, flash, matmul_library, mha
from stored import Hashed, stored

ANY = pl.BlockSpec(memory_space=pl.ANY)
SMEM = pl.BlockSpec(memory_space=pltpu.SMEM)


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


@stored("axpy", [Hashed((24, 256)), Hashed((24, 256), f32, 1)], reference=lambda x, y: 2 * x + y)
def _(x, y):
    def kernel(x, y, o):
        o[...] = 2 * x[...] + y[...]
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return pl.pallas_call(kernel, grid=(3, 2), in_specs=[spec, spec], out_specs=spec, out_shape=out((24, 256)))(x, y)


@stored("matmul_bf16", [Hashed((128, 256), bf16), Hashed((256, 128), bf16, 1)], reference=lambda x, y: dot(x, y).astype(x.dtype), tolerance=1e-2)
def _(x, y):
    return matmul_library.matmul(x, y, block_shape=(128, 128), block_k=128)


@stored("flash_attention_causal", [Hashed((1, 1, 256, 128), f32, salt, 0.25) for salt in range(3)], reference=mha(True), tolerance=1e-5)
def _(q, k, v):
    return flash.flash_attention(q, k, v, causal=True, sm_scale=0.088, block_sizes=BLOCKS)


# Two slots by hand: the next block is on its way while this one is used. The faulty twin does not wait for it.
for _faulty in (False, True):
    @stored(f"double_buffer{'_without_wait' * _faulty}", [Hashed((32, 128))], reference=lambda x: x + 1, compare=not _faulty,
            findings=("race", "leak") if _faulty else ())
    def _(x, faulty=_faulty):
        def kernel(x, o, buffer, semaphores):
            def fetch(i):
                return pltpu.make_async_copy(x.at[pl.ds(i * 8, 8)], buffer.at[i % 2], semaphores.at[i % 2])

            fetch(0).start()

            def step(i, _):
                @pl.when(i + 1 < 4)
                def _():
                    fetch(i + 1).start()
                if not faulty:
                    fetch(i).wait()
                o[pl.ds(i * 8, 8)] = buffer[i % 2] + 1  # fault
                return 0
            lax.fori_loop(0, 4, step, 0)
        return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((32, 128)), scratch_shapes=[pltpu.VMEM((2, 8, 128), f32), pltpu.SemaphoreType.DMA((2,))])(x)


@stored("semaphores", [Hashed((8, 128), i32)], reference=lambda x: x + 7)
def _(x):
    def kernel(x, o, semaphore):
        pl.semaphore_signal(semaphore, 7)
        o[...] = x[...] + pl.semaphore_read(semaphore)
        pl.semaphore_wait(semaphore, 7)
    return pl.pallas_call(kernel, out_shape=out((8, 128), i32), scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)


@stored("emit_pipeline", [Hashed((64, 256))], reference=lambda x: x * 2)
def _(x):
    def double(x, o):
        o[...] = x[...] * 2

    def outer(x, o):
        spec = pl.BlockSpec((16, 128), lambda i, j: (i, j))
        pltpu.emit_pipeline(double, grid=(4, 2), in_specs=[pl.BlockSpec((16, 128), lambda i, j: (i, j), pipeline_mode=pl.Buffered(3))], out_specs=[spec])(x, o)
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((64, 256)))(x)


@stored("two_cores", [Hashed((16, 128), i32)], reference=lambda x: x)
def _(x):
    mesh, scratch, result = pltpu.create_tensorcore_mesh("core", num_cores=2), [pltpu.SemaphoreType.REGULAR], out((16, 128), i32)
    older = "out_shape" in inspect.signature(pl.kernel).parameters
    options = dict(out_shape=result, scratch_shapes=scratch) if older else dict(out_type=result, scratch_types=scratch)

    @pl.kernel(mesh=mesh, **options)
    def kernel(x, o, semaphore):
        def scoped(shared):
            core = lax.axis_index("core")

            @pl.when(core == 0)
            def _():
                pltpu.sync_copy(x, shared)
                pl.semaphore_signal(semaphore, 1, core_index=1)

            @pl.when(core == 1)
            def _():
                pl.semaphore_wait(semaphore, 1)
                pltpu.sync_copy(shared, o)
        pl.run_scoped(scoped, pltpu.HBM((16, 128), i32))
    return kernel(x)
