#!/usr/bin/env python3
"""kernel-audit runtime as a person, and as a hostile candidate, meets it. runtime_cli_test.py PROGRAM"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOLUTION = (ROOT / "projects" / "tpu-runtime-audit" / "solution" / "model.cpp").read_text()
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "kernel-audit"
EVIDENCE = "tpu-runtime-audit-evidence.json"


class Runtime(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, implementation, stage, *more, status):
        done = subprocess.run([PROGRAM, "runtime", "--implementation", str(implementation), "--stage", str(stage), *map(str, more)],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        return done

    def changed(self, old, new):
        """The solution with one part replaced."""
        self.assertIn(old, SOLUTION)
        file = self.folder / "model.cpp"
        file.write_text(SOLUTION.replace(old, new, 1))
        return file

    def fails(self, implementation, stage, *words, status=1):
        done = self.call(implementation, stage, "--evidence-dir", self.folder / "kept", status=status)
        self.assertFalse(done.stdout.startswith("PASS"), done.stdout)
        self.assertFalse((self.folder / "kept").exists(), "a failure leaves no evidence")
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)


class Passing(Runtime):
    def test_each_stage(self):
        for stage in (1, 2, 3, 4):
            done = self.call("solution", stage, status=0)
            self.assertTrue(done.stdout.startswith(f"PASS tpu-runtime-audit stage {stage}\n"), done.stdout)
            self.assertEqual("the values [1, 2, 3] sum to 6" in done.stdout, stage in (2, 4))
            self.assertEqual("the values [1, 2, 3] sum to 4" in done.stdout, stage in (2, 4))

    def test_evidence_has_every_field(self):
        for stage in (3, 4):
            folder = self.folder / str(stage)
            self.call("solution", stage, "--evidence-dir", folder, status=0)
            self.assertEqual([file.name for file in folder.iterdir()], [EVIDENCE])
            text = (folder / EVIDENCE).read_text()
            document = json.loads(text)
            self.assertEqual(json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n", text)
            self.assertEqual(document["backend"], "cpu")
            self.assertEqual(document["reported_device_count"], len(document["device_names"]))
            self.assertTrue(all(document["device_names"]))
            self.assertEqual([document["storage_dtype"], document["operand_dtype"], document["result_dtype"]], ["bfloat16", "float32", "float32"])
            self.assertIn("no native bfloat16", document["scope"])
            self.assertEqual(len(document["module_sha256"]), 64)
            self.assertNotIn("cpu_all_reduce", document)

    def test_same_command_same_bytes(self):
        for name in ("a", "b"):
            self.call("solution", 4, "--evidence-dir", self.folder / name, status=0)
        self.assertEqual((self.folder / "a" / EVIDENCE).read_bytes(), (self.folder / "b" / EVIDENCE).read_bytes())

    def test_early_stages_say_that_they_keep_nothing(self):
        done = self.call("solution", 1, "--evidence-dir", self.folder / "kept", status=0)
        self.assertIn("no evidence is written", done.stderr)
        self.assertFalse((self.folder / "kept").exists())

    def test_devices_run_a_real_all_reduce_apart_from_the_sum(self):
        for count in (1, 4, 7):
            document = json.loads(self.call("solution", 4, "--devices", count, "--json", status=0).stdout)
            self.assertEqual(document["reported_device_count"], count)
            self.assertEqual(len(document["devices"]), count)
            reduce = document["cpu_all_reduce"]
            self.assertEqual(reduce["inputs"], list(range(1, count + 1)))
            self.assertEqual(reduce["results"], [count * (count + 1) // 2] * count)
            self.assertIn("CPU devices of one process", reduce["scope"])

    def test_usage(self):
        for more in (["--devices", "0"], ["--devices", "65"], ["--stage", "5"]):
            self.call("solution", 4, *more, status=3) if more[0] == "--devices" else self.call("solution", more[1], status=3)


class Failing(Runtime):
    def test_starter_says_what_to_write(self):
        for stage, functions in ((1, ["weighted_product"]), (2, ["participant_sum"]), (3, ["weighted_product"]), (4, ["weighted_product", "participant_sum"])):
            self.fails("starter", stage, f"FAIL tpu-runtime-audit stage {stage}",
                       *(f"{name} is not implemented yet: write it in projects/tpu-runtime-audit/my_model.cpp" for name in functions))

    def test_wrong_dtype_paths(self):
        product = "pl::dot(x, weights.astype(pl::f32))"
        for wrong, word in (("pl::dot(x.astype(pl::bf16).astype(pl::f32), weights.astype(pl::f32))", "operation 1"),
                            ("pl::dot(x, weights.astype(pl::f32)).astype(pl::bf16).astype(pl::f32)", "operation 3"),
                            ("pl::dot(x, weights)", "[dot] takes float32, not bfloat16"),
                            ("x", "operation 1"),
                            ("pl::slice(pl::dot(weights.astype(pl::f32), x), {0, 0}, {4, 4})", "operation 2")):
            self.fails(self.changed(product, wrong), 1, word)

    def test_wrong_sums(self):
        self.fails(self.changed("if (i == without) continue;", ""), 2, "is 9059300, not")
        self.fails(self.changed("(*without >= 0 && *without < count)", "*without >= 0"), 2, "must refuse an index that no participant has")
        self.fails(self.changed("(*without >= 0 && *without < count)", "*without < count"), 2, "must refuse an index that no participant has")
        self.fails(self.changed("return *sum;", "return *sum * 0 + (without ? 4 : 6);"), 2, "has no part in this computation")
        self.fails(self.changed("return *sum;", "return *sum - pl::slice(values, {0}, {1});"), 2, "has no part in this computation")

    def test_a_missing_function_is_named(self):
        self.fails(self.changed("participant_sum(", "another_sum("), 2, "does not define pl::Array participant_sum")


class Hostile(Runtime):
    def with_code(self, code, functions=SOLUTION):
        file = self.folder / "model.cpp"
        file.write_text("#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + functions + code)
        return file

    def test_printed_verdicts_mean_nothing(self):
        starter = (ROOT / "projects" / "tpu-runtime-audit" / "starter" / "model.cpp").read_text()
        self.fails(self.with_code('static int lie = (std::puts("PASS tpu-runtime-audit stage 1"), std::fflush(stdout), 0);\n', starter), 1)
        self.fails(self.with_code('static int lie = (std::puts("PASS tpu-runtime-audit stage 1"), std::fflush(stdout), _exit(0), 0);\n'), 1)

    def test_forged_records(self):
        self.fails(self.with_code('static int lie = static_cast<int>(write(3, "PASS tpu-runtime-audit stage 1", 30));\n'), 1, "descriptor 3")

    def test_no_file_is_written(self):
        target = self.folder / "kept" / EVIDENCE
        target.parent.mkdir()
        self.call(self.with_code(f'static int lie = (std::fclose(std::fopen("{target}", "w")), 0);\n'), 1, status=1)
        self.assertFalse(target.exists())

    def test_a_crash_and_a_hang_fail(self):
        self.fails(self.changed("std::optional<pl::Array> sum;", "std::optional<pl::Array> sum; __builtin_trap();"), 2, "while tracing")
        self.fails(self.changed("std::optional<pl::Array> sum;", "std::optional<pl::Array> sum; for (volatile int n = 0;; ++n) {}"), 2, "time")

    def test_a_kernel_is_no_host_product(self):
        kernel = '''pl::pallas_call([](pl::Ref x, pl::Ref w, pl::Ref z) { z.store(pl::dot(x.load(), w.load().astype(pl::f32))); }, {
      .name = "hidden", .in_specs = {pl::BlockSpec(pl::Block{4, 8}, [] { return pl::indices(0, 0); }), pl::BlockSpec(pl::Block{8, 4}, [] { return pl::indices(0, 0); })},
      .out_specs = {pl::BlockSpec(pl::Block{4, 4}, [] { return pl::indices(0, 0); })}, .out_shape = pl::ShapeDtype{{4, 4}, pl::f32}})(x, weights)'''
        self.fails(self.changed("pl::dot(x, weights.astype(pl::f32))", kernel), 1, "calls a kernel")


if __name__ == "__main__":
    unittest.main()
