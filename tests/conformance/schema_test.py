"""Records of real runs are valid by the schema that is published."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

QUICK = ("--size", "8MiB", "--runtime", "100ms", "--ramp", "0s")


def validator():
    """The program that validates, which ctest names."""
    path = os.environ.get("STHD_VALIDATE_RECORD")
    return path if path and os.access(path, os.X_OK) else None


class RealRuns(harness.TestCase):
    def setUp(self):
        super().setUp()
        if not validator():
            self.skipTest("not run: STHD_VALIDATE_RECORD must name the program validate_record")
        self.target = self.folder()

    def faults(self, *files):
        done = subprocess.run([validator(), *map(str, files)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0, done.stderr)
        return done.stderr

    def record(self, profile, *words):
        file = self.work / f"{pathlib.Path(profile).stem}.json"
        self.assert_code(harness.run("run", profile, str(self.target), "-f", f"json:{file}",
                                     *words), 0)
        return file

    def mixed(self):
        jobs = [job("mixed", op="mixed", more="queue_depth = 4\nrepeat = 2"),
                job("limited", more="ios = 100"),
                job("paced", op="read", more="rate_iops = 500")]
        return harness.profile(self.work, "mixed", runtime="100ms", jobs=jobs)

    def test_slog_cdm_and_mixed(self):
        files = [self.record("slog", *QUICK), self.record("cdm", *QUICK),
                 self.record(self.mixed())]
        self.assertEqual(self.faults(*files), "")

    def test_a_part_that_is_read_again_is_valid_too(self):
        whole = self.record("slog", *QUICK)
        text = whole.read_text()
        cut = self.work / "cut.json"
        cut.write_text(text[:text.rindex('"loops":')])
        again = self.work / "again.json"
        done = harness.run("render", str(cut), "-f", f"json:{again}")
        self.assert_code(done, 0)
        self.assertIn(" ends early: 3 of 4 jobs are in it\n", done.err)
        self.assertEqual(self.faults(again), "")

    def test_the_validator_finds_faults(self):
        file = self.record("slog", *QUICK)
        record = json.loads(file.read_text())
        del record["jobs"][0]["loops"][0]["write"]["ios"]
        file.write_text(json.dumps(record))
        self.assertIn(str(file), self.faults(file))


if __name__ == "__main__":
    harness.main()
