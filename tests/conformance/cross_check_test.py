"""--cross-check: fio also runs every row of a built-in engine, in turns, with the difference."""

import csv
import io
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

LABELS = ["write", "write fio", "read", "read fio"]


def iops(record):
    return record["derived"][record["op"]]["iops"]


class CrossCheck(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.profile = harness.profile(self.work, runtime="300ms",
                                       defaults='engine = ["psync"]\ndirect = "off"')

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def run_it(self, *words, profile=None, **kwargs):
        return harness.run("run", profile or self.profile, str(self.target), "--cross-check",
                           *words, **kwargs)

    @harness.needs("fio")
    def test_each_row_has_a_twin_by_fio_with_the_same_engine(self):
        done = self.run_it("-f", "json")
        self.assert_code(done, 0)
        jobs = done.report["jobs"]
        self.assertEqual([j["label"] for j in jobs], LABELS)
        self.assertEqual([j["checks"] for j in jobs], [None, "write", None, "read"])
        self.assertEqual([j["id"] for j in jobs],
                         ["write", "write/check=fio-exec", "read", "read/check=fio-exec"])
        self.assertEqual([(j["resolution"]["backend"], j["resolution"]["engine"]) for j in jobs],
                         [("native-psync", "psync"), ("fio-exec", "psync")] * 2)
        self.assertEqual({j["status"] for j in jobs}, {"ok"})
        self.assertEqual([j["id"] for j in done.report["plan"]["jobs"]], [j["id"] for j in jobs])
        self.assertAlmostEqual(done.report["plan"]["estimated_seconds"], 4 * 0.3)

    @harness.needs("fio")
    def test_the_difference_is_on_the_twins_row(self):
        file = self.work / "report.json"
        done = self.run_it("-f", f"json:{file}", "-f", f"csv:{self.work / 'report.csv'}", "-o",
                           str(self.work / "report.md"))
        self.assert_code(done, 0)
        jobs = json.loads(file.read_text())["jobs"]
        expected = {twin["label"]: (iops(ours) / iops(twin) - 1) * 100
                    for ours, twin in zip(jobs[::2], jobs[1::2])}
        rows = [[c.strip() for c in line.strip("| ").split("|")]
                for line in done.out.splitlines() if line.startswith("| ")]
        self.assertEqual(rows[0], ["Test", "MB/s", "IOPS", "Read vs fio (%)", "Write vs fio (%)"])
        self.assertEqual([r[0] for r in rows[1:]], LABELS)
        column = {"read fio": 3, "write fio": 4}
        for row in rows[1:]:
            shown = [c for c in row[3:] if c]
            if row[0] not in column:
                self.assertEqual(shown, [])
                continue
            self.assertRegex(row[column[row[0]]], r"^[+-]\d+\.\d$")
            self.assertAlmostEqual(float(row[column[row[0]]]), expected[row[0]], delta=0.06)
        lines = list(csv.DictReader(io.StringIO((self.work / "report.csv").read_text())))
        self.assertEqual([l["checks"] for l in lines], ["", "write", "", "read"])
        for line in lines:
            if line["checks"]:
                self.assertAlmostEqual(float(line["ours_vs_fio_percent"]), expected[line["label"]],
                                       delta=0.001)
            else:
                self.assertEqual(line["ours_vs_fio_percent"], "")
        self.assertRegex((self.work / "report.md").read_text(),
                         r"(?m)^\| read fio \| .* \| [+-]\d+\.\d \|  \|$")

    @harness.needs("fio")
    def test_loops_take_turns(self):
        """A fio in the PATH that notes how much our loops had logged when it was started."""
        log, sizes = self.work / "io.log", self.work / "sizes"
        folder = self.folder("path")
        (folder / "fio").write_text(f"""#!/bin/sh
case "$*" in *--output=*) {shutil.which("wc")} -c <{log} >>{sizes} ;; esac
exec {shutil.which("fio")} "$@"
""")
        (folder / "fio").chmod(0o755)
        profile = harness.profile(self.work, "one", runtime="200ms", jobs=[job("write")],
                                  defaults='engine = ["psync"]\ndirect = "off"\nloops = 3')
        done = self.run_it("-f", "json", "--io-log", str(log), profile=profile,
                           env=harness.environment(PATH=f"{folder}:{os.environ['PATH']}"))
        self.assert_code(done, 0)
        ours, twin = done.report["jobs"]
        self.assertEqual((len(ours["loops"]), len(twin["loops"])), (3, 3))
        seen = [int(n) for n in sizes.read_text().split()]
        self.assertEqual(len(seen), 3)
        self.assertGreater(seen[0], 0)
        self.assertGreater(seen[1], seen[0])
        self.assertGreater(seen[2], seen[1])

    @harness.needs("fio")
    def test_what_fio_cannot_honour_is_skipped_with_its_reason(self):
        profile = harness.profile(
            self.work, "none", 
            jobs=[job("fresh", pattern="sequential", more='layout = "none"\nios = 64'),
                  job("full")],
            defaults='engine = ["psync"]\ndirect = "off"')
        done = self.run_it("-f", "json", profile=profile)
        self.assert_code(done, 1)
        self.assertEqual([(j["label"], j["status"]) for j in done.report["jobs"]],
                         [("fresh", "ok"), ("fresh fio", "skipped"), ("full", "ok"),
                          ("full fio", "ok")])
        self.assertIn("fio needs the test file at its full size", done.report["jobs"][1]["reason"])

    def test_without_fio_the_twins_are_skipped_and_the_run_exits_1(self):
        folder = self.folder("path")
        for entry in ("sh", "env"):
            (folder / entry).symlink_to(shutil.which(entry))
        done = self.run_it("-f", "json", env=harness.environment(PATH=str(folder)))
        self.assert_code(done, 1)
        self.assertEqual([j["status"] for j in done.report["jobs"]],
                         ["ok", "skipped", "ok", "skipped"])
        for twin in done.report["jobs"][1::2]:
            self.assertRegex(twin["reason"], "fio.*(not found|no fio|not installed)")

    @harness.needs("fio")
    def test_a_row_that_no_built_in_engine_runs_has_no_twin(self):
        profile = harness.profile(self.work, "mine", jobs=[
            job("dd", pattern="sequential", more='backend = ["dd"]\nengine = ["dd"]')])
        done = self.run_it("-f", "json", profile=profile)
        self.assert_code(done, 0)
        self.assertEqual([j["label"] for j in done.report["jobs"]], ["dd"])
        self.assertIn("warning: --cross-check compares rows of built-in engines, and none runs",
                      done.err)

    @harness.needs("fio")
    def test_plan_shows_the_twins_and_their_time(self):
        done = harness.run("plan", self.profile, str(self.target), "--cross-check", "--runtime=10",
                           "--loops=2")
        self.assert_code(done, 0)
        self.assertRegex(done.out, r"(?m)^write +write +20s +psync by native-psync; buffered\n"
                                   r"write fio +write +20s +psync by fio-exec; buffered$")
        self.assertIn("about 1m20s of measuring", done.out)


if __name__ == "__main__":
    harness.main()
