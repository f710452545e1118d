"""Reports and terminal: where they go, when they cannot, and untrusted names in them."""

import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

ESCAPE = "\x1b"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f\x80-\x9f\udc80-\udcff]")  # but the newline


class Reports(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.profile = harness.profile(self.work)

    def run_it(self, *words, **kwargs):
        done = harness.run("run", self.profile, str(self.target), *words, **kwargs)
        self.assert_no_leftover(self.target)
        return done

    def test_json_on_stdout_is_one_document_and_nothing_else(self):
        done = self.run_it("-f", "json")
        self.assert_code(done, 0)
        report = json.loads(done.out)  # fails on anything around it
        self.assertEqual(report["schema"], "result.v1")
        self.assertIn("target ", done.err)

    def test_every_format_goes_to_its_file_and_the_table_to_stdout(self):
        files = {n: self.work / f"report.{n}" for n in ("json", "csv", "md")}
        words = ["-f", f"json:{files['json']}", "-f", f"csv:{files['csv']}", "-o",
                 str(files["md"])]
        done = self.run_it(*words)
        self.assert_code(done, 0)
        self.assertIn("MB/s", done.out)
        self.assertEqual(len(json.loads(files["json"].read_text())["jobs"]), 2)
        self.assertEqual(len(files["csv"].read_text().splitlines()), 3)
        self.assertIn("|---", files["md"].read_text())
        self.assertEqual(sorted(p.name for p in self.work.glob("*.tmp")), [])

    def test_o_picks_by_extension_and_f_by_name(self):
        self.assert_code(self.run_it("-o", str(self.work / "a.csv"), "-f",
                                     f"csv:{self.work / 'b.txt'}"), 0)
        a, b = ((self.work / n).read_text().splitlines()[0] for n in ("a.csv", "b.txt"))
        self.assertEqual(a, b)

    def test_a_report_replaces_its_file_at_once(self):
        file = self.work / "report.json"
        file.write_text("old")
        self.assert_code(self.run_it("-o", str(file)), 0)
        self.assertEqual(json.loads(file.read_text())["schema"], "result.v1")

    def test_stdout_that_is_full_exits_5(self):
        with open("/dev/full", "wb") as full:
            for words in ([], ["-f", "json"]):
                with self.subTest(words=words):
                    done = self.run_it(*words, stdout=full)
                    self.assert_code(done, 5)
                    self.assertIn("stdout", done.err)

    def test_stdout_that_is_closed_exits_5(self):
        for command in (["run", self.profile, str(self.target)], ["list"],
                        ["check", self.profile], ["plan", self.profile, str(self.target)],
                        ["--help"]):
            with self.subTest(command=command[0]):
                done = harness.run(*command, via=["sh", "-c", 'exec "$@" >&-', "sh"])
                self.assert_code(done, 5)
        self.assert_no_leftover(self.target)

    def test_a_reader_of_stdout_that_goes_away_exits_5(self):
        read, write = os.pipe()
        os.close(read)
        try:
            self.assert_code(self.run_it(stdout=write), 5)
        finally:
            os.close(write)

    def test_a_report_in_a_missing_folder_exits_5_before_measuring(self):
        slow = harness.profile(self.work, "slow", runtime="30s")
        folder = self.folder("folder.json")
        for words in (["-o", str(self.work / "missing/report.json")],
                      ["-f", f"csv:{self.work / 'missing/report'}"], ["-o", str(folder)]):
            with self.subTest(words=words):
                done = harness.run("run", slow, str(self.target), *words)
                self.assert_code(done, 5)
                self.assertLess(done.seconds, 5)
                self.assertEqual(done.out, "")
                self.assertIn(f"cannot write {words[1].removeprefix('csv:')}: ", done.err)

    @harness.needs_root
    def test_a_report_whose_filesystem_is_full_exits_5_and_the_table_is_shown(self):
        small = self.tmpfs("16k")
        done = self.run_it("-o", str(small / "report.json"))
        self.assert_code(done, 5)
        self.assertIn("MB/s", done.out)
        self.assertIn(f"cannot write {small}/report.json: No space left on device (ENOSPC)",
                      done.err)
        # What was whole before stays: the rows until then, or nothing.
        for name in os.listdir(small):
            self.assertEqual(name, "report.json")
            json.loads((small / name).read_text())

    def test_logs_are_written_at_the_end_as_fio_writes_them(self):
        prefix = self.work / "log"
        (self.work / "log_bw.1.log").write_text("old")
        done = self.run_it("--log-prefix", str(prefix), "-f", "json", "--set", "sample=20ms")
        self.assert_code(done, 0)
        for number, job in enumerate(done.report["jobs"], 1):
            result = job["loops"][0][job["op"]]
            direction = {"read": 0, "write": 1}[job["op"]]
            rows = {}
            for kind in ("bw", "iops", "lat"):
                text = pathlib.Path(f"{prefix}_{kind}.{number}.log").read_text()
                self.assertRegex(text, r"\A(\d+, \d+, \d, 0, 0\n)+\Z")
                rows[kind] = [[int(x) for x in line.split(", ")] for line in text.splitlines()]
                self.assertEqual({row[2] for row in rows[kind]}, {direction})
            columns = result["samples"]
            samples = [dict(zip(columns, row)) for row in zip(*columns.values())]
            self.assertEqual([row[0] for row in rows["iops"]],
                             [s["at_ns"] // 1_000_000 for s in samples])
            begin = 0
            for sample, iops, bw in zip(samples, rows["iops"], rows["bw"]):
                seconds = (sample["at_ns"] - begin) / 1e9
                begin = sample["at_ns"]
                self.assertAlmostEqual(iops[1], sample["ios"] / seconds, delta=1)
                self.assertAlmostEqual(bw[1], sample["bytes"] / 1024 / seconds, delta=1)
            mean = result["lat"]["sum_ns"] / result["lat"]["count"]
            counted = [s["ios"] for s in samples if s["ios"]]
            logged = sum(row[1] * n for row, n in zip(rows["lat"], counted)) / sum(counted)
            self.assertAlmostEqual(logged / mean, 1, delta=0.07)
        self.assertEqual(sorted(p.name for p in self.work.glob("*.tmp")), [])

    def test_logs_in_a_missing_folder_exit_5_before_measuring(self):
        slow = harness.profile(self.work, "slow", runtime="30s")
        done = harness.run("run", slow, str(self.target), "--log-prefix",
                           str(self.work / "missing/log"))
        self.assert_code(done, 5)
        self.assertLess(done.seconds, 5)
        self.assertIn(f"cannot write {self.work}/missing/log_bw.1.log: No such file", done.err)

    def test_a_log_that_cannot_be_written_at_the_end_exits_5_and_the_table_is_shown(self):
        (self.work / "log_lat.2.log").mkdir()
        done = self.run_it("--log-prefix", str(self.work / "log"))
        self.assert_code(done, 5)
        self.assertIn("MB/s", done.out)
        self.assertIn(f"cannot write {self.work}/log_lat.2.log: ", done.err)

    def test_the_time_series_is_csv_that_adds_up_to_the_totals(self):
        file = self.work / "series.txt"
        done = self.run_it("-f", "json", "-f", f"timeseries:{file}", "--set", "sample=20ms")
        self.assert_code(done, 0)
        rows = list(csv.DictReader(file.read_text().splitlines()))
        self.assertEqual(list(rows[0]), ["id", "label", "op", "loop", "repeat", "time_s", "ios",
                                         "bytes", "p50_us", "p99_us", "max_us"])
        for job in done.report["jobs"]:
            own = [row for row in rows if row["id"] == job["id"]]
            result = job["loops"][0][job["op"]]
            self.assertEqual(sum(int(row["ios"]) for row in own), result["ios"])
            self.assertEqual(sum(int(row["bytes"]) for row in own), result["bytes"])
            times = [float(row["time_s"]) for row in own]
            self.assertEqual(times, sorted(times))
            self.assertEqual(max(float(row["max_us"]) for row in own if row["max_us"]),
                             result["lat"]["max_ns"] / 1e3)

    def test_a_device_is_written_to_not_replaced(self):
        self.assert_code(self.run_it("-f", "json:/dev/null"), 0)
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_stderr_closed_or_full_changes_nothing_else(self):
        for redirect in ("2>&-", "2>/dev/full"):
            with self.subTest(redirect=redirect):
                done = self.run_it("-f", "json", via=["sh", "-c", f'exec "$@" {redirect}', "sh"])
                self.assert_code(done, 0)
                self.assertEqual(len(done.report["jobs"]), 2)


class Terminal(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.profile = harness.profile(self.work, runtime="600ms")

    def on_a_terminal(self, *words, width=100, stdout_too=True, **env):
        """What a person would see: the raw bytes."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        process = subprocess.Popen(
            [harness.binary(), "run", self.profile, str(self.target), *words],
            stdin=subprocess.DEVNULL, stdout=slave if stdout_too else subprocess.DEVNULL,
            stderr=slave, env=harness.environment(**{"TERM": "xterm", **env}))
        os.close(slave)
        seen = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # EIO: the other side is closed
                break
            if not piece:
                break
            seen += piece
        os.close(master)
        self.assertEqual(process.wait(60), 0, seen)
        self.assert_no_leftover(self.target)
        return seen.decode()

    def test_a_live_line_tells_job_speed_and_time_left_and_is_wiped(self):
        seen = self.on_a_terminal()
        self.assertRegex(seen, r"\r\x1b\[Kjob 1 of 2  write write  measure  \[#*-*\]  "
                               r"[\d.]+ MB/s  \d+ IOPS  (p99 [\d.]+ us  )?ETA \S+")
        for iops, p99 in re.findall(r"measure .*? (\d+) IOPS  (p99 [\d.]+ us  )?ETA", seen):
            if int(iops) > 2000:  # 100 in a slice of 100 ms have a p99, and twice as many surely
                self.assertTrue(p99, seen)
        self.assertNotRegex(seen.rsplit("\n", 2)[-1], r"job \d")

    def test_the_layout_of_a_large_file_has_a_bar(self):
        seen = self.on_a_terminal("--size", "1g", "--only", "read")
        self.assertRegex(seen, r"\r\x1b\[Klaying out the test file  \[#*-*\]  [\d.]+ MB/s")

    def test_each_row_is_shown_as_it_finishes(self):
        seen = self.on_a_terminal().replace("\x1b[K", "").replace("\r", "\n")
        row = re.search(r"\n\| write +\| +(\[\d\] +)?[\d.]+ \|", seen)
        self.assertIsNotNone(row, seen)
        self.assertLess(row.start(), seen.rindex("job 2 of 2"))

    def test_the_live_line_fits_a_narrow_terminal(self):
        seen = self.on_a_terminal(width=30, stdout_too=False)
        lines = re.findall(r"\r\x1b\[K([^\r\n\x1b]+)", seen)
        self.assertTrue(lines)
        self.assertLess(max(map(len, lines)), 30)

    def test_no_color_leaves_no_colour(self):
        self.assertNotRegex(self.on_a_terminal(NO_COLOR="1"), r"\x1b\[[0-9;]*m")

    def test_a_dumb_terminal_gets_plain_lines(self):
        seen = self.on_a_terminal(TERM="dumb")
        self.assertNotIn(ESCAPE, seen)
        self.assertRegex(seen, r"(?m)^(job \d of 2|laying out)")

    def test_without_a_terminal_progress_is_plain_lines(self):
        done = harness.run("run", self.profile, str(self.target))
        self.assert_code(done, 0)
        self.assertNotIn(ESCAPE, done.out + done.err)
        self.assertNotIn("\r", done.out + done.err)
        self.assertRegex(done.err, r"(?m)^(job \d of 2|laying out)")

    def test_quiet_leaves_only_the_table(self):
        done = harness.run("run", self.profile, str(self.target), "--quiet")
        self.assert_code(done, 0)
        self.assertEqual(done.err, "")
        self.assertIn("MB/s", done.out)
        seen = self.on_a_terminal("--quiet", stdout_too=False)
        self.assertEqual(seen, "")

    def test_quiet_does_not_hide_errors(self):
        done = harness.run("run", self.profile, str(self.work / "missing"), "--quiet")
        self.assert_code(done, 4)
        self.assertIn("missing", done.err)


class UntrustedNames(harness.TestCase):
    NAMES = ["line\nbreak", f"{ESCAPE}[31mred", "tab\tbell\a", "$(reboot)`id`;$HOME", "a:b::c",
             "-leading", "--help", " blanks ", "%s%n{}", "quote'\"\\", "ümläut 你好", "| pipe |",
             b"invalid-\xff\xfe", "\u202ertl", "back\x08space\x7f", "\x9b31m"]

    def test_no_name_of_a_directory_reaches_the_terminal_raw(self):
        profile = harness.profile(self.work, runtime="50ms", size="1MiB")
        for name in self.NAMES:
            with self.subTest(name=name):
                target = os.path.join(os.fsencode(self.work), os.fsencode(name))
                os.mkdir(target)
                for command in ("run", "plan"):
                    done = harness.run(command, profile, os.fsdecode(target), "-v")
                    self.assert_code(done, 0)
                    self.assertIsNone(CONTROL.search(done.out + done.err), str(done))
                    self.assertEqual(os.listdir(target), [])

    def test_names_come_back_in_the_json(self):
        profile = harness.profile(self.work, runtime="50ms", size="1MiB")
        for name in self.NAMES:
            with self.subTest(name=name):
                target = os.path.join(os.fsencode(self.work), os.fsencode(name))
                os.mkdir(target)
                done = harness.run("run", profile, os.fsdecode(target), "-f", "json")
                self.assert_code(done, 0)
                if isinstance(name, str):
                    self.assertEqual(done.report["target"]["path"], f"{self.work}/{name}")

    def test_refusals_of_such_names_are_as_clean(self):
        profile = harness.profile(self.work)
        for name in self.NAMES:
            with self.subTest(name=name):
                target = os.path.join(os.fsencode(self.work), b"missing", os.fsencode(name))
                for command in (["run", profile], ["plan", profile], ["cleanup"]):
                    done = harness.run(*command, os.fsdecode(target))
                    self.assert_code(done, 4)
                    self.assertIsNone(CONTROL.search(done.out + done.err), str(done))
                done = harness.run("run", os.fsdecode(target), str(self.work))
                self.assert_code(done, 2)
                self.assertIsNone(CONTROL.search(done.out + done.err), str(done))


if __name__ == "__main__":
    harness.main()
