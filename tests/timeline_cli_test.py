#!/usr/bin/env python3
"""kernel-audit timeline, as a person calls it. timeline_cli_test.py PROGRAM; standard library only."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = sys.argv.pop(1)
PIPELINE = ("timeline", "--implementation", "solution", "--kernel", "pipeline", "--shape", 17, 257, "--block", 8, 128)
# Reads a slot while a copy into it is on its way.
RACES = """#include <kernel_audit/pallas.h>
namespace pl = kernel_audit::pallas;
pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block, pl::Pipeline, pl::Mode) {
  const auto kernel = [&](pl::Ref x, pl::Ref, pl::Ref z) {
    pl::run_scoped([&](pl::Ref block, pl::Ref arrived) {
      const pl::AsyncCopy in = pl::make_async_copy(x, block, arrived);
      in.start();
      block.store(block.load() + block.load());
      in.wait();
      pl::sync_copy(block, z);
    }, {pl::VMEM({16, 128}, pl::f32), pl::DMA()});
  };
  const pl::BlockSpec whole(pl::any);
  return pl::pallas_call(kernel, {.in_specs = {whole, whole}, .out_specs = {whole}, .out_shape = x.aval()})(x, y);
}
"""


class TimelineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_compares_three_pipelines_in_one_picture(self):
        svg, trace = self.folder / "p.svg", self.folder / "p.json"
        text = self.call(*PIPELINE, "--compare", "--svg", svg, "--trace", trace).stdout
        self.assertIn("tier simulated, actual backend cpu", text)
        titles = ("2 input slots, synchronous copies", "2 input slots", "3 input slots")
        for title, overlap in zip(titles, (0, 9, 9)):
            self.assertIn(f"pipelined_axpy float32(17, 257), block (8, 128), {title}\n  63 simulated steps, 9 of them work, {overlap} of these", text)
        self.assertNotIn("second", text.lower())
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertIn("2 input slots, synchronous copies: 63 simulated steps", root.find("{http://www.w3.org/2000/svg}desc").text)
        document = json.loads(trace.read_text())
        self.assertEqual(sum(event["name"] == "work" for event in document["traceEvents"]), 3 * 9 * 3)
        self.assertTrue(all(type(event["ts"]) is int for event in document["traceEvents"]))

    def test_one_pipeline_and_its_width(self):
        for buffers in (1, 3):
            text = self.call(*PIPELINE, "--buffers", buffers, "--dtype", "bfloat16", "--columns", 60).stdout
            self.assertEqual(text.count(" slot "), 2 * buffers + 2)
            self.assertTrue(all(len(line) <= 60 for line in text.splitlines() if " slot " in line))
        self.assertIn("synchronous copies", self.call(*PIPELINE, "--synchronous").stdout)

    def test_equal_calls_give_equal_bytes(self):
        self.assertEqual(self.call(*PIPELINE).stdout, self.call(*PIPELINE).stdout)

    def test_shows_a_race_with_both_lines(self):
        model = self.folder / "races.cpp"
        model.write_text(RACES)
        arguments = ("timeline", "--implementation", model, "--kernel", "pipeline", "--shape", 16, 128, "--block", 8, 128)
        text = self.call(*arguments, status=1).stdout
        self.assertIn("! two at once", text)
        self.assertIn("finding: race at races.cpp:8: core 0 reads", text)
        self.assertIn("      races.cpp:8 | block.store(block.load() + block.load());", text)
        self.assertIn("DMA 1 started at races.cpp:7 writes [0:16, 0:128]", text)
        self.assertIn("      races.cpp:7 | in.start();", text)

    def test_refuses_in_one_line(self):
        for words, arguments in (("at least one slot", ("--buffers", 0)), ("--dtype", ("--dtype", "int32"))):
            done = self.call(*PIPELINE, *arguments, status=3)
            self.assertEqual(done.stdout, "")
            self.assertIn(words, done.stderr)
        huge = self.call(*PIPELINE[:5], "--shape", 1 << 30, 1 << 30, "--block", 8, 128, status=3)
        self.assertIn("too large for a timeline", huge.stderr)
        self.assertEqual(len(huge.stderr.splitlines()), 1)
        negative = self.call(*PIPELINE[:5], "--shape", -1, 5, "--block", 8, 128, status=3)
        self.assertEqual(negative.stdout, "")
        self.call(*PIPELINE, "--svg", self.folder / "missing" / "x.svg", status=3)


if __name__ == "__main__":
    unittest.main()
