"""Grids, windows, whole memory: numbers 1 to 12, 20 and 21."""
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import bf16, f32, i16, i32, noise, ramp
from conformance_common import ANY, SMEM, X, case, out, grid_call, copy, increment


@case("01_revisited_output", [ramp((32, 512))], reference=lambda x: x, findings=("ownership",), compare=False)
def _(x):
    return grid_call(copy, (4, 4), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (j, 0)), out((32, 128)))(x)


@case("02_matmul", [noise((1024, 1024)), noise((1024, 1024), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-3)
def _(x, y):
    def kernel(x, y, o):
        o[...] = jnp.dot(x[...], y[...], preferred_element_type=f32)
    return grid_call(kernel, (2, 2), [pl.BlockSpec((512, 1024), lambda i, j: (i, 0)), pl.BlockSpec((1024, 512), lambda i, j: (0, j))],
                     pl.BlockSpec((512, 512), lambda i, j: (i, j)), out((1024, 1024)))(x, y)


@case("03_input_block_outside", [ramp((32, 128))], reference=lambda x: x, findings=("out_of_bounds",), compare=False)
def _(x):
    return grid_call(copy, (4,), [pl.BlockSpec((8, 128), lambda i: (i + 1, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((32, 128)))(x)


@case("03_output_block_outside", [ramp((32, 128))], reference=lambda x: x, findings=("out_of_bounds", "ownership"), compare=False)
def _(x):
    return grid_call(copy, (4,), [pl.BlockSpec((8, 128), lambda i: (i, 0))], pl.BlockSpec((8, 128), lambda i: (i + 2, 0)), out((32, 128)))(x)


for _stop, _findings in ((5, ()), (6, ("out_of_bounds",))):
    @case(f"04_scalar_index_{_stop}", [np.array([2, 5, 9, 15, 17], np.int32), np.array([1, _stop], np.int32)], findings=_findings, compare=not _findings,
          reference=lambda x, s: jnp.array([46], i32))
    def _(x, s):
        def kernel(s, x, o):
            o[0] = lax.fori_loop(s[0], s[1], lambda i, total: total + x[i], 0)
        return pl.pallas_call(kernel, in_specs=[SMEM, SMEM], out_specs=SMEM, out_shape=out((1,), i32))(s, x)


@case("05_dma_range_outside", [ramp((8, 8, 128)), np.array([4], np.int32)], reference=lambda x, s: x, findings=("out_of_bounds",), compare=False)
def _(x, s):
    def kernel(s, x, o):
        pltpu.sync_copy(x.at[pl.ds(s[0], 8), 1], o)
    return pl.pallas_call(kernel, in_specs=[SMEM, ANY], out_shape=out((8, 128)))(s, x)


@case("06_scalar_prefetch", [ramp((512, 512), i32), np.array([128, 256], np.int32)], reference=lambda x, s: lax.dynamic_slice(x, (128, 256), (128, 128)))
def _(x, s):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(1,), out_specs=pl.BlockSpec((128, 128), lambda i, s: (0, 0)),
                                        in_specs=[pl.BlockSpec((128, 128), lambda i, s: (lax.div(s[0], 128), lax.div(s[1], 128)))])
    return pl.pallas_call(lambda s, x, o: copy(x, o), grid_spec=spec, out_shape=out((128, 128), i32))(s, x)


@case("06_trivial_scalar_prefetch", [noise((8, 8, 128)), np.array([4, 3, 2, 5, 3, 5, 2, 7], np.int32)], reference=lambda x, s: x[s])
def _(x, s):
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(8,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i, s: (s[i], 0, 0))],
                                        out_specs=pl.BlockSpec((1, 8, 128), lambda i, s: (i, 0, 0)))
    return pl.pallas_call(lambda s, x, o: copy(x, o), grid_spec=spec, out_shape=out((8, 8, 128)))(s, x)


@case("07_dynamic_grid_and_aliasing", [np.array(12, np.int32), ramp((32, 128))], reference=lambda n, x: x + 1)
def _(n, x):
    spec = pl.BlockSpec((32, 128), lambda i: (0, 0))
    return grid_call(increment, (n,), [spec], spec, out((32, 128)), input_output_aliases={0: 0})(x)


@case("07_dynamic_grid_two", [np.array(2, np.int32), np.array(3, np.int32), ramp((32, 512))], reference=lambda m, n, x: x.at[16:].set(0).at[:, 384:].set(0) + 1 - (x * 0 + 1).at[:16, :384].set(0))
def _(m, n, x):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    kernel = lambda x, z, o: increment(x, o)
    return grid_call(kernel, (m, n), [spec, ANY], spec, out((32, 512)), input_output_aliases={1: 0})(x, jnp.zeros((32, 512)))


@case("07_num_programs", [ramp((32, 128)), np.array(4, np.int32)], reference=lambda x, n: x + 4)
def _(x, n):
    def kernel(x, o):
        o[...] = x[...] + pl.num_programs(0).astype(f32)
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return grid_call(kernel, (n,), [spec], spec, out((32, 128)))(x)


# Program (i, j) reads block (i, j) of what it changes and writes block (j, i): above the diagonal it finds what was written below.
CORNERS = np.array([[0, 5, 10, 15], [1, 5, 15, 20], [2, 6, 10, 25], [3, 7, 11, 15]], np.float32)


@case("08_aliasing", [np.zeros((32, 512), np.float32)], reference=lambda x: jnp.kron(CORNERS, jnp.ones((8, 128))))
def _(x):
    def kernel(x, o):
        o[...] = x[...] + (pl.program_id(0) * 4 + pl.program_id(1)).astype(f32)
    return grid_call(kernel, (4, 4), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (j, i)), out((32, 512)),
                     input_output_aliases={0: 0})(x)


for _space in (pl.ANY, pltpu.HBM):
    for _wait_first in (True, False):
        @case(f"09_read_{'after' if _wait_first else 'before'}_wait_{_space.value}", [X], reference=lambda x: x + 1, compare=_wait_first,
              findings=() if _wait_first else ("race",))
        def _(x, wait_first=_wait_first, space=_space):
            def kernel(x, o, buffer, semaphore):
                transfer = pltpu.make_async_copy(x, buffer, semaphore)
                transfer.start()
                if wait_first:
                    transfer.wait()
                o[...] = buffer[...] + 1
                if not wait_first:
                    transfer.wait()
            return pl.pallas_call(kernel, in_specs=[pl.BlockSpec(memory_space=space)], out_shape=out((8, 128)),
                                  scratch_shapes=[pltpu.VMEM((8, 128), f32), pltpu.SemaphoreType.DMA])(x)


@case("10_skip_floating_point", [], lacks="it computes every operation and can't skip those on floats")
def _():
    raise NotImplementedError


for _dtype, _name in ((f32, "f32"), (bf16, "bf16"), (i16, "i16")):
    @case(f"11_uninitialized_{_name}", [ramp((16, 128), _dtype)], reference=lambda x: x, findings=("uninitialized",), compare=False)
    def _(x, dtype=_dtype):
        def kernel(x, o, scratch):
            o[...] = x[...] + scratch[...] if dtype != i16 else (x[...].astype(i32) + scratch[...].astype(i32)).astype(i16)
        return pl.pallas_call(kernel, out_shape=out((16, 128), dtype), scratch_shapes=[pltpu.VMEM((16, 128), dtype)])(x)


def five_stores(document, cores):
    """A block goes back to HBM when the next program has another one, and at the end; never more often."""
    outputs = [each for each in document["kernels"][0]["traffic"] if each["operand"].startswith("output")]
    stores = [each["write_backs"] for each in outputs]
    return "" if stores == [4, 1] else f"{stores} blocks were stored, not [4, 1]"


@case("12_number_of_stores", [ramp((16, 256))], reference=lambda x: (x, jnp.array([[4]], i32)), inspect=five_stores)
def _(x):
    def kernel(x, o, count):
        first = (pl.program_id(0) == 0) & (pl.program_id(1) == 0)
        count[0, 0] = jnp.where(first, 0, count[0, 0]) + 1
        o[...] = x[...]
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return grid_call(kernel, (2, 2), [spec], [spec, SMEM], [out((16, 256)), out((1, 1), i32)])(x)


@case("12_number_of_stores_of_revisited_blocks", [ramp((16, 256))], reference=lambda x: jnp.array([1, 3], i32).repeat(8)[:, None] * jnp.ones((1, 128), i32) + 1,
      inspect=lambda document, cores: "" if document["kernels"][0]["traffic"][1]["write_backs"] == 2 else "not two stores")
def _(x):
    def kernel(x, o):
        o[...] = jnp.full((8, 128), pl.program_id(0) * 2 + pl.program_id(1) + 1, i32)
    return grid_call(kernel, (2, 2), [pl.BlockSpec((8, 128), lambda i, j: (i, j))], pl.BlockSpec((8, 128), lambda i, j: (i, 0)), out((16, 128), i32))(x)


# JAX's lowering refuses this load itself: the kernel that ours is given is one on VMEM, moved.
for _space in (pl.ANY, pltpu.HBM):
    @case(f"20_load_from_{_space.value}", [X], reference=lambda x: x, wrong="is reached by DMA only", compare=False,
          lowered=(lambda x: pl.pallas_call(copy, out_shape=out((8, 128)))(x), lambda text, space=_space: text.replace("<vmem>", f"<{space.value}>")))
    def _(x, space=_space):
        return pl.pallas_call(copy, in_specs=[pl.BlockSpec(memory_space=space)], out_shape=out((8, 128)))(x)


@case("21_store_to_half", [np.arange(16, dtype=np.int32).repeat(1024).reshape(16, 8, 128)], reference=lambda x: jnp.concatenate([x[:8], x[:8]]))
def _(x):
    def kernel(x, o):
        pltpu.sync_copy(x.at[:8], o.at[8:])
    return pl.pallas_call(kernel, in_specs=[ANY], out_specs=ANY, out_shape=out((16, 8, 128), i32), input_output_aliases={0: 0})(x)
