#!/usr/bin/env python3
"""kernel-audit target and doctor as a person meets them. target_cli_test.py PROGRAM TEST_PLUGIN

The test plugin computes on the host and is no TPU; nothing here is a measurement.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM, PLUGIN = (os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))) if len(sys.argv) > 2 else ("kernel-audit", "kernel_audit_test_plugin.so")
HAS_CHIP = any((entry / "vendor").is_file() and (entry / "vendor").read_text().strip() == "0x1ae0"
               for entry in pathlib.Path("/sys/bus/pci/devices").glob("*"))
LIBTPU = pathlib.Path(os.environ.get("KA_LIBTPU", ROOT / ".deps" / "libtpu" / "0.0.37" / "libtpu.so"))
# System calls that make or change a file.
MAKES = re.compile(r"O_CREAT|O_WRONLY|O_RDWR|O_TRUNC|O_TMPFILE|^(creat|mkdir|mkdirat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|"
                   r"mknod|mknodat|truncate)\(")

# The three commands of the project's text.
COMMANDS = [("--implementation", "solution", "--kernel", *words) for words in (
    ("fused", "--shape", 257, 513, "--block", 8, 128, "--dtype", "float32"),
    ("pipeline", "--shape", 257, 513, "--block", 8, 128, "--buffers", 2),
    ("pipeline", "--shape", 257, 513, "--block", 16, 256, "--buffers", 3, "--synchronous"))]


def traces_of_a_receipt(calls):
    """System calls that make or change a file, or write to standard output."""
    return [call for call in calls if (MAKES.search(call) and not re.match(r'open(at)?\((AT_FDCWD, )?"/dev/null", ', call)) or call.startswith("write(1,")]


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def target(self, *more, fault=None, kernel="axpy"):
        return self.run_program(PROGRAM, "target", "--implementation", "solution", "--kernel", kernel, "--shape", 65, 257, "--block", 8, 128, *more, fault=fault)

    def run_program(self, *words, fault=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KA_TEST")}
        environment["TPU_SKIP_MDS_QUERY"] = "1"
        if fault:
            environment["KA_TEST_TPU_FAULT"] = fault
        return subprocess.run([str(word) for word in words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False)

    def refused(self, done, status, *words):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class WithoutATpu(Cli):
    def setUp(self):
        super().setUp()
        if HAS_CHIP:
            self.skipTest("this machine has a device of the TPU's vendor")

    def test_refuses(self):
        for command in COMMANDS:
            self.refused(self.run_program(PROGRAM, "target", *command), 2, "no TPU: this process's backend is cpu", "no TPU chip on its PCI bus", "never timed instead")

    def traced(self, *words):
        """What a command did, and its system calls on files and on standard output."""
        if shutil.which("strace") is None:
            self.skipTest("no strace")
        with tempfile.TemporaryDirectory() as place:
            trace = pathlib.Path(place) / "trace"
            done = self.run_program("strace", "-f", "-o", trace, "-e", "trace=%file,openat,open,creat,write", *words)
            if "ptrace" in done.stderr:
                self.skipTest("strace may not trace here")
            calls = [line.split(None, 1)[1] for line in trace.read_text().splitlines() if " " in line]
        self.assertTrue(any("execve" in call for call in calls))
        return done, calls

    def test_no_file_is_made_by_any_system_call(self):
        for command in COMMANDS:
            done, calls = self.traced(PROGRAM, "target", *command)
            self.refused(done, 2, "no TPU")
            self.assertEqual(traces_of_a_receipt(calls), [])
            self.assertEqual([call for call in calls if "libtpu.so" in call], [])

    def test_the_proof_sees_a_receipt(self):
        """The same commands, by a program that leaves a receipt behind or prints one, each in a way of its own."""
        for plant in ("echo '{}' > receipt.json", "echo '{}' > receipt.json; rm receipt.json", "cp /dev/null receipt.json; mv receipt.json r; rm r", "mkdir evidence; rmdir evidence",
                      "ln -s /nowhere receipt.json; rm receipt.json", "echo '{}'"):
            with self.subTest(plant):
                done, calls = self.traced("sh", "-c", f'"$0" "$@"; status=$?; {plant}; exit $status', PROGRAM, "target", *COMMANDS[0])
                self.assertEqual(done.returncode, 2)
                self.assertNotEqual(traces_of_a_receipt(calls), [])
                for left in self.folder.iterdir():
                    left.unlink()

    def test_libtpu_itself_finds_none(self):
        if not LIBTPU.is_file():
            self.skipTest(f"no libtpu at {LIBTPU}")
        done = self.target("--libtpu", LIBTPU)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("no TPU: ", done.stderr)
        self.assertIn("jellyfish", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


def lacks():
    """The names of what `check` needs and this machine lacks."""
    done = subprocess.run([PROGRAM, "doctor", "--json"], capture_output=True, text=True, timeout=120, check=False)
    return [item["name"] for item in json.loads(done.stdout)["items"] if item["needed"] and not item["present"]]


class OnTheTestPlugin(Cli):
    @classmethod
    def setUpClass(cls):
        if lacks():
            raise unittest.SkipTest(f"this machine lacks {', '.join(lacks())}")

    def plugin(self, fault=None, **options):
        return self.target("--libtpu", PLUGIN, fault=fault, **options)

    def test_everything_passes_and_no_receipt_is_made(self):
        for kernel in ("axpy", "fused", "pipeline"):
            self.refused(self.plugin(kernel=kernel), 2, "no receipt", "'kernel-audit-test-tpu'")

    def test_each_step_fails_in_one_line(self):
        for fault, status, words in (
                ("no-device", 2, "0 devices"), ("platform", 2, "backend is cpu"), ("locked", 2, "held by another process"), ("kind", 2, "'TPU of tomorrow'"),
                ("elsewhere", 2, "does not lie on the TPU"), ("compile", 3, 'loc("model.cpp":13:0)'), ("wrong:1", 1, "nothing was timed"),
                ("wrong:30", 1, "of the measurement"), ("late", 1, "complete and it is not"), ("lost:9", 3, "the device was lost"),
                ("abort:7", 3, "was ended by signal 6")):
            with self.subTest(fault):
                self.refused(self.plugin(fault), status, words)

    def test_a_device_that_hangs_is_ended(self):
        self.refused(self.target("--libtpu", PLUGIN, "--time-limit", 6, fault="hang:1"), 1, "longer than its 6 s")

    def test_what_is_no_library(self):
        self.refused(self.target("--libtpu", "none.so"), 3, "none.so: No such file")
        self.refused(self.target("--libtpu", ROOT / "README.md"), 3, "cannot be loaded as a shared library")


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if lacks():
            raise unittest.SkipTest(f"this machine lacks {', '.join(lacks())}")

    def doctor(self, *more, **environment):
        return subprocess.run([PROGRAM, "doctor", *more], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False)

    def items(self, status, **environment):
        done = self.doctor("--json", **environment)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        self.assertEqual(done.stdout, json.dumps(json.loads(done.stdout), sort_keys=True, separators=(",", ":")) + "\n")
        return {item["name"]: item for item in json.loads(done.stdout)["items"]}

    def test_says_what_is_there(self):
        items = self.items(0)
        plugin = items["XLA:CPU plugin"]["detail"]
        self.assertEqual(len(plugin["devices"]), plugin["device_count"])
        self.assertEqual(len({device["id"] for device in plugin["devices"]}), plugin["device_count"])
        self.assertEqual(plugin["platform"], "cpu")
        self.assertRegex(plugin["sha256"], "^[0-9a-f]{64}$")
        self.assertIn("seccomp", items["sandbox"]["detail"]["layers"])
        self.assertEqual(items["TPU"]["present"], bool(items["TPU"]["detail"]["chips"]))
        for item in items.values():
            self.assertEqual("meaning" in item, not item["present"])

    def test_text_and_json_have_the_same_items(self):
        text = self.doctor().stdout
        for name, item in self.items(0).items():
            self.assertIn(name, text)
            self.assertIn(item["summary"], text)

    def test_says_what_a_lack_means(self):
        compiler = self.items(1, KERNEL_AUDIT_CXX="no-such-compiler")["C++ compiler"]
        self.assertIn("no-such-compiler", compiler["summary"])
        self.assertIn("no C++ model can be traced", compiler["meaning"])
        for file, words in (("none.so", "none.so: No such file"), (PLUGIN, "kernel_audit_test_plugin.so")):
            plugin = self.items(1, KERNEL_AUDIT_XLA_CPU_PLUGIN=file)["XLA:CPU plugin"]
            self.assertFalse(plugin["present"])
            self.assertIn(words, plugin["summary"])
            self.assertIn("scripts/setup", plugin["meaning"])


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    # CTest counts 77 as skipped.
    all_skipped = outcome.skipped and len(outcome.skipped) >= outcome.testsRun
    sys.exit(1 if not outcome.wasSuccessful() else 77 if all_skipped else 0)
