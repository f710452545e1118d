"""`fio_command` of each row: what is printed can be pasted, and does what the row did."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

MIB = 1 << 20


class FioCommand(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder("a b's:pool\\ \n1")

    def rows(self, jobs, *words, defaults='engine = ["psync"]\ndirect = "off"', code=0):
        profile = harness.profile(self.work, "rows", jobs=jobs, defaults=defaults, runtime="200ms")
        done = harness.run("run", profile, str(self.target), "-f", "json", *words)
        self.assert_code(done, code)
        self.assert_no_leftover(self.target)
        return {row["id"].split("/")[0]: row for row in done.report["jobs"]}

    def pasted(self, row):
        """What fio reports of the row, run as a person would, somewhere else."""
        command = row["fio_command"]
        self.assertTrue(command.isprintable(), repr(command))
        elsewhere = self.work / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        done = subprocess.run(["sh", "-c", command + " --output-format=json"], cwd=elsewhere,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        self.assert_no_leftover(self.target)
        self.assert_no_leftover(elsewhere)
        # Lines of warnings come first, and fio writes the folder's newline as it is.
        jobs = json.loads(done.stdout[done.stdout.index("{\n"):], strict=False)["jobs"]
        self.assertEqual([j["error"] for j in jobs], [0] * len(jobs))
        return jobs

    def options(self, row, **expected):
        """Runs it; its options, and that it moved bytes in the row's direction alone."""
        *layout, report = self.pasted(row)
        self.assertEqual([j["jobname"] for j in (*layout, report)], ["layout", "row"])
        self.assertEqual(layout[0]["write"]["io_bytes"], 8 * MIB)
        seen = report["job options"]
        self.assertEqual({key: seen.get(key) for key in expected}, expected)
        for op in ("read", "write"):
            moved = report[op]["io_bytes"]
            self.assertEqual(moved > 0, op == row["op"] or row["op"] == "mixed", op)
        return report

    @harness.needs("fio")
    def test_sync_writes_by_threads_are_what_fio_does(self):
        row = self.rows([job("w", more='threads = 4\nsync = "o_sync"\ncache = "warm"')])["w"]
        report = self.options(row, bs="4096", iodepth="1", numjobs="4", rw="randwrite", sync="1",
                              direct="0", pre_read="1", runtime="200ms", ioengine="psync",
                              size=str(8 * MIB))
        self.assertEqual(report["write"]["total_ios"] * 4096, report["write"]["io_bytes"])
        self.assertGreaterEqual(report["write"]["runtime"], 180)

    @harness.needs("fio")
    def test_sequential_reads_at_depth_are_what_fio_does(self):
        row = self.rows([job("r", op="read", pattern="sequential", block_size="64KiB",
                             more='queue_depth = 4\nthreads = 2\ncache = "cold"')])["r"]
        # psync serves the depth with threads, each in a part of its own
        self.options(row, bs="65536", iodepth="1", numjobs="8", rw="read", direct="0",
                     invalidate="1", size=str(MIB), offset_increment=str(MIB))

    @harness.needs("fio")
    def test_engine_and_direct_are_those_that_ran(self):
        row = self.rows([job("r", op="read", more="queue_depth = 8")],
                        defaults='engine = ["libaio", "psync"]\ndirect = "auto"')["r"]
        how = row["resolution"]
        if how["engine"] != "libaio" or not how["direct_effective"]:
            self.skipTest("not run: libaio with O_DIRECT does not work here")
        self.options(row, bs="4096", iodepth="8", numjobs="1", rw="randread", direct="1",
                     ioengine="libaio", invalidate="0")

    @harness.needs("fio")
    def test_mixed_fsync_and_limits_are_what_fio_does(self):
        rows = self.rows([job("m", op="mixed", more="read_percent = 30"),
                          job("f", more='sync = "fdatasync"\nios = 64'),
                          job("d", more='sync = "o_dsync"'),
                          job("z", more='buffer = "zeros"\ndistribution = "zipf:1.2"')])
        self.options(rows["m"], rw="randrw", rwmixread="30")
        report = self.options(rows["f"], fdatasync="1", io_size=str(64 * 4096))
        self.assertEqual(report["write"]["total_ios"], 64)
        self.options(rows["d"], sync="dsync")
        self.options(rows["z"], random_distribution="zipf:1.2")

    @harness.needs("fio")
    def test_a_new_file_is_extended(self):
        row = self.rows([job("n", pattern="sequential",
                             more='layout = "none"\nios = 16\nruntime = "10s"')])["n"]
        report, = self.pasted(row)
        self.assertEqual(report["job options"]["create_on_open"], "1")
        self.assertEqual(report["write"]["io_bytes"], 16 * 4096)

    @harness.needs("fio")
    def test_a_twin_has_the_command_of_its_row(self):
        profile = harness.profile(self.work, jobs=[job("w")],
                                  defaults='engine = ["psync"]\ndirect = "off"')
        done = harness.run("run", profile, str(self.target), "--cross-check", "-f", "json")
        self.assert_code(done, 0)
        ours, twin = done.report["jobs"]
        self.assertEqual(ours["fio_command"], twin["fio_command"])

    def test_what_fio_cannot_do_has_none(self):
        rows = self.rows([job("paced", more="rate_iops = 100"),
                          job("busy", more='condition = "cores-awake"'),
                          job("shared", pattern="sequential",
                              more='threads = 2\nregion = "shared"'),
                          job("plain")], "--verbose")
        self.assertEqual([rows[name]["fio_command"] for name in ("paced", "busy", "shared")],
                         [None] * 3)
        self.assertTrue(rows["plain"]["fio_command"].startswith("fio "))

    def test_verbose_shows_it_or_says_why_there_is_none(self):
        profile = harness.profile(self.work, jobs=[job("paced", more="rate_iops = 100"),
                                                   job("plain")], runtime="100ms",
                                  defaults='engine = ["psync"]')
        done = harness.run("run", profile, str(self.target), "--verbose")
        self.assert_code(done, 0)
        self.assertIn("  fio: none: fio measures no response time from the moment", done.err)
        self.assertRegex(done.err, r"(?m)^  fio: fio .*--name=row ")


if __name__ == "__main__":
    harness.main()
