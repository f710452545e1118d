"""layout = "none": each loop writes into a new, empty file; the next full job gets its layout."""

import json
import os
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


def fresh(name="fresh", more="", **what):
    return job(name, pattern="sequential",
               more='layout = "none"\nengine = ["psync"]\ndirect = "off"\n' + more, **what)


class NewFile(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def run_it(self, jobs, *words, via=(), **profile):
        path = harness.profile(self.work, jobs=jobs, **profile)
        return harness.run("run", path, str(self.target), "-f", "json", *words, via=via)

    def test_a_profile_of_such_jobs_lays_nothing_out(self):
        jobs = [fresh("stream", block_size="1MiB", more='sync = "o_sync"\nios = 5')]
        done = self.run_it(jobs, size="64MiB")
        self.assert_code(done, 0)
        self.assertNotIn("laying out", done.err)
        self.assertIn("at most 5.00 MiB, removed afterwards; 5.00 MiB written in all", done.err)
        self.assertNotIn("layout of the test file", done.err)
        [loop] = self.record(done, "stream")["loops"]
        self.assertEqual((loop["write"]["ios"], loop["write"]["bytes"]), (5, 5 << 20))
        self.assertEqual(loop["cache"], {"asked": "as_is", "reached_by": "new file",
                                         "verified": None})

    def test_every_cache_state_is_that_of_a_new_file(self):
        for state in ("cold", "warm", "as_is"):
            with self.subTest(cache=state):
                done = self.run_it([fresh("a", more=f'ios = 3\ncache = "{state}"')])
                self.assert_code(done, 0)
                [loop] = self.record(done, "a")["loops"]
                self.assertEqual(loop["cache"], {"asked": state, "reached_by": "new file",
                                                 "verified": None})
                codes = {f["code"] for f in done.report["findings"]}
                self.assertEqual({c for c in codes if "cache" in c}, set())

    @harness.needs("strace")
    def test_each_loop_empties_the_same_file(self):
        log = self.work / "strace"
        jobs = [fresh(block_size="1MiB", more="ios = 4\nloops = 3"), job("full", op="read")]
        done = self.run_it(jobs, size="8MiB",
                           via=["strace", "-f", "-qq", "-y", "-o", str(log), "-e",
                                "trace=ftruncate,fallocate,openat,unlinkat"])
        if not log.exists():
            self.skipTest("not run: needs the right to trace")
        self.assert_code(done, 0)
        self.assertEqual(len(self.record(done, "fresh")["loops"]), 3)
        lines = log.read_text().splitlines()
        # A line may end in "<unfinished ...>"; the one that resumes it does not match.
        changes = [re.search(r"(ftruncate|fallocate)\(\d+<([^>]+)>, ", l) for l in lines]
        changes = [m.groups() for m in changes if m]
        # Three loops, then the layout of the full job, then the removal.
        self.assertEqual([c[0] for c in changes], ["ftruncate"] * 4 + ["fallocate", "ftruncate"])
        self.assertEqual(len({c[1] for c in changes}), 1)
        created = [l for l in lines if "O_EXCL" in l and ".bench" in l]
        self.assertEqual(len(created), 1, created)

    def test_the_file_is_laid_out_again_for_the_next_full_job(self):
        few = fresh(more="ios = 3")
        jobs = [job("first", op="read", more='cache = "cold"'), few, job("last", op="read")]
        done = self.run_it(jobs, size="32MiB")
        self.assert_code(done, 0)
        self.assertEqual({j["status"] for j in done.report["jobs"]}, {"ok"})
        self.assertIn("plus 2 layouts of the test file", done.err)
        jobs = [few, job("last", op="read")]
        done = self.run_it(jobs, size="32MiB")
        self.assert_code(done, 0)
        self.assertIn("plus the layout of the test file", done.err)
        self.assertEqual(done.report["plan"]["written_bytes"], (32 << 20) + 3 * 4096)

    @harness.needs_root
    def test_space_is_asked_for_what_is_written_not_for_the_size(self):
        small = self.tmpfs("32m")
        path = harness.profile(self.work, size="1GiB",
                               jobs=[fresh(block_size="1MiB", more="ios = 4")])
        self.assert_code(harness.run("run", path, str(small)), 0)
        path = harness.profile(self.work, size="1GiB",
                               jobs=[fresh(block_size="1MiB", more="ios = 40")])
        done = harness.run("run", path, str(small))
        self.assert_code(done, 4)
        self.assertIn("a test file of 40.00 MiB would fill it", done.err)
        self.assertEqual(os.listdir(small), [])

    @harness.needs_root
    def test_a_layout_that_fails_between_two_jobs_costs_the_rows_that_need_it(self):
        small = self.tmpfs("64m")
        path = harness.profile(
            self.work, size="40MiB", runtime="2s",
            jobs=[fresh(more='size = "8MiB"'), job("full", op="read"), job("again", op="read"),
                  fresh("late", more="ios = 3")])
        started = self.start("run", path, str(small), "-o", str(self.work / "report.json"))
        self.assertTrue(harness.eventually(
            lambda: any(p.stat().st_size > 1 << 20 for p in small.iterdir()), 20))
        (small / "filler").write_bytes(b"x" * (30 << 20))
        self.assertEqual(started.wait(), 1)
        report = json.loads((self.work / "report.json").read_text())
        states = {j["id"]: (j["status"], j["reason"]) for j in report["jobs"]}
        self.assertEqual(states["full"], states["again"])
        self.assertEqual(states["full"][0], "failed")
        self.assertRegex(states["full"][1], r"^not started: laying out the test file: .*ENOSPC")
        self.assertEqual(os.listdir(small), ["filler"])

    def test_a_killed_run_leaves_nothing(self):
        path = harness.profile(self.work, size="64MiB", runtime="20s",
                               jobs=[fresh(more='sync = "o_dsync"')])
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=number):
                started = self.start("run", path, str(self.target))
                self.assertTrue(harness.eventually(
                    lambda: any(p.stat().st_size > 1 << 20 for p in self.target.iterdir()), 20))
                started.signal(number)
                self.assertEqual(started.wait(), 128 + number)
                self.assertTrue(harness.eventually(lambda: not started.processes(), 5))
                self.assert_no_leftover(self.target)


class Scratch(harness.TestCase):
    def test_the_folder_for_other_programs_goes_whoever_is_killed(self):
        temporary = self.folder("tmp")
        target = self.folder()
        path = harness.profile(self.work, runtime="20s",
                               jobs=[job("a", more='direct = "off"')])
        for victim in ("runner", "keeper"):
            with self.subTest(victim=victim):
                started = self.start("run", path, str(target),
                                     env=harness.environment(TMPDIR=str(temporary)))
                self.assertTrue(harness.eventually(lambda: os.listdir(temporary), 20))
                self.assertTrue(harness.eventually(started.keeper, 20))
                if victim == "runner":
                    started.signal(signal.SIGKILL)
                else:
                    os.kill(started.keeper(), signal.SIGKILL)
                started.wait()
                self.assertTrue(harness.eventually(lambda: not os.listdir(temporary), 5))


if __name__ == "__main__":
    harness.main()
