"""What the conformance cases share."""
import inspect

import jax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from cases import case as register
from cases import f32, noise

ANY, SMEM = pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pltpu.SMEM)
X, Y = noise((8, 128)), noise((8, 128), seed=1)


def case(name, inputs, **options):
    return register(name, inputs, source="conformance", **options)


def out(shape, dtype=f32):
    return jax.ShapeDtypeStruct(shape, dtype)


def grid_call(kernel, grid, in_specs, out_specs, out_shape, **options):
    return pl.pallas_call(kernel, grid=grid, in_specs=in_specs, out_specs=out_specs, out_shape=out_shape, **options)


def copy(x, o):
    o[...] = x[...]


def increment(x, o):
    o[...] = x[...] + 1


def parallel(*semantics):
    return pltpu.CompilerParams(dimension_semantics=semantics)


def cores_used(document, cores):
    """Rows go to cores in contiguous parts of ceil(4 / cores)."""
    used = -(-4 // -(-4 // cores))
    got = document["kernels"][0]
    return "" if (got["cores"], got["programs"]) == (used, 16) else f"{got['cores']} cores ran {got['programs']} programs, not {used} cores 16"


def mesh_kernel(cores, out_shape, scratch_shapes):
    """A decorator: the kernel runs on as many cores at once."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=cores)
    if "out_shape" in inspect.signature(pl.kernel).parameters:
        return pl.kernel(out_shape=out_shape, mesh=mesh, scratch_shapes=scratch_shapes)
    return pl.kernel(out_type=out_shape, mesh=mesh, scratch_types=scratch_shapes)  # newer versions of JAX


def on_cores(name, inputs, count, **options):
    return case(name, inputs, interpret_options=several(count), **options)


def several(count):
    """JAX's TPU interpreter with as many cores."""
    return {"num_cores_or_threads": count, "vector_clock_size": 64, "allow_hbm_allocation_in_run_scoped": True}
