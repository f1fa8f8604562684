#!/usr/bin/env python3
"""A bundle is whole or not there, whatever system call fails or is the last. bundle_writer_test.py WRITE_BUNDLE

Every system call of the writer that touches files is made to fail, and to be the one at which the process is killed, one after the other.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "write_bundle"
SKIPPED = 77
# All that the writer asks the system about files. Reading back is part of it.
CALLS = ["openat", "mkdir", "write", "fsync", "close", "renameat2", "newfstatat", "fstat", "pread64", "getdents64"]
FAULTS = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "kill": "signal=KILL"}


def traced(folder, call, fault, number):
    """The program's exit status, and whether the fault was met."""
    log = folder / "trace"
    done = subprocess.run(["strace", "-f", "-qq", "-o", log, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}", PROGRAM, "write", folder / "b"],
                          capture_output=True, text=True, timeout=60)
    text = log.read_text() if log.exists() else ""
    return done.returncode, "(INJECTED)" in text or "killed by SIGKILL" in text


class Writer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def is_whole(self):
        return subprocess.run([PROGRAM, "read", self.folder / "b"], capture_output=True, timeout=60).returncode == 0

    def judge(self, what, status):
        """True: the bundle is there. Anything but whole or nothing fails."""
        there = (self.folder / "b").exists()
        if there:
            self.assertTrue(self.is_whole(), f"{what}: a bundle that is not whole")
        if status == 0:
            self.assertTrue(there, f"{what}: success, and no bundle")
        left = [path.name for path in self.folder.iterdir() if path.name not in ("b", "trace")]
        self.assertTrue(all(name.startswith(".b.") and name.endswith(".partial") for name in left), f"{what}: {left}")
        return there

    def test_whole_or_nothing(self):
        seen = {"whole": 0, "nothing": 0}
        for call in CALLS:
            for name, fault in FAULTS.items():
                number, met = 1, True
                while met:
                    status, met = traced(self.folder, call, fault, number)
                    there = self.judge(f"{call} number {number}, {name}", status)
                    if met:
                        seen["whole" if there else "nothing"] += 1
                    for path in self.folder.iterdir():
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                    number += 1
                    self.assertLess(number, 1000, call)
        print(f"{sum(seen.values())} faults: {seen}", file=sys.stderr)
        self.assertGreater(seen["nothing"], 100)
        self.assertGreater(seen["whole"], 10, "faults after the bundle had its name")

    def test_the_judge_sees_half_a_bundle(self):
        subprocess.run([PROGRAM, "write", self.folder / "b"], check=True)
        os.remove(self.folder / "b" / "environment.json")
        with self.assertRaises(AssertionError):
            self.judge("planted", 1)
        shutil.rmtree(self.folder / "b")
        with self.assertRaises(AssertionError):
            self.judge("planted", 0)


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "-o", "/dev/null", "-e", "inject=getcwd:error=EIO", "true"], capture_output=True).returncode == 0


if __name__ == "__main__":
    if not can_trace():
        print("skipped: strace is not there or may not trace here")
        sys.exit(SKIPPED)
    unittest.main()
