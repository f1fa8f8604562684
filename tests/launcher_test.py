#!/usr/bin/env python3
"""./kernel-audit on a small copy of this project: when it builds, what it prints, what it costs."""
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
add_executable(kernel-audit src/main.cc)
set_target_properties(kernel-audit PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
"""
PROGRAM = '#include <cstdio>\nint main(int n, char** v) { std::printf("%s %d %s\\n", "one", n, v[n - 1]); return n > 2 ? 7 : 0; }\n'
# Takes the place of scripts/setup: notes that it ran and leaves what it would leave.
SETUP = '#!/bin/bash\ncd "$(dirname "$0")/.."\nmkdir -p .deps && touch .deps/stamp\necho setup "$@" >> setup_runs\necho noise\n'


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "a b"
        for name in ("src", "cmake", "scripts"):
            (self.root / name).mkdir(parents=True)
        for name in ("kernel-audit", "scripts/build", "CMakePresets.json", "requirements-pypi.txt"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "CMakeLists.txt").write_text(CMAKE)
        (self.root / "src" / "main.cc").write_text(PROGRAM)
        (self.root / "scripts" / "setup").write_text(SETUP)
        (self.root / "scripts" / "setup").chmod(0o755)

    def run_it(self, *arguments, root=None, **options):
        return subprocess.run([(root or self.root) / "kernel-audit", *arguments], capture_output=True, text=True, timeout=300, **options)

    def builds(self):
        runs = self.root / "setup_runs"
        return len(runs.read_text().splitlines()) if runs.exists() else 0

    def test_builds_once_and_keeps_standard_output_clean(self):
        first = self.run_it("x")
        self.assertEqual((first.returncode, first.stdout), (0, "one 2 x\n"))
        self.assertIn("building", first.stderr)
        second = self.run_it("x", cwd="/")
        self.assertEqual((second.returncode, second.stdout, second.stderr), (0, "one 2 x\n", ""))
        self.assertEqual(self.builds(), 1)
        self.assertEqual(self.run_it("x", "y").returncode, 7)

    def test_notices_every_kind_of_change(self):
        self.run_it()
        changes = [
            lambda: (self.root / "src" / "main.cc").write_text(PROGRAM.replace("one", "two")),
            lambda: (self.root / "src" / "new.h").touch(),
            lambda: (self.root / "src" / "new.h").unlink(),
            lambda: (self.root / "CMakeLists.txt").touch(),
            lambda: (self.root / "CMakePresets.json").touch(),
            lambda: (self.root / "requirements-pypi.txt").touch(),
            lambda: (self.root / "scripts" / "setup").touch(),
            lambda: shutil.rmtree(self.root / ".deps"),
            lambda: (self.root / "build" / "release" / "bin" / "kernel-audit").unlink(),
        ]
        for number, change in enumerate(changes, 2):
            change()
            result = self.run_it("x")
            self.assertEqual((result.stdout, self.builds()), ("two 2 x\n", number))
            self.assertEqual(self.run_it("x").stderr, "")

    def test_a_failed_build_is_one_clear_line(self):
        (self.root / "src" / "main.cc").write_text("int main() { return missing; }\n")
        result = self.run_it("x")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertRegex(result.stderr.splitlines()[-1], r"the build failed: .*main.cc.*error.*; see .*/build/release/build\.log$")
        self.assertEqual(self.run_it("x").returncode, 3)
        (self.root / "src" / "main.cc").write_text(PROGRAM)
        self.assertEqual(self.run_it("x").stdout, "one 2 x\n")

    def test_never_runs_a_stale_program(self):
        self.run_it()
        (self.root / "src" / "main.cc").write_text("broken\n")
        result = self.run_it("x")
        self.assertEqual((result.returncode, result.stdout), (3, ""))

    def test_a_failed_set_up_or_configuration_is_one_clear_line(self):
        (self.root / "CMakeLists.txt").write_text("broken(\n")
        self.assertRegex(self.run_it().stderr, r"could not configure the build; see .*/build\.log\n$")
        (self.root / "scripts" / "setup").write_text("#!/bin/bash\nexit 1\n")
        result = self.run_it()
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("set-up failed", result.stderr)

    def test_two_first_calls_build_once(self):
        calls = [subprocess.Popen([self.root / "kernel-audit", "x"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        outputs = [call.communicate(timeout=300) for call in calls]
        self.assertEqual([out for out, _ in outputs], ["one 2 x\n"] * 3, outputs)
        self.assertEqual(self.builds(), 1)

    def test_a_long_run_does_not_hold_the_lock(self):
        (self.root / "src" / "main.cc").write_text('#include <unistd.h>\nint main(int n, char**) { if (n > 1) { write(1, "up\\n", 3); sleep(60); } }\n')
        long_run = subprocess.Popen([self.root / "kernel-audit", "x"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(long_run.communicate)
        self.addCleanup(long_run.kill)
        self.assertEqual(long_run.stdout.readline(), b"up\n")
        (self.root / "src" / "new.h").touch()
        self.assertEqual(self.run_it().returncode, 0)
        self.assertIsNone(long_run.poll())

    def test_a_copied_or_moved_tree_builds_its_own_program(self):
        self.run_it()
        copy, moved = self.root.parent / "copy", self.root.parent / "moved"
        shutil.copytree(self.root, copy, symlinks=True)
        (copy / "src" / "main.cc").write_text(PROGRAM.replace("one", "copied"))
        self.assertEqual(self.run_it("x", root=copy).stdout, "copied 2 x\n")
        self.assertEqual(self.run_it("x").stdout, "one 2 x\n")
        copy.rename(moved)
        self.assertIn("building", self.run_it("x", root=moved).stderr)
        self.assertEqual(self.run_it("x", root=moved).stderr, "")

    def test_runs_through_a_symbolic_link(self):
        link = self.root.parent / "linked"
        link.symlink_to(self.root / "kernel-audit")
        result = subprocess.run([link, "x"], capture_output=True, text=True, timeout=300)
        self.assertEqual(result.stdout, "one 2 x\n", result.stderr)

    def test_costs_little_when_nothing_changed(self):
        for number in range(500):
            (self.root / "src" / f"f{number}.h").touch()
        self.run_it()
        program = self.root / "build" / "release" / "bin" / "kernel-audit"

        def milliseconds(path):
            samples = []
            for _ in range(21):
                start = time.perf_counter()
                subprocess.run([path], stdout=subprocess.DEVNULL, check=True)
                samples.append((time.perf_counter() - start) * 1e3)
            return statistics.median(samples)

        cost = milliseconds(self.root / "kernel-audit") - milliseconds(program)
        print(f"launcher: {cost:.1f} ms over the program alone, 500 sources")
        self.assertLess(cost, 100)


if __name__ == "__main__":
    os.environ.pop("MAKEFLAGS", None)
    unittest.main()
