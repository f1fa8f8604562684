#!/usr/bin/env python3
"""test_summary.py against reports as GoogleTest and CTest write them."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import test_summary

PROGRAM = """<testsuites><testsuite name="A">
<testcase name="Runs" classname="A" status="run"/>
<testcase name="Breaks" classname="A" status="run"><failure message="no"/></testcase>
<testcase name="Waits" classname="A" status="run"><skipped message="a_test.cc:7&#x0A;no plugin"/></testcase>
<testcase name="DISABLED_Old" classname="A" status="notrun"/>
</testsuite></testsuites>"""


def summary(ctest_cases, program=PROGRAM):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        if program:
            (path / "a_tests.xml").write_text(program)
        (path / "ctest.junit").write_text(f"<testsuite>{ctest_cases}</testsuite>")
        with contextlib.redirect_stdout(io.StringIO()) as text:
            test_summary.main(path)
        return text.getvalue().splitlines()


class TestSummary(unittest.TestCase):
    def test_counts_each_test_of_a_program(self):
        self.assertEqual(summary('<testcase name="a_tests" status="fail"/>'), ["SKIPPED A.Waits: no plugin", "1 passed, 1 failed, 1 skipped"])

    def test_counts_a_script_once(self):
        self.assertEqual(summary('<testcase name="layers" status="run"/>', None), ["1 passed, 0 failed, 0 skipped"])
        self.assertEqual(summary('<testcase name="layers" status="notrun"/>', None), ["SKIPPED layers: notrun", "0 passed, 0 failed, 1 skipped"])
        said = '<testcase name="peer" status="notrun"><system-out>one\nSKIPPED no packages\n</system-out></testcase>'
        self.assertEqual(summary(said, None), ["SKIPPED peer: no packages", "0 passed, 0 failed, 1 skipped"])

    def test_a_program_that_crashed_has_failed(self):
        self.assertEqual(summary('<testcase name="a_tests" status="fail"/>', None), ["0 passed, 1 failed, 0 skipped"])

    def test_a_program_that_failed_after_its_tests_has_failed(self):
        passing = '<testsuites><testsuite><testcase name="Runs" classname="A" status="run"/></testsuite></testsuites>'
        self.assertEqual(summary('<testcase name="a_tests" status="fail"/>', passing), ["1 passed, 1 failed, 0 skipped"])


if __name__ == "__main__":
    unittest.main()
