#!/usr/bin/env python3
"""Nothing turns a record of one tier into one of another: the compiler refuses each try. must_not_compile_test.py COMPILER SOURCE_DIR"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import unittest

COMPILER, SOURCE_DIR = sys.argv.pop(1), sys.argv.pop(1)

HEAD = """#include "kernel_audit/evidence/claim.h"
using namespace kernel_audit::evidence;
"""
# What may be written, so that a refusal below is not one of the frame.
CONTROL = "std::string Text(const SimulatedClaim& claim) { return claim.text(); }\nEstimateClaim Make() { return {{}, {{\"a\", 1}}}; }\n"

TRIES = {
    "a simulated record as an executed one": "ExecutedClaim F(const SimulatedClaim& c) { return c; }",
    "a compiled record as an executed one": "ExecutedClaim F(const CompiledClaim& c) { return static_cast<ExecutedClaim>(c); }",
    "an estimate as a simulated record": "SimulatedClaim F(const EstimateClaim& c) { return SimulatedClaim(c); }",
    "a simulated record's document as an executed one's": "ExecutedClaim F(const SimulatedClaim& c) { return ExecutedClaim(c.document()); }",
    "an executed record by a simulation's witness": "ExecutedClaim F(Witness<Tier::kSimulated> w) { return {w, {{\"a\", 1}}}; }",
    "an executed record by a compiler's witness": "ExecutedClaim F(Witness<Tier::kCompiled> w) { return {w, {{\"a\", 1}}}; }",
    "an executed record by nobody's witness": "ExecutedClaim F() { return {{}, {{\"a\", 1}}}; }",
    "a witness of an execution": "Witness<Tier::kExecuted> F() { return {}; }",
    "a witness of a compilation": "Witness<Tier::kCompiled> F() { return Witness<Tier::kCompiled>(); }",
    "a simulation's witness as an execution's": "Witness<Tier::kExecuted> F(Witness<Tier::kSimulated> w) { return w; }",
    "assignment from a simulated record": "void F(ExecutedClaim& e, const SimulatedClaim& s) { e = s; }",
    "a changed document": "void F(SimulatedClaim& c) { c.document()[\"tier\"] = \"executed\"; }",
}


def compiles(text):
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as file:
        file.write(HEAD + text + "\n")
        file.flush()
        done = subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", f"-I{SOURCE_DIR}/src", file.name], capture_output=True, text=True, timeout=120)
        return done.returncode == 0, done.stderr


class Tiers(unittest.TestCase):
    def test_the_frame_compiles(self):
        self.assertEqual(compiles(CONTROL), (True, ""))

    def test_nothing_leads_from_one_tier_to_another(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = dict(zip(TRIES, pool.map(compiles, TRIES.values())))
        for name, (well, words) in answers.items():
            with self.subTest(name):
                self.assertFalse(well, "the compiler took it")
                self.assertNotIn("fatal error", words)


if __name__ == "__main__":
    unittest.main()
