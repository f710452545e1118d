"""The keys `condition` and `repeat`: what is done to the machine, in which order, and undone."""

import contextlib
import csv
import glob
import io
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

LATENCY = "/dev/cpu_dma_latency"
SPINNER = "sthd-spinner"
POLICIES = "sys/devices/system/cpu/cpufreq"
SECONDS_TO_CLEAN = 20


def under(conditions, runtime="400ms", repeat=1, more=""):
    """A random write under each of these conditions."""
    words = ", ".join(f'"{c}"' for c in conditions)
    return job("w", label="{condition}",
               more=f'{more}\nruntime = "{runtime}"\nrepeat = {repeat}\n'
                    f"[job.matrix]\ncondition = [{words}]")


class OnAFolder(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.addCleanup(self.assert_no_leftover, self.target)

    def profile(self, *jobs):
        return harness.profile(self.work, "conditions", size="1MiB", jobs=list(jobs),
                               defaults='engine = ["psync"]\ndirect = "off"')

    def run_it(self, *jobs, words=(), **kwargs):
        return harness.run("run", self.profile(*jobs), str(self.target), *words, **kwargs)

    def start_it(self, *jobs, words=(), **kwargs):
        return self.start("run", self.profile(*jobs), str(self.target), *words, **kwargs)

    def by_label(self, done):
        return {j["label"]: j for j in done.report["jobs"]}


class CoresAwake(OnAFolder):
    @unittest.skipUnless(os.access(LATENCY, os.W_OK), f"not run: {LATENCY} cannot be written here")
    def test_the_latency_is_held_by_the_keeper_while_the_row_runs_and_not_after(self):
        def holders(started):
            found = set()
            for pid in started.processes():
                for link in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
                    with contextlib.suppress(OSError):
                        if os.readlink(link) == LATENCY:
                            found.add(pid)
            return found

        started = self.start_it(under(["cores-awake", "as-is"], "1500ms"))
        keeper = harness.eventually(started.keeper, 20)
        held = harness.eventually(lambda: started.jobs() and holders(started) == {keeper}, 20)
        self.assertTrue(held, "never held by the keeper alone")
        released = harness.eventually(lambda: started.jobs() and not holders(started), 20)
        self.assertTrue(released, "still held in the row after it")
        self.assertEqual(started.wait(), 0)

    def test_a_machine_without_the_file_skips_the_row_and_says_why(self):
        tree = self.folder("tree")
        done = self.run_it(under(["as-is", "cores-awake"], "100ms"),
                           words=["-f", "json", "--sysroot", str(tree)])
        self.assert_code(done, 0)
        rows = self.by_label(done)
        self.assertEqual(rows["as-is"]["status"], "ok")
        reason = (f"cannot open {LATENCY} for writing: No such file or directory (ENOENT); this "
                  "kernel or container does not have it: leave this condition out")
        self.assertEqual((rows["cores-awake"]["status"], rows["cores-awake"]["reason"]),
                         ("skipped", f"cores-awake: {reason}"))
        self.assertEqual(rows["cores-awake"]["resolution"]["tried"],
                         [{"what": "cores-awake", "refused": reason}])
        self.assertEqual(rows["cores-awake"]["loops"], [])
        self.assertRegex(done.err, r"(?m)^refused +cores-awake: cannot open /dev/cpu_dma_latency")


class CoresBusy(OnAFolder):
    def all_spinners(self, started):
        return len(started.named(SPINNER)) == len(os.sched_getaffinity(0))

    def test_spinners_are_there_while_the_row_runs_and_gone_after(self):
        started = self.start_it(under(["cores-busy", "as-is"], "1500ms"))
        self.assertTrue(harness.eventually(lambda: self.all_spinners(started), 20))
        gone = harness.eventually(lambda: started.jobs() and not started.named(SPINNER), 20)
        self.assertTrue(gone, "spinners in the row after theirs")
        self.assertEqual(started.wait(), 0)

    def test_spinners_die_with_the_runner_and_with_the_keeper(self):
        for victim in ("runner", "keeper", "both"):
            with self.subTest(killed=victim):
                started = self.start_it(under(["cores-busy"], "60s"))
                self.assertTrue(harness.eventually(lambda: self.all_spinners(started), 20))
                pids = {"runner": [started.process.pid], "keeper": [started.keeper()],
                        "both": [started.keeper(), started.process.pid]}[victim]
                for pid in pids:
                    os.kill(pid, signal.SIGKILL)
                started.wait(SECONDS_TO_CLEAN)
                self.assertTrue(
                    harness.eventually(lambda: not started.processes(), SECONDS_TO_CLEAN),
                    started.processes())
                if victim != "runner":  # nobody was left to remove the file
                    harness.run("cleanup", str(self.target))


class InTurns(OnAFolder):
    def test_conditions_take_turns_and_each_loop_says_in_which(self):
        """Between two turns with spinners there is one without: A-B-A-B, not A-A-B-B."""
        started = self.start_it(under(["as-is", "cores-busy"], "1s", repeat=3),
                                words=["-f", f"json:{self.work}/r.json"])
        turns = []  # [pids, first seen, last seen]
        while started.process.poll() is None:
            pids = set(started.named(SPINNER))
            now = time.monotonic()
            if pids and (not turns or not turns[-1][0] & pids):
                turns.append([pids, now, now])
            elif pids:
                turns[-1][0] |= pids
                turns[-1][2] = now
        self.assertEqual(started.wait(), 0)
        self.assertEqual(len(turns), 3)
        for before, after in zip(turns, turns[1:]):
            self.assertGreater(after[1] - before[2], 0.5)
        done = harness.Done(0, (self.work / "r.json").read_text(), "", 0)
        for label, row in self.by_label(done).items():
            self.assertEqual(row["status"], "ok")
            self.assertEqual((row["workload"]["repeat"], row["workload"]["condition"]), (3, label))
            self.assertEqual([loop["repeat"] for loop in row["loops"]], [0, 1, 2])
        self.assertAlmostEqual(done.report["plan"]["estimated_seconds"], 2 * 3 * 1)

    def test_every_repeat_has_all_loops_and_the_table_the_spread(self):
        done = self.run_it(job("w", more="loops = 2"),
                           words=["--repeat", "3", "--runtime", "0.1", "-f", f"json:{self.work}/r",
                                  "-f", f"csv:{self.work}/r.csv", "-o", f"{self.work}/r.md"])
        self.assert_code(done, 0)
        row, = harness.Done(0, (self.work / "r").read_text(), "", 0).report["jobs"]
        self.assertEqual([loop["repeat"] for loop in row["loops"]], [0, 0, 1, 1, 2, 2])
        rates = sorted(sum(l["write"]["ios"] for l in loops) * 1e9 /
                       sum(l["write"]["elapsed_ns"] for l in loops)
                       for loops in (row["loops"][i:i + 2] for i in (0, 2, 4)))
        shown = re.search(r"(?m)^\| w .*\| +(?:\[\d+\] ?)?(\d+) ±(\d+(?:\.\d)?)% \|$", done.out)
        self.assertTrue(shown, done.out)
        self.assertAlmostEqual(int(shown[1]), rates[1], delta=0.51)
        self.assertAlmostEqual(float(shown[2]), 50 * (rates[2] - rates[0]) / rates[1], delta=0.51)
        self.assertAlmostEqual(row["derived"]["write"]["iops"], rates[1], delta=0.01)
        self.assertIn(f"{shown[1]} ±{shown[2]}%", (self.work / "r.md").read_text())
        line, = csv.DictReader(io.StringIO((self.work / "r.csv").read_text()))
        self.assertEqual((line["repeat"], line["condition"]), ("3", "as-is"))
        self.assertAlmostEqual(float(line["iops_per_s_min"]), rates[0], delta=0.01)
        self.assertAlmostEqual(float(line["iops_per_s"]), rates[1], delta=0.01)
        self.assertAlmostEqual(float(line["iops_per_s_max"]), rates[2], delta=0.01)

    @harness.needs("fio")
    def test_a_cross_check_takes_turns_inside_of_each_repeat(self):
        done = self.run_it(job("w", more='runtime = "150ms"\nrepeat = 2'),
                           words=["--cross-check", "-f", "json"])
        self.assert_code(done, 0)
        ours, twin = done.report["jobs"]
        for row in (ours, twin):
            self.assertEqual([loop["repeat"] for loop in row["loops"]], [0, 1])


class Governors(OnAFolder):
    """A machine with two governors, in a folder."""

    def setUp(self):
        super().setUp()
        self.tree = self.folder("tree")
        self.files = []
        for policy, governor in (("policy0", "powersave"), ("policy1", "schedutil")):
            folder = self.tree / POLICIES / policy
            folder.mkdir(parents=True)
            (folder / "scaling_governor").write_text(governor + "\n")
            self.files.append(folder / "scaling_governor")
        (self.tree / "run").mkdir()
        self.words = ["--sysroot", str(self.tree)]
        self.env = harness.environment(XDG_RUNTIME_DIR=str(self.tree / "run"))

    def governors(self):
        return [file.read_text().strip() for file in self.files]

    def assert_restored(self):
        done = harness.eventually(lambda: self.governors() == ["powersave", "schedutil"],
                                  SECONDS_TO_CLEAN)
        self.assertTrue(done, self.governors())
        folder = self.tree / "run" / "speedtest-hd"
        harness.eventually(lambda: not os.listdir(folder), 10)  # the note goes last
        self.assertEqual(os.listdir(folder), [])

    def start_holding(self):
        started = self.start_it(under(["governor-performance"], "60s"), words=self.words,
                                env=self.env)
        held = harness.eventually(lambda: self.governors() == ["performance"] * 2, 20)
        self.assertTrue(held, self.governors())
        return started

    @unittest.skipIf(glob.glob(f"/{POLICIES}/policy*"), "not run: this machine has governors")
    def test_a_machine_without_governors_skips_the_row_and_says_why(self):
        done = self.run_it(under(["as-is", "governor-performance"], "100ms"), words=["-f", "json"])
        self.assert_code(done, 0)
        rows = self.by_label(done)
        self.assertEqual(rows["as-is"]["status"], "ok")
        self.assertEqual(
            (rows["governor-performance"]["status"], rows["governor-performance"]["reason"]),
            ("skipped", "governor-performance: this machine has no CPU frequency control (no "
             f"policy in /{POLICIES}); leave this condition out"))

    def test_governors_are_restored_after_the_row(self):
        started = self.start_it(under(["governor-performance", "as-is"], "1500ms"),
                                words=self.words, env=self.env)
        self.assertTrue(harness.eventually(lambda: self.governors() == ["performance"] * 2, 20))
        restored = harness.eventually(
            lambda: self.governors() == ["powersave", "schedutil"] and started.jobs(), 20)
        self.assertTrue(restored, "not restored in the row after it")
        self.assertEqual(started.wait(), 0)
        self.assert_restored()

    def test_governors_are_restored_whatever_ends_the_run(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                started = self.start_holding()
                started.signal(number)
                self.assertEqual(started.wait(SECONDS_TO_CLEAN), 128 + number)
                self.assert_restored()
                self.assertTrue(harness.eventually(lambda: not started.processes(),
                                                   SECONDS_TO_CLEAN))

    def leave_them(self):
        """Runner and keeper are killed at once: nobody is left to restore anything."""
        started = self.start_holding()
        for pid in (started.keeper(), started.process.pid):
            os.kill(pid, signal.SIGKILL)
        started.wait(SECONDS_TO_CLEAN)
        self.assertTrue(harness.eventually(lambda: not started.processes(), SECONDS_TO_CLEAN))
        self.assertEqual(self.governors(), ["performance"] * 2)

    RESTORED = [f"restored the governor of {p} to {g}, which a run that was killed had left at "
                "performance" for p, g in (("policy0", "powersave"), ("policy1", "schedutil"))]

    def test_cleanup_restores_what_nobody_could(self):
        self.leave_them()
        done = harness.run("cleanup", str(self.target), *self.words, env=self.env)
        self.assert_code(done, 0)
        self.assertEqual(done.out.splitlines()[:2], self.RESTORED)
        self.assertRegex(done.out.splitlines()[2], r"^removed speedtest-hd-[0-9a-f]{8}\.bench ")
        self.assert_restored()

    def test_the_next_run_restores_what_nobody_could(self):
        self.leave_them()
        done = self.run_it(job("w"), words=self.words, env=self.env)
        self.assert_code(done, 0)
        for line in self.RESTORED:
            self.assertIn(f"note: {line}\n", done.err)
        self.assert_restored()
        harness.run("cleanup", str(self.target))


if __name__ == "__main__":
    harness.main()
