"""Without root everything works, and what cannot be known says why."""

import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

NOBODY = 65534


def drop():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def reaches(path, mode):
    """Whether nobody can; folders above included."""
    pid = os.fork()
    if pid == 0:
        drop()
        os._exit(0 if os.access(path, mode) else 1)
    return os.waitpid(pid, 0)[1] == 0


class AsNobody(harness.TestCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.work, 0o755)
        for path in (self.work, pathlib.Path(harness.binary())):
            if not reaches(path, os.X_OK):
                self.skipTest(f"not run: nobody cannot reach {path}")
        self.target = self.folder()
        os.chown(self.target, NOBODY, NOBODY)
        self.memory = self.tmpfs("256m", "memory")
        os.chown(self.memory, NOBODY, NOBODY)

    def run_it(self, *args):
        done = harness.run(*map(str, args), preexec_fn=drop, cwd="/",
                           env=harness.environment(HOME="/nonexistent", TMPDIR=None))
        for place in (self.target, self.memory):
            self.assert_no_leftover(place)
        return done

    def assert_unknowns_are_named(self, facts, unknown):
        self.assertEqual({n for n, v in facts.items() if v is None}, set(unknown))
        self.assertTrue(all(reason.strip() for reason in unknown.values()), unknown)

    def measured(self, *args):
        """A whole run: every row ok, every unknown with its reason."""
        done = self.run_it("run", *args, "-f", "json")
        self.assert_code(done, 0)
        report = done.report
        self.assert_unknowns_are_named(report["facts"], report["facts_unknown"])
        for one in report["jobs"]:
            self.assertEqual((one["label"], one["status"]), (one["label"], "ok"), one["reason"])
            for loop in one["loops"]:
                self.assert_unknowns_are_named(loop["counters"], loop["counters_unknown"])
        return report

    def test_slog_and_cdm_on_a_disk(self):
        for profile in ("slog", "cdm"):
            with self.subTest(profile=profile):
                report = self.measured(profile, self.target, "--size", "16MiB", "--runtime",
                                       "200ms", "--ramp", "0s")
                self.assertGreaterEqual(len(report["jobs"]), 4)
                disks = [n for n in report["jobs"][0]["loops"][0]["counters"]
                         if n.endswith(".write_ios")]
                self.assertTrue(disks or "disk.0.name" in report["facts_unknown"])

    def test_slog_and_cdm_in_ram(self):
        for profile in ("slog", "cdm"):
            with self.subTest(profile=profile):
                done = self.run_it("run", profile, self.memory, "--size", "16MiB", "--runtime",
                                   "200ms", "--ramp", "0s", "-f", "json")
                self.assert_code(done, 0)
                statuses = {one["status"] for one in done.report["jobs"]}
                self.assertLessEqual(statuses, {"ok", "skipped"})
                self.assertIn("ok", statuses)
                for one in done.report["jobs"]:
                    self.assertEqual(one["reason"] is None, one["status"] == "ok")

    def test_each_backend(self):
        jobs = [job("aio", op="read", more='queue_depth = 4\nengine = ["libaio"]'),
                job("uring", op="read", more='queue_depth = 4\nengine = ["io_uring"]'),
                job("psync", more='engine = ["psync"]\nsync = "o_sync"')]
        if shutil.which("fio"):
            jobs.append(job("fio", more='backend = ["fio-exec"]\nengine = ["psync"]'))
        if shutil.which("dd"):
            jobs.append(job("dd", pattern="sequential", block_size="1MiB",
                            more='backend = ["dd"]\nengine = ["dd"]'))
        profile = harness.profile(self.work, jobs=jobs)
        os.chmod(profile, 0o644)
        report = self.measured(profile, self.target)
        self.assertEqual(len(report["jobs"]), len(jobs))

    def test_probe_names_what_it_cannot_know(self):
        for target in (self.target, self.memory):
            done = self.run_it("probe", target, "-f", "json")
            self.assert_code(done, 0)
            facts = json.loads(done.out)
            unknown = facts.pop("unknown")
            self.assert_unknowns_are_named(facts, unknown)
            self.assertEqual(facts["target.path"], str(target))
            self.assertEqual(self.run_it("probe", target).code, 0)

    def test_watch_needs_no_more_than_reading(self):
        os.chown(self.target, 0, 0)
        os.chmod(self.target, 0o755)
        for target in (self.target, self.memory):
            done = self.run_it("watch", target, "300ms")
            self.assert_code(done, 0)
            self.assertTrue(done.out.startswith(f"Watched {target} "), done.out)
            done = self.run_it("watch", target, "300ms", "-f", "json")
            self.assert_code(done, 0)
            facts = json.loads(done.out)
            unknown = facts.pop("unknown")
            self.assert_unknowns_are_named(facts, unknown)

    def test_a_target_that_may_not_be_written_is_refused(self):
        os.chown(self.target, 0, 0)
        os.chmod(self.target, 0o755)
        done = self.run_it("run", "slog", self.target)
        self.assert_code(done, 4)
        self.assertEqual(done.err.splitlines()[-1],
                         f"speedtest-hd: cannot create a test file in {self.target}: Permission "
                         "denied (EACCES); choose a directory that you may write to")

    def test_a_signal_leaves_nothing(self):
        started = self.start("run", "slog", str(self.target), "--size", "16MiB", preexec_fn=drop,
                             env=harness.environment(HOME="/nonexistent"))
        self.assertTrue(harness.eventually(lambda: harness.test_files(self.target), 20))
        started.signal(signal.SIGTERM)
        self.assertEqual(started.wait(10), 128 + signal.SIGTERM)
        self.assertTrue(harness.eventually(lambda: not os.listdir(self.target), 5))


if __name__ == "__main__":
    harness.main(root=True)
