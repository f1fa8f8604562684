#!/usr/bin/env python3
"""kernel-audit simulate and inspect, as a person calls them. Standard library only."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
GOLDEN = pathlib.Path(__file__).resolve().parent / "data" / "golden"
DATA = GOLDEN / "data"
RACES = GOLDEN / "races"
CORES = GOLDEN.parent / "cores"


def npy(shape, code, values):
    """A .npy file's bytes; code is struct's letter."""
    descr = {"f": "<f4", "i": "<i4", "H": "<u2"}[code]
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{code}", *values)


def payload(path):
    data = pathlib.Path(path).read_bytes()
    return data[10 + struct.unpack("<H", data[8:10])[0]:]


class SimulateTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_it(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env={**os.environ, "TPU_SKIP_MDS_QUERY": "1"})

    def assert_refused(self, result, words):
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(words, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)

    def inputs(self, name):
        files = sorted(DATA.glob(f"{name}.in*.npy"))
        return [word for file in files for word in ("--input", file)]

    def test_writes_the_golden_outputs(self):
        for name in ("axpy_f32_17x257", "axpy_bf16_17x257", "two_outputs_squeezed_3x16x128", "gather_blocks_f32"):
            with self.subTest(name):
                out = self.path / name
                result = self.run_it("simulate", DATA / f"{name}.mlir", *self.inputs(name), "--output", out)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stdout.splitlines()[-1], "clean")
                for expected in sorted(DATA.glob(f"{name}.out*.npy")):
                    self.assertEqual(payload(out / expected.name.split(".")[1].__add__(".npy")), payload(expected))

    def test_json_names_both_places_of_a_race(self):
        module = RACES / "read_before_wait.mlir"
        result = self.run_it("simulate", module, "--input", RACES / "read_before_wait.in0.npy", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual((document["verdict"], document["tier"], document["backend"]), ("findings", "simulated", "cpu"))
        race = document["findings"][0]
        self.assertEqual(race["kind"], "race")
        self.assertEqual({access["access"] for access in race["accesses"]}, {"read", "write"})
        self.assertTrue(all(access["place"]["file"] == "kernels.py" and access["place"]["line"] > 0 for access in race["accesses"]))
        self.assertNotRegex(result.stdout, r'"[a-z_]*(time|seconds|ns)"')

    def test_verdicts_do_not_depend_on_the_schedule(self):
        truth = json.loads((RACES / "truth.json").read_text())
        for name in truth:
            texts = set()
            for schedule in ("early", "late", "random:1", "random:2"):
                cores = ["--cores", 2] if name.startswith("two_cores") else []
                result = self.run_it("simulate", RACES / f"{name}.mlir", "--random-inputs", 7, "--schedule", schedule, "--json", *cores)
                self.assertEqual(result.returncode, 0 if truth[name] == "clean" else 1, f"{name} {schedule} {result.stderr}")
                texts.add(json.dumps(json.loads(result.stdout)["findings"]))
                kinds = {finding["kind"] for finding in json.loads(result.stdout)["findings"]}
                self.assertTrue(truth[name] == "clean" or truth[name] in kinds, f"{name}: {kinds}")
            self.assertEqual(len(texts), 1, name)

    def test_cores_that_signal_one_another(self):
        """Core 0 fills memory that core 1 copies out (data/cores/cores.py): in order, signalled too early, never signalled, signalled twice."""
        expected = {"right": [], "racy": [("race", 17)], "deadlock": [("deadlock", 16)], "leak": [("leak", 12)]}
        for kind, findings in expected.items():
            module = CORES / f"shared_{kind}.mlir"
            runs = [self.run_it("simulate", module, "--input", self.counting_input(), "--json", "--schedule", schedule, "--cores", 2)
                    for schedule in ("early", "late", "random:1", "random:2", "random:3")]
            with self.subTest(kind=kind):
                self.assertEqual({run.returncode for run in runs}, {1 if findings else 0})
                documents = [{**json.loads(run.stdout), "schedule": ""} for run in runs]
                self.assertTrue(all(document == documents[0] for document in documents), "the schedule changed more than its name")
                found = json.loads(runs[0].stdout)["findings"]
                lines = [{finding["place"]["line"], finding["other_place"]["line"], *(access["place"]["line"] for access in finding["accesses"])} for finding in found]
                self.assertEqual([finding["kind"] for finding in found], [kind for kind, _ in findings])
                for (_, line), there in zip(findings, lines):
                    self.assertIn(line, there)
        output = self.path / "out"
        self.run_it("simulate", CORES / "shared_right.mlir", "--input", self.counting_input(), "--output", output)
        self.assertEqual(payload(output / "out0.npy"), payload(self.counting_input()))

    def counting_input(self):
        path = self.path / "counting.npy"
        path.write_bytes(npy((16, 128), "i", range(16 * 128)))
        return path

    def test_without_inputs_it_says_what_it_takes(self):
        self.assert_refused(self.run_it("simulate", DATA / "axpy_f32_17x257.mlir"), "takes float32(17, 257), float32(17, 257)")

    def test_inputs_of_another_shape_or_dtype(self):
        good, bad = self.path / "good.npy", self.path / "bad.npy"
        good.write_bytes(npy((17, 257), "f", [1.0] * (17 * 257)))
        bad.write_bytes(npy((257, 17), "f", [1.0] * (17 * 257)))
        module = DATA / "axpy_f32_17x257.mlir"
        self.assert_refused(self.run_it("simulate", module, "--input", good, "--input", bad), "holds float32(257, 17), the module takes float32(17, 257)")
        bad.write_bytes(npy((17, 257), "i", [1] * (17 * 257)))
        self.assert_refused(self.run_it("simulate", module, "--input", good, "--input", bad), "int32")
        bad.write_bytes(good.read_bytes()[:-5])
        self.assert_refused(self.run_it("simulate", module, "--input", good, "--input", bad), "bad.npy")
        self.assert_refused(self.run_it("simulate", module, "--input", good, "--input", self.path / "none.npy"), "none.npy")

    def test_damaged_modules(self):
        text = (DATA / "axpy_f32_17x257.mlir").read_text()
        module = self.path / "m.mlir"
        cases = {
            "no kernel": "module @m { func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> { return %arg0 : tensor<2xf32> } }",
            "m.mlir": "",
            "body": re.sub(r"(body\\22: \\22[A-Za-z0-9+/]{400})[A-Za-z0-9+/=]*", r"\1", text),
        }
        for words, damaged in cases.items():
            with self.subTest(words):
                module.write_text(damaged)
                self.assert_refused(self.run_it("simulate", module, "--random-inputs", 1), words if words != "body" else "m.mlir")

    def test_bad_usage(self):
        module = DATA / "axpy_f32_17x257.mlir"
        self.assert_refused(self.run_it("simulate", module, "--random-inputs", 1, "--schedule", "sometimes"), "early, late or random:SEED")
        self.assertEqual(self.run_it("simulate", module, "--cores", 3).returncode, 3)
        self.assertEqual(self.run_it("simulate").returncode, 3)
        self.assert_refused(self.run_it("simulate", self.path / "none.mlir"), "none.mlir")

    def test_inspect_shows_kernels(self):
        result = self.run_it("inspect", DATA / "matmul_bf16_256x256x256.mlir")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("grid       (2, 2, 2) parallel, parallel, arbitrary, 8 programs", "(i, j, k) -> (i, k)", "scratch 0  float32(128, 128) in vmem"):
            self.assertIn(words, result.stdout)
        self.assertIn("stable_mosaic.tpu.matmul", self.run_it("inspect", DATA / "matmul_bf16_256x256x256.mlir", "--ir").stdout)

    def test_inspect_as_json(self):
        document = json.loads(self.run_it("inspect", DATA / "matmul_bf16_256x256x256.mlir", "--json").stdout)
        kernel, = document["kernels"]
        self.assertEqual((kernel["grid"], kernel["semantics"]), ([2, 2, 2], ["parallel", "parallel", "arbitrary"]))
        self.assertEqual(kernel["scratch"], ["float32(128, 128) in vmem"])
        self.assertIn("(i, j, k) -> (i, k)", kernel["inputs"][0]["seen_as"])
        self.assertEqual(kernel["operations"]["tpu.matmul"], 1)
        self.assertNotIn("ir", kernel)
        document = json.loads(self.run_it("inspect", DATA / "matmul_bf16_256x256x256.mlir", "--json", "--ir").stdout)
        self.assertIn("stable_mosaic.tpu.matmul", document["kernels"][0]["ir"])


if __name__ == "__main__":
    unittest.main()
