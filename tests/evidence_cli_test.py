#!/usr/bin/env python3
"""Bundles as a person, and as somebody who changes them, meets them. evidence_cli_test.py PROGRAM RECEIPT_PROGRAM

RECEIPT_PROGRAM: a GoogleTest program that writes a receipt of its pretended TPU to the file that KA_RECEIPT_FILE names.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM, RECEIPTS = (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else ("kernel-audit", "")
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").glob("*.schema.json")}
TIME = {"ns", "us", "ms", "s", "sec", "second", "seconds", "time", "times", "timing", "timings", "duration", "latency", "date", "timestamp", "throughput", "flops", "speed"}


def call(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != status:
        raise AssertionError(f"status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def canonical(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"


def sign(folder):
    """Makes a changed bundle's manifest anew, as somebody would who knows how."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for entry in manifest["files"]:
        data = (folder / entry["path"]).read_bytes()
        entry["size"], entry["sha256"] = len(data), hashlib.sha256(data).hexdigest()
    manifest.pop("sha256")
    manifest["sha256"] = hashlib.sha256(canonical(manifest)[:-1].encode()).hexdigest()
    path.write_text(canonical(manifest))


def validate(name, document):
    jsonschema.Draft7Validator.check_schema(SCHEMAS[name])
    jsonschema.Draft7Validator(SCHEMAS[name]).validate(document)


def property_names(schema):
    if isinstance(schema, list):
        for each in schema:
            yield from property_names(each)
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for each in schema.values():
            yield from property_names(each)


def differing_fields(schema, one, other, path=""):
    """Where two documents differ, except below what the schema marks as varying."""
    if schema.get("varies"):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from differing_fields(schema.get("properties", {}).get(key, {}), one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield path


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, folder, *words, arguments=()):
        done = call("verify", folder, *arguments, status=1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


class Check(Folder):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.bundle = pathlib.Path(cls.kept.name) / "bundle"
        call("check", "--implementation", "solution", "--stage", "all", "--seed", 7, "--evidence-dir", cls.bundle)

    def copy(self):
        shutil.copytree(self.bundle, self.folder / "b")
        return self.folder / "b"

    def document(self, folder, path="simulated/check.json"):
        return json.loads((folder / path).read_text())

    def forge(self, change, *words, path="simulated/check.json"):
        """A change with every hash made anew."""
        folder = self.copy()
        document = self.document(folder, path)
        change(document)
        (folder / path).write_text(canonical(document))
        sign(folder)
        self.refused(folder, *words)
        shutil.rmtree(folder)

    def test_everything_is_kept(self):
        manifest = self.document(self.bundle, "manifest.json")
        validate("manifest", manifest)
        roles = {entry["role"] for entry in manifest["files"]}
        self.assertEqual(roles, {"candidate", "module", "environment", "estimate", "simulated", "array", "picture"})
        self.assertEqual(manifest["documents"], {"estimate": ["estimate/buffers.json"], "simulated": ["simulated/check.json"], "compiled": [], "executed": []})
        self.assertEqual(manifest["command"][:2], ["kernel-audit", "check"])
        self.assertEqual((self.bundle / "candidate" / "model.cpp").read_bytes(), (ROOT / "projects" / "kernel-audit" / "solution" / "model.cpp").read_bytes())
        validate("environment", self.document(self.bundle, "environment.json"))
        estimate = self.document(self.bundle, "estimate/buffers.json")
        validate("estimate", estimate)
        figures = {(tuple(b["block"]), b["dtype"], b["input_slots"]): b["bytes"] for b in estimate["buffers"]}
        self.assertEqual((figures[(8, 128), "float32", 2], figures[(8, 128), "float32", 3]), (24576, 32768))

    def test_the_document(self):
        check = self.document(self.bundle)
        validate("simulated", check)
        self.assertTrue(check["passed"])
        self.assertEqual(check["seed"], 7)
        self.assertEqual([stage["stage"] for stage in check["stages"]], [1, 2, 3])
        first = check["stages"][0]["ownership"][0]
        self.assertEqual((first["padded"], first["padding_elements"], len(first["owner"])), ([6, 12], 17, 9))
        kept = [case for case in check["stages"][0]["cases"] if "arrays" in case.get("values", {})]
        self.assertEqual([len(case["values"]["edges"]["last_row"]) for case in kept], [11])
        self.assertEqual([len(case["values"]["edges"]["last_column"]) for case in kept], [5])
        self.assertEqual(len(check["stages"][2]["timelines"]), 3)
        self.assertTrue(any("Zero padding" in note for note in check["stages"][0]["notes"]))

    def test_the_json_flag_prints_the_same_document(self):
        done = call("check", "--implementation", "solution", "--stage", 1, "--seed", 7, "--json")
        printed = json.loads(done.stdout)
        validate("simulated", printed)
        self.assertEqual(canonical(printed), done.stdout)
        self.assertEqual(printed["stages"][0], self.document(self.bundle)["stages"][0])

    def test_twice_the_same_bundle(self):
        call("check", "--implementation", "solution", "--stage", "all", "--seed", 7, "--evidence-dir", self.folder / "again")
        for path in sorted(p for p in self.bundle.rglob("*") if p.is_file()):
            other = self.folder / "again" / path.relative_to(self.bundle)
            if path.name == "manifest.json":
                one, two = json.loads(path.read_text()), json.loads(other.read_text())
                self.assertEqual(list(differing_fields(SCHEMAS["manifest"], one, two)), [])
            else:
                self.assertEqual(path.read_bytes(), other.read_bytes(), path)

    def test_verify(self):
        done = call("verify", self.bundle)
        self.assertEqual(done.stdout.count("\n"), 1)
        for words in ("it proves simulated: values and findings on the recorded inputs, on a CPU", "not run again", "does not prove anything about a TPU's run or speed: no receipt"):
            self.assertIn(words, done.stdout)
        self.assertIn("the same bytes again just now", call("verify", self.bundle, "--rerun").stdout)
        self.assertTrue(json.loads(call("verify", self.bundle, "--json").stdout)["verified"])

    def test_changes(self):
        folder = self.copy()
        file = folder / "candidate" / "model.cpp"
        file.write_text(file.read_text().replace("2", "3", 1))
        self.refused(folder, "candidate/model.cpp is not the file that was recorded")
        shutil.rmtree(folder)
        for name in ("nothing", "file"):
            self.assertIn("no folder", call("verify", self.folder / name, status=3).stderr)

    def test_figures_are_recomputed(self):
        def stage(number):
            return lambda document: document["stages"][number - 1]
        self.forge(lambda d: stage(1)(d)["checks"][0].update(passed=False), "stage 1 says passed is true, and false follows")
        self.forge(lambda d: d.update(passed=False), "says passed is false, and true follows")
        self.forge(lambda d: stage(1)(d)["cases"][0].update(padding_elements=99), "says padding_elements is 99")
        self.forge(lambda d: stage(1)(d)["cases"][0].update(padded=[100, 100]), "says padded is [100,100]")
        self.forge(lambda d: stage(1)(d)["cases"][0]["kernel"].update(programs=99), "says programs is 99")
        self.forge(lambda d: stage(1)(d)["cases"][0].update(module_sha256="0" * 64), "names a module that is not in the bundle")
        self.forge(lambda d: d.update(candidate_sha256="0" * 64), "is about a candidate that is not in the bundle")
        self.forge(lambda d: d["module_sha256"].pop(), "lists other modules")
        self.forge(lambda d: stage(1)(d)["ownership"][0]["owner"].reverse(), "is not the picture of what its document says")
        self.forge(lambda d: stage(3)(d)["timelines"][0].update(title="x"), "is not the picture of what its document says")
        self.forge(lambda d: stage(1)(d)["ownership"][0]["owner"].append(1), "one owner a block")
        self.forge(lambda d: d["buffers"][0].update(bytes=1), "says bytes is 1", path="estimate/buffers.json")
        self.forge(lambda d: d.update(samples_ns=[1]), "has no time", path="simulated/check.json")

        def wrong_values(d):
            case = next(c for c in stage(1)(d)["cases"] if "arrays" in c["values"])
            case["values"]["edges"]["last_row"][0] = "0x1p+0"
        self.forge(wrong_values, "has a last row or column that is not the kept result's")

    def test_a_changed_result_is_seen_by_its_own_oracle(self):
        folder = self.copy()
        path = folder / "arrays" / "stage1-result.npy"
        data = bytearray(path.read_bytes())
        data[-2] ^= 1
        path.write_bytes(data)
        document = self.document(folder)
        case = next(c for c in document["stages"][0]["cases"] if "arrays" in c["values"])
        case["values"]["result_sha256"] = hashlib.sha256(bytes(data[128:])).hexdigest()
        (folder / "simulated" / "check.json").write_text(canonical(document))
        sign(folder)
        self.refused(folder, "says differing_elements is 0, and 1 follows")

    def test_a_rerun_sees_a_changed_candidate(self):
        folder = self.copy()
        source = folder / "candidate" / "model.cpp"
        source.write_text(source.read_text() + "\n// nothing of importance\n")
        document = self.document(folder)
        document["candidate_sha256"] = hashlib.sha256(source.read_bytes()).hexdigest()
        document["stages"][0]["checks"][0]["detail"] = "all is well"
        (folder / "simulated" / "check.json").write_text(canonical(document))
        sign(folder)
        call("verify", folder)
        self.refused(folder, "run again, simulated/check.json differs from byte", arguments=["--rerun"])

    def test_a_folder_that_exists_is_left_alone(self):
        (self.folder / "there").mkdir()
        done = call("check", "--implementation", "solution", "--stage", 1, "--evidence-dir", self.folder / "there", status=3)
        self.assertIn("exists already", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list((self.folder / "there").iterdir()), [])


class FailureAndRepair(Folder):
    def test_two_linked_bundles(self):
        wrong = ROOT / "tests" / "candidates" / "floor_grid.cpp"
        right = self.folder / "floor_grid.cpp"
        shutil.copy(ROOT / "projects" / "kernel-audit" / "solution" / "model.cpp", right)
        pair = self.folder / "pair"
        call("check", "--note-failure", wrong, "--note-repair", right, "--stage", 1, "--seed", 3, "--evidence-dir", pair)
        self.assertEqual(sorted(p.name for p in pair.iterdir()), ["failure", "repair"])
        difference = json.loads((pair / "repair" / "difference" / "checks.json").read_text())
        validate("difference", difference)
        self.assertTrue(any("23 logical elements are missed" in each["failure"] for each in difference["repaired"]), difference)
        self.assertIn("\n+", (pair / "repair" / "difference" / "source.diff").read_text())
        manifests = [json.loads((pair / name / "manifest.json").read_text()) for name in ("failure", "repair")]
        self.assertEqual(manifests[1]["repairs"], manifests[0]["sha256"])
        validate("manifest", manifests[1])
        self.assertEqual(call("verify", pair).stdout.count("\n"), 2)
        call("verify", pair, "--rerun")
        shutil.copytree(pair / "repair", self.folder / "other" / "failure")
        shutil.copytree(pair / "repair", self.folder / "other" / "repair")
        self.refused(self.folder / "other", "the repair is that of another failure")
        (pair / "repair" / "difference" / "source.diff").write_text("nothing\n")
        sign(pair / "repair")
        self.refused(pair, "source.diff is not the difference between the failure and the repair")

    def test_what_is_no_failure_or_no_repair(self):
        solution = ROOT / "projects" / "kernel-audit" / "solution" / "model.cpp"
        starter = ROOT / "projects" / "kernel-audit" / "starter" / "model.cpp"
        options = ["--stage", 1, "--evidence-dir", self.folder / "pair"]
        self.assertIn("it is no failure", call("check", "--note-failure", solution, "--note-repair", solution, *options, status=1).stderr)
        self.assertIn("it is no repair", call("check", "--note-failure", starter, "--note-repair", starter, *options, status=1).stderr)
        self.assertIn("need --evidence-dir", call("check", "--note-failure", starter, "--note-repair", solution, "--stage", 1, status=3).stderr)
        call("check", "--note-failure", starter, *options, status=3)
        self.assertFalse((self.folder / "pair").exists())

    def test_a_failure_alone_is_a_bundle_too(self):
        call("check", "--implementation", "starter", "--stage", 2, "--evidence-dir", self.folder / "b", status=1)
        check = json.loads((self.folder / "b" / "simulated" / "check.json").read_text())
        validate("simulated", check)
        self.assertFalse(check["passed"])
        call("verify", self.folder / "b", "--rerun")


class Simulate(Folder):
    def test_a_racy_and_a_clean_module(self):
        modules = ROOT / "tests" / "data"
        clean = sorted((modules / "golden").glob("*.mlir"))[0]
        racy = sorted(path for path in modules.rglob("*racy*.mlir"))[0]
        for name, module, status in (("clean", clean, 0), ("racy", racy, 1)):
            folder = self.folder / name
            call("simulate", module, "--random-inputs", 5, "--schedule", "random:4", "--evidence-dir", folder, status=status)
            run = json.loads((folder / "simulated" / "run.json").read_text())
            validate("simulated", run)
            self.assertEqual(run["verdict"], "clean" if status == 0 else "findings")
            self.assertEqual(run["schedule"], "random:4")
            call("verify", folder, "--rerun")
        document = self.folder / "racy" / "simulated" / "run.json"
        run = json.loads(document.read_text())
        run["findings"], run["verdict"] = [], "clean"
        document.write_text(canonical(run))
        sign(self.folder / "racy")
        call("verify", self.folder / "racy")
        self.refused(self.folder / "racy", "run again, simulated/run.json differs", arguments=["--rerun"])


LIBTPU = ROOT / ".deps" / "libtpu" / "0.0.37" / "libtpu.so"


class Compile(Folder):
    @unittest.skipUnless(LIBTPU.exists(), "libtpu 0.0.37 is not fetched")
    def test_the_compilers_word_is_a_bundle(self):
        folder = self.folder / "b"
        call("compile", "--implementation", "solution", "--kernel", "axpy", "--topology", "v5e:2x2,v6e:2x2", "--evidence-dir", folder)
        document = json.loads((folder / "compiled" / "compile.json").read_text())
        validate("compiled", document)
        self.assertIn("compiled: libtpu's word on the recorded module", call("verify", folder, "--rerun").stdout)
        call("report", folder)
        self.assertIn(">40960<", (self.folder / "b.html").read_text())
        shutil.move(folder / "compiled", folder / "executed")
        self.refused(folder, "executed is a folder that the manifest does not name")


class Schemas(unittest.TestCase):
    def test_only_executed_has_a_time(self):
        for name, schema in SCHEMAS.items():
            timed = sorted(key for key in property_names(schema) if TIME & set(key.split("_")))
            self.assertEqual(bool(timed), name == "executed", f"{name}: {timed}")

    def test_every_schema_is_closed(self):
        def objects(schema):
            if isinstance(schema, dict):
                if "properties" in schema:
                    yield schema
                for each in schema.values():
                    yield from objects(each)
            if isinstance(schema, list):
                for each in schema:
                    yield from objects(each)
        for name, schema in SCHEMAS.items():
            for each in objects(schema):
                self.assertIs(each.get("additionalProperties"), False, (name, sorted(each["properties"])))

    def test_a_receipt(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "receipt.json"
            done = subprocess.run([RECEIPTS, "--gtest_filter=*Receipt*"], env={**os.environ, "KA_RECEIPT_FILE": str(file)}, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout)
            if not file.exists() and re.search(r"SKIPPED", done.stdout):
                self.skipTest("no sandbox here")
            receipt = json.loads(file.read_text())
        validate("executed", receipt)
        for tier in ("simulated", "compiled", "estimate"):
            with self.assertRaises(jsonschema.ValidationError):
                validate(tier, receipt)

    def test_run_and_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("x", "y"):
                header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 8), }"
                (pathlib.Path(folder) / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.ljust(117).encode() + b"\n" + bytes(4 * 32))
            done = call("run", "--implementation", "solution", "--kernel", "axpy", "--input", f"{folder}/x.npy", "--input", f"{folder}/y.npy", "--block", 2, 4, "--output", f"{folder}/z.npy", "--json")
            validate("simulated", json.loads(done.stdout))
            timeline = json.loads(call("timeline", "--implementation", "solution", "--kernel", "pipeline", "--shape", 17, 257, "--block", 8, 128, "--compare", "--json").stdout)
        validate("simulated", timeline)
        self.assertEqual(len(timeline["timelines"]), 3)

    def test_runtime_evidence(self):
        with tempfile.TemporaryDirectory() as folder:
            call("runtime", "--implementation", "solution", "--stage", 4, "--devices", 2, "--evidence-dir", pathlib.Path(folder) / "r")
            evidence = json.loads((pathlib.Path(folder) / "r" / "tpu-runtime-audit-evidence.json").read_text())
        validate("runtime", evidence)
        self.assertIn("cpu_all_reduce", evidence)


if __name__ == "__main__":
    unittest.main()
