"""More of JAX's own kernels: other options, dtypes and shapes than production.py has."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu.paged_attention import quantization_utils

import production
from cases import bf16, case, f32, i8, i32, noise, ramp
from production import HEADS, KV, LENGTHS, PAGES, RAGGED, SIZES, dot, flash, matmul_library, megablox, paged_attention, ragged, splash, splash_mask, threefry

# Paged attention: cores that share heads or sequences (JAX says that with one core it hangs, and so it does), pages of int8, capped logits, one head
# of keys for all, a sequence of one page.
for _mode in ("kv_head", "batch"):
    for _inline in (True, False):
        @case(f"paged_attention_{_mode}{'' if _inline else '_grid'}", [0.1 * noise((2, 8, 128)), *KV, LENGTHS, PAGES], reference=production.paged_reference,
              tolerance=1e-5, cores={1: ("deadlock",), 2: ()})
        def _(q, k, v, lengths, pages, mode=_mode, inline=_inline):
            return paged_attention(q, k, v, lengths, pages, pages_per_compute_block=4, inline_seq_dim=inline, megacore_mode=mode)


def quantized_reference(q, k, v, lengths, pages):
    k, v = (quantization_utils.unquantize_from_int8(quantization_utils.quantize_to_int8(x), f32) for x in (k, v))
    return production.paged_reference(q, k, v, lengths, pages)


@case("paged_attention_int8", [0.1 * noise((2, 8, 128)), *KV, LENGTHS, PAGES], reference=quantized_reference, tolerance=2e-2)
def _(q, k, v, lengths, pages):
    return paged_attention(q, quantization_utils.quantize_to_int8(k), quantization_utils.quantize_to_int8(v), lengths, pages, pages_per_compute_block=4)


def capped_reference(q, k, v, lengths, pages):
    k, v = (x[:, pages].reshape(1, 2, -1, 128).swapaxes(0, 1) for x in (k, v))
    s = 5 * jnp.tanh(jnp.einsum("bhgd,bhkd->bhgk", q.reshape(2, 1, 8, 128), k, precision="highest") / 5)
    s = jnp.where(jnp.arange(s.shape[-1]) < lengths[:, None, None, None], s, -jnp.inf)
    return jnp.einsum("bhgk,bhkd->bhgd", jax.nn.softmax(s, -1), v, precision="highest").reshape(q.shape)


@case("paged_attention_capped", [0.1 * noise((2, 8, 128)), *(x[:1] for x in KV), np.array([16, 128], np.int32), PAGES], reference=capped_reference, tolerance=1e-5)
def _(q, k, v, lengths, pages):
    return paged_attention(q, k, v, lengths, pages, pages_per_compute_block=2, attn_logits_soft_cap=5.0)


def ragged_case(name, q, kv, dtype=f32, tolerance=1e-5, **options):
    lens, pages, cu, n = np.array([20, 33, 64, 0], np.int32), RAGGED[3], np.array([0, 3, 12, 16, 16], np.int32), np.array([3], np.int32)

    @case(f"ragged_{name}", [q.astype(dtype), kv.astype(dtype), lens, pages, cu, n], tolerance=tolerance,
          reference=lambda q, kv, lens, pages, cu, n: ragged.ref_ragged_paged_attention(q, kv, lens, pages, cu, np.array([3]), sm_scale=0.088, **options))
    def _(q, kv, lens, pages, cu, n):
        return ragged.ragged_paged_attention(q, kv, lens, pages, cu, n, sm_scale=0.088, num_kv_pages_per_block=2, num_queries_per_block=8, **options)


ragged_case("three_sequences", noise((16, 4, 128), f32, 3), noise((8, 16, 4, 128), f32, 4))
ragged_case("capped", noise((16, 4, 128), f32, 3), noise((8, 16, 4, 128), f32, 4), soft_cap=5.0)
ragged_case("window", noise((16, 4, 128), f32, 3), noise((8, 16, 4, 128), f32, 4), sliding_window=16)
ragged_case("bf16", noise((16, 8, 128), f32, 3), noise((8, 16, 4, 128), f32, 4), dtype=bf16, tolerance=3e-2)
ragged_case("scaled", noise((16, 4, 128), f32, 3), noise((8, 16, 4, 128), f32, 4), k_scale=0.5, v_scale=2.0)
ragged_case("many_heads", noise((16, 16, 128), f32, 3), noise((8, 16, 8, 128), f32, 4))


def splash_sizes(fused=False, kv=128):
    other = dict(use_fused_bwd_kernel=True) if fused else dict(block_q_dq=128, block_kv_dq=128)
    return splash.BlockSizes(block_q=128, block_kv=kv, block_kv_compute=128, block_q_dkv=128, block_kv_dkv=128, block_kv_dkv_compute=128, **other)


def splash_case(name, masks, inputs, tolerance=1e-5, backward=False, mqa=False, fused=False, kv=128, segments=None, dtype=f32, cap=None):
    mask = splash_mask.MultiHeadMask(masks)
    dense = np.stack([m[:, :] for m in masks])
    make = splash.make_splash_mqa if mqa else splash.make_splash_mha

    def reference(q, k, v):
        q, k, v = (x.astype(f32) for x in (q, k, v))
        s = jnp.einsum("hqd,kd->hqk" if mqa else "hqd,hkd->hqk", q, k, precision="highest")
        s = s if cap is None else cap * jnp.tanh(s / cap)
        keep = dense if segments is None else dense & (segments[:, None] == segments[None])
        return jnp.einsum("hqk,kd->hqd" if mqa else "hqk,hkd->hqd", jax.nn.softmax(jnp.where(keep, s, -jnp.inf), -1), v, precision="highest").astype(dtype)

    def forward(q, k, v):
        kernel = make(mask=mask, block_sizes=splash_sizes(fused, kv), head_shards=1, q_seq_shards=1, attn_logits_soft_cap=cap)
        return kernel(q, k, v) if segments is None else kernel(q, k, v, splash.SegmentIds(segments, segments))

    def wrap(f):
        return (lambda q, k, v: jax.grad(lambda *a: f(*a).sum(), argnums=(0, 1, 2))(q, k, v)) if backward else f
    case(f"splash_{name}", [x.astype(dtype) for x in inputs], reference=wrap(reference), tolerance=tolerance)(wrap(forward))


CAUSAL, FULL = splash_mask.CausalMask((256, 256)), splash_mask.FullMask((256, 256))
LOCAL = splash_mask.LocalMask((256, 256), window_size=(32, 16), offset=0)
MQA = [HEADS[0], HEADS[1][0], HEADS[2][0]]
splash_case("masks_differ", [CAUSAL, LOCAL], HEADS)
splash_case("full", [FULL, FULL], HEADS)
splash_case("large_blocks", [CAUSAL, LOCAL], HEADS, kv=256)
splash_case("one_head_of_keys", [CAUSAL, CAUSAL], MQA, mqa=True)
splash_case("one_head_of_keys_backward", [CAUSAL, LOCAL], MQA, mqa=True, backward=True, tolerance=1e-4)
splash_case("fused_backward", [CAUSAL, LOCAL], HEADS, fused=True, backward=True, tolerance=1e-4)
splash_case("segments", [CAUSAL, FULL], HEADS, segments=np.repeat(np.arange(4, dtype=np.int32), 64))
splash_case("segments_backward", [CAUSAL, CAUSAL], HEADS, segments=np.repeat(np.arange(2, dtype=np.int32), 128), backward=True, tolerance=1e-4)
splash_case("capped", [CAUSAL, CAUSAL], HEADS, cap=5.0)
splash_case("bf16", [CAUSAL, CAUSAL], HEADS, dtype=bf16, tolerance=3e-2)


def flash_case(name, shape, keys, tolerance=1e-5, causal=False, dtype=f32, backward=False, **sizes):
    blocks = flash.BlockSizes(**{**dict(block_q=128, block_k_major=128, block_k=128, block_b=1, block_q_major_dkv=128, block_k_major_dkv=128, block_k_dkv=128,
                                        block_q_dkv=128, block_k_major_dq=128, block_k_dq=128, block_q_dq=128), **sizes})
    inputs = [noise((*shape[:2], length, shape[3]), f32, s).astype(dtype) for s, length in enumerate((shape[2], keys, keys))]

    def wrap(f):
        return (lambda q, k, v: jax.grad(lambda *a: f(*a).sum(), argnums=(0, 1, 2))(q, k, v)) if backward else f
    reference = lambda q, k, v: flash.mha_reference_no_custom_vjp(*(x.astype(f32) for x in (q, k, v)), None, causal=causal, sm_scale=0.088).astype(dtype)
    case(f"flash_{name}", inputs, reference=wrap(reference), tolerance=tolerance)(
        wrap(lambda q, k, v: flash.flash_attention(q, k, v, causal=causal, sm_scale=0.088, block_sizes=blocks)))


flash_case("more_keys", (2, 1, 128, 128), 384)
flash_case("large_blocks", (1, 2, 256, 128), 512, causal=True, block_k_major=256)
flash_case("two_batches_a_block", (2, 2, 128, 128), 256, block_b=2)
flash_case("one_step", (1, 2, 128, 128), 256, block_k_major=256, block_k=256)
flash_case("bf16", (1, 2, 256, 128), 256, causal=True, dtype=bf16, tolerance=3e-2)
flash_case("narrow_heads", (1, 2, 256, 64), 256, causal=True)
flash_case("backward_more_keys", (1, 2, 128, 128), 256, backward=True, tolerance=1e-4)


def gmm_case(name, x, w, sizes, tiling=(128, 128, 128), tolerance=1e-4, dtype=f32, **options):
    sizes = np.array(sizes, np.int32)
    ends = np.cumsum(sizes)

    def reference(x, w, sizes_):
        w = w.swapaxes(1, 2) if options.get("transpose_rhs") else w
        return jnp.concatenate([dot(x[e - s:e], w[g]) for g, (s, e) in enumerate(zip(sizes, ends))]).astype(dtype)
    case(f"gmm_{name}", [x.astype(dtype), w.astype(dtype), sizes], reference=reference, tolerance=tolerance)(
        lambda x, w, sizes_: megablox.gmm(x, w, sizes_, preferred_element_type=dtype, tiling=tiling, **options))


gmm_case("bf16", ramp((256, 128)), ramp((4, 128, 128), f32, 1), SIZES, dtype=bf16, tolerance=2e-2)
gmm_case("ragged_depth", noise((256, 200)), noise((3, 200, 256), f32, 1), [1, 127, 128])
gmm_case("several_tiles", noise((512, 256)), noise((4, 256, 256), f32, 1), [300, 0, 0, 212])
gmm_case("one_group", noise((128, 128)), noise((1, 128, 128), f32, 1), [128])


# The kernel leaves the rows of other groups undefined, and JAX zeroes them behind it: what is reported is the kernel's.
@case("gmm_offset", [noise((256, 128)), noise((2, 128, 128), f32, 1), SIZES], tolerance=1e-4, findings=("uninitialized",),
      reference=lambda x, w, sizes: jnp.concatenate([jnp.zeros((100, 128)), dot(x[100:190], w[1]), jnp.zeros((66, 128))]))
def _(x, w, sizes):
    return megablox.gmm(x, w, sizes, preferred_element_type=f32, tiling=(128, 128, 128), group_offset=jnp.array(1, i32))


@case("matmul_several_steps", [noise((256, 512)), noise((512, 384), seed=1)], reference=dot, tolerance=1e-4)
def _(x, y):
    return matmul_library.matmul(x, y, block_shape=(256, 128), block_k=256)


for _shape in ((8, 128), (512, 256), (3, 300)):
    @case(f"threefry_{_shape[0]}x{_shape[1]}", [np.array([7, 9], np.uint32)],
          reference=lambda key, shape=_shape: jax.random.bits(jax.random.wrap_key_data(key, impl="threefry2x32"), shape, jnp.uint32))
    def _(key, shape=_shape):
        return threefry.plthreefry_random_bits(key, 32, shape)
