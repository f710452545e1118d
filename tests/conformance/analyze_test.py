"""analyze and render: our own records and fio's JSON, read back and shown again."""

import json
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness


def formats():
    """The names of all formatters that are installed."""
    listed = harness.run("list").out.partition("Formatters:\n")[2]
    return re.findall(r"(?m)^  (\S+) ", listed)


def codes(done):
    return {f["code"] for f in done.report["findings"]}


class Records(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.record = self.work / "a.json"

    def measure(self, *words, runtime="300ms"):
        profile = harness.profile(self.work, runtime=runtime)
        done = harness.run("run", profile, str(self.target), "-f", f"json:{self.record}", *words)
        self.assert_code(done, 0)
        self.assert_no_leftover(self.target)
        return done

    def test_every_format_of_a_record_is_what_the_run_wrote(self):
        words = []
        names = formats()
        self.assertLessEqual({"ascii", "csv", "json", "markdown"}, set(names))
        for name in names:
            words += ["-f", f"{name}:{self.work / name}"]
        self.measure(*words, "--log-prefix", str(self.work / "log"))
        for name in names:
            with self.subTest(format=name):
                done = harness.run("render", str(self.record), "-f", name)
                self.assert_code(done, 0)
                self.assertEqual(done.out, (self.work / name).read_text())
                self.assertEqual(done.err, "")
                again = self.work / f"again.{name}"
                self.assert_code(harness.run("render", str(self.record), "-q", "-f",
                                             f"{name}:{again}"), 0)
                self.assertEqual(again.read_bytes(), (self.work / name).read_bytes())
        self.assert_code(harness.run("render", str(self.record), "--log-prefix",
                                     str(self.work / "log2")), 0)
        self.assertEqual((self.work / "log2_iops.1.log").read_bytes(),
                         (self.work / "log_iops.1.log").read_bytes())

    def test_the_table_is_the_default_and_explain_adds_what_run_adds(self):
        ran = self.measure("--explain")
        done = harness.run("render", str(self.record), "--explain")
        self.assert_code(done, 0)
        self.assertEqual(done.out, ran.out)
        self.assertTrue(ran.err.endswith(done.err), f"{ran}\n{done}")
        self.assertIn("run-too-short", done.err)

    def test_analyze_says_the_same_of_a_record_as_the_run_did(self):
        self.measure()
        done = harness.run("analyze", str(self.record), "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual(done.out, self.record.read_text())
        self.assertRegex(done.err, r"(?m)^figures +2 rows of speedtest-hd ")
        self.assertRegex(done.err, r"(?m)^checks +\d+ of \d+ can be made$")

    def test_analyze_forgets_what_was_said_before(self):
        self.measure()
        record = json.loads(self.record.read_text())
        record["findings"] = []
        for job in record["jobs"]:
            job["verdict"]["validity"] = "invalid"
        self.record.write_text(json.dumps(record))
        done = harness.run("analyze", str(self.record), "-f", "json")
        self.assertIn("run-too-short", codes(done))
        self.assertNotIn("invalid", {j["verdict"]["validity"] for j in done.report["jobs"]})

    def test_stdin_is_read(self):
        self.measure()
        for command in ("analyze", "render"):
            with open(self.record, "rb") as file:
                done = harness.run(command, "-", "-f", "json", stdin=file)
            self.assert_code(done, 0)
            self.assertEqual(done.out, self.record.read_text())

    def test_several_records_are_shown_one_after_the_other(self):
        self.measure()
        one = harness.run("render", str(self.record), "-f", "csv")
        two = harness.run("render", str(self.record), str(self.record), "-f", "csv")
        self.assert_code(two, 0)
        self.assertEqual(two.out, one.out * 2)
        done = harness.run("render", str(self.record), str(self.record), "-o",
                           str(self.work / "x.csv"))
        self.assert_code(done, 2)
        self.assertEqual(done.err, "speedtest-hd: 2 records would go to one file; render them one "
                                   "by one, or to stdout\n")

    def test_what_is_no_record_exits_2_and_says_where(self):
        broken = self.work / "broken.json"
        hint = ("; give a record that -f json wrote, or what fio --output-format=json printed, "
                "whole\n")
        for text, fault in (
                ("", "the text is no JSON near byte 1"),
                ("{\n \"schema\": \"result.v1\",\n", "the text ends in the middle, near line 3, "
                 "byte 27 of the text"),
                ("{}", "schema is missing"),
                ("[]", "the text is an array, not an object"),
                ('{"schema": "result.v7"}',
                 'schema is "result.v7", and this version reads "result.v1" only')):
            broken.write_text(text)
            for command in ("analyze", "render"):
                with self.subTest(text=text, command=command):
                    done = harness.run(command, str(broken))
                    self.assert_code(done, 2)
                    self.assertEqual(done.out, "")
                    self.assertEqual(done.err, f"speedtest-hd: {broken}: the record cannot be "
                                               f"read: {fault}{hint}")
        done = harness.run("render", str(self.work / "missing.json"))
        self.assert_code(done, 2)
        self.assertEqual(done.err, f"speedtest-hd: cannot read {self.work}/missing.json: "
                                   "No such file or directory (ENOENT)\n")
        self.assert_code(harness.run("analyze", str(self.target)), 2)

    def test_a_report_that_cannot_be_written_exits_5(self):
        self.measure()
        for command in ("analyze", "render"):
            done = harness.run(command, str(self.record), "-o", str(self.work / "no/x.csv"))
            self.assert_code(done, 5)
            with open("/dev/full", "wb") as full:
                self.assert_code(harness.run(command, str(self.record), stdout=full), 5)
        done = harness.run("render", str(self.record), "-f", "nonsense")
        self.assert_code(done, 2)
        self.assertIn('no formatter is called "nonsense"', done.err)

    def test_a_damaged_record_never_does_harm(self):
        self.measure()
        record = json.loads(self.record.read_text())
        places = []

        def collect(value, place):
            places.append(place)
            items = (value.items() if isinstance(value, dict) else
                     enumerate(value) if isinstance(value, list) else ())
            for key, inner in items:
                collect(inner, [*place, key])

        collect(record, [])
        dice = random.Random(1)
        damaged = self.work / "damaged.json"
        ends = {0: 0, 2: 0}
        for place in dice.sample(places[1:], 60):
            copy = json.loads(self.record.read_text())
            inner = copy
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = dice.choice([None, -1, 0, 2 ** 64 - 1, 1e308, "x\x1b[2J", [], {},
                                            True])
            damaged.write_text(json.dumps(copy))
            done = harness.run("analyze", str(damaged), "--explain", "-f", "csv", "-f",
                               f"ascii:{self.work / 'damaged.txt'}", "-f",
                               f"timeseries:{self.work / 'damaged.ts'}")
            self.assertIn(done.code, ends, f"{place}: {done}")
            ends[done.code] += 1
            self.assertNotIn("\x1b", done.out + done.err)
        self.assertGreater(ends[2], 10)


@harness.needs("fio")
class Fio(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.report = self.work / "fio.json"

    def fio(self, *options, form="json", runtime=1):
        words = ["fio", "--name=t", f"--filename={self.work}/f", "--size=64m", "--time_based=1",
                 f"--runtime={runtime}", *options, f"--output-format={form}",
                 f"--output={self.report}"]
        subprocess.run(words, check=True, capture_output=True, timeout=60, cwd=self.work)
        (self.work / "f").unlink()
        return json.loads(self.report.read_text())

    def analyze(self):
        done = harness.run("analyze", str(self.report), "-f", "json")
        self.assert_code(done, 0)
        return done

    def test_a_depth_that_is_a_label_is_found_in_fios_own_figures(self):
        for form in ("json", "json+"):
            with self.subTest(form=form):
                self.fio("--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=32",
                         form=form)
                done = self.analyze()
                self.assertEqual(codes(done), {"depth-collapsed", "submit-blocked",
                                               "cached-reads-possible"})
                job = done.report["jobs"][0]
                self.assertEqual(job["verdict"]["validity"], "suspect")
                self.assertLess(job["derived"]["read"]["effective_depth"], 2)

    def test_the_figures_are_fios(self):
        for form in ("json", "json+"):
            with self.subTest(form=form):
                said = self.fio("--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=4",
                                "--direct=1", form=form)["jobs"][0]["read"]
                job = self.analyze().report["jobs"][0]
                ours = job["derived"]["read"]
                self.assertAlmostEqual(ours["iops"] / said["iops"], 1, delta=1e-6)
                self.assertAlmostEqual(ours["bw_bytes_per_s"] / said["bw_bytes"], 1, delta=1e-5)
                self.assertAlmostEqual(ours["lat_ns"]["mean"] / said["lat_ns"]["mean"], 1,
                                       delta=1e-6)
                self.assertEqual(ours["lat_ns"]["max"], said["lat_ns"]["max"])
                percentiles = said["clat_ns"]["percentile"]
                if form == "json":
                    counters = job["loops"][0]["counters"]
                    for key, name in (("50.000000", "p50"), ("99.900000", "p99_9")):
                        self.assertEqual(counters[f"fio.read.clat_{name}_ns"], percentiles[key])
                else:
                    bins = job["loops"][0]["read"]["clat"]["bins"]
                    self.assertEqual(sum(n for n in bins[1:] if n > 0), said["clat_ns"]["N"])

    def test_single_direct_sync_writes_wait_for_their_commit(self):
        self.fio("--rw=randwrite", "--bs=4k", "--ioengine=psync", "--direct=1", "--sync=1")
        done = self.analyze()
        job = done.report["jobs"][0]
        self.assertEqual(job["workload"]["sync"], "o_sync")
        self.assertIsNone(job["resolution"]["direct_effective"])
        self.assertIn("latency-bound", codes(done))
        self.assertNotIn("cached-reads-possible", codes(done))
        self.assertNotIn("depth-collapsed", codes(done))

    def test_an_honest_direct_read_is_left_alone(self):
        self.fio("--rw=randread", "--bs=4k", "--ioengine=psync", "--direct=1")
        self.assertEqual(codes(self.analyze()) - {"outliers"}, set())

    def test_a_mixed_job_shows_both_directions(self):
        said = self.fio("--rw=randrw", "--rwmixread=70", "--bs=8k", "--ioengine=libaio",
                        "--iodepth=8", "--direct=1", "--numjobs=2", "--group_reporting",
                        form="json+")["jobs"][0]
        done = self.analyze()
        job = done.report["jobs"][0]
        self.assertEqual(job["op"], "mixed")
        self.assertEqual(job["workload"]["read_percent"], 70)
        self.assertEqual(job["workload"]["threads"], 2)
        for op in ("read", "write"):
            self.assertEqual(job["loops"][0][op]["ios"], said[op]["total_ios"])
        self.assertNotIn("unit-mismatch", codes(done))
        table = harness.run("analyze", str(self.report)).out
        self.assertIn("t randrw 8K Q8T2", table)
        self.assertIn("R IOPS", table)

    def test_a_short_run_and_one_that_stands_still_are_told(self):
        self.fio("--rw=read", "--bs=1m", "--direct=1", "--runtime=200ms")
        self.assertIn("run-too-short", codes(self.analyze()))

    def test_it_says_what_fio_does_not_tell(self):
        self.fio("--rw=read", "--bs=1m")
        done = harness.run("analyze", str(self.report), "--explain")
        self.assert_code(done, 0)
        self.assertIn("figures   1 row of fio ", done.err)
        self.assertIn("of the machine, the filesystem and the cache its JSON tells nothing",
                      done.err)
        self.assertRegex(done.err, r"(?m)^checks +\d+ of \d+ can be made$")
        self.assertRegex(done.err, r"(?m)^ +the filesystem and its mount \(sync-ignored\)$")
        self.assertRegex(done.err, r"(?m)^cached-reads-possible \(note\), t read 1M Q1T1 read: ")
        self.assertIn("t read 1M Q1T1", done.out)

    def test_an_imported_report_is_a_record_of_its_own(self):
        self.fio("--rw=randwrite", "--bs=4k", "--direct=1", form="json+")
        kept = self.work / "kept.json"
        first = harness.run("analyze", str(self.report), "-f", f"json:{kept}")
        self.assert_code(first, 0)
        again = harness.run("render", str(kept))
        self.assertEqual(again.out, first.out)
        self.assertEqual(harness.run("analyze", str(kept), "-f", "json").out, kept.read_text())

    def test_messages_around_the_json_do_no_harm(self):
        self.fio("--rw=read", "--bs=1m")
        text = self.report.read_text()
        self.report.write_text("fio: something it had to say\n" + text + "\nand more\n")
        self.analyze()
        self.report.write_text(text.replace("fio-3", "fio-2"))
        done = harness.run("analyze", str(self.report))
        self.assert_code(done, 2)
        self.assertIn("has other units; run it again with fio 3.0 or later", done.err)


if __name__ == "__main__":
    harness.main()
