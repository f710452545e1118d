"""--axis: rows that a profile does not have, told apart by their labels and kept in the report."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


class Axis(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.profile = harness.profile(self.work, jobs=[job("w"), job("r", op="read")])

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def test_every_job_runs_with_every_value(self):
        done = harness.run("run", self.profile, str(self.target), "-f", "json", "--runtime", "50ms",
                           "--axis", "block_size=4k,64k", "--axis", "threads=2")
        self.assert_code(done, 0)
        labels = [j["label"] for j in done.report["jobs"]]
        self.assertEqual(labels, [f"{name} block_size={size} threads=2"
                                  for name in ("w", "r") for size in ("4K", "64K")])
        self.assertEqual(done.report["jobs"][3]["id"], "r/block_size=65536,threads=2")
        sizes = [j["workload"]["block_size_bytes"] for j in done.report["jobs"]]
        self.assertEqual(sizes, [4096, 65536] * 2)
        self.assertEqual(done.report["profile"]["overrides"],
                         ["runtime=50ms", "axis=block_size=4k,64k", "axis=threads=2"])

    def test_a_wrong_axis_is_one_sentence(self):
        done = harness.run("check", self.profile, "--axis", "threads=1,none")
        self.assert_code(done, 2)
        self.assertEqual(done.err, "speedtest-hd: command line: threads must be an integer, not "
                                   "\"none\"\n")


class Verbose(harness.TestCase):
    def test_threads_have_a_line_each(self):
        target = self.folder()
        path = harness.profile(self.work, jobs=[job("r", op="read", more="threads = 3")])
        done = harness.run("run", path, str(target), "--engine", "psync", "-v")
        self.assert_code(done, 0)
        for thread in range(3):
            self.assertRegex(done.err, rf"\n  thread {thread} read: ios=\d+, [\d.]+ MB/s, "
                                       r"first I/O at [\d.]+[num]?s, last at [\d.]+s\n")


if __name__ == "__main__":
    harness.main()
