#!/usr/bin/env python3
"""The manual page and the completion say what --help says. manual_test.py PROGRAM"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "kernel-audit"


def output(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def complete(*words):
    """What bash would offer for the last of these words."""
    line = " ".join(f"'{word}'" for word in ("kernel-audit", *words))
    script = f"source <({PROGRAM} completion); COMP_WORDS=({line}); COMP_CWORD={len(words)}; _kernel_audit; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, timeout=60).stdout.split()


COMMANDS = re.findall(r"^  ([a-z]+) +[A-Z]", output("--help").split("Subcommands:")[1], re.M)


class Manual(unittest.TestCase):
    def test_every_command_and_option(self):
        text = output("manual").replace("\\-", "-")
        self.assertGreater(len(COMMANDS), 10)
        for command in COMMANDS:
            self.assertIn(f".SS {command}\n", text)
            for option in re.findall(r"^  (--[a-z-]+)", output(command, "--help"), re.M):
                self.assertIn(f"{option}\n", text, command)

    def test_roff_takes_it(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=output("manual"), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")


class Completion(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(sorted(complete("")), sorted([*COMMANDS, "--help", "--version"]))
        self.assertEqual(complete("che"), ["check"])

    def test_options_and_values(self):
        for command in COMMANDS:
            offered = set(complete(command, "--"))
            self.assertEqual(offered, set(re.findall(r"(--[a-z-]+)", "\n".join(re.findall(r"^  (-.*)", output(command, "--help"), re.M)))) & offered)
            self.assertIn("--help", offered)
        self.assertEqual(complete("check", "--stage", ""), ["1", "2", "3", "all"])
        self.assertEqual(complete("check", "--implementation", ""), [], "files are bash's own")


class Install(unittest.TestCase):
    def test_a_prefix(self):
        script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts", "install")
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([script, prefix], check=True, capture_output=True, timeout=900)
            done = subprocess.run([f"{prefix}/bin/kernel-audit", "--version"], capture_output=True, text=True, check=True, timeout=60)
            self.assertTrue(done.stdout.startswith("kernel-audit "))
            self.assertIn(".TH", open(f"{prefix}/share/man/man1/kernel-audit.1").read())
            self.assertIn("_kernel_audit", open(f"{prefix}/share/bash-completion/completions/kernel-audit").read())


if __name__ == "__main__":
    unittest.main()
