"""The keys `order`, `score` and `interval`: how repeats follow each other, and which one counts."""

import csv
import io
import itertools
import os
import pathlib
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


class Repeats(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.addCleanup(self.assert_no_leftover, self.target)

    def profile(self, jobs=None, defaults="", **kwargs):
        jobs = jobs or [job("w", label="{threads}", more="[job.matrix]\nthreads = [1, 2]")]
        return harness.profile(self.work, "repeats", size="1MiB", jobs=jobs,
                               defaults=f'engine = ["psync"]\ndirect = "off"\n{defaults}', **kwargs)

    def run_it(self, *words, **kwargs):
        return harness.run("run", self.profile(**kwargs), str(self.target), *words)

    def turns(self, *words, defaults):
        """The rows whose I/Os follow each other in the log of all I/Os."""
        log = self.work / "io.log"
        done = self.run_it("-f", "json", "--io-log", str(log), *words, runtime="100ms",
                           defaults=f"ios = 8\nrepeat = 3\n{defaults}")
        self.assert_code(done, 0)
        for row in done.report["jobs"]:
            self.assertEqual([loop["repeat"] for loop in row["loops"]], [0, 1, 2])
        lines = [line.partition(",")[0] for line in log.read_text().splitlines()]
        return [key.removeprefix("w/threads=") for key, _ in itertools.groupby(lines)]

    def test_repeats_go_round_unless_they_are_grouped(self):
        self.assertEqual(self.turns(defaults=""), ["1", "2", "1", "2", "1", "2"])
        self.assertEqual(self.turns(defaults='order = "grouped"'), ["1", "2"])
        self.assertEqual(self.turns("--set", "order=grouped", defaults=""), ["1", "2"])
        self.assertEqual(self.turns("--set", "order=interleaved", defaults='order = "grouped"'),
                         ["1", "2", "1", "2", "1", "2"])

    def test_all_samples_are_kept_and_the_best_stands_for_the_row(self):
        done = self.run_it("--repeat", "3", "--set", "score=max", "-f", f"json:{self.work}/r.json",
                           "-f", f"csv:{self.work}/r.csv", "-o", f"{self.work}/r.md",
                           runtime="100ms", jobs=[job("w")])
        self.assert_code(done, 0)
        row, = harness.Done(0, (self.work / "r.json").read_text(), "", 0).report["jobs"]
        self.assertEqual(row["workload"]["score"], "max")
        loops = [loop["write"] for loop in row["loops"]]
        rates = [loop["ios"] * 1e9 / loop["elapsed_ns"] for loop in loops]
        self.assertEqual(len(rates), 3)
        best = loops[rates.index(max(rates))]
        figures = row["derived"]["write"]
        self.assertAlmostEqual(figures["iops"], max(rates), delta=0.01)
        self.assertEqual(figures["lat_ns"]["max"], best["lat"]["max_ns"])
        self.assertAlmostEqual(figures["lat_ns"]["mean"],
                               best["lat"]["sum_ns"] / best["lat"]["count"], delta=0.01)
        line, = csv.DictReader(io.StringIO((self.work / "r.csv").read_text()))
        self.assertEqual((line["score"], line["order"], line["interval_s"]),
                         ("max", "interleaved", "0"))
        self.assertAlmostEqual(float(line["iops_per_s"]), max(rates), delta=0.01)
        for each, rate in zip(line["iops_per_s_each"].split(" "), rates, strict=True):
            self.assertAlmostEqual(float(each), rate, delta=0.01)
        fact = "best of 3: all figures are those of the repeat with the most IOPS"
        for text in (done.out, (self.work / "r.md").read_text()):
            self.assertIn(fact, text)
            self.assertIn(f"{max(rates):.0f}", text)
            self.assertNotIn("±", text)

    def test_a_pause_comes_between_the_rows(self):
        jobs = [job("a"), job("b"), job("c")]
        done = self.run_it("-f", "json", "--set", "interval=0.7s", runtime="100ms", jobs=jobs)
        self.assert_code(done, 0)
        self.assertGreaterEqual(done.seconds, 3 * 0.1 + 2 * 0.7)
        self.assertAlmostEqual(done.report["plan"]["estimated_seconds"], 3 * 0.1 + 2 * 0.7)
        self.assertGreaterEqual(done.report["elapsed_ns"], 1.7e9)
        self.assertIn("time      about 1.7s of measuring and pauses", done.err)
        grouped = self.run_it("-f", "json", "--set", "interval=50ms", "--set", "order=grouped",
                              "--repeat", "3", runtime="100ms", jobs=jobs)
        self.assertAlmostEqual(grouped.report["plan"]["estimated_seconds"], 9 * 0.1 + 2 * 0.05)
        turns = self.run_it("-f", "json", "--set", "interval=50ms", "--repeat", "3",
                            runtime="100ms", jobs=jobs[:1])
        self.assertAlmostEqual(turns.report["plan"]["estimated_seconds"], 3 * 0.1 + 2 * 0.05)

    def await_pause(self):
        """Until the progress on stderr says "pause 597 s", or so."""
        said = harness.eventually(
            lambda: re.search(r"pause [56]\d\d s", (self.work / "err").read_text()), 30)
        self.assertTrue(said, (self.work / "err").read_text())

    def test_a_signal_ends_a_pause_and_keeps_what_was_measured(self):
        report = self.work / "r.json"
        profile = self.profile(jobs=[job("a"), job("b")], runtime="100ms")
        err = (self.work / "err").open("w+")
        self.addCleanup(err.close)
        started = self.start("run", profile, str(self.target), "--set", "interval=10m", "-f",
                             f"json:{report}", stderr=err)
        self.await_pause()
        self.assertEqual(started.jobs(), [])
        begun = time.monotonic()
        started.signal(signal.SIGINT)
        self.assertEqual(started.wait(), 130)
        self.assertLess(time.monotonic() - begun, 60)
        rows = harness.Done(0, report.read_text(), "", 0).report["jobs"]
        self.assertEqual([(row["status"], row["reason"]) for row in rows],
                         [("ok", None), ("interrupted", "not started: the run was interrupted")])
        self.assertTrue(harness.eventually(lambda: not started.processes(), 20))

    def test_a_keeper_that_dies_in_a_pause_ends_the_run(self):
        profile = self.profile(jobs=[job("a"), job("b")], runtime="100ms")
        err = (self.work / "err").open("w+")
        self.addCleanup(err.close)
        started = self.start("run", profile, str(self.target), "--set", "interval=10m", stderr=err)
        self.await_pause()
        os.kill(started.keeper(), signal.SIGKILL)
        self.assertEqual(started.wait(), 1)
        harness.run("cleanup", str(self.target))  # nobody was left to remove the file

    def test_the_crystaldiskmark_presets_measure_as_it_does(self):
        done = harness.run("plan", "cdm-default", str(self.target), "--size", "4MiB")
        self.assert_code(done, 0)
        # 8 rows of 5 repeats of 6 s, and a pause of 5 s before 7 of them
        self.assertRegex(done.out, r"(?m)^time +about 4m35s of measuring and pauses")
        self.assertEqual(len(re.findall(r"(?m)^(?:read|write) .* 30s ", done.out)), 8)


if __name__ == "__main__":
    harness.main()
