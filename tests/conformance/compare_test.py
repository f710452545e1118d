"""Records against each other: what differs, ratios, stages, limits and exit codes."""

import csv
import io
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


def steady(file):
    """Rates that do not move, whatever else this machine does: narrow intervals."""
    path = pathlib.Path(file)
    record = json.loads(path.read_text())
    for each in record["jobs"]:
        for loop in each["loops"]:
            row = loop[each["op"]]
            slices = len(row["samples"]["at_ns"])
            row["samples"]["at_ns"] = [row["elapsed_ns"] * (i + 1) // slices for i in range(slices)]
            for key in ("ios", "bytes"):
                row["samples"][key] = [row[key] // slices] * slices
    path.write_text(json.dumps(record))


class Compare(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = pathlib.Path(harness.tempfile.mkdtemp(prefix="sthd-compare-",
                                                         dir=harness.test_root()))
        cls.addClassCleanup(harness.shutil.rmtree, cls.kept, ignore_errors=True)
        (cls.kept / "target").mkdir()
        cls.profile = harness.profile(cls.kept, runtime="1s", defaults='sample = "50ms"')
        cls.before, cls.after = (cls.measure(name) for name in ("before", "after"))
        steady(cls.before)

    @classmethod
    def measure(cls, name, *words):
        """A record of the profile's two rows."""
        file = cls.kept / f"{name}.json"
        done = harness.run("run", cls.profile, str(cls.kept / "target"), "-f", f"json:{file}",
                           *words)
        assert done.code == 0, done
        return str(file)

    def changed(self, change, name="changed"):
        """The first record after `change` of its content."""
        record = json.loads(pathlib.Path(self.before).read_text())
        change(record)
        file = self.work / f"{name}.json"
        file.write_text(json.dumps(record))
        return str(file)

    def halved(self):
        """As if the write had taken twice as long."""
        def change(record):
            for loop in record["jobs"][0]["loops"]:
                loop["write"]["elapsed_ns"] *= 2
        return self.changed(change, "halved")

    def compare(self, *words, code=0):
        done = harness.run("compare", *words)
        self.assert_code(done, code)
        return done

    def fault(self, *words):
        done = self.compare(*words, code=2)
        self.assertEqual(done.out, "")
        self.assertRegex(done.err, r"\Aspeedtest-hd: [^\n]*\n\Z")
        return done.err

    def test_two_runs_are_compared_row_by_row(self):
        done = self.compare(self.before, self.after)
        self.assertTrue(done.out.startswith("What differs:\n"), done)
        self.assertEqual(done.err, "")
        self.assertRegex(done.out, r"\| Test +\| +Metric \| +before \| +after \| +after / before \|")
        for row in ("write write", "read read"):
            for metric in ("MB/s", "IOPS"):
                self.assertRegex(done.out, rf"\| {row} +\| +{metric} \| +[\d.]+ \| +[\d.]+ \| +"
                                 r"[\d.]+ \([\d.]+-[\d.]+\) (none shown|better|worse) \|")

    def test_a_record_does_not_differ_from_itself(self):
        document = self.compare(self.before, self.before, "-f", "json").report
        self.assertEqual(document["schema"], "comparison.v1")
        self.assertEqual([s["label"] for s in document["sides"]],
                         [self.before, f"{self.before} (2)"])
        self.assertEqual((document["differences"], document["not_compared"]), ([], []))
        self.assertEqual(len(document["rows"]), 4)
        for row in document["rows"]:
            ratio = row["ratios"][0]
            self.assertEqual((ratio["ratio"], ratio["change"]), (1, "none shown"))
            self.assertLess(ratio["low"], 1)
            self.assertGreater(ratio["high"], 1)

    def test_half_the_rate_is_worse(self):
        document = self.compare(f"A={self.before}", f"B={self.halved()}", "-f", "json").report
        self.assertEqual([s["label"] for s in document["sides"]], ["A", "B"])
        changes = {(r["job"], r["metric"]): r["ratios"][0] for r in document["rows"]}
        self.assertEqual(changes["write", "iops"]["change"], "worse")
        self.assertAlmostEqual(changes["write", "iops"]["ratio"], 0.5, 6)
        self.assertEqual(changes["read", "iops"]["change"], "none shown")

    def test_repeats_give_an_interval_where_there_is_no_course(self):
        words = ("--runtime", "100ms", "--repeat", "3")
        records = [self.measure(name, *words) for name in ("three", "more")]
        document = self.compare(*records, "-f", "json").report
        for row in document["rows"]:
            self.assertIsNotNone(row["ratios"][0]["low"], row)
        once = [self.measure(name, "--runtime", "100ms") for name in ("once", "twice")]
        out = self.compare(*once).out
        self.assertEqual(out.count(", no interval |"), 4)

    def test_the_environment_that_differs_is_listed_first(self):
        def change(record):
            record["environment"]["kernel"] = "9.9.9-\u001b[31m"
            record["jobs"][1]["resolution"]["engine"] = "other"
        done = self.compare(self.before, self.changed(change))
        kernel = json.loads(pathlib.Path(self.before).read_text())["environment"]["kernel"]
        head = done.out.split("\nFigures:\n")[0]
        self.assertIn(f"  kernel: before {kernel}; changed 9.9.9-\\x1b[31m\n", head)
        self.assertRegex(head, r"  engine of read: before \S+; changed other\n")

    def test_rows_that_measured_different_things_are_refused(self):
        def change(record):
            for each in record["jobs"]:
                each["workload"]["block_size_bytes"] *= 2
        done = self.compare(self.before, self.changed(change), code=1)
        self.assertIn("Not compared:\n  write: block_size 4096 in before, 8192 in changed\n",
                      done.out)
        self.assertNotIn("Figures:", done.out)
        self.assertEqual(done.err, "speedtest-hd: no row of these records could be compared\n")

    def test_rows_of_one_side_are_named(self):
        def change(record):
            record["jobs"][0]["id"] = "new"
            record["plan"]["jobs"][0]["id"] = "new"
        done = self.compare(self.before, self.changed(change))
        self.assertIn("  write: not in changed\n  write: only in changed\n", done.out)

    def test_a_limit_that_is_exceeded_exits_3(self):
        halved = self.halved()
        for limit in ("write iops < -10%", "write write bw<-10%"):
            done = self.compare(self.before, halved, "--fail-if", limit, code=3)
            self.assertIn(f"\nLimits:\n{limit}: exceeded. write write ", done.out)
            self.assertRegex(done.err, r"\Aspeedtest-hd: write write (iops|bw) in halved: -50\.0 % "
                             r"\(-[\d.]+ to -[\d.]+ %\) against before; all of the interval is "
                             r"beyond -10 %\.\n\Z")
        done = self.compare(self.before, halved, "--fail-if", "write iops < -10%", "-q", code=3)
        self.assertIn("exceeded", done.out)

    def test_a_limit_that_is_kept_or_inconclusive_exits_0(self):
        halved = self.halved()
        done = self.compare(self.before, halved, "--fail-if", "write iops > +10%")
        self.assertIn("write iops > +10%: kept. ", done.out)
        self.assertEqual(done.err, "")
        done = self.compare(self.before, halved, "--fail-if", "write iops < -50%")
        self.assertRegex(done.err, r"; inconclusive: the interval holds -50 %, so more repeats are "
                         r"needed\.\n\Z")
        self.assertIn("write iops < -50%: inconclusive. ", done.out)
        # Kept and exceeded together are exceeded.
        self.compare(self.before, halved, "--fail-if", "write iops > +10%", "--fail-if",
                     "write iops < -10%", code=3)

    def test_a_limit_without_figures_exits_1(self):
        def change(record):
            record["jobs"][0]["status"] = "skipped"
            record["jobs"][0]["reason"] = "no room"
        done = self.compare(self.before, self.changed(change), "--fail-if", "write iops < -10%",
                            code=1)
        self.assertIn("write: skipped in changed: no room\n", done.out)
        self.assertEqual(done.err, "speedtest-hd: write write iops in changed is not known on both "
                         "sides, or not compared.\n")

    def test_a_limit_that_makes_no_sense_exits_2(self):
        for limit, why in (("write iops", "it has neither > nor <"),
                           ("write speed > 1%", '"speed" is no metric; '),
                           ("iops > 1%", '"iops" names no row, '),
                           ("write iops > 1", '"1" is no percentage; '),
                           ("writ iops > 1%", 'no record has a row "writ"'),
                           ("write read iops > 1%", 'the row "write" does no read')):
            err = self.fault(self.before, self.after, "--fail-if", limit)
            self.assertTrue(err.startswith(f'speedtest-hd: --fail-if "{limit}": {why}'), err)

    def test_stages_are_a_table_of_one_line_a_record(self):
        words = ["--stages", "--columns", "write iops, read iops", "--columns", "write bw",
                 "--note", "start: write bw = regressing"]
        done = self.compare(f"start={self.halved()}", f"then={self.before}",
                            f"end={self.after}", *words, "-f", "markdown")
        table = done.out.split("**Stages**\n\n")[1].splitlines()
        self.assertEqual(table[0], "| Stage | write IOPS | read IOPS | write MB/s |")
        self.assertRegex(table[2], r"\A\| start \| \d+ \| \d+ \| [\d.]+ \(regressing\) \|\Z")
        self.assertTrue(table[3].startswith("| then | "))
        self.assertTrue(table[4].startswith("| end | "))
        self.assertRegex(table[6], r"\ANet (improvement|change): .* at write, .* at read\.\Z")
        self.assertNotIn("**Figures**", done.out)

    def test_stages_without_columns_have_those_of_the_first_and_the_last_row(self):
        done = self.compare(self.before, self.after, "--stages", "-f", "csv")
        rows = list(csv.reader(io.StringIO(done.out)))
        self.assertEqual(rows[0], ["Stage", "write MB/s", "write IOPS", "read MB/s", "read IOPS"])
        self.assertEqual([r[0] for r in rows[1:]], ["before", "after"])

    def test_columns_and_notes_that_name_nothing_exit_2(self):
        both = (self.before, self.after)
        self.assertIn('no record has a row "x"',
                      self.fault(*both, "--stages", "--columns", "x iops"))
        self.assertIn("it does not begin with a label and a colon; there are before, after",
                      self.fault(*both, "--stages", "--note", "start: write iops = x"))
        self.assertEqual(self.fault(*both, "--columns", "write iops"),
                         "speedtest-hd: --columns is about the table of --stages; add that\n")

    def test_csv_has_a_line_a_row_and_side(self):
        done = self.compare(f"+x={self.before}", self.after, "-f", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        self.assertEqual(len(rows), 8)
        self.assertEqual({r["side"] for r in rows}, {"'+x", "after"})
        for row in rows:
            self.assertEqual(row["ratio"] == "", row["side"] != "after")
            self.assertGreater(float(row["value"]), 0)

    def test_every_format_that_compares_goes_to_its_file(self):
        files = [self.work / f"c.{extension}" for extension in ("json", "csv", "md", "html")]
        words = [word for file in files for word in ("-o", str(file))]
        done = self.compare(self.before, self.after, *words)
        self.assertIn("Figures:", done.out)
        self.assertEqual(json.loads(files[0].read_text())["schema"], "comparison.v1")
        self.assertIn("after / before", files[2].read_text())
        self.assertIn("Comparison: before, after</h1>", files[3].read_text())

    def test_a_format_that_does_not_compare_is_refused(self):
        self.assertEqual(self.fault(self.before, self.after, "-f", "timeseries"),
                         "speedtest-hd: the format timeseries shows no comparison; these do: "
                         "ascii, case-study, csv, html, json, markdown\n")

    def test_what_is_no_record_exits_2(self):
        self.assertEqual(self.fault(self.before, str(self.work / "missing.json")),
                         f"speedtest-hd: cannot read {self.work}/missing.json: No such file or "
                         "directory (ENOENT)\n")
        self.assertIn("compare takes two RECORDs or more", self.fault(self.before))
        self.assertIn("schema is missing", self.fault(self.before, self.broken()))

    def broken(self):
        file = self.work / "broken.json"
        file.write_text("{}")
        return str(file)

    def test_a_comparison_that_cannot_be_written_exits_5(self):
        self.compare(self.before, self.after, "-o", str(self.work / "no/x.csv"), code=5)
        with open("/dev/full", "wb") as full:
            done = harness.run("compare", self.before, self.after, stdout=full)
        self.assert_code(done, 5)

    def test_a_cut_record_is_compared_as_far_as_it_goes(self):
        text = pathlib.Path(self.before).read_text()
        cut = self.work / "cut.json"
        cut.write_text(text[:text.rindex('"loops":')])
        done = self.compare(self.before, str(cut))
        self.assertIn(" ends early: 1 of 2 jobs is in it\n", done.err)
        self.assertIn("  read: not in cut\n", done.out)

    def test_kept_runs_are_named_by_their_ids(self):
        env = harness.environment(XDG_STATE_HOME=str(self.work / "state"), CI=None)
        for _ in range(2):
            done = harness.run("run", self.profile, str(self.kept / "target"), "--runtime", "100ms",
                               env=env)
            self.assert_code(done, 0)
        done = harness.run("compare", "@-2", "now=@-1", "-f", "json", env=env)
        self.assert_code(done, 0)
        sides = done.report["sides"]
        self.assertEqual([s["label"] for s in sides], [sides[0]["run_id"][:8], "now"])

    def test_share_names_nobody(self):
        host = json.loads(pathlib.Path(self.before).read_text())["environment"]["hostname"]

        def change(record):
            record["environment"]["hostname"] = "filer-of-acme"
        words = (self.before, self.changed(change), "-f", "json")
        shown = self.compare(*words).out
        self.assertIn("filer-of-acme", shown)
        shared = self.compare(*words, "--share").out
        self.assertNotIn("filer-of-acme", shared)
        self.assertIsNone(re.search(rf"\b{re.escape(host)}\b", shared) if len(host) > 2 else None)

    def test_render_shows_several_records_together_where_a_format_does(self):
        file = self.work / "study.md"
        done = harness.run("render", f"start={self.halved()}", self.after, "-f",
                           f"case-study:{file}")
        self.assert_code(done, 0)
        self.assertEqual(done.out.count("| Test "), 2)  # ascii: one after the other
        text = file.read_text()
        self.assertIn("| start | ", text)
        self.assertIn("| after | ", text)
        self.assertRegex(text, r"Net (improvement|change): ")
        suites = self.work / "suites.xml"
        done = harness.run("render", self.before, self.after, "-o", str(suites))
        self.assert_code(done, 0)
        self.assertEqual(suites.read_text().count("<testsuite "), 2)
        done = harness.run("render", self.before, self.after, "-o", str(suites), "-o",
                           str(self.work / "x.csv"))
        self.assert_code(done, 2)


if __name__ == "__main__":
    harness.main()
