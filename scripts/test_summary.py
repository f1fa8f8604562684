#!/usr/bin/env python3
"""Prints what was skipped and why, then one line of counts, from the results that ./test collected.

A GoogleTest program counts with every test in it; any other CTest entry counts as one test.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def gtest_results(path):
    """Yields (name, outcome, reason) for each test of one GoogleTest report."""
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            yield name, "failed", ""
        elif skipped is not None:
            yield name, "skipped", (skipped.get("message") or "").strip().splitlines()[-1:]
        elif case.get("status") == "run":
            yield name, "passed", ""


def ctest_results(path, failures_of):
    """Yields the same for each CTest entry that left no GoogleTest report, and for each that failed though its report names no failure."""
    for case in ElementTree.parse(path).iter("testcase"):
        outcome = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
        failures = failures_of.get(case.get("name"))
        if failures is None or (outcome == "failed" and failures == 0):
            said = [line.removeprefix("SKIPPED ") for line in (case.findtext("system-out") or "").splitlines() if line.startswith("SKIPPED ")]
            yield case.get("name"), outcome, said[-1:] or [case.get("status")]


def main(folder):
    by_program = {report.stem: list(gtest_results(report)) for report in sorted(pathlib.Path(folder).glob("*.xml"))}
    failures_of = {program: sum(outcome == "failed" for _, outcome, _ in cases) for program, cases in by_program.items()}
    results = [result for cases in by_program.values() for result in cases]
    results += ctest_results(pathlib.Path(folder) / "ctest.junit", failures_of)
    for name, outcome, reason in results:
        if outcome == "skipped":
            print(f"SKIPPED {name}: {' '.join(reason) or 'no reason given'}")
    count = {kind: sum(outcome == kind for _, outcome, _ in results) for kind in ("passed", "failed", "skipped")}
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")


if __name__ == "__main__":
    main(sys.argv[1])
