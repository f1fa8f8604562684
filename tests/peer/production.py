"""JAX's own library of TPU kernels (jax.experimental.pallas.ops.tpu), at small shapes."""
import functools
import importlib

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu import matmul as matmul_library
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import kernel as ragged
from jax.experimental.pallas.ops.tpu.random import threefry
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as splash_mask

# The package's own name `gmm` is the function, not the module.
megablox = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")

from cases import bf16, case, f32, i8, i32, noise, ramp


def dot(x, y):
    return jnp.dot(x.astype(f32), y.astype(f32), precision="highest")


for _name, _dtype in (("f32", f32), ("bf16", bf16)):
    @case(f"matmul_{_name}", [ramp((256, 256), _dtype), ramp((256, 256), _dtype, 1)],
          reference=lambda x, y: dot(x, y).astype(x.dtype), tolerance=1e-2 if _dtype == bf16 else 1e-5)
    def _(x, y):
        return matmul_library.matmul(x, y, block_shape=(128, 128), block_k=128)


@case("matmul_i8", [ramp((128, 128), i8), ramp((128, 128), i8, 1)],
      reference=lambda x, y: jnp.dot(x.astype(i32), y.astype(i32)).astype(i8))
def _(x, y):
    return matmul_library.matmul(x, y, block_shape=(128, 128), block_k=128)


QKV = [noise((1, 2, 256, 128), f32, s) for s in range(3)]
BLOCKS = flash.BlockSizes(block_q=128, block_k_major=128, block_k=128, block_b=1, block_q_major_dkv=128, block_k_major_dkv=128,
                          block_k_dkv=128, block_q_dkv=128, block_k_major_dq=128, block_k_dq=128, block_q_dq=128)


def mha(causal):
    return lambda q, k, v: flash.mha_reference_no_custom_vjp(q, k, v, None, causal=causal, sm_scale=0.088)


for _causal in (False, True):
    @case(f"flash_attention{'_causal' * _causal}", QKV, reference=mha(_causal), tolerance=1e-5)
    def _(q, k, v, causal=_causal):
        return flash.flash_attention(q, k, v, causal=causal, sm_scale=0.088, block_sizes=BLOCKS)


@case("flash_attention_bias_segments", QKV + [noise((1, 2, 256, 256), f32, 5), np.repeat(np.arange(4, dtype=np.int32), 64)[None]],
      reference=lambda q, k, v, ab, s: flash.mha_reference(q, k, v, ab, flash.SegmentIds(s, s), causal=True, sm_scale=0.088), tolerance=1e-5)
def _(q, k, v, ab, s):
    return flash.flash_attention(q, k, v, ab, flash.SegmentIds(s, s), causal=True, sm_scale=0.088, block_sizes=BLOCKS)


@case("flash_attention_backward", QKV, reference=lambda q, k, v: jax.grad(lambda *a: mha(True)(*a).sum(), argnums=(0, 1, 2))(q, k, v), tolerance=1e-4)
def _(q, k, v):
    f = lambda *a: flash.flash_attention(*a, causal=True, sm_scale=0.088, block_sizes=BLOCKS).sum()
    return jax.grad(f, argnums=(0, 1, 2))(q, k, v)


def splash_kernel(window=None, heads=2):
    shape = (256, 256)
    one = splash_mask.CausalMask(shape) if window is None else splash_mask.LocalMask(shape, window_size=window, offset=0)
    sizes = splash.BlockSizes(block_q=128, block_kv=128, block_kv_compute=128, block_q_dkv=128, block_kv_dkv=128, block_kv_dkv_compute=128,
                              block_q_dq=128, block_kv_dq=128)
    return splash.make_splash_mha(mask=splash_mask.MultiHeadMask([one] * heads), block_sizes=sizes, head_shards=1, q_seq_shards=1)


def splash_reference(q, k, v, window=None):
    s = jnp.einsum("hqd,hkd->hqk", q, k, precision="highest")
    i, j = jnp.arange(256)[:, None], jnp.arange(256)[None]
    keep = i >= j if window is None else (i - j <= window[0]) & (j - i <= window[1])
    return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(keep, s, -jnp.inf), -1), v, precision="highest")


HEADS = [0.1 * QKV[0][0], QKV[1][0], QKV[2][0]]


@case("splash_attention_causal", HEADS, reference=splash_reference, tolerance=1e-5)
def _(q, k, v):
    return splash_kernel()(q, k, v)


@case("splash_attention_local", HEADS, reference=functools.partial(splash_reference, window=(64, 0)), tolerance=1e-5)
def _(q, k, v):
    return splash_kernel((64, 0))(q, k, v)


@case("splash_attention_backward", HEADS,
      reference=lambda q, k, v: jax.grad(lambda *a: splash_reference(*a).sum(), argnums=(0, 1, 2))(q, k, v), tolerance=1e-4)
def _(q, k, v):
    return jax.grad(lambda *a: splash_kernel()(*a).sum(), argnums=(0, 1, 2))(q, k, v)


# The kernel rounds its pages to bfloat16: these lose nothing by it.
KV = [noise((2, 16, 16, 128), bf16, s).astype(np.float32) for s in (1, 2)]
LENGTHS, PAGES = np.array([5, 40], np.int32), np.arange(16, dtype=np.int32).reshape(2, 8)[:, ::-1].copy()


def paged_reference(q, k, v, lengths, pages):
    k, v = (x[:, pages].reshape(2, 2, -1, 128).swapaxes(0, 1) for x in (k, v))
    groups = q.reshape(2, 2, 4, 128)
    s = jnp.einsum("bhgd,bhkd->bhgk", groups, k, precision="highest")
    s = jnp.where(jnp.arange(s.shape[-1]) < lengths[:, None, None, None], s, -jnp.inf)
    return jnp.einsum("bhgk,bhkd->bhgd", jax.nn.softmax(s, -1), v, precision="highest").reshape(q.shape)


for _mode in (True, False):
    @case(f"paged_attention{'' if _mode else '_grid'}", [0.1 * noise((2, 8, 128)), *KV, LENGTHS, PAGES],
          reference=paged_reference, tolerance=1e-5)
    def _(q, k, v, lengths, pages, inline=_mode):
        return paged_attention(q, k, v, lengths, pages, pages_per_compute_block=4, inline_seq_dim=inline)


RAGGED = [noise((8, 4, 128), f32, 3), noise((8, 16, 4, 128), f32, 4), np.array([20, 33, 0, 0], np.int32),
          np.arange(16, dtype=np.int32).reshape(4, 4) % 8, np.array([0, 3, 8, 8, 8], np.int32), np.array([2], np.int32)]


@case("ragged_paged_attention", RAGGED,
      reference=lambda q, kv, lens, pages, cu, n: ragged.ref_ragged_paged_attention(q, kv, lens, pages, cu, np.asarray([2]), sm_scale=0.088), tolerance=1e-5)
def _(q, kv, lens, pages, cu, n):
    return ragged.ragged_paged_attention(q, kv, lens, pages, cu, n, sm_scale=0.088, num_kv_pages_per_block=2, num_queries_per_block=8)


SIZES = np.array([100, 0, 90, 66], np.int32)


def gmm_reference(x, w, sizes):
    ends = np.cumsum(SIZES)
    return jnp.concatenate([dot(x[e - s:e], w[g]) for g, (s, e) in enumerate(zip(SIZES, ends))])


@case("megablox_gmm", [ramp((256, 128)), ramp((4, 128, 128), f32, 1), SIZES], reference=gmm_reference, tolerance=1e-4)
def _(x, w, sizes):
    return megablox.gmm(x, w, sizes, preferred_element_type=f32, tiling=(128, 128, 128))


@case("megablox_gmm_transposed", [ramp((256, 128)), ramp((4, 128, 128), f32, 1), SIZES],
      reference=lambda x, w, sizes: gmm_reference(x, w.swapaxes(1, 2), sizes), tolerance=1e-4)
def _(x, w, sizes):
    return megablox.gmm(x, w, sizes, preferred_element_type=f32, tiling=(128, 128, 128), transpose_rhs=True)


@case("megablox_tgmm", [ramp((128, 256)), ramp((256, 128), f32, 1), SIZES],
      reference=lambda x, y, sizes: jnp.stack([dot(x[:, e - s:e], y[e - s:e]) for s, e in zip(SIZES, np.cumsum(SIZES))]), tolerance=1e-4)
def _(x, y, sizes):
    return megablox.tgmm(x, y, sizes, preferred_element_type=f32, tiling=(128, 128, 128))


@case("threefry", [np.array([1, 2], np.uint32)],
      reference=lambda key: jax.random.bits(jax.random.wrap_key_data(key, impl="threefry2x32"), (256, 256), jnp.uint32))
def _(key):
    return threefry.plthreefry_random_bits(key, 32, (256, 256))
