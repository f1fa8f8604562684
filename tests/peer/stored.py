"""What tests/data keeps of cases: modules as JAX lowers them, inputs (or what makes them), right outputs, findings. See write_modules.py."""
import dataclasses
from typing import Any

import numpy as np

from cases import Case, f32


@dataclasses.dataclass
class Hashed:
    """An input that a test can make anew: element i is (h(i) - 32) / 8 * scale for floats, h(i) - 32 for integers, h in [0, 64)."""
    shape: tuple[int, ...]
    dtype: Any = f32
    salt: int = 0
    scale: float = 1.0

    def array(self):
        k = (hashed(int(np.prod(self.shape)), self.salt) - 32).reshape(self.shape)
        integers = np.issubdtype(np.dtype(self.dtype), np.integer)
        return (k if integers else (k / 8 * self.scale).astype(np.float32)).astype(self.dtype)


def hashed(count, salt):
    u = np.arange(count, dtype=np.uint32) + np.uint32(salt * 1000003 % 2**32)
    for shift, factor in ((16, 0x7feb352d), (15, 0x846ca68b)):
        u ^= u >> np.uint32(shift)
        u = u * np.uint32(factor)
    return ((u ^ (u >> np.uint32(16))) & np.uint32(63)).astype(np.int64)


# By name: a case, and what its inputs were given as.
STORED: dict[str, tuple[Case, list[Any]]] = {}


def stored(name, inputs, **options):
    """Registers the function that follows. Inputs: Hashed, or small arrays, which are kept as they are."""
    def add(function):
        arrays = [x.array() if isinstance(x, Hashed) else np.asarray(x) for x in inputs]
        STORED[name] = Case(name, function, arrays, **options), list(inputs)
        return function
    return add
