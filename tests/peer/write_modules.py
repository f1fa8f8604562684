#!/usr/bin/env python3
"""Writes the cases of a group to a folder of tests/data: NAME.mlir, NAME.out<i>.npy and cases.json, which tests/stored_modules_test.cc reads.

    build/peer-venv/bin/python tests/peer/write_modules.py stored_production tests/data/production

cases.json, for each case: "inputs" ({"dtype", "shape"} with "salt" and "scale", as stored.py makes them, or "values"), "outputs" (how many, 0 where
only findings count), "tolerance", "cores" (by their number, the kinds of findings), "lines" (of the source, that findings must name: those
that end with "# fault"), "jax".
"""
import inspect
import json
import pathlib
import sys

import jax
import numpy as np

import stored
from lower_and_interpret import bits, flat, lower


def described(recipe):
    if isinstance(recipe, stored.Hashed):
        return {"dtype": np.dtype(recipe.dtype).name, "shape": list(recipe.shape), "salt": recipe.salt, "scale": recipe.scale}
    array = np.asarray(recipe)
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": array.ravel().tolist()}


def faults(function):
    lines, first = inspect.getsourcelines(function)
    return [first + i for i, line in enumerate(lines) if line.rstrip().endswith("# fault")]


def write(case, recipes, folder):
    (folder / f"{case.name}.mlir").write_text(lower(case))
    outputs = []
    if case.compare:
        with jax.default_matmul_precision("highest"):
            outputs = flat(case.reference(*[jax.numpy.asarray(x) for x in case.inputs]))
    for i, output in enumerate(outputs):
        np.save(folder / f"{case.name}.out{i}.npy", bits(output))
    runs = case.cores or {1: case.findings}
    return {"inputs": [described(recipe) for recipe in recipes], "outputs": len(outputs), "tolerance": case.tolerance,
            "cores": {str(cores): list(kinds) for cores, kinds in runs.items()}, "lines": faults(case.function), "jax": jax.__version__}


def main(group, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    __import__(group)
    entries = [f" {json.dumps(name)}: {json.dumps(write(case, recipes, folder))}" for name, (case, recipes) in stored.STORED.items()]
    (folder / "cases.json").write_text("{\n" + ",\n".join(entries) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
