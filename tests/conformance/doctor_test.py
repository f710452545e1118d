"""`doctor` and `try`: experiments on a real target, and the statements made of them."""

import json
import math
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

SHORT = ["--runtime", "100ms", "--ramp", "0s", "--size", "8MiB", "--set", "repeat=3"]
STUDENT_T = 4.302653  # two-sided 95 %, two degrees: of three pairs
CPUFREQ = pathlib.Path("/sys/devices/system/cpu/cpufreq")
HAS_CPUFREQ = CPUFREQ.is_dir() and any(CPUFREQ.iterdir())
SHM = pathlib.Path("/dev/shm")


def is_tmpfs(folder):
    return any(line.split()[1:3] == [str(folder), "tmpfs"]
               for line in pathlib.Path("/proc/mounts").read_text().splitlines())


def rates(record):
    """IOPS of each repeat, from the raw loops."""
    return [loop["write"]["ios"] * 1e9 / loop["write"]["elapsed_ns"] for loop in record["loops"]]


def paired(base, changed):
    """Ratio, low and high of three pairs."""
    logs = [math.log(b / a) for a, b in zip(base, changed)]
    middle = statistics.mean(logs)
    half = STUDENT_T * statistics.stdev(logs) / math.sqrt(len(logs))
    return [math.exp(middle), math.exp(middle - half), math.exp(middle + half)]


class Doctor(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)
        if SHM.is_dir():
            self.assertEqual(harness.test_files(SHM), [])

    def doctor(self, *words):
        return harness.run("doctor", str(self.target), *SHORT, *words)

    def test_effects_are_findings_whose_figures_follow_from_the_loops(self):
        done = self.doctor("-f", "json")
        self.assert_code(done, 0)
        report = done.report
        records = {job["id"]: job for job in report["jobs"]}
        effects = [f for f in report["findings"] if f["code"] == "measured-effect"]
        compared = {(f["evidence"]["compared_with"], f["job"]) for f in effects}
        for pair in [("condition/condition=as-is", "condition/condition=cores-busy"),
                     ("mode/sync=o_sync", "mode/sync=o_dsync"),
                     ("mode/sync=o_sync", "mode/sync=fdatasync"),
                     ("block/block_size=4096", "block/block_size=131072"),
                     ("threads/threads=1", "threads/threads=16")]:
            self.assertIn(pair, compared)
        for effect in effects:
            evidence = effect["evidence"]
            expected = paired(rates(records[evidence["compared_with"]]),
                              rates(records[effect["job"]]))
            found = [evidence[name] for name in ("ratio", "ratio_low", "ratio_high")]
            for one, other in zip(found, expected):
                self.assertAlmostEqual(one / other, 1, places=4, msg=effect)
            self.assertEqual(evidence["pairs"], 3)
            self.assertEqual(effect["severity"], "note")
            certain = evidence["ratio_low"] > 1 or evidence["ratio_high"] < 1
            open_words = ("No difference", "nothing here", "the same", "takes as long as", "do as many")
            self.assertNotEqual(certain, any(w in effect["text"] for w in open_words), effect)
        self.assertIn("Measured effects", done.err)

    def test_the_floor_is_a_fact(self):
        done = self.doctor("-f", "json", "--only", "condition/condition=as-is")
        self.assert_code(done, 0)
        facts = done.report["facts"]
        if facts["floor.mean_ns"] is None:
            why = done.report["facts_unknown"]["floor.mean_ns"]
            self.assertTrue(why == "the target is RAM itself" or not is_tmpfs(SHM), why)
            return
        self.assertEqual(facts["floor.filesystem"], "tmpfs")
        self.assertEqual((facts["floor.sync"], facts["floor.block_size_bytes"]), ("o_sync", 4096))
        floor = next(f for f in done.report["findings"] if f["code"] == "host-floor")
        self.assertEqual(floor["evidence"]["floor_mean_ns"], facts["floor.mean_ns"])
        self.assertGreater(facts["floor.mean_ns"], 0)

    def test_on_stdout_it_says_all_below_the_table(self):
        done = self.doctor()
        self.assert_code(done, 0)
        for part in ["| 4K sync T1 as-is ", "| 4K T1 fdatasync ", "| 128K sync ",
                     "\nWhat sync writes depend on here:\n  governor ", "\n  floor ",
                     "\nMeasured effects (95 % intervals", "\nFindings:\n"]:
            self.assertIn(part, done.out)
        if not HAS_CPUFREQ:
            self.assertIn("\n  4K sync T1 governor-performance skipped: this machine ", done.out)

    def test_it_can_be_written_as_any_report(self):
        file = self.work / "doctor.json"
        done = self.doctor("--only", "threads/*", "-o", str(file), "-o",
                           str(self.work / "doctor.md"))
        self.assert_code(done, 0)
        texts = [f["text"] for f in json.loads(file.read_text())["findings"]
                 if f["code"] == "measured-effect"]
        self.assertEqual(len(texts), 2)
        for text in texts:
            self.assertIn(f"\n  {text}\n", done.out)
            self.assertIn(f"\n- {text}\n", (self.work / "doctor.md").read_text())

    def test_a_target_that_is_not_there_is_refused(self):
        done = harness.run("doctor", str(self.target / "missing"))
        self.assert_code(done, 4)
        self.assertEqual(done.out, "")


class Try(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def attempt(self, condition, *words):
        return harness.run("try", condition, str(self.target), *SHORT, *words)

    def test_the_gain_has_its_interval_and_the_machine_is_put_back(self):
        done = self.attempt("cores-busy")
        self.assert_code(done, 0)
        self.assertRegex(done.out, r"\ncores-busy: \d+ -> \d+ IOPS, (no difference shown "
                                   r"\(-\d\S* to \+\d\S* %, 3 pairs\)|[+-]\S+ % \(.* %\), 3 pairs)\n")
        self.assertTrue(done.out.endswith("the machine is as it was before\n"), done.out)

    def test_threads_and_block_size_can_be_chosen(self):
        done = self.attempt("cores-busy", "--threads", "2", "--block", "8k", "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual([job["label"] for job in done.report["jobs"]],
                         ["8K sync T2 condition=as-is", "8K sync T2 condition=cores-busy"])
        self.assertEqual([loop["repeat"] for loop in done.report["jobs"][1]["loops"]], [0, 1, 2])
        self.assertIn("\ncores-busy: ", done.err)

    def test_an_unknown_condition_is_a_usage_fault(self):
        done = self.attempt("cores-awoke")
        self.assert_code(done, 2)
        self.assertEqual(done.err, 'speedtest-hd: no condition to try is called "cores-awoke"; '
                                   'did you mean "cores-awake"?\n')
        done = self.attempt("as-is")
        self.assert_code(done, 2)
        self.assertEqual(done.err, 'speedtest-hd: no condition to try is called "as-is"; there are '
                                   'cores-awake, cores-busy, governor-performance\n')

    def test_a_condition_that_cannot_be_had_is_said_before_measuring(self):
        if HAS_CPUFREQ:
            self.skipTest("not run: this machine has CPU frequency control")
        done = self.attempt("governor-performance")
        self.assert_code(done, 1)
        self.assertEqual(done.out, "")
        self.assertIn("speedtest-hd: governor-performance cannot be had here: ", done.err)


if __name__ == "__main__":
    harness.main()
