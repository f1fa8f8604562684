#!/usr/bin/env python3
"""kernel-audit compile, with libtpu and as far as it goes without. compile_cli_test.py PROGRAM; standard library only."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBTPU = ROOT / ".deps" / "libtpu" / "0.0.37" / "libtpu.so"
MODULE = pathlib.Path(__file__).parent / "data" / "golden" / "data" / "axpy_f32_17x257.mlir"


class Cli(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def call(self, *arguments, status, **environment):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def refused(self, done, *words):
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class WithoutLibtpu(Cli):
    def test_what_compile_refuses_itself(self):
        self.refused(self.call("compile", MODULE, "--topology", "v9", status=3), "no topology is called 'v9'; there are v4:2x2x1")
        self.refused(self.call("compile", "none.mlir", status=3), "none.mlir")
        (self.folder / "bad.mlir").write_bytes(bytes(range(256)))
        self.refused(self.call("compile", "bad.mlir", status=3), "bad.mlir: ")
        self.refused(self.call("compile", MODULE, "--libtpu", "newest", status=3), "'newest' is neither a version of libtpu")
        self.refused(self.call("compile", MODULE, "--libtpu", "./libtpu.so", status=3), "./libtpu.so: No such file")
        self.refused(self.call("compile", self.folder, status=3), "is not a regular file")
        self.refused(self.call("compile", MODULE, "--topology", "v5e,,v6e", status=3), "no topology is called ''")
        self.refused(self.call("compile", MODULE, "--libtpu", "/proc", status=3), "/proc is not a regular file")
        self.assertIn("'0' is no positive number", self.call("compile", "--implementation", "solution", "--kernel", "axpy", "--shape", 0, 5, status=3).stderr)
        self.refused(self.call("compile", "--implementation", "none.cpp", "--kernel", "axpy", status=3), "none.cpp: No such file")
        self.refused(self.call("compile", "--implementation", "starter", "--kernel", "axpy", status=1), "not implemented yet")
        self.call("compile", status=3)
        self.call("compile", MODULE, "--kernel", "axpy", status=3)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bad.mlir"])

    def test_libtpu_that_cannot_be_fetched(self):
        no_index = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "0", "PIP_RETRIES": "0"}
        done = self.call("compile", MODULE, status=3, KERNEL_AUDIT_LIBTPU_FOLDER=str(self.folder / "libtpu"), **no_index)
        self.assertEqual(done.stdout, "")
        progress, error = done.stderr.splitlines()
        self.assertRegex(progress, "^kernel-audit: fetching libtpu 0.0.37, .* its own licence: ")
        self.assertIn("libtpu 0.0.37 could not be fetched from PyPI: pip reached no index that has it; is there a network?", error)
        self.assertEqual(list((self.folder / "libtpu").iterdir()), [])
        self.refused(self.call("compile", MODULE, status=3, KERNEL_AUDIT_LIBTPU_FOLDER="/proc/nowhere"), "could not be fetched from PyPI: /proc/nowhere: No such file")
        self.refused(self.call("compile", MODULE, status=3, KERNEL_AUDIT_LIBTPU_FOLDER="libtpu", PATH="/nowhere"), "could not be fetched from PyPI: python3: No such file")
        self.refused(self.call("compile", MODULE, "--libtpu", "0.0.1", status=3), "it is not pinned; requirements-libtpu.txt names 0.0.37")

    def test_blocks_come_before_the_compiler(self):
        done = self.call("compile", "--implementation", "solution", "--kernel", "axpy", "--shape", 16, 300, "--block", 8, 100, "--libtpu", "none", status=1)
        self.refused(done, "model.cpp:", "a TPU takes no block (8, 100) of input 0, float32(16, 300): its last extent 100 is neither a multiple of 128")

    def test_a_library_that_is_no_compiler(self):
        (self.folder / "libtpu.so").write_text("no library")
        self.refused(self.call("compile", MODULE, "--libtpu", "./libtpu.so", status=3), "libtpu.so: cannot be loaded as a shared library")

    def test_emits_what_it_compiles(self):
        self.call("compile", "--implementation", "solution", "--kernel", "fused", "--emit", "m.mlir", "--libtpu", "none", status=3)
        self.assertIn("tpu_custom_call", (self.folder / "m.mlir").read_text())
        self.assertIn("fused_bias_relu", self.call("inspect", "m.mlir", status=0).stdout)


class WithLibtpu(Cli):
    def setUp(self):
        super().setUp()
        if not LIBTPU.is_file():
            self.skipTest("libtpu 0.0.37 has not been fetched: kernel-audit compile fetches it")

    def test_lines_of_the_source(self):
        model = (ROOT / "projects" / "kernel-audit" / "solution" / "model.cpp").read_text().splitlines()
        command = ("compile", "--implementation", "solution", "--kernel", "axpy", "--topology", "all")
        report = json.loads(self.call(*command, "--json", status=0).stdout)
        kernel, = report["kernels"]
        self.assertEqual(kernel["name"], "blocked_axpy")
        self.assertEqual(kernel["operations_with_place"], kernel["operations"])
        self.assertGreater(kernel["operations"], 0)
        lines = {(place["file"], place["line"]) for place in kernel["lines"]}
        self.assertEqual({file for file, _ in lines}, {"model.cpp"})
        text = self.call(*command, status=0).stdout
        self.assertIn(f"module       blocked_axpy: {kernel['operations']} of {kernel['operations']} operations, on {len(lines)} lines", text)
        for topology in report["topologies"]:
            schedule, = topology["kernels"]
            named = [(use["place"]["file"], use["place"]["line"]) for use in schedule["lines"]]
            self.assertLessEqual(set(named), lines)
            words = [model[line - 1] for _, line in named]
            self.assertTrue(any(".load()" in word for word in words) and any(".store(" in word for word in words), words)
            for (file, line), use in zip(named, schedule["lines"], strict=True):
                self.assertIn(f"{file}:{line} {use['instructions']}", text)
            self.assertLess(sum(use["instructions"] for use in schedule["lines"]), schedule["instructions"])

    def test_a_module_without_a_kernel(self):
        (self.folder / "m.mlir").write_text("module @m {\n  func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n    return %a : tensor<8xf32>\n  }\n}\n")
        done = self.call("compile", "m.mlir", "--topology", "all", status=0)
        self.assertEqual(done.stdout.count(" accepted "), 5)
        self.assertIn("The module calls no kernel", done.stdout)
        self.assertEqual(json.loads(self.call("compile", "m.mlir", "--json", status=0).stdout)["kernels"], [])

    def test_two_kernels_with_one_name(self):
        lines = MODULE.read_text().splitlines()
        at, = [number for number, line in enumerate(lines) if "@tpu_custom_call(%0, %1)" in line]
        lines.insert(at + 1, lines[at].replace("%2 =", "%twice =").replace("(%0, %1)", "(%2, %1)"))
        (self.folder / "m.mlir").write_text("\n".join(lines).replace("stablehlo.slice %2", "stablehlo.slice %twice") + "\n")
        report = json.loads(self.call("compile", "m.mlir", "--json", status=0).stdout)
        self.assertEqual([kernel["name"] for kernel in report["kernels"]], ["blocked_axpy"] * 2)
        kernels = report["topologies"][0]["kernels"]
        self.assertEqual([kernel["name"] for kernel in kernels], ["blocked_axpy"] * 2)
        self.assertEqual(len({kernel["instruction"] for kernel in kernels}), 2)

    def test_a_refusal_has_the_users_line(self):
        model = (ROOT / "projects" / "kernel-audit" / "solution" / "model.cpp")
        # 2 x 3 windows of 4 MiB are more than v5e's 16 MiB of scoped VMEM.
        arguments = ("--implementation", model, "--kernel", "axpy", "--shape", 8192, 8192, "--block", 1024, 1024, "--topology", "v5e,v6e")
        done = self.call("compile", *arguments, status=1)
        self.assertRegex(done.stdout, r"v5e:2x2 +REFUSED")
        self.assertRegex(done.stdout, r"v6e:2x2 +accepted")
        self.assertRegex(done.stdout, r"\nv5e:2x2 refuses: model.cpp:\d+: .*CompileTimeScopedVmemOom")
        self.assertNotIn("fits", done.stdout)

    def test_no_figure_is_a_time(self):
        done = self.call("compile", MODULE, "--json", status=0)
        self.assertNotRegex(done.stdout, r'"[a-z_]*(_ns|_us|_ms|seconds|time|cycles)"')
        self.assertEqual(json.loads(done.stdout)["tier"], "compiled")


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    # CTest counts 77 as skipped.
    all_skipped = outcome.skipped and len(outcome.skipped) >= outcome.testsRun
    sys.exit(1 if not outcome.wasSuccessful() else 77 if all_skipped else 0)
