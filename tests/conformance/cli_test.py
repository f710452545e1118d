"""Commands, forms and exit codes of the command line."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

QUICK = ["--size", "4m", "--runtime", "100ms", "--ramp", "0s"]


class Commands(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def test_run_measures(self):
        done = harness.run("run", harness.profile(self.work), str(self.target), "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual([j["status"] for j in done.report["jobs"]], ["ok", "ok"])
        for record in done.report["jobs"]:
            figures = record["derived"][record["op"]]
            self.assertGreater(figures["iops"], 0)
            self.assertAlmostEqual(figures["bw_bytes_per_s"] / (figures["iops"] * 4096), 1, 3)

    def test_plan_measures_nothing_and_leaves_nothing(self):
        done = harness.run("plan", harness.profile(self.work, size="1GiB", runtime="10s"),
                           str(self.target))
        self.assert_code(done, 0)
        self.assertLess(done.seconds, 5)
        self.assertRegex(done.out, r"(?m)^write +write +10s +\w+ by native-\w+; ")
        self.assertRegex(done.out, r"(?m)^read +read +10s +\w+ by native-\w+; ")
        self.assertIn("1.00 GiB test file", done.out)
        self.assertIn("io_uring by native-uring", done.out)

    def test_check_names_the_jobs(self):
        done = harness.run("check", harness.profile(self.work))
        self.assert_code(done, 0)
        self.assertEqual(done.out, "tiny: 2 jobs\nwrite  write\nread  read\n")

    def test_check_reports_every_fault_with_its_place(self):
        path = harness.profile(self.work, defaults='thread = 4\nsyncs = "none"')
        done = harness.run("check", path)
        self.assert_code(done, 2)
        self.assertIn(f'{path}:11:1: unknown key "thread"', done.err)
        self.assertIn(f'{path}:12:1: unknown key "syncs"', done.err)
        self.assertIn('did you mean "threads"?', done.err)

    def test_list_names_profiles_backends_and_formats(self):
        done = harness.run("list")
        self.assert_code(done, 0)
        for name in ("slog", "cdm", "native-psync", "native-aio", "fio-exec", "dd", "ascii", "csv",
                     "json", "markdown"):
            self.assertRegex(done.out, rf"(?m)^  {name} +\S")
        self.assertNotIn("Refused", done.out)

    def test_list_verbose_says_why_a_plugin_was_refused(self):
        folder = self.folder("plugins")
        (folder / "broken.so").write_bytes(b"\x7fELF but not really")
        folder.chmod(0o755)
        (folder / "broken.so").chmod(0o644)
        done = harness.run("list", "--plugin-dir", str(folder))
        self.assert_code(done, 0)
        self.assertIn("1 plugin was refused; `speedtest-hd list -v` says why\n", done.out)
        done = harness.run("list", "-v", "--plugin-dir", str(folder))
        self.assert_code(done, 0)
        self.assertRegex(done.out, rf"(?m)^Refused: .*{folder}/broken\.so")

    def test_cleanup_of_a_clean_folder(self):
        done = harness.run("cleanup", str(self.target))
        self.assert_code(done, 0)
        self.assertEqual(done.out, f"nothing was left in {self.target}\n")

    def test_help_and_version_go_to_stdout(self):
        for words in (["--help"], ["-h"], ["--version"], *([c, "--help"] for c in (
                "run", "plan", "check", "list", "cleanup"))):
            with self.subTest(words=words):
                done = harness.run(*words)
                self.assert_code(done, 0)
                self.assertTrue(done.out)
                self.assertEqual(done.err, "")

    def test_usage_faults_exit_2_with_one_sentence(self):
        profile = harness.profile(self.work)
        target = str(self.target)
        for words in ([], ["run"], ["run", profile], ["run", profile, target, "more"],
                      ["run", profile, target, "--nonsense"], ["run", profile, target, "--size"],
                      ["run", profile, target, "-f", "json", "-f", "csv"],
                      ["run", profile, target, "-f", "nosuch"],
                      ["run", profile, target, "-o", "report.nosuch"],
                      ["run", profile, target, "--direct", "--buffered"],
                      ["run", profile, target, "--set", "nosuch=1"],
                      ["run", profile, target, "--runtime", "-1"],
                      ["run", profile, target, "--only", "nosuch*"],
                      ["run", "nosuch-profile", target], ["run", "./nosuch.toml", target],
                      [target, "--fio", "--dd"]):
            with self.subTest(words=words):
                done = harness.run(*words)
                self.assert_code(done, 2)
                self.assertEqual(done.out, "")
                self.assertIn("speedtest-hd: ", done.err)

    def test_a_failed_job_exits_1_and_the_others_are_measured(self):
        jobs = [job("impossible", more='backend = ["dd"]\nengine = ["dd"]'), job("fine")]
        done = harness.run("run", harness.profile(self.work, jobs=jobs), str(self.target), "-f",
                           "json")
        self.assert_code(done, 1)
        skipped = self.record(done, "impossible")
        self.assertEqual(skipped["status"], "skipped")
        self.assertIn("dd does sequential I/O only", skipped["reason"])
        self.assertEqual(self.record(done, "fine")["status"], "ok")

    def test_an_engine_that_nobody_knows_exits_2(self):
        done = harness.run("run", harness.profile(self.work), str(self.target), "--engine", "nope")
        self.assert_code(done, 2)
        self.assertIn('engine must be one of "io_uring", "libaio", "psync", "sync", "posixaio", '
                      '"dd", not "nope"', done.err)

    def test_a_named_engine_that_its_backend_lacks_is_skipped_and_exits_1(self):
        done = harness.run("run", harness.profile(self.work), str(self.target), "--engine",
                           "nosuch", "--backend", "native-psync", "-f", "json")
        self.assert_code(done, 1)
        self.assertEqual({j["status"] for j in done.report["jobs"]}, {"skipped"})

    def test_overrides_are_obeyed_and_recorded(self):
        done = harness.run("run", harness.profile(self.work), str(self.target), "-f", "json",
                           "--set", "threads=2", "--size", "6m", "--loops", "2", "--only", "wr*",
                           "--engine=sync", "--buffered", "--runtime=0.1")
        self.assert_code(done, 0)
        [record] = done.report["jobs"]
        self.assertEqual(record["id"].split("/")[0], "write")
        work = record["workload"]
        self.assertEqual((work["threads"], work["size_bytes"], work["loops"], work["direct"],
                          work["runtime_ns"]), (2, 6 << 20, 2, "off", 100_000_000))
        self.assertEqual(record["resolution"]["engine"], "psync")
        self.assertEqual(len(record["loops"]), 2)
        overrides = done.report["profile"]["overrides"]
        for text in ("threads=2", "size=6m", "loops=2", "engine=sync", "direct=off"):
            self.assertIn(text, overrides)


class OriginalForms(harness.TestCase):
    """speedtest-hd PATH [--fio|--dd|--slog] [options], with a space or `=`."""

    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def run_json(self, *words, code=0, **kwargs):
        done = harness.run(str(self.target), *words, "-f", "json", **kwargs)
        self.assert_code(done, code)
        self.assert_no_leftover(self.target)
        return done.report

    def backends(self, report):
        return {j["resolution"]["backend"] for j in report["jobs"]}

    def test_a_plain_path_runs_cdm(self):
        report = self.run_json(*QUICK)
        self.assertEqual(report["profile"]["name"], "cdm")
        self.assertEqual(list(dict.fromkeys(j["label"] for j in report["jobs"])),
                         ["SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1", "RND4K Q32T16"])
        self.assertLessEqual(self.backends(report), {"native-uring", "native-psync", "native-aio"})

    def test_slog(self):
        report = self.run_json("--slog", *QUICK)
        self.assertEqual(report["profile"]["name"], "slog")
        self.assertEqual([j["label"] for j in report["jobs"]],
                         [f"4K sync T{t}" for t in (1, 4, 8, 16)])
        self.assertEqual(self.backends(report), {"native-psync"})

    @harness.needs("fio")
    def test_fio_means_cdm_by_fio_alone(self):
        report = self.run_json("--fio", "--size=4m", "--runtime=1", "--set", "ramp=0s")
        self.assertEqual(report["profile"]["name"], "cdm")
        self.assertEqual(self.backends(report), {"fio-exec"})

    def test_dd(self):
        report = self.run_json("--dd", "--size=16m", "--runtime=0.2")
        self.assertEqual(report["profile"]["name"], "dd")
        self.assertEqual(self.backends(report), {"dd"})

    def test_options_take_a_space_or_an_equals_sign(self):
        only = ["--only", "SEQ1M Q1T1"]
        for words in (["--engine=sync", "--runtime=0.1", "--size=4m", "--buffered"],
                      ["--engine", "sync", "--runtime", "0.1", "--size", "4m", "--buffered"]):
            with self.subTest(words=words):
                report = self.run_json(*words, "--set", "ramp=0s", *only)
                for record in report["jobs"]:
                    self.assertEqual(record["resolution"]["engine"], "psync")
                    self.assertFalse(record["resolution"]["direct_effective"])
                    self.assertEqual(record["workload"]["size_bytes"], 4 << 20)

    def test_options_may_stand_before_the_path(self):
        done = harness.run("--slog", *QUICK, "--only", "4K sync T1", str(self.target))
        self.assert_code(done, 0)
        self.assertIn("4K sync T1", done.out)

    @harness.needs("fio")
    def test_engines_that_no_native_backend_offers_go_to_fio(self):
        report = self.run_json("--engine=posixaio", "--size=4m", "--runtime=1", "--only",
                               "SEQ1M Q1T1")
        self.assertEqual(self.backends(report), {"fio-exec"})

    def test_a_directory_called_like_a_command_is_reached_by_its_path(self):
        self.target = self.folder("list")
        done = harness.run("./list", "--slog", *QUICK, "--only", "4K sync T1", cwd=self.work)
        self.assert_code(done, 0)
        self.assertIn("4K sync T1", done.out)

    def test_verbose_adds_to_stderr_and_leaves_the_table(self):
        words = ["--slog", *QUICK, "--only", "4K sync T1"]
        plain = harness.run(str(self.target), *words)
        verbose = harness.run(str(self.target), *words, "--verbose")
        self.assert_code(verbose, 0)
        # What stands below the grid is about the figures, and these differ from run to run.
        grids = [[line.split("|")[1] if line[:6] == "| 4K s" else line
                  for line in d.out.splitlines() if line.startswith(("+-", "|"))]
                 for d in (plain, verbose)]
        self.assertEqual(len(grids[0]), 5, plain.out)
        self.assertEqual(grids[0], grids[1])
        for text in ("percentiles (us): ", "lat  (us): min=", "cpu: usr=", "fio: fio "):
            self.assertIn(text, verbose.err)
            self.assertNotIn(text, plain.err)

    @harness.needs("fio")
    def test_verbose_shows_the_words_of_fio(self):
        done = harness.run(str(self.target), "--fio", "--verbose", "--size=4m", "--runtime=1",
                           "--only", "SEQ1M Q1T1", "--set", "ramp=0s")
        self.assert_code(done, 0)
        self.assertRegex(done.err, r"Run status group|clat percentiles|IOPS=")


class Programs(harness.TestCase):
    """What happens without fio."""

    def without(self, name):
        """An environment in whose PATH there is everything but `name`."""
        folder = self.folder("path")
        for directory in os.environ["PATH"].split(":"):
            readable = directory and os.access(directory, os.R_OK | os.X_OK)
            for entry in pathlib.Path(directory).glob("*") if readable else ():
                if entry.name != name and not (folder / entry.name).is_symlink():
                    (folder / entry.name).symlink_to(entry)
        self.assertIsNone(shutil.which(name, path=str(folder)))
        return harness.environment(PATH=str(folder))

    def test_without_fio_a_plain_run_works(self):
        done = harness.run(str(self.folder()), *QUICK, "-f", "json", env=self.without("fio"))
        self.assert_code(done, 0)
        self.assertEqual({j["status"] for j in done.report["jobs"]}, {"ok"})

    def test_without_fio_fio_fails_clearly(self):
        target = self.folder()
        done = harness.run(str(target), "--fio", *QUICK, env=self.without("fio"))
        self.assert_code(done, 1)
        self.assertRegex(done.out + done.err, r"fio.*(not found|no fio|not installed)")
        self.assert_no_leftover(target)


class OtherUsers(harness.TestCase):
    @harness.needs_root
    @harness.needs("setpriv")
    def test_an_installation_works_for_a_user_without_rights(self):
        public = pathlib.Path(tempfile.mkdtemp(prefix="sthd-test-"))  # a clone may lie where others cannot go
        self.addCleanup(shutil.rmtree, public)
        public.chmod(0o755)
        prefix = public / "prefix"
        installed = pathlib.Path(harness.binary()).resolve().parent.parent
        for part in ("bin", "lib", "share"):
            shutil.copytree(installed / part, prefix / part)
        subprocess.run(["chmod", "-R", "go-w,a+rX", prefix], check=True)
        target = public / "target"
        target.mkdir()
        os.chown(target, 65534, 65534)
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
             prefix / "bin/speedtest-hd", target, "--slog", *QUICK, "-f", "json"],
            capture_output=True, text=True, check=False, cwd="/", env=harness.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({j["status"] for j in json.loads(done.stdout)["jobs"]}, {"ok"})
        self.assert_no_leftover(target)


if __name__ == "__main__":
    harness.main()
