"""Semaphores, masks, strides, control flow, references, DMAs: what the list does not have."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import bf16, f32, i8, i32, noise, ramp, u32
from conformance_common import ANY, SMEM, X, case, out, grid_call, increment, mesh_kernel


@case("31_padding_is_undefined", [ramp((12, 128))], reference=lambda x: jnp.sum(x.reshape(-1)), findings=("uninitialized",), compare=False)
def _(x):
    def kernel(x, o):
        o[...] = jnp.broadcast_to(jnp.sum(x[...], 0, keepdims=True), o.shape)
    return grid_call(kernel, (2,), [pl.BlockSpec((8, 128), lambda i: (i, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((16, 128)))(x)


@case("31_masked_matmul", [noise((32, 200)), noise((200, 128), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-4)
def _(x, y):
    def kernel(x, y, o):
        k = pl.program_id(0)

        @pl.when(k == 0)
        def _():
            o[...] = jnp.zeros_like(o)
        left = jnp.where(lax.broadcasted_iota(i32, (32, 128), 1) + k * 128 < 200, x[...], 0)
        right = jnp.where(lax.broadcasted_iota(i32, (128, 128), 0) + k * 128 < 200, y[...], 0)
        o[...] += jnp.dot(left, right, preferred_element_type=f32)
    return grid_call(kernel, (2,), [pl.BlockSpec((32, 128), lambda k: (0, k)), pl.BlockSpec((128, 128), lambda k: (k, 0))],
                     pl.BlockSpec((32, 128), lambda k: (0, 0)), out((32, 128)))(x, y)


@case("32_semaphore_counting", [np.zeros((8, 128), np.int32)], reference=lambda x: jnp.array([1, 2, 3, 4, 1, 0], i32), interpreter="its interpreters can't read semaphores")
def _(x):
    def kernel(x, o, semaphore):
        for i in range(4):
            pl.semaphore_signal(semaphore)
            o[i] = pl.semaphore_read(semaphore)
        pl.semaphore_wait(semaphore, 3)
        o[4] = pl.semaphore_read(semaphore)
        pl.semaphore_wait(semaphore)
        o[5] = pl.semaphore_read(semaphore)
    return pl.pallas_call(kernel, out_specs=SMEM, out_shape=out((6,), i32), scratch_shapes=[pltpu.SemaphoreType.REGULAR])(x)


@case("32_semaphore_array", [np.array([1], np.int32)], reference=lambda x: jnp.array([2], i32), interpreter="its interpreters can't read semaphores")
def _(x):
    def kernel(x, o, semaphores):
        pl.semaphore_signal(semaphores.at[x[0]], 5)
        pl.semaphore_wait(semaphores.at[x[0]], 3)
        o[0] = pl.semaphore_read(semaphores.at[1])
        pl.semaphore_wait(semaphores.at[1], 2)
    return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32), scratch_shapes=[pltpu.SemaphoreType.REGULAR((4,))])(x)


@case("33_masked_store", [ramp((16, 256), i32)],
      reference=lambda x: jnp.full((16, 256), -1, i32).at[4:14, 5:135].set(x[4:14, 5:135]))
def _(x):
    def kernel(x, o):
        row, column = (lax.broadcasted_iota(i32, (16, 256), d) for d in (0, 1))
        o[...] = jnp.full((16, 256), -1, i32)
        pltpu.store(o, x[...], mask=(row >= 4) & (row < 14) & (column >= 5) & (column < 135))
    return pl.pallas_call(kernel, out_shape=out((16, 256), i32))(x)


@case("33_masked_store_leaves_gaps", [ramp((8, 128), i32)], reference=lambda x: x, findings=("ownership",), compare=False)
def _(x):
    def kernel(x, o):
        pltpu.store(o, x[...], mask=lax.broadcasted_iota(i32, (8, 128), 0) < 6)
    return pl.pallas_call(kernel, out_shape=out((8, 128), i32))(x)


@case("34_strided_load", [noise((32, 128))], reference=lambda x: x[1::4])
def _(x):
    def kernel(x, o):
        o[...] = x[pl.ds(1, 8, stride=4)]
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("34_strided_store", [noise((16, 128))], reference=lambda x: jnp.stack([x[:8], x[8:]], 1).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o[pl.ds(0, 8, stride=2)] = x[:8]
        o[pl.ds(1, 8, stride=2)] = x[8:]
    return pl.pallas_call(kernel, out_shape=out((16, 128)))(x)


@case("35_bool_reference", [np.arange(1024).reshape(8, 128) % 3 == 0], reference=lambda x: ~x)
def _(x):
    def kernel(x, o):
        o[...] = jnp.logical_not(x[...])
    return pl.pallas_call(kernel, out_shape=out((8, 128), jnp.bool_))(x)


@case("36_while", [np.array([27], np.int32)], reference=lambda n: jnp.array([111], i32))
def _(n):
    def kernel(n, o):
        def step(state):
            value, count = state
            return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), count + 1
        o[0] = lax.while_loop(lambda s: s[0] != 1, step, (n[0], 0))[1]
    return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32))(n)


@case("36_while_vector", [X], reference=lambda x: x * 8)
def _(x):
    def kernel(x, o):
        o[...] = lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, x[...]))[1]
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("36_fori_and_cond", [ramp((8, 128), i32), np.array([5], np.int32)], reference=lambda x, n: x + 5 + 5 * 10)
def _(x, n):
    def kernel(n, x, o):
        def step(i, v):
            return lax.cond(i % 2 == 0, lambda v: v + 1, lambda v: v + 1, v) + i * 5
        o[...] = lax.fori_loop(0, n[0], step, x[...])
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128), i32))(n, x)


@case("36_scan", [noise((4, 8, 128))], reference=lambda x: jnp.sum(x, 0), tolerance=1e-6)
def _(x):
    def kernel(x, o):
        o[...] = lax.fori_loop(0, 4, lambda i, v: v + x[i], jnp.zeros((8, 128)), unroll=True)
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("37_run_scoped", [X], reference=lambda x: x * 2 + 1)
def _(x):
    def kernel(x, o):
        def scoped(a, b):
            a[...] = x[...] * 2
            b[0] = 1.0
            return a[...] + b[0]
        o[...] = pl.run_scoped(scoped, pltpu.VMEM((8, 128), f32), pltpu.SMEM((1,), f32))
    return pl.pallas_call(kernel, out_shape=out((8, 128)))(x)


@case("38_debug_print_and_delay", [ramp((8, 128), i32), np.array([3], np.int32)], reference=lambda x, n: x, interpreter="its TPU interpreter prints nothing")
def _(x, n):
    def kernel(n, x, o):
        pl.debug_print("n = {}", n[0])
        pl.debug_print("here")
        pl.debug_print("x: {}", x[...])
        pl.delay(100)
        o[...] = x[...]
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128), i32))(n, x)


@case("39_multiple_of", [noise((64, 128)), np.array([3], np.int32)], reference=lambda x, n: x[24:32])
def _(x, n):
    def kernel(n, x, o):
        o[...] = x[pl.ds(pl.multiple_of(n[0] * 8, 8), 8)]
    return pl.pallas_call(kernel, in_specs=[SMEM, pl.BlockSpec(memory_space=pltpu.VMEM)], out_shape=out((8, 128)))(n, x)


@case("40_dma_slices", [noise((4, 16, 256))], reference=lambda x: x[2, 8:16, 128:256])
def _(x):
    def kernel(x, o, semaphore):
        transfer = pltpu.make_async_copy(x.at[2].at[8:16, 128:256], o, semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((8, 128)), scratch_shapes=[pltpu.SemaphoreType.DMA])(x)


@case("40_dma_dynamic_size", [ramp((32, 8, 128)), np.array([5], np.int32)], reference=lambda x, n: jnp.zeros_like(x).at[:5].set(x[:5]))
def _(x, n):
    def kernel(n, x, z, o, semaphore):
        transfer = pltpu.make_async_copy(x.at[pl.ds(0, n[0])], o.at[pl.ds(0, n[0])], semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[SMEM, ANY, ANY], out_specs=ANY, out_shape=out((32, 8, 128)), input_output_aliases={2: 0},
                          scratch_shapes=[pltpu.SemaphoreType.DMA])(n, x, jnp.zeros_like(x))


@case("41_reshaped_reference", [noise((16, 256))], reference=lambda x: x.reshape(2, 8, 256)[1], interpreter="its interpreters can't reshape references")
def _(x):
    def kernel(x, o):
        o[...] = x.reshape(2, 8, 256)[1]
    return pl.pallas_call(kernel, out_shape=out((8, 256)))(x)


@case("41_bitcast_reference", [noise((16, 128), bf16)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x.reshape(8, 2, 128).swapaxes(1, 2), u32))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(u32)[...]
    return pl.pallas_call(kernel, out_shape=out((8, 128), u32))(x)


@case("41_bitcast_reference_store", [ramp((8, 128), u32)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x, bf16).swapaxes(1, 2).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o.bitcast(u32)[...] = x[...]
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16))(x)


@case("41_bitcast_to_narrower", [ramp((8, 128), u32)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x, bf16).swapaxes(1, 2).reshape(16, 128))
def _(x):
    def kernel(x, o):
        o[...] = x.bitcast(bf16)[...]
    return pl.pallas_call(kernel, out_shape=out((16, 128), bf16))(x)


@case("41_dma_of_bitcast", [noise((16, 128), bf16)], interpreter="its interpreters can't bitcast references",
      reference=lambda x: lax.bitcast_convert_type(x.reshape(8, 2, 128).swapaxes(1, 2), u32))
def _(x):
    def kernel(x, o, semaphore):
        transfer = pltpu.make_async_copy(x.bitcast(u32), o, semaphore)
        transfer.start()
        transfer.wait()
    return pl.pallas_call(kernel, in_specs=[ANY], out_shape=out((8, 128), u32), scratch_shapes=[pltpu.SemaphoreType.DMA])(x)


@case("42_prefetch_changed_by_body", [np.arange(6, dtype=np.int32), np.arange(6, dtype=np.int32).repeat(1024).reshape(6, 8, 128)],
      reference=lambda s, x: x[jnp.array([0, 1, 3, 3, 3, 3])], findings=("race",))
def _(s, x):
    def kernel(s, x, o):
        for i in range(1, 6):
            s[i] = 3
        o[...] = x[...]
    spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(6,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i, s: (s[i], 0, 0))],
                                        out_specs=pl.BlockSpec((1, 8, 128), lambda i, s: (i, 0, 0)))
    return pl.pallas_call(kernel, grid_spec=spec, out_shape=out((6, 8, 128), i32))(s, x)


@case("43_single_buffer", [ramp((32, 128))], reference=lambda x: x + 1)
def _(x):
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0), pipeline_mode=pl.Buffered(1))
    return grid_call(increment, (4,), [spec], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((32, 128)))(x)


@case("44_random_bits", [np.array([1], np.int32)], reference=lambda x: x, refused="prng", compare=False, interpreter="its interpreters give zeros")
def _(x):
    def kernel(x, o):
        pltpu.prng_seed(x[0])
        o[...] = pltpu.prng_random_bits((8, 128))
    return pl.pallas_call(kernel, in_specs=[SMEM], out_shape=out((8, 128), i32))(x)


@case("45_two_results_one_kernel", [X], reference=lambda x: (jnp.minimum(x, 0), (x > 0).astype(i8)))
def _(x):
    def kernel(x, low, positive):
        low[...] = jnp.minimum(x[...], 0)
        positive[...] = (x[...] > 0).astype(i32).astype(i8)
    return pl.pallas_call(kernel, out_shape=[out((8, 128)), out((8, 128), i8)])(x)


@case("46_core_barrier_free_kernel", [X], reference=lambda x: x + 1, interpreter="pl.kernel with a mesh of one core")
def _(x):
    @mesh_kernel(1, out((8, 128)), [pltpu.VMEM((8, 128), f32)])
    def kernel(x, o, scratch):
        pltpu.sync_copy(x, scratch)
        scratch[...] += 1
        pltpu.sync_copy(scratch, o)
    return kernel(x)


@case("47_padded_matmul", [noise((100, 300)), noise((300, 200), seed=1)], reference=lambda x, y: jnp.dot(x, y, precision="highest"), tolerance=1e-4)
def _(x, y):
    def kernel(x, y, o, total):
        @pl.when(pl.program_id(2) == 0)
        def _():
            total[...] = jnp.zeros_like(total)
        total[...] += jnp.dot(x[...], y[...], preferred_element_type=f32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o[...] = total[...]
    x, y = jnp.pad(x, ((0, 28), (0, 84))), jnp.pad(y, ((0, 84), (0, 56)))
    return grid_call(kernel, (2, 2, 3), [pl.BlockSpec((64, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
                     pl.BlockSpec((64, 128), lambda i, j, k: (i, j)), out((128, 256)), scratch_shapes=[pltpu.VMEM((64, 128), f32)])(x, y)[:100, :200]


@case("48_vmap", [noise((3, 16, 128))], reference=lambda x: x * 2 + 1)
def _(x):
    def one(x):
        def kernel(x, o):
            o[...] = x[...] * 2 + 1
        spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return grid_call(kernel, (2,), [spec], spec, out((16, 128)))(x)
    return jax.vmap(one)(x)


@case("49_check", [np.array([3], np.int32)], reference=lambda n: n + 1, interpreter="pl.debug_check is off in interpretation")
def _(n):
    def kernel(n, o):
        pl.debug_check(n[0] > 2, "n is too small")
        o[0] = n[0] + 1
    with pl.enable_debug_checks():
        return pl.pallas_call(kernel, in_specs=[SMEM], out_specs=SMEM, out_shape=out((1,), i32))(n)
