"""The kernels of bench/compare: each as JAX's Pallas writes it, and as a plain jnp program of the same values.

A case's size orders its family: what costs too much at one size is not tried at larger ones.
"""
import dataclasses
import math
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import kernel as ragged

f32, bf16, i32 = jnp.float32, jnp.bfloat16, jnp.int32
ANY = pl.BlockSpec(memory_space=pl.ANY)


@dataclasses.dataclass
class Case:
    family: str
    name: str
    size: int  # programs, or steps, or multiply-adds: what the cost grows with
    kernel: Callable[..., Any]
    plain: Callable[..., Any]
    inputs: Callable[[], list[np.ndarray]]
    bytes: int = 0  # that any program must move
    flops: int = 0
    tolerance: float = 1e-5  # of the difference between ours and plain, relative to max(1, |value|)
    quick: bool = False
    patience: float = 0  # seconds that JAX's interpretation may take; 0: the script's option


CASES: list[Case] = []


def noise(shape, dtype=f32, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape, dtype=np.float32) * np.float32(scale)).astype(dtype)


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


def axpy_body(x, y, z):
    z[...] = 2.0 * x[...] + y[...]


def axpy_plain(x, y):
    return 2.0 * x + y


def axpy_grid(block):
    def call(x, y):
        spec = pl.BlockSpec(block, lambda i, j: (i, j))
        grid = x.shape[0] // block[0], x.shape[1] // block[1]
        return pl.pallas_call(axpy_body, grid=grid, in_specs=[spec, spec], out_specs=spec, out_shape=out(x.shape), name="axpy")(x, y)
    return call


def axpy_pipeline(block, slots):
    def call(x, y):
        ins, outs = pl.BlockSpec(block, lambda i, j: (i, j), pipeline_mode=pl.Buffered(slots)), pl.BlockSpec(block, lambda i, j: (i, j))
        grid = x.shape[0] // block[0], x.shape[1] // block[1]

        def outer(x, y, z):
            pltpu.emit_pipeline(axpy_body, grid=grid, in_specs=[ins, ins], out_specs=[outs])(x, y, z)
        return pl.pallas_call(outer, in_specs=[ANY, ANY], out_specs=ANY, out_shape=out(x.shape), name="pipelined_axpy")(x, y)
    return call


def add_axpy(family, name, side, block, kernel, **more):
    shape = side, side
    CASES.append(Case(family, name, side * side // math.prod(block), kernel, axpy_plain, lambda: [noise(shape), noise(shape, seed=1)],
                      bytes=3 * 4 * side * side, flops=2 * side * side, **more))


for _side in (256, 1024, 2048, 4096, 8192):
    _programs = _side * _side // 1024
    add_axpy("axpy", f"{_side} x {_side}, block (8, 128): {_programs} programs", _side, (8, 128), axpy_grid((8, 128)), quick=_side in (256, 4096))
add_axpy("axpy in large blocks", "4096 x 4096, block (256, 1024): 64 programs", 4096, (256, 1024), axpy_grid((256, 1024)), quick=True)

for _slots, _words in ((1, "synchronous"), (2, "2 slots"), (3, "3 slots")):
    for _side in (256, 1024, 4096):
        _steps = _side * _side // 1024
        add_axpy(f"emit_pipeline axpy, {_words}", f"{_side} x {_side}, block (8, 128), {_words}: {_steps} steps", _side, (8, 128),
                 axpy_pipeline((8, 128), _slots), quick=_side == 256 and _slots == 2)


def matmul_kernel(x, y, z, total):
    @pl.when(pl.program_id(2) == 0)
    def _():
        total[...] = jnp.zeros_like(total)
    total[...] += jnp.dot(x[...], y[...], preferred_element_type=f32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        z[...] = total[...].astype(z.dtype)


def matmul(x, y, block=512):
    n, dtype = x.shape[0], x.dtype
    return pl.pallas_call(matmul_kernel, grid=(n // block,) * 3, name="matmul", out_shape=out((n, n), dtype), scratch_shapes=[pltpu.VMEM((block, block), f32)],
                          in_specs=[pl.BlockSpec((block, block), lambda i, j, k: (i, k)), pl.BlockSpec((block, block), lambda i, j, k: (k, j))],
                          out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
                          compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")))(x, y)


def matmul_plain(x, y):
    return jnp.dot(x, y, preferred_element_type=f32).astype(x.dtype)


for _dtype, _word, _tolerance in ((bf16, "bfloat16", 2.0**-6), (f32, "float32", 1e-4)):
    for _side in (512, 1024, 2048, 4096):
        CASES.append(Case(f"matmul {_word}", f"{_side}^3 {_word}, blocks (512, 512, 512)", _side**3, matmul, matmul_plain,
                          lambda n=_side, t=_dtype: [noise((n, n), t), noise((n, n), t, 1, n**-0.5)], flops=2 * _side**3,
                          bytes=3 * _side**2 * np.dtype(_dtype).itemsize, tolerance=_tolerance, quick=_side == 1024 and _dtype == bf16))


def softmax_kernel(x, z):
    e = jnp.exp(x[...] - jnp.max(x[...], axis=-1, keepdims=True))
    z[...] = e / jnp.sum(e, axis=-1, keepdims=True)


def norm(x, gamma, beta):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    centred = x - mean
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * gamma + beta


def norm_kernel(x, gamma, beta, z):
    z[...] = norm(x[...], gamma[...], beta[...])


def rows_call(kernel, name, x, *vectors, rows=128):
    spec, one = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0)), pl.BlockSpec((1, x.shape[1]), lambda i: (0, 0))
    return pl.pallas_call(kernel, grid=(x.shape[0] // rows,), in_specs=[spec] + [one] * len(vectors), out_specs=spec, out_shape=out(x.shape), name=name)(x, *vectors)


for _side in (1024, 4096):
    _what = dict(size=_side // 128, bytes=2 * 4 * _side**2, quick=_side == 1024)
    CASES.append(Case("softmax", f"softmax {_side} x {_side}, 128 rows a program", kernel=lambda x: rows_call(softmax_kernel, "softmax", x),
                      plain=lambda x: jax.nn.softmax(x, axis=-1), inputs=lambda n=_side: [noise((n, n))], flops=5 * _side**2, **_what))
    CASES.append(Case("layer norm", f"layer norm {_side} x {_side}, 128 rows a program", kernel=lambda *a: rows_call(norm_kernel, "layer_norm", *a),
                      plain=norm, inputs=lambda n=_side: [noise((n, n)), noise((1, n), seed=1), noise((1, n), seed=2)], flops=8 * _side**2, tolerance=1e-4, **_what))

SCALE = 128**-0.5


def attention(q, k, v):
    return flash.flash_attention(q, k, v, sm_scale=SCALE)


def attention_plain(q, k, v):
    return flash.mha_reference_no_custom_vjp(q, k, v, sm_scale=SCALE)


for _keys in (512, 1024, 2048, 4096, 8192):
    CASES.append(Case("flash attention", f"flash attention, {_keys} keys and queries, 8 heads of 128, JAX's own blocks (128)", 8 * (_keys // 128) ** 2,
                      attention, attention_plain, lambda n=_keys: [noise((1, 8, n, 128), seed=s) for s in range(3)], flops=4 * 8 * _keys**2 * 128,
                      bytes=4 * 4 * 8 * _keys * 128, quick=_keys == 512, patience=1200 if _keys == 4096 else 0))


def ragged_inputs():
    pages = np.random.default_rng(7).permutation(512)[:256].astype(np.int32).reshape(4, 64)
    return [noise((256, 8, 128), seed=3), noise((512, 16, 4, 128), seed=4), np.array([1000, 700, 400, 128], np.int32), pages,
            np.array([0, 1, 2, 128, 256], np.int32), np.array([4], np.int32)]


def ragged_plain(q, kv, *_):
    _, _, lengths, pages, starts, count = ragged_inputs()
    return ragged.ref_ragged_paged_attention(q, kv, lengths, pages, starts, count, sm_scale=SCALE)


CASES.append(Case("ragged paged attention", "ragged paged attention: 2 sequences that decode, 2 of 126 and 128 queries, up to 1000 keys, 8 heads", 1,
                  lambda *a: ragged.ragged_paged_attention(*a, sm_scale=SCALE, num_kv_pages_per_block=8, num_queries_per_block=32), ragged_plain,
                  ragged_inputs, flops=4 * 8 * 128 * (1000 + 700 + 126 * 400 + 128 * 128), bytes=4 * 2 * 256 * 8 * 128, quick=True, patience=180))
