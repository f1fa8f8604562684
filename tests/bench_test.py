"""bench/compare's own arithmetic and text; nothing is run or measured."""
import pathlib
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import comparison
from sides import Failed, Overdue, Process, Samples, Side, ratios


def samples(*rounds):
    made = Samples()
    made.rounds = [list(each) for each in rounds]
    return made


class Ratios(unittest.TestCase):
    def test_of_the_medians_of_each_round(self):
        self.assertEqual(ratios(samples([1, 2, 9], [4]), samples([1], [2])), [2, 2])

    def test_a_round_that_one_side_sat_out_is_held_against_its_median(self):
        self.assertEqual(ratios(samples([10], [20], [30]), samples([10])), [1, 2, 3])

    def test_a_side_without_samples_gives_none(self):
        self.assertEqual(comparison.ratio_cell(samples([1]), samples()), "-")


class Cells(unittest.TestCase):
    def test_times_have_their_unit(self):
        self.assertEqual([comparison.seconds(ns) for ns in (12, 1500, 2.5e6, 44.5e9)], ["12 ns", "1.5 µs", "2.5 ms", "44.5 s"])

    def test_what_was_not_run_says_why(self):
        absent = samples()
        absent.why = "over 60 s"
        self.assertEqual(comparison.time_cell(absent), "not run (over 60 s)")

    def test_one_run_has_no_spread(self):
        self.assertEqual(comparison.time_cell(samples([1e6])), "1 ms")
        self.assertEqual(comparison.time_cell(samples([1e6, 3e6])), "2 ms [1 ms]")

    def test_the_limit_is_the_slower_of_memory_and_arithmetic(self):
        measured = [{"triad_gb_s": 10.0, "gflop_s": 100.0}]
        self.assertEqual(comparison.limit_cell(types.SimpleNamespace(bytes=10**9, flops=10**9), measured), "100 ms (memory)")
        self.assertEqual(comparison.limit_cell(types.SimpleNamespace(bytes=10**6, flops=10**11), measured), "1 s (arithmetic)")


class Document(unittest.TestCase):
    def test_only_what_was_written_before_is_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "performance.md"
            comparison.insert(path, f"{comparison.BEGIN}: a -->\nold\n{comparison.END}\n")
            path.write_text(path.read_text() + "by hand\n")
            comparison.insert(path, f"{comparison.BEGIN}: b -->\nnew\n{comparison.END}\n")
            text = path.read_text()
        self.assertTrue(text.startswith("# Performance"))
        self.assertIn("new", text)
        self.assertIn("by hand", text)
        self.assertNotIn("old", text)


class Sides(unittest.TestCase):
    def test_a_slow_first_run_is_the_only_one(self):
        runs = []
        side = Side("slow", lambda: runs.append(0) or {"ns": 30e9, "cpu_ns": 1}, budget=20)
        side.warm_up()
        side.round()
        self.assertEqual((len(runs), side.samples.rounds), (1, [[30e9]]))

    def test_a_fast_one_is_warmed_up_and_repeated(self):
        side = Side("fast", lambda: {"ns": 1e6, "cpu_ns": 1}, budget=20, most=7)
        side.warm_up()
        side.round()
        self.assertEqual([len(each) for each in side.samples.rounds], [7])

    def test_trouble_is_kept_as_the_reason(self):
        def fail():
            raise Overdue("over 5 s")
        side = Side("late", fail, budget=20)
        self.assertFalse(side.attempt(side.warm_up))
        self.assertEqual(comparison.time_cell(side.samples), "not run (over 5 s)")


class Processes(unittest.TestCase):
    def test_one_that_does_not_answer_is_ended(self):
        process = Process(sys.executable, "-c", "import time; time.sleep(60)")
        with self.assertRaises(Overdue):
            process.ask(patience=0.2)
        self.assertIsNone(process.process)

    def test_an_error_is_its_words(self):
        process = Process(sys.executable, "-c", "input(); print('{\"error\": \"no such case\"}', flush=True); input()")
        with self.assertRaisesRegex(Failed, "no such case"):
            process.ask()
        process.stop()

    def test_one_that_dies_is_noticed(self):
        with self.assertRaises(Failed):
            Process(sys.executable, "-c", "input()").ask()


if __name__ == "__main__":
    unittest.main()
