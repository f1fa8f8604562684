#!/usr/bin/env python3
"""kernel-audit compile, as far as it goes without libtpu. compile_cli_test.py PROGRAM; standard library only."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MODULE = pathlib.Path(__file__).parent / "data" / "golden" / "data" / "axpy_f32_17x257.mlir"


class Compile(unittest.TestCase):
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

    def test_what_compile_refuses_itself(self):
        self.refused(self.call("compile", MODULE, "--topology", "v9", status=3), "no topology is called 'v9'; there are v4:2x2x1")
        self.refused(self.call("compile", "none.mlir", status=3), "none.mlir")
        (self.folder / "bad.mlir").write_bytes(bytes(range(256)))
        self.refused(self.call("compile", "bad.mlir", status=3), "bad.mlir: ")
        self.refused(self.call("compile", MODULE, "--libtpu", "newest", status=3), "'newest' is neither a version of libtpu")
        self.refused(self.call("compile", MODULE, "--libtpu", "./libtpu.so", status=3), "./libtpu.so: No such file")
        self.call("compile", status=3)
        self.call("compile", MODULE, "--kernel", "axpy", status=3)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bad.mlir"])

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


if __name__ == "__main__":
    unittest.main()
