"""emit_pipeline, slices and windows that are no blocks: numbers 25 to 30."""
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import i32, noise, ramp
from conformance_common import ANY, SMEM, case, out, grid_call, copy


def pipeline(name, inputs, **options):
    """JAX can interpret emit_pipeline only with facts of a chip that a CPU does not have."""
    return case(name, inputs, interpreter="emit_pipeline needs a TPU's layout facts", **options)


for _slots in (2, 4):
    @pipeline(f"25_pipeline_copy_{_slots}", [ramp((512, 512), i32)], reference=lambda x: x)
    def _(x, slots=_slots):
        def outer(x, o):
            pltpu.emit_pipeline(copy, grid=(4, 4), in_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, j), pipeline_mode=pl.Buffered(slots))],
                                out_specs=[pl.BlockSpec((128, 128), lambda i, j: (i, j))])(x, o)
        return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((512, 512), i32))(x)


GATHERS = ([0, 1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 7, 7, 7, 7], [0, 0, 1, 1, 1, 7, 2, 2, 3, 0], [3, 3, 3, 5, 5, 1])
for _number, _indices in enumerate(GATHERS):
    for _slots in (2, 4):
        for _lookahead in (False, True):
            @pipeline(f"26_gather_{_number}_slots{_slots}{'_lookahead' * _lookahead}", [ramp((1024, 128), i32), np.array(_indices, np.int32)],
                      reference=lambda x, s: x.reshape(8, 128, 128)[s].reshape(-1, 128))
            def _(x, s, slots=_slots, lookahead=_lookahead, count=len(_indices)):
                def outer(s, x, o):
                    mode = pl.Buffered(slots, use_lookahead=lookahead)
                    pltpu.emit_pipeline(copy, grid=(count,), in_specs=[pl.BlockSpec((128, 128), lambda i: (s[i], 0), pipeline_mode=mode)],
                                        out_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))])(x, o)
                return pl.pallas_call(outer, in_specs=[SMEM, ANY], out_specs=ANY, out_shape=out((count * 128, 128), i32))(s, x)


for _number, _indices in enumerate(([0, 0, 2, 2, 2, 5, 3, 3], [5] * 8)):
    @pipeline(f"27_scatter_{_number}", [ramp((1024, 128), i32), np.array(_indices, np.int32), np.zeros((1024, 128), np.int32)],
              reference=lambda x, s, z, at=_indices: z.reshape(8, 128, 128).at[jnp.array(sorted(set(at)))].set(
                  x.reshape(8, 128, 128)[jnp.array([max(i for i, v in enumerate(at) if v == k) for k in sorted(set(at))])]).reshape(1024, 128))
    def _(x, s, z):
        def outer(s, x, z, o):
            pltpu.emit_pipeline(copy, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))],
                                out_specs=[pl.BlockSpec((128, 128), lambda i: (s[i], 0))])(x, o)
        return pl.pallas_call(outer, in_specs=[SMEM, ANY, ANY], out_specs=ANY, out_shape=out((1024, 128), i32), input_output_aliases={2: 0})(s, x, z)


# The second cycle's first block is fetched while the first cycle's last program runs.
@pipeline("28_two_cycles", [ramp((512, 512), i32)], reference=lambda x: x)
def _(x):
    def outer(x, o):
        spec = pl.BlockSpec((128, 128), lambda i, j: (i, j))
        run, make = pltpu.emit_pipeline_with_allocations(copy, grid=(4, 4), in_specs=[spec], out_specs=[spec], should_accumulate_out=(False,))

        def scoped(allocations):
            def cycle(number):
                def prefetch(source, target, scheduler):
                    scheduler.prefetch(source, x)
                run(x, o, allocations=allocations, first_cycle=number == 0, last_cycle=number == 1, prefetch=prefetch)
            cycle(0)
            cycle(1)
        pl.run_scoped(scoped, make(x, o))
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((512, 512), i32))(x)


@pipeline("28_accumulated_output", [noise((1024, 128))], reference=lambda x: jnp.sum(x.reshape(8, 128, 128), 0), tolerance=1e-5)
def _(x):
    def body(x, o):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o[...] = jnp.zeros_like(o)
        o[...] += x[...]

    def outer(x, o):
        pltpu.emit_pipeline(body, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))], out_specs=[pl.BlockSpec((128, 128), lambda i: (0, 0))])(x, o)
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((128, 128)))(x)


# What was in HBM is added to the sum when it is stored; it is fetched once and stored once.
@pipeline("28_accumulator", [ramp((1024, 128), i32), ramp((128, 128), i32, 1)], reference=lambda x, z: jnp.sum(x.reshape(8, 128, 128), 0) + z)
def _(x, z):
    def body(x, o):
        o[...] = jnp.where(pl.program_id(0) == 0, 0, o[...]) + x[...]

    def outer(x, z, o):
        pltpu.emit_pipeline(body, grid=(8,), in_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))], should_accumulate_out=(True,),
                            out_specs=[pl.BlockSpec((128, 128), lambda i: (0, 0))])(x, o, schedule=["default", "fixed"])
    return pl.pallas_call(outer, in_specs=[ANY, ANY], out_specs=ANY, out_shape=out((128, 128), i32), input_output_aliases={1: 0})(x, z)


@pipeline("29_bounded_slice_static", [ramp((16, 8, 128))], reference=lambda x: x[4:12])
def _(x):
    def outer(x, o):
        pltpu.emit_pipeline(copy, grid=(1,), in_specs=[pl.BlockSpec((pl.BoundedSlice(8), 8, 128), lambda i: (pl.ds(4, 8), 0, 0))],
                            out_specs=[pl.BlockSpec((8, 8, 128), lambda i: (0, 0, 0))])(x, o)
    return pl.pallas_call(outer, in_specs=[ANY], out_specs=ANY, out_shape=out((8, 8, 128)))(x)


@pipeline("29_bounded_slice_dynamic", [ramp((16, 8, 128)), np.array([[11, 16], [8, 11], [3, 8], [0, 3]], np.int32)], reference=lambda x, s: x)
def _(x, s):
    def outer(s, x, o):
        def where(i):
            return pl.ds(s[i, 0], s[i, 1] - s[i, 0]), 0, 0
        spec = pl.BlockSpec((pl.BoundedSlice(16), 8, 128), where)
        pltpu.emit_pipeline(copy, grid=(4,), in_specs=[spec], out_specs=[spec])(x, o)
    return pl.pallas_call(outer, in_specs=[SMEM, ANY], out_specs=ANY, out_shape=out((16, 8, 128)))(s, x)


@case("30_element_windows", [ramp((128, 128))], reference=lambda x: jnp.concatenate([x[8 * i:8 * i + 8] + x[8 * i + 8:8 * i + 16] for i in range(15)]))
def _(x):
    def kernel(x, o):
        o[...] = x[:8] + x[8:]
    return grid_call(kernel, (15,), [pl.BlockSpec((pl.Element(16), pl.Element(128)), lambda i: (i * 8, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((120, 128)))(x)


@case("30_element_padding", [ramp((8, 128))], reference=lambda x: x, interpreter="plain")
def _(x):
    def kernel(x, o):
        o[...] = x[:8]
    return grid_call(kernel, (1,), [pl.BlockSpec((pl.Element(16, (0, 8)), pl.Element(128)), lambda i: (0, 0))], pl.BlockSpec((8, 128), lambda i: (i, 0)), out((8, 128)))(x)
