"""One small kernel for each primitive that JAX can lower for a TensorCore, on vectors and on scalars."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import CASES, Case, bf16, f32, i8, i16, i32, noise, ramp, u32

case = functools.partial(Case, source="primitives")
SHAPE = (8, 128)


def out(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype)


def add(name, operation, inputs, tolerance=0.0, **options):
    """A kernel of one program that applies `operation` to whole inputs; the same operation outside Pallas is the reference."""
    inputs = [np.asarray(x) for x in inputs]
    result = jax.eval_shape(operation, *inputs)

    def function(*args):
        def kernel(*refs):
            refs[-1][...] = operation(*[r[...] for r in refs[:-1]])
        return pl.pallas_call(kernel, out_shape=result)(*args)
    CASES.append(Case(name, function, inputs, reference=options.pop("reference", operation), tolerance=tolerance, source="primitives", **options))


def add_scalar(name, operation, inputs, tolerance=0.0, **options):
    """The same on scalars in SMEM, one element after the other."""
    inputs = [np.asarray(x) for x in inputs]
    result = jax.eval_shape(operation, *inputs)
    reference = options.pop("reference", operation)

    def function(*args):
        def kernel(*refs):
            for i in range(inputs[0].shape[0]):
                refs[-1][i] = operation(*[r[i] for r in refs[:-1]])
        smem = pl.BlockSpec(memory_space=pltpu.SMEM)
        return pl.pallas_call(kernel, out_shape=result, in_specs=[smem] * len(inputs), out_specs=smem)(*args)
    CASES.append(Case(name, function, inputs, reference=reference, tolerance=tolerance, source="primitives", **options))


X, Y = noise(SHAPE), noise(SHAPE, seed=1)
POSITIVE, UNIT = np.abs(X) + 0.01, np.tanh(X)
# No subnormal number is among them: XLA on a CPU flushes those, ours keeps them.
SPECIAL = np.resize(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 2e-38, 3.4e38, 8388608.5, -7.75], np.float32), SHAPE)
I, J = ramp(SHAPE, i32), ramp(SHAPE, i32, 3)
WIDE = (np.arange(1024, dtype=np.int64) * 2654435761 % 2**32).astype(np.uint32).reshape(SHAPE)
WIDE_I = WIDE.view(np.int32)

# Values of functions of the reals: within a few units in the last place of XLA's.
for _name, _x in (("cos", X * 10), ("exp", X), ("exp2", X), ("log", POSITIVE), ("log1p", POSITIVE), ("logistic", X), ("rsqrt", POSITIVE),
                  ("sin", X * 10), ("sqrt", POSITIVE), ("tan", UNIT), ("tanh", X), ("erf_inv", UNIT * 0.9)):
    add(_name, getattr(lax, _name), [_x], tolerance=2e-6 if _name != "erf_inv" else 1e-5)
add("cos_big", lax.cos, [X * 1e5], tolerance=1e-5)
add("exp2_special", jnp.exp2, [SPECIAL], tolerance=2e-6)
add("log1p_special", lax.log1p, [SPECIAL], tolerance=2e-6)
add("cos_special", lax.cos, [SPECIAL], tolerance=2e-6)
for _name in ("abs", "ceil", "floor", "sign", "is_finite", "square"):
    add(f"{_name}_f32", getattr(lax, _name), [SPECIAL])
add("neg_f32", lax.neg, [SPECIAL], as_lowered=(lambda x: 0 - x, "0 - x, which is +0 where x is +0"))
add("round_away", lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), [SPECIAL])
add("round_even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), [SPECIAL])
for _name in ("abs", "neg", "sign", "clz", "population_count", "bitwise_not"):
    add(f"{_name}_i32", getattr(lax, _name), [WIDE_I])
for _power in (2, 3, 7, -1, -2):
    add(f"integer_pow_{_power}", lambda x, p=_power: lax.integer_pow(x, p), [POSITIVE], tolerance=2e-6)
add("reciprocal", lambda x: pl.reciprocal(x, approx=False), [POSITIVE], tolerance=2e-6, reference=lambda x: 1 / x)
add("reciprocal_approx", lambda x: pl.reciprocal(x, approx=True), [POSITIVE], tolerance=2e-2, reference=lambda x: 1 / x)

for _name in ("add", "sub", "mul", "div", "max", "min", "rem"):
    add(f"{_name}_f32", getattr(lax, _name), [X, Y], tolerance=2e-6 if _name in ("div", "rem") else 0)
add("pow", lax.pow, [POSITIVE, Y], tolerance=1e-5)
add("nextafter", lax.nextafter, [X, Y])
for _name in ("add", "sub", "mul", "div", "max", "min", "rem", "bitwise_and", "bitwise_or", "bitwise_xor"):
    add(f"{_name}_i32", getattr(lax, _name), [WIDE_I, np.where(J == 0, 5, J)])
    add(f"{_name}_u32", getattr(lax, _name), [WIDE, np.abs(np.where(J == 0, 5, J)).astype(np.uint32)])
for _name in ("shift_left", "shift_right_logical", "shift_right_arithmetic"):
    add(f"{_name}_i32", getattr(lax, _name), [WIDE_I, np.abs(J) % 32])
    add(f"{_name}_u32", getattr(lax, _name), [WIDE, (np.abs(J) % 32).astype(np.uint32)])
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    for _dtype, _a, _b in (("f32", SPECIAL, SPECIAL[::-1]), ("i32", I, J), ("u32", WIDE, WIDE[::-1].copy())):
        ordered = dict(as_lowered=(lambda a, b: ((a < b) | (a > b)).astype(i32), "ordered and unequal, which NaNs are not"))
        add(f"{_name}_{_dtype}", lambda a, b, f=getattr(lax, _name): f(a, b).astype(i32), [_a, _b], **(ordered if (_name, _dtype) == ("ne", "f32") else {}))
add("floor_div_i32", lambda a, b: a // b, [WIDE_I, np.where(J == 0, 5, J)])
add("mod_i32", lambda a, b: a % b, [WIDE_I, np.where(J == 0, 5, J)])
add("logical_ops", lambda a, b: (jnp.logical_and(a > 0, b > 0) ^ jnp.logical_not(a > b)).astype(f32), [X, Y])
add("clamp", lambda x: lax.clamp(-0.5, x, 0.75), [X])
add("clamp_i32", lambda x: lax.clamp(-5, x, 7), [I])
add("select", lambda x, y: jnp.where(x > y, x, y * 2), [X, Y])
add("select_bool", lambda x, y: jnp.where(x > y, x > 0, y > 0).astype(i32), [X, Y])

CONVERSIONS = dict(f32=f32, bf16=bf16, i32=i32, i16=i16, i8=i8, u32=u32, u16=jnp.uint16, u8=jnp.uint8)
for _from, _source in CONVERSIONS.items():
    for _to, _target in CONVERSIONS.items():
        if _from == _to or (_from[0] in "bf") and _to[0] == "u" or _from[0] == "u" and (_to[0] in "bf"):
            continue  # JAX has no lowering between unsigned integers and floats
        _x = (X * 40).astype(_source) if _from in ("f32", "bf16") else ramp((32, 128), i32).astype(_source)
        add(f"convert_{_from}_{_to}", lambda x, t=_target: lax.convert_element_type(x, t), [np.resize(_x, (32, 128))])
add("convert_bool_i32", lambda x: (x > 0).astype(i32), [X])
add("convert_bool_f32", lambda x: (x > 0).astype(f32), [X])
add("convert_i32_bool", lambda x: jnp.where(x.astype(jnp.bool_), 1.0, 2.0), [I])
add("convert_f32_bool", lambda x: jnp.where(x.astype(jnp.bool_), 1.0, 2.0), [X])
add("f32_to_bf16_specials", lambda x: x.astype(bf16), [SPECIAL])
add("bitcast_f32_u32", lambda x: lax.bitcast_convert_type(x, u32), [X])
add("bitcast_u32_f32", lambda x: lax.bitcast_convert_type(x, f32), [X.view(np.uint32)])

add("broadcast_row", lambda x: jnp.broadcast_to(x, SHAPE), [X[:1]])
add("broadcast_column", lambda x: jnp.broadcast_to(x, SHAPE), [X[:, :1]])
add("broadcast_new", lambda x: lax.broadcast_in_dim(x, (4, 8, 128), (1, 2)), [X])
add("broadcast_1d", lambda x: x[0][None, :] + x, [X])
add("concatenate_rows", lambda x, y: jnp.concatenate([x, y], 0), [X, Y])
add("concatenate_columns", lambda x, y: jnp.concatenate([x, y], 1), [X, Y])
add("iota", lambda x: x + lax.broadcasted_iota(i32, SHAPE, 1) * 3 - lax.broadcasted_iota(i32, SHAPE, 0), [I])
add("pad_zero", lambda x: jnp.pad(x, ((0, 8), (0, 128))), [X])
add("pad_low", lambda x: jnp.pad(x, ((8, 0), (128, 0)), constant_values=2.0), [X])
add("reshape_split", lambda x: x.reshape(2, 8, 128), [noise((16, 128))])
add("reshape_merge", lambda x: x.reshape(16, 128), [noise((2, 8, 128))])
add("reshape_insert", lambda x: x.reshape(8, 1, 128), [X])
add("slice", lambda x: x[8:16, 128:256], [noise((16, 256))])
add("slice_odd", lambda x: x[3:7, 5:70], [X])
add("squeeze", lambda x: jnp.squeeze(x, 0), [X[None]])
add("split", lambda x: jnp.split(x, 2, 1)[1] - jnp.split(x, 2, 1)[0], [noise((8, 256))])
add("tile", lambda x: jnp.tile(x, (2, 2)), [X])
if hasattr(pltpu, "repeat"):  # newer versions of JAX have none
    add("repeat", lambda x: pltpu.repeat(x, 2, 1), [X], reference=lambda x: jnp.concatenate([x, x], 1))
add("transpose", lambda x: x.T, [noise((128, 128))])
add("transpose_odd", lambda x: x.T, [X])
add("transpose_3d", lambda x: jnp.transpose(x, (1, 0, 2)), [noise((4, 8, 128))])
add("rev_roll", lambda x: pltpu.roll(x, 5, 1) + pltpu.roll(x, 3, 0), [X], reference=lambda x: jnp.roll(x, 5, 1) + jnp.roll(x, 3, 0))
add("roll_dynamic", lambda x, s: pltpu.roll(x, s[0, 0] & 127, 1), [X, I], reference=lambda x, s: jnp.roll(x, s[0, 0] & 127, 1))
add("roll_strided", lambda x: pltpu.roll(x, 5, 1, stride=2, stride_axis=0), [X],
    reference=lambda x: jnp.stack([jnp.roll(x[i], 5 + 2 * i) for i in range(8)]))
add("gather_lanes", lambda x, i: jnp.take_along_axis(x, i & 127, 1), [X, I])
add("gather_sublanes", lambda x, i: jnp.take_along_axis(x, i & 7, 0), [X, I])

for _name in ("sum", "max", "min"):
    for _axis in (0, 1, None):
        for _dtype, _x in (("f32", noise((16, 256))), ("i32", ramp((16, 256), i32))):
            if _axis is None:
                add(f"reduce_{_name}_all_{_dtype}", lambda x, f=getattr(jnp, _name): jnp.broadcast_to(f(x), SHAPE), [_x], tolerance=2e-5)
            else:
                add(f"reduce_{_name}_{_axis}_{_dtype}", lambda x, f=getattr(jnp, _name), a=_axis: f(x, axis=a, keepdims=True), [_x],
                    tolerance=2e-5)
add("reduce_bf16", lambda x: jnp.sum(x.astype(f32), 1, keepdims=True), [noise((16, 256), bf16)], tolerance=2e-5)
add("reduce_or", lambda x: jnp.any(x > 2, 1, keepdims=True).astype(i32), [X])
add("reduce_and", lambda x: jnp.all(x > -2, 1, keepdims=True).astype(i32), [X])
add("any_scalar", lambda x: jnp.where(jnp.any(x > 3), x, -x), [X])
for _name in ("argmax", "argmin"):
    for _axis in (0, 1):
        add(f"{_name}_{_axis}", lambda x, f=getattr(lax, _name), a=_axis: jnp.broadcast_to(jnp.expand_dims(f(x, a, i32), a), SHAPE), [X])


def dot(lhs, rhs, numbers, **options):
    return lax.dot_general(lhs, rhs, (numbers[:2], numbers[2:]), preferred_element_type=options.pop("result", f32), **options)


A, B = noise((128, 256)), noise((256, 128), seed=2)
for _name, _lhs, _rhs, _numbers in (("", A, B, ((1,), (0,), (), ())), ("rhs_transposed", A, B.T.copy(), ((1,), (1,), (), ())),
                                    ("lhs_transposed", A.T.copy(), B, ((0,), (0,), (), ())),
                                    ("batch", noise((2, 64, 128)), noise((2, 128, 128), seed=1), ((2,), (1,), (0,), (0,))),
                                    ("batch_transposed", noise((2, 64, 128)), noise((2, 128, 128), seed=1), ((2,), (2,), (0,), (0,))),
                                    ("free_two", noise((2, 64, 128)), noise((128, 128), seed=1), ((2,), (0,), (), ())),
                                    ("vector", noise((1, 128)), noise((128, 128), seed=1), ((1,), (0,), (), ()))):
    add(f"dot_{_name}" if _name else "dot", lambda a, b, n=_numbers: dot(a, b, n), [_lhs, _rhs], tolerance=1e-4,
        reference=lambda a, b, n=_numbers: dot(a, b, n, precision="highest"))
    add(f"dot_{_name}_highest" if _name else "dot_highest", lambda a, b, n=_numbers: dot(a, b, n, precision="highest"), [_lhs, _rhs], tolerance=1e-4)
add("dot_bf16", lambda a, b: dot(a, b, ((1,), (0,), (), ())), [A.astype(bf16), B.astype(bf16)], tolerance=1e-4)
add("dot_mixed", lambda a, b: dot(a, b, ((1,), (0,), (), ())), [A, B.astype(bf16)], tolerance=1e-4)
add("dot_i8", lambda a, b: dot(a, b, ((1,), (0,), (), ()), result=i32), [ramp((128, 256), i8), ramp((256, 128), i8, 1)])

add("einshape_merge", lambda x: pltpu.einshape("abc->(ab)c", x), [noise((2, 8, 128))], reference=lambda x: x.reshape(16, 128))
add("bitcast_vector", lambda x: pltpu.bitcast(x, i16), [WIDE_I], reference=lambda x: jax.lax.bitcast_convert_type(x, i16).transpose(0, 2, 1).reshape(16, 128))
add("bitcast_bf16", lambda x: pltpu.bitcast(x, u32), [noise((16, 128), bf16)],
    reference=lambda x: jax.lax.bitcast_convert_type(x.reshape(8, 2, 128).transpose(0, 2, 1), u32))
add("pack_elementwise", lambda x, y: pltpu.pack_elementwise([x, y], packed_dtype=bf16), [X, Y],
    reference=lambda x, y: lax.bitcast_convert_type(x.astype(bf16), jnp.uint16).astype(u32) | lax.bitcast_convert_type(y.astype(bf16), jnp.uint16).astype(u32) << 16)
add("unpack_elementwise", lambda x: pltpu.unpack_elementwise(x, index=1, packed_dtype=bf16, unpacked_dtype=f32), [WIDE],
    reference=lambda x: lax.bitcast_convert_type(x & jnp.uint32(0xffff0000), f32))
add("stochastic_round", lambda x, y: pltpu.stochastic_round(x, y, target_dtype=bf16), [X, WIDE],
    reference=lambda x, y: lax.bitcast_convert_type((lax.bitcast_convert_type(x, u32) + (y & 0xffff)) & jnp.uint32(0xffff0000), f32).astype(bf16))

# Scalars in SMEM.
S, T = X[0, :16].copy(), Y[0, :16].copy()
for _name in ("cos", "exp", "log1p", "sqrt", "tanh", "floor", "ceil", "abs", "neg", "sign", "logistic", "rsqrt", "sin"):
    add_scalar(f"scalar_{_name}", getattr(lax, _name), [np.abs(S) + 0.01], tolerance=2e-6)
for _name in ("add", "sub", "mul", "div", "max", "min"):
    add_scalar(f"scalar_{_name}_f32", getattr(lax, _name), [S, T], tolerance=2e-6)
for _name in ("add", "sub", "mul", "div", "max", "min", "rem", "bitwise_and", "bitwise_xor", "shift_left", "shift_right_logical", "shift_right_arithmetic"):
    add_scalar(f"scalar_{_name}_i32", getattr(lax, _name), [WIDE_I[0, :16].copy(), np.arange(1, 17, dtype=np.int32)])
    add_scalar(f"scalar_{_name}_u32", getattr(lax, _name), [WIDE[0, :16].copy(), np.arange(1, 17, dtype=np.uint32)])
add_scalar("scalar_floor_div", lambda a, b: a // b, [WIDE_I[0, :16].copy(), np.arange(-8, 8, dtype=np.int32) * 2 + 1])
add_scalar("scalar_mod", lambda a, b: a % b, [WIDE_I[0, :16].copy(), np.arange(-8, 8, dtype=np.int32) * 2 + 1])
add_scalar("scalar_cdiv", lambda a, b: pl.cdiv(a, b), [WIDE_I[0, :16].copy() % 1000, np.arange(1, 17, dtype=np.int32)])
add_scalar("scalar_compare", lambda a, b: jnp.where(a < b, a, b * 2), [WIDE_I[0, :16].copy(), np.arange(16, dtype=np.int32)])
add_scalar("scalar_clz", lax.clz, [WIDE_I[0, :16].copy()])
add_scalar("scalar_convert", lambda a: a.astype(f32), [WIDE_I[0, :16].copy()])
add_scalar("scalar_convert_back", lambda a: (a * 100).astype(i32), [S])
add_scalar("scalar_bitcast", lambda a: lax.bitcast_convert_type(a, i32), [S])
add_scalar("scalar_pow", lambda a, b: lax.pow(a, b), [np.abs(S), T], tolerance=1e-5)
