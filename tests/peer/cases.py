"""What a case of the peer comparison is, and the list that the case files fill."""
import dataclasses
from typing import Any, Callable

import jax.numpy as jnp
import numpy as np

f32, bf16, i32, i16, i8, u32 = jnp.float32, jnp.bfloat16, jnp.int32, jnp.int16, jnp.int8, jnp.uint32


@dataclasses.dataclass
class Case:
    name: str
    function: Callable[..., Any]
    inputs: list[np.ndarray]
    # The right outputs, worked out without Pallas; None: JAX's interpretation is what ours is held against.
    reference: Callable[..., Any] | None = None
    tolerance: float = 0.0  # |difference| <= tolerance * max(1, |value|); 0: bit for bit, any NaN for any NaN
    findings: tuple[str, ...] = ()  # kinds that ours must find, and no others
    refused: str = ""  # a part of the message with which ours must refuse it
    source: str = "production"
    compare: bool = True  # False: only findings count (the values are not defined)
    # What ours must find with as many cores instead (simulate --cores); nothing: one core, and `findings`.
    cores: dict[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    # Given the document of `simulate --json` and the number of cores: what is wrong with it, or "".
    inspect: Callable[[dict[str, Any], int], str] | None = None
    # JAX lowers it to something else than it means: the right outputs of what it lowers it to, and in words what that is.
    as_lowered: tuple[Callable[..., Any], str] | None = None
    # The kernel is wrong: a part of the message with which ours must refuse it. JAX's interpreters must refuse it too.
    wrong: str = ""
    # Where JAX's lowering does not let the fault through: what is lowered instead, and what makes of its kernel's text the faulty one.
    lowered: tuple[Callable[..., Any], Callable[[str], str]] | None = None
    lacks: str = ""  # what kernel-audit does not offer: counted as unsupported, and nothing is run
    # How JAX interprets it: its TPU interpreter ("tpu"), the plain one ("plain"), or not at all (a reason).
    interpreter: str = "tpu"
    interpret_options: dict[str, Any] = dataclasses.field(default_factory=dict)


CASES: list[Case] = []


def case(name, inputs, **options):
    """Registers the function that follows."""
    def add(function):
        CASES.append(Case(name, function, [np.asarray(x) for x in inputs], **options))
        return function
    return add


def ramp(shape, dtype=f32, salt=0):
    """Deterministic, sign-changing, exactly representable in bfloat16: k/8 in [-4, 4); for integers k in [-32, 32)."""
    count = int(np.prod(shape))
    k = (np.arange(count, dtype=np.int64) * (7 + 2 * salt) + 3 * salt) % 64 - 32
    if jnp.issubdtype(dtype, jnp.integer):
        return k.reshape(shape).astype(dtype)
    return (k / 8.0).reshape(shape).astype(dtype)


def noise(shape, dtype=f32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(dtype)
