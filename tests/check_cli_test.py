#!/usr/bin/env python3
"""kernel-audit check and kernel-audit run as a person meets them. check_cli_test.py PROGRAM"""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "projects" / "kernel-audit"
CANDIDATES = ROOT / "tests" / "candidates"
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "kernel-audit"


def npy(path, kind, shape, values):
    """Writes a .npy file; kind is struct's letter: f for float32, H for uint16."""
    name = {"f": "<f4", "H": "<u2", "d": "<f8"}[kind]
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (name, ", ".join(map(str, shape)))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%d%s" % (len(values), kind), *values))
    return path


def read_npy(path, kind):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack("<%d%s" % ((len(data) - start) // struct.calcsize(kind), kind), data[start:]))


def f32(value):
    """The nearest float32; Python's own rounding."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bf16_bits(value):
    """The nearest bfloat16 of a float32, ties to even."""
    whole = bits(value)
    upper, rest = whole >> 16, whole & 0xFFFF
    return upper + (rest > 0x8000 or (rest == 0x8000 and upper & 1))


def bf16_value(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern << 16))[0]


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments, status, **options):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr, "no colour and no progress without a terminal")
        return done

    def check(self, implementation, stage, *more, status):
        return self.call("check", "--implementation", implementation, "--stage", stage, *more, status=status)

    def refused(self, done, *words):
        """Nothing on standard output, one line on standard error."""
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Check(Cli):
    def verdicts(self, done):
        return [line.split(":")[0] for line in done.stdout.splitlines() if line.startswith(("PASS", "FAIL"))]

    def test_solution_passes_every_stage(self):
        done = self.check("solution", "all", status=0)
        self.assertEqual(self.verdicts(done), [f"PASS kernel-audit stage {stage}" for stage in (1, 2, 3)])
        self.assertEqual(done.stderr, "")
        self.assertNotIn("FAIL", done.stdout)
        for words in ("9 programs, padded (6, 12) (17 of 72 elements are padding)", "0 are right without a mask and 5 with one", "no TPU ran it",
                      "actual backend cpu, simulated chip v5e (128 lanes, 8 sublanes",
                      "27 DMAs of 110592 bytes; (2 x 2 + 2) slots of float32(8, 128) model 24576 bytes, counted 24576",
                      "(2 x 3 + 2) slots of float32(8, 128) model 32768 bytes, counted 32768",
                      "compared for 6 of 6 blocks and dtypes", "buffer count > 2 is not supported for output buffered refs",
                      "no TPU: this process's backend is cpu"):
            self.assertIn(words, done.stdout)

    def test_a_copy_passes_too(self):
        copy = self.folder / "my_model.cpp"
        copy.write_bytes((MODELS / "solution" / "model.cpp").read_bytes())
        self.assertIn("my_model.cpp:", self.check(copy, 1, status=0).stdout)
        self.assertEqual(self.verdicts(self.call("check", "--implementation", "my_model.cpp", "--stage", "2", status=0, cwd=self.folder)),
                         ["PASS kernel-audit stage 2"])

    def test_starter_fails_every_stage_and_says_what_to_write(self):
        done = self.check("starter", "all", status=1)
        self.assertEqual(self.verdicts(done), [f"FAIL kernel-audit stage {stage}" for stage in (1, 2, 3)])
        self.assertNotIn("PASS", done.stdout)
        self.assertNotIn("  ok ", done.stdout)
        for function in ("blocked_axpy", "fused_bias_relu", "pipelined_axpy"):
            self.assertIn(function + " is not implemented yet: write it in projects/kernel-audit/my_model.cpp", done.stdout)

    def test_one_stage_of_two(self):
        done = self.check(CANDIDATES / "floor_grid.cpp", "all", status=1)
        self.assertNotIn("PASS", done.stdout)
        self.assertIn("ran 4 programs where the ceiling grid has 9: 23 logical elements are missed", done.stdout)
        self.assertIn("floor_grid.cpp does not define pl::Array fused_bias_relu(", done.stdout)

    def test_chips(self):
        report = json.loads(self.check("solution", 3, "--json", "--chip", "7x", status=0).stdout)
        self.assertEqual(report["simulated_chip"]["name"], "7x")
        self.assertEqual(report["simulated_chip"]["tile_rows"], {"float32": 8, "bfloat16": 16, "int8": 32})
        self.assertEqual((report["backend"], report["simulated_chip"]["lanes"], report["simulated_chip"]["sublanes"]), ("cpu", 128, 8))
        self.assertIn("no chip is called 'v9'; there are v2, v3", self.check("solution", 3, "--chip", "v9", status=3).stderr)

    def test_json(self):
        for implementation, status in (("solution", 0), ("starter", 1), (CANDIDATES / "forged_message.cpp", 1)):
            report = json.loads(self.check(implementation, 1, "--json", "--seed", 7, status=status).stdout)
            self.assertEqual((report["passed"], report["seed"], report["tier"], report["backend"]), (status == 0, 7, "simulated", "cpu"))
            checks = report["stages"][0]["checks"]
            self.assertEqual(all(check["passed"] for check in checks), status == 0)
            self.assertFalse(any(any(ord(c) < 32 for c in check["detail"]) for check in checks))

    def test_a_seed_gives_the_same_report_twice(self):
        first, second = (self.check("solution", 1, "--seed", 99, status=0).stdout for _ in range(2))
        self.assertEqual(first, second)
        self.assertIn("data seed 99", first)

    def test_evidence(self):
        folder = self.folder / "new" / "evidence"
        self.check("solution", "all", "--evidence-dir", folder, status=0)
        report = json.loads((folder / "simulated" / "check.json").read_text())
        self.assertEqual([stage["ownership"][0]["owner"] for stage in report["stages"][:2]], [list(range(9))] * 2)
        self.assertTrue((folder / "pictures" / "stage1-ownership.svg").read_text().startswith("<svg"))
        (self.folder / "file").write_text("")
        self.refused(self.check("solution", 1, "--evidence-dir", self.folder / "file" / "below", status=3), "file")

    def test_a_candidate_cannot_print_a_verdict(self):
        for name in ("prints_pass", "forged_message", "exits_while_tracing"):
            done = self.check(CANDIDATES / (name + ".cpp"), 1, status=1)
            self.assertEqual(self.verdicts(done), ["FAIL kernel-audit stage 1"], name)
            self.assertEqual(done.stderr, "")

    def test_refused_as_a_whole(self):
        done = self.check(CANDIDATES / "does_not_compile.cpp", 1, status=3)
        self.assertEqual(done.stdout, "")
        self.assertIn("does_not_compile.cpp:8:3: error: expected ',' or ';' before 'return'", done.stderr)
        self.refused(self.check(CANDIDATES / "exits_in_constructor.cpp", 1, "--json", status=1), "ended its process (exited with status 0)")
        self.refused(self.check(self.folder / "none.cpp", 1, status=3), "none.cpp", "No such file")
        self.refused(self.check(self.folder, 1, status=3), "is not a file")

    def test_bad_usage(self):
        for arguments in ([], ["chek"], ["check"], ["check", "--stage", "1"], ["check", "--implementation", "solution"],
                          ["check", "--implementation", "solution", "--stage", "5"], ["check", "--implementation", "solution", "--stage", "1", "--seed", "x"],
                          ["run", "--implementation", "solution"], ["check", "--implementation", "solution", "--stage", "1", "--fast"]):
            self.assertEqual(self.call(*arguments, status=3).stdout, "", arguments)
        self.assertIn("--implementation", self.call("check", "--help", status=0).stdout)

    def test_no_compiler_and_no_kit(self):
        environment = dict(os.environ, KERNEL_AUDIT_CXX="no-such-compiler")
        done = self.call("check", "--implementation", "solution", "--stage", "1", status=3, env=environment)
        self.refused(done, "no C++ compiler: no-such-compiler is not in PATH")
        environment = dict(os.environ, KERNEL_AUDIT_KIT=str(self.folder))
        self.refused(self.call("check", "--implementation", "solution", "--stage", "1", status=3, env=environment), "no candidate kit")


class Run(Cli):
    SHAPE = (5, 11)

    def values(self, start):
        return [f32(math.sin(start + i) * 10 ** (i % 5 - 2)) for i in range(55)]

    def run_it(self, kernel, inputs, *more, block=(2, 4), status=0, implementation="solution"):
        self.output = self.folder / "z.npy"
        paths = [word for path in inputs for word in ("--input", path)]
        return self.call("run", "--implementation", implementation, "--kernel", kernel, *paths, "--block", *block, "--output", self.output, *more, status=status)

    def axpy_inputs(self):
        return [npy(self.folder / "x.npy", "f", self.SHAPE, self.values(0)), npy(self.folder / "y.npy", "f", self.SHAPE, self.values(100))]

    def test_float32(self):
        done = self.run_it("axpy", self.axpy_inputs())
        x, y = self.values(0), self.values(100)
        self.assertEqual(list(map(bits, read_npy(self.output, "f"))), [bits(f32(f32(2 * a) + b)) for a, b in zip(x, y)])
        for words in ("0 findings", "float32(5, 11)", "tier simulated, actual backend cpu"):
            self.assertIn(words, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_bfloat16(self):
        x, y = ([bf16_bits(value) for value in self.values(start)] for start in (0, 100))
        inputs = [npy(self.folder / name, "H", self.SHAPE, data) for name, data in (("x.npy", x), ("y.npy", y))]
        self.run_it("axpy", inputs, "--dtype", "bfloat16")
        expected = [bf16_bits(f32(f32(2 * bf16_value(a)) + bf16_value(b))) for a, b in zip(x, y)]
        self.assertEqual(read_npy(self.output, "H"), expected)

    def test_fused(self):
        x, bias = self.values(0), [f32((-1) ** i * i / 7) for i in range(11)]
        inputs = [npy(self.folder / "x.npy", "f", self.SHAPE, x), npy(self.folder / "b.npy", "f", (11,), bias)]
        self.run_it("fused", inputs, block=(8, 128))
        self.assertEqual(read_npy(self.output, "f"), [max(f32(value + bias[i % 11]), 0.0) for i, value in enumerate(x)])

    def test_pipeline(self):
        inputs = self.axpy_inputs()
        self.run_it("axpy", inputs)
        expected = self.output.read_bytes()
        for options in (("--buffers", 1), ("--buffers", 3), ("--buffers", 2, "--synchronous")):
            done = self.run_it("pipeline", inputs, *options)
            self.assertEqual(self.output.read_bytes(), expected)
            self.assertIn("27 DMAs of ", done.stdout)
        self.refused(self.run_it("pipeline", inputs, "--buffers", 0, status=3), "an input needs at least one slot, not 0")

    def test_mode_tpu_is_refused(self):
        done = self.run_it("axpy", self.axpy_inputs(), "--mode", "tpu", status=2)
        self.refused(done, "mode tpu needs a TPU backend and this process has none; it is never simulated instead")
        self.assertFalse(self.output.exists())

    def test_bad_inputs(self):
        x, y = self.axpy_inputs()
        pattern = npy(self.folder / "h.npy", "H", self.SHAPE, [0] * 55)
        double = npy(self.folder / "d.npy", "d", self.SHAPE, [0] * 55)
        row = npy(self.folder / "row.npy", "f", (1, 11), [0] * 11)
        short = self.folder / "short.npy"
        short.write_bytes(x.read_bytes()[:-3])
        garbage = self.folder / "garbage.npy"
        garbage.write_bytes(b"\x00" * 300)
        folder = self.folder
        for inputs, words, more in (([x, pattern], ("h.npy", "holds uint16, --dtype says float32"), ()),
                                    ([x, double], ("d.npy", "float64"), ()),
                                    ([x, y], ("x.npy", "bfloat16 travels as uint16"), ("--dtype", "bfloat16")),
                                    ([x, row], ("the model refuses these inputs", "x and y must have one shape"), ()),
                                    ([x, folder / "none.npy"], ("none.npy", "No such file"), ()),
                                    ([x, short], ("short.npy",), ()),
                                    ([x, garbage], ("garbage.npy",), ()),
                                    ([x, folder], (str(folder),), ())):
            self.refused(self.run_it("axpy", inputs, *more, status=3), *words)
            self.assertFalse(self.output.exists())
        self.refused(self.run_it("axpy", [x, y], block=(0, 4), status=3), "the model refuses these inputs", "extents must be positive")
        self.run_it("axpy", [x], status=3)

    def test_a_kernel_with_a_finding(self):
        done = self.run_it("axpy", self.axpy_inputs(), implementation=CANDIDATES / "reads_past_edge.cpp", status=1)
        self.assertIn("finding: out_of_bounds at reads_past_edge.cpp:21: vector.load touches elements [5, 7) of dimension 0", done.stdout)

    def test_an_endless_kernel_ends(self):
        done = self.run_it("axpy", self.axpy_inputs(), implementation=CANDIDATES / "endless_trace.cpp", status=1)
        self.refused(done, "endless_trace.cpp ran longer than its 10 s")

    def test_output_that_cannot_be_written(self):
        done = self.call("run", "--implementation", "solution", "--kernel", "axpy", "--input", self.axpy_inputs()[0], "--input", self.axpy_inputs()[1],
                         "--block", "2", "4", "--output", self.folder / "none" / "z.npy", status=3)
        self.refused(done, "z.npy")


class Target(Cli):
    def target(self, *more, implementation="solution", kernel="pipeline", block=(8, 128), status=2):
        return self.call("target", "--implementation", implementation, "--kernel", kernel, "--shape", 257, 513, "--block", *block, *more, status=status, cwd=self.folder)

    def test_there_is_no_tpu(self):
        for kernel, more in (("axpy", ()), ("fused", ("--dtype", "bfloat16")), ("pipeline", ("--buffers", 3, "--synchronous"))):
            self.refused(self.target(*more, kernel=kernel), "no TPU: this process's backend is cpu", "no TPU chip", "never timed instead")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_bad_usage_comes_first(self):
        self.refused(self.target(implementation="none.cpp", status=3), "none.cpp: there is no such file")
        self.target(kernel="matmul", status=3)
        self.target(block=(0, 128), status=3)
        self.target("--dtype", "int8", status=3)


if __name__ == "__main__":
    unittest.main()
