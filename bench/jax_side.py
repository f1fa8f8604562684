"""JAX's side of bench/compare, in a process of its own that has started once: one JSON document a line comes in, one goes out.

    {"do": "lower", "name": N, "folder": F}    writes module.mlir, in<i>.npy and plain<i>.npy     {"inputs": I, "outputs": O}
    {"do": "prepare", "name": N, "side": S}    traces and compiles                                {}
    {"do": "run", "name": N, "side": S}        one run to its end                                 {"ns": wall time, "cpu_ns": of all threads}
    {"do": "drop"}                             forgets arrays and programs                        {}

Sides: "xla" (the plain program, compiled by XLA:CPU), "interpret" and "races" (the kernel, by JAX's TPU interpretation).
"""
import contextlib
import json
import os
import pathlib
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/peer"))
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic import tpu_info
from jax.experimental.pallas import tpu as pltpu
from lower_and_interpret import CHIP, bits

from compare_cases import CASES

# The interpretation of emit_pipeline asks for the layout of a chip, and a CPU has none.
tpu_info.registry["cpu"] = lambda: tpu_info._get_tpu_info_impl(tpu_info.ChipVersion.TPU_V5E, 1)

SIDES = ("xla", "interpret", "races")
arrays, programs = {}, {}


def find(name):
    return next(case for case in CASES if case.name == name)


def arguments(name):
    if name not in arrays:
        arrays[name] = [jnp.asarray(x) for x in find(name).inputs()]
    return arrays[name]


def prepare(name, side):
    case = find(name)
    mode = contextlib.nullcontext() if side == "xla" else pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(detect_races=side == "races"))
    with mode:
        chosen = case.plain if side == "xla" else case.kernel
        programs[name, side] = jax.jit(lambda *a: chosen(*a)).lower(*arguments(name)).compile()
    return {}


def run(name, side):
    program, given = programs[name, side], arguments(name)
    cpu, start = time.process_time_ns(), time.perf_counter_ns()
    jax.block_until_ready(program(*given))
    wall = time.perf_counter_ns() - start
    return {"ns": wall, "cpu_ns": time.process_time_ns() - cpu}


def lower(name, folder):
    case, folder = find(name), pathlib.Path(folder)
    given = arguments(name)
    with jax.sharding.use_abstract_mesh(CHIP):
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given]
        text = jax.jit(lambda *a: case.kernel(*a)).trace(*shapes).lower(lowering_platforms=("tpu",)).as_text()
    (folder / "module.mlir").write_text(text)
    wanted = jax.tree_util.tree_leaves(jax.jit(lambda *a: case.plain(*a))(*given))
    for i, x in enumerate(given):
        np.save(folder / f"in{i}.npy", bits(x))
    for i, x in enumerate(wanted):
        np.save(folder / f"plain{i}.npy", np.asarray(x).astype(np.float32))
    return {"inputs": len(given), "outputs": len(wanted)}


def drop():
    arrays.clear()
    programs.clear()
    jax.clear_caches()
    return {}


def main():
    answers, sys.stdout = sys.stdout, sys.stderr  # JAX's interpretation prints
    work = {"lower": lower, "prepare": prepare, "run": run, "drop": drop}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = work[request.pop("do")](**request)
        except Exception as error:  # whatever JAX raises is its answer
            pltpu.reset_tpu_interpret_mode_state()
            words = [line.strip() for line in str(error).splitlines() if line.strip()]
            answer = {"error": f"{type(error).__name__}: {words[-1] if words else ''}"[:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
