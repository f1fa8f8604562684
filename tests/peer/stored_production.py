"""JAX's own kernels at the smallest shapes that have several blocks, for tests/data/production."""
import functools

import jax
import jax.numpy as jnp
import numpy as np

from cases import bf16, f32, i32
from production import (BLOCKS, PAGES, RAGGED, dot, flash, matmul_library, megablox, mha, paged_attention, paged_reference, ragged, splash_kernel,
                        splash_reference, threefry)
from stored import Hashed, stored

for _name, _dtype, _tolerance in (("f32", f32, 1e-5), ("bf16", bf16, 1e-2)):
    @stored(f"matmul_{_name}", [Hashed((128, 256), _dtype), Hashed((256, 128), _dtype, 1)], reference=lambda x, y: dot(x, y).astype(x.dtype), tolerance=_tolerance)
    def _(x, y):
        return matmul_library.matmul(x, y, block_shape=(128, 128), block_k=128)


QKV = [Hashed((1, 1, 256, 128), f32, salt, 0.25) for salt in range(3)]


@stored("flash_attention_causal", QKV, reference=mha(True), tolerance=1e-5)
def _(q, k, v):
    return flash.flash_attention(q, k, v, causal=True, sm_scale=0.088, block_sizes=BLOCKS)


@stored("flash_attention_backward", QKV, reference=lambda q, k, v: jax.grad(lambda *a: mha(True)(*a).sum(), argnums=(0, 1, 2))(q, k, v), tolerance=1e-4)
def _(q, k, v):
    return jax.grad(lambda *a: flash.flash_attention(*a, causal=True, sm_scale=0.088, block_sizes=BLOCKS).sum(), argnums=(0, 1, 2))(q, k, v)


HEADS = [Hashed((1, 256, 128), f32, salt, 0.125) for salt in range(3)]


@stored("splash_attention_local", HEADS, reference=functools.partial(splash_reference, window=(64, 0)), tolerance=1e-5)
def _(q, k, v):
    return splash_kernel((64, 0), heads=1)(q, k, v)


@stored("splash_attention_backward", HEADS,
        reference=lambda q, k, v: jax.grad(lambda *a: splash_reference(*a).sum(), argnums=(0, 1, 2))(q, k, v), tolerance=1e-4)
def _(q, k, v):
    return jax.grad(lambda *a: splash_kernel(heads=1)(*a).sum(), argnums=(0, 1, 2))(q, k, v)


# The kernel rounds its pages to bfloat16, which loses nothing of these.
for _inline in (True, False):
    @stored(f"paged_attention{'' if _inline else '_grid'}",
            [Hashed((2, 8, 128), f32, 0, 0.125), Hashed((2, 16, 16, 128), f32, 1), Hashed((2, 16, 16, 128), f32, 2), np.array([5, 40], np.int32), PAGES],
            reference=paged_reference, tolerance=1e-5)
    def _(q, k, v, lengths, pages, inline=_inline):
        return paged_attention(q, k, v, lengths, pages, pages_per_compute_block=4, inline_seq_dim=inline)


@stored("ragged_paged_attention", [Hashed((8, 4, 128), f32, 3, 0.25), Hashed((8, 16, 4, 128), f32, 4, 0.25), *RAGGED[2:]],
        reference=lambda q, kv, lens, pages, cu, n: ragged.ref_ragged_paged_attention(q, kv, lens, pages, cu, np.asarray([2]), sm_scale=0.088), tolerance=1e-5)
def _(q, kv, lens, pages, cu, n):
    return ragged.ragged_paged_attention(q, kv, lens, pages, cu, n, sm_scale=0.088, num_kv_pages_per_block=2, num_queries_per_block=8)


SIZES = np.array([100, 0, 156], np.int32)
ENDS = np.cumsum(SIZES)


@stored("megablox_gmm", [Hashed((256, 128)), Hashed((3, 128, 128), f32, 1), SIZES], tolerance=1e-4,
        reference=lambda x, w, sizes: jnp.concatenate([dot(x[e - s:e], w[g]) for g, (s, e) in enumerate(zip(SIZES, ENDS))]))
def _(x, w, sizes):
    return megablox.gmm(x, w, sizes, preferred_element_type=f32, tiling=(128, 128, 128))


@stored("megablox_tgmm", [Hashed((128, 256)), Hashed((256, 128), f32, 1), SIZES], tolerance=1e-4,
        reference=lambda x, y, sizes: jnp.stack([dot(x[:, e - s:e], y[e - s:e]) for s, e in zip(SIZES, ENDS)]))
def _(x, y, sizes):
    return megablox.tgmm(x, y, sizes, preferred_element_type=f32, tiling=(128, 128, 128))


@stored("threefry", [np.array([1, 2], np.uint32)],
        reference=lambda key: jax.random.bits(jax.random.wrap_key_data(key, impl="threefry2x32"), (128, 256), jnp.uint32))
def _(key):
    return threefry.plthreefry_random_bits(key, 32, (128, 256))
