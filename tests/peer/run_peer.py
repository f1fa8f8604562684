#!/usr/bin/env python3
"""Holds kernel-audit against JAX: kernels lowered by JAX, its values or a reference without Pallas, `kernel-audit simulate`, a scoreboard.

    tests/peer/run_peer.py --program build/release/bin/kernel-audit --groups production conformance primitives --write docs/peer.md

Makes a virtual environment from requirements.txt (pinned, checked by hash) the first time. Where the packages can't be had, or not within
--make-within seconds, it says SKIPPED and ends with status 77; so it does when --run-within is over before the last case. The variable KA_PEER
is 0: skip all at once; 1: take all the time that is needed. Status 1: ours differs, refuses or finds what is not there, in a case that is
not marked so.
"""
import argparse
import fcntl
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


def parse():
    parser = argparse.ArgumentParser(description="kernel-audit held against JAX")
    parser.add_argument("--program", default=ROOT / "build/release/bin/kernel-audit", type=pathlib.Path)
    parser.add_argument("--venv", default=ROOT / "build/peer-venv", type=pathlib.Path)
    parser.add_argument("--groups", nargs="+", default=["production", "variants", "conformance", "primitives"])
    parser.add_argument("--match", default="", help="only cases whose name this regular expression finds")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for modules, inputs, references and outputs")
    parser.add_argument("--no-interpret", dest="interpret", action="store_false", help="leave JAX's interpreters out")
    parser.add_argument("--write", type=pathlib.Path, help="write the scoreboard here")
    parser.add_argument("--patience", default=120, type=float, help="seconds for one case of JAX's")
    parser.add_argument("--make-within", type=float, metavar="SECONDS", help="give up making the environment then")
    parser.add_argument("--run-within", type=float, metavar="SECONDS", help="leave out the cases that would begin later")
    options = parser.parse_args()
    if os.environ.get("KA_PEER") == "1":
        options.make_within = options.run_within = None
    return options


def run(command, within):
    """(ended well, the last line it said). It and all that it started end when the time is over."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False, f"not done after {within:.0f} seconds"
    return process.returncode == 0, (said.strip().splitlines() or ["no message"])[-1]


def ready(venv, requirements):
    stamp = venv / "requirements.txt"
    return stamp.exists() and stamp.read_bytes() == requirements.read_bytes()


def make_environment(venv, within):
    """Nothing, or why the environment can't be had."""
    requirements = HERE / "requirements.txt"
    venv.parent.mkdir(parents=True, exist_ok=True)
    with open(venv.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if ready(venv, requirements):
            return None
        # The environment has no pip of its own: not every Python can give it one.
        made, said = run([sys.executable, "-m", "venv", "--clear", "--without-pip", venv], within)
        if not made:
            return "no virtual environment: " + said
        made, said = run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--python", venv / "bin/python", "install", "--quiet",
                          "--require-hashes", "--only-binary=:all:", "--retries", "1", "-r", requirements], within)
        if not made:
            return "JAX's packages can't be had: " + said
        (venv / "requirements.txt").write_bytes(requirements.read_bytes())
    return None


class Worker:
    """lower_and_interpret.py, started anew when a case takes too long."""

    def __init__(self, options, folder):
        self.options, self.folder, self.process = options, folder, None

    def start(self):
        command = [sys.executable, HERE / "lower_and_interpret.py", self.folder, "interpret" if self.options.interpret else "lower",
                   *self.options.groups]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.answers), daemon=True).start()

    @staticmethod
    def read(stream, answers):
        for line in stream:
            answers.put(line)
        answers.put("")

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process = None

    def run(self, name):
        """What JAX says of a case; None when it hangs or dies."""
        if self.process is None:
            self.start()
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        try:
            answer = self.answers.get(timeout=self.options.patience)
        except queue.Empty:
            answer = ""
        if answer:
            return json.loads(answer)
        self.stop()
        return None

    def run_patiently(self, name):
        """The same; what hung or died is lowered without interpreters."""
        answer = self.run(name)
        if answer is not None:
            return answer
        interpret, self.options.interpret = self.options.interpret, False
        answer = self.run(name) or {"name": name, "lowered": False, "note": "JAX dies or hangs"}
        self.options.interpret = interpret
        self.stop()
        for each in ("tpu", "plain"):
            answer[each] = {"verdict": "unsupported", "note": "hangs or dies"}
        return answer


def simulate(program, folder, inputs, schedule, cores):
    command = [program, "simulate", folder / "module.mlir", "--json", "--output", output(folder, schedule, cores), "--schedule", schedule, "--cores", str(cores)]
    for i in range(inputs):
        command += ["--input", folder / f"in{i}.npy"]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def output(folder, schedule, cores):
    return folder / f"{schedule.replace(':', '_')}_{cores}"


def same_values(case, folder, outputs, got_folder):
    import numpy as np
    from lower_and_interpret import equal
    import ml_dtypes
    for i in range(outputs):
        wanted, got = np.load(folder / f"out{i}.npy"), np.load(got_folder / f"out{i}.npy")
        if wanted.dtype == np.uint16 and got.dtype == np.uint16 and case.tolerance > 0:
            wanted, got = wanted.view(ml_dtypes.bfloat16), got.view(ml_dtypes.bfloat16)
        if not equal(wanted, got, case.tolerance):
            return f"output {i} differs"
    return ""


def judge_run(case, folder, outputs, program, schedule, cores):
    """passes, differs or unsupported, and why, of one run."""
    ran = simulate(program, folder, len(case.inputs), schedule, cores)
    if ran.returncode not in (0, 1):
        words = (ran.stderr.strip().splitlines() or ["no message"])[-1].split("module.mlir: ")[-1]
        if case.wrong and ran.returncode == 3 and case.wrong in words:
            return "passes", ""
        if case.refused and ran.returncode == 3 and case.refused in words:
            return "unsupported", words
        return "unsupported" if ran.returncode == 3 else "differs", f"status {ran.returncode}: {words}"
    if case.wrong:
        return "differs", "does not refuse it"
    document = json.loads(ran.stdout)
    found, expected = document["findings"], case.cores.get(cores, case.findings)
    kinds = {each["kind"] for each in found}
    if kinds != set(expected):
        first = found[0]["message"] if found else "nothing"
        return "differs", f"finds {sorted(kinds) or 'nothing'}, not {sorted(expected) or 'nothing'}: {first}"
    if case.compare and not {"race", "deadlock"} & set(expected) and (why := same_values(case, folder, outputs, output(folder, schedule, cores))):
        return "differs", why
    why = case.inspect(document, cores) if case.inspect else ""
    return ("differs", why) if why else ("passes", "")


def judge_ours(case, folder, outputs, program):
    """The same under three schedules and each number of cores, which must agree."""
    for cores in case.cores or (1,):
        for schedule in ("early", "late", "random:1"):
            verdict, why = judge_run(case, folder, outputs, program, schedule, cores)
            if verdict != "passes":
                return verdict, f"{schedule}, {cores} cores: {why}" if verdict == "differs" else why
    return "passes", f"as JAX lowers it: {case.as_lowered[1]}" if case.as_lowered else ""


def compare(worker, name, case, folder, options):
    import scoreboard
    if case.lacks:
        return scoreboard.Row(name, case, {}, "unsupported", case.lacks)
    answer = worker.run_patiently(name)
    ours = judge_ours(case, folder, answer["outputs"], options.program) if answer["lowered"] else ("not lowered", answer["note"])
    return scoreboard.Row(name, case, answer, *ours)


def main():
    options = parse()
    if os.environ.get("KA_PEER") == "0":
        print("SKIPPED KA_PEER is 0")
        return SKIPPED
    if pathlib.Path(sys.prefix).resolve() != options.venv.resolve():
        if why := make_environment(options.venv, options.make_within):
            print(f"SKIPPED {why}")
            return SKIPPED
        os.execv(options.venv / "bin/python", [options.venv / "bin/python", *sys.argv])
    from lower_and_interpret import load
    import scoreboard
    cases = {name: case for name, case in load(options.groups).items() if re.search(options.match, name)}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        worker, rows, begun = Worker(options, folder), [], time.monotonic()
        for name, case in cases.items():
            if options.run_within is not None and time.monotonic() - begun > options.run_within:
                break
            row = compare(worker, name, case, folder / name, options)
            rows.append(row)
            if row.verdict != "passes":
                print(f"{name}: {row.verdict}: {row.note}", flush=True)
        worker.stop()
    print(scoreboard.summary(rows))
    if options.write:
        options.write.write_text(scoreboard.document(rows))
    failed = any(row.verdict != "passes" and not row.case.refused and not row.case.lacks for row in rows)
    if not failed and len(rows) < len(cases):
        print(f"SKIPPED {len(cases) - len(rows)} of {len(cases)} cases: no time left after {options.run_within:.0f} seconds")
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
