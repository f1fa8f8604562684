"""JAX's side of the comparison: lowers each case for a TPU, computes its reference, interprets it with JAX's own interpreters.

A worker reads the names of cases from standard input, one a line, writes FOLDER/NAME/{module.mlir,in<i>.npy,out<i>.npy} and answers each with
one line of JSON on standard output. Whoever started it ends it when a line is too long in coming: an interpreter that waits for a DMA that
nobody started never returns.
"""
import base64
import inspect
import io
import json
import os
import pathlib
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh, AxisType

# Source lines keep a file's name and lose the folders of this machine.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

# What emit_pipeline asks to know of a chip, for lowering only; no TPU is there. Newer versions of JAX ask for the platform too.
PLATFORM = ("tpu",) if "platform" in inspect.signature(AbstractDevice).parameters else ()
CHIP = AbstractMesh((1,), ("x",), axis_types=(AxisType.Explicit,), abstract_device=AbstractDevice("TPU v5 lite", 1, *PLATFORM))


def bits(array):
    """As .npy holds it: bfloat16 as its bit patterns."""
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype == jnp.bfloat16 else array


def flat(results):
    return [np.asarray(x) for x in jax.tree_util.tree_leaves(results)]


def equal(wanted, got, tolerance):
    """|difference| <= tolerance * max(1, |value|); 0: bit for bit, any NaN for any NaN."""
    if wanted.shape != got.shape or wanted.dtype != got.dtype:
        return False
    if tolerance == 0 and not (np.issubdtype(wanted.dtype, np.floating) or wanted.dtype == jnp.bfloat16):
        return bool(np.array_equal(wanted, got))
    with np.errstate(invalid="ignore"):
        wide = wanted.astype(np.float64), got.astype(np.float64)
    if tolerance == 0:
        signs = np.signbit(wide[0]) == np.signbit(wide[1])
        return bool(np.all(((wide[0] == wide[1]) & signs) | (np.isnan(wide[0]) & np.isnan(wide[1]))))
    with np.errstate(invalid="ignore"):
        near = np.abs(wide[0] - wide[1]) <= tolerance * np.maximum(1, np.abs(wide[0]))
    return bool(np.all(near | (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))))


def edit_kernel(module, edit):
    """The module with `edit` applied to the text of its kernel."""
    from jax._src.lib import tpu
    from jaxlib.mlir import ir

    def edited(match):
        context = ir.Context()
        context.allow_unregistered_dialects = True
        tpu.register_dialect(context)
        kernel = ir.Module.parse(edit(str(ir.Module.parse(base64.b64decode(match[2]), context))), context)
        kernel.operation.write_bytecode(body := io.BytesIO(), desired_version=0)
        return match[1] + base64.b64encode(body.getvalue()).decode()
    return re.sub(r"(body\\22: \\22)([A-Za-z0-9+/=]*)", edited, module)


def lower(case):
    arguments = [jnp.asarray(x) for x in case.inputs]
    function, edit = case.lowered or (case.function, None)
    with jax.sharding.use_abstract_mesh(CHIP):
        shapes = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arguments]
        text = jax.jit(function).trace(*shapes).lower(lowering_platforms=("tpu",)).as_text()
    return edit_kernel(text, edit) if edit else text


def one_line(error):
    """The first line that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:160]


def plain_call(original):
    """pl.pallas_call as JAX's plain interpreter runs it."""
    return lambda *arguments, **options: original(*arguments, **{**options, "interpret": True})


def interpret_tpu(case, arguments):
    """What JAX's interpreter for TPU kernels gives, and whether it saw a race."""
    from jax._src.pallas.mosaic.interpret import interpret_pallas_call as interpreter
    racy = "race" in case.findings
    options = {"detect_races": racy, **case.interpret_options}
    with pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(**options)):
        values = flat(jax.block_until_ready(jax.jit(lambda *a: case.function(*a))(*arguments)))
    races = getattr(interpreter, "races", None) if racy else None
    return values, bool(races is not None and races.races_found)


def interpret_plain(case, arguments):
    original = pl.pallas_call
    pl.pallas_call = plain_call(original)
    try:
        return flat(jax.block_until_ready(jax.jit(lambda *a: case.function(*a))(*arguments))), False
    finally:
        pl.pallas_call = original


def judge(case, wanted, interpret):
    """What came of one interpreter: passes, differs or unsupported; for a faulty kernel passes means that it said so."""
    arguments = [jnp.asarray(x) for x in case.inputs]
    try:
        values, race = interpret(case, arguments)
    except Exception as error:  # whatever JAX raises is its answer
        pltpu.reset_tpu_interpret_mode_state()
        if case.wrong:
            return {"verdict": "passes", "note": one_line(error), "values": None}
        if {"out_of_bounds", "ownership"} & set(case.findings) and ("ut-of-bounds" in str(error) or "revisit" in str(error)):
            return {"verdict": "passes", "note": one_line(error), "values": None}
        return {"verdict": "unsupported", "note": one_line(error), "values": None}
    if case.findings or case.wrong:
        return {"verdict": "passes" if race else "differs", "note": "" if race else "finds nothing", "values": values}
    if wanted is None or not case.compare:
        return {"verdict": "passes", "note": "", "values": values}
    right = len(values) == len(wanted) and all(equal(w, v, case.tolerance) for w, v in zip(wanted, values))
    return {"verdict": "passes" if right else "differs", "note": "" if right else "other values", "values": values}


def run(case, folder, interpreting):
    folder = pathlib.Path(folder) / case.name
    folder.mkdir(parents=True, exist_ok=True)
    answer = {"name": case.name}
    try:
        (folder / "module.mlir").write_text(lower(case))
    except Exception as error:
        return {**answer, "lowered": False, "note": one_line(error)}
    for i, x in enumerate(case.inputs):
        np.save(folder / f"in{i}.npy", bits(x))
    with jax.default_matmul_precision("highest"):
        arguments = [jnp.asarray(x) for x in case.inputs]
        wanted = flat(case.reference(*arguments)) if case.reference else None
        answer["lowered"] = True
        for name, interpret in (("tpu", interpret_tpu), ("plain", interpret_plain)) if interpreting else ():
            got = judge(case, wanted, interpret)
            if wanted is None and got["verdict"] == "passes":
                wanted = got["values"]
            answer[name] = {"verdict": got["verdict"], "note": got["note"]}
    if case.as_lowered:
        wanted = flat(case.as_lowered[0](*arguments))
    if wanted is not None:
        for i, x in enumerate(wanted):
            np.save(folder / f"out{i}.npy", bits(x))
    answer["outputs"] = 0 if wanted is None else len(wanted)
    return answer


def load(groups):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import cases
    for group in groups:
        __import__(group)
    names = [case.name for case in cases.CASES]
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    return {case.name: case for case in cases.CASES}


def main(folder, interpreting, groups):
    answers, sys.stdout = sys.stdout, sys.stderr  # JAX's interpreter prints
    cases = load(groups)
    for line in sys.stdin:
        answers.write(json.dumps(run(cases[line.strip()], folder, interpreting == "interpret")) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
