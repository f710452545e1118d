"""Runs outlive their end: where records are kept, whose they are, how they are named, and what a
killed run leaves."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from disks import command
from harness import job

NOBODY = 65534
NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-tiny-([0-9a-f]{8})\.json")
MOST_RUNS = 200
MOST_BYTES = 200_000_000


def drop():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class Store(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.state = self.work / "state"
        self.runs = self.state / "speedtest-hd" / "runs"
        self.profile = harness.profile(self.work, runtime="100ms", size="4MiB")

    def environment(self, **changes):
        return harness.environment(**{"XDG_STATE_HOME": str(self.state), "CI": None} | changes)

    def call(self, *words, env=None, **popen):
        return harness.run(*words, env=env or self.environment(), **popen)

    def measure(self, *words, env=None, code=0, **popen):
        done = self.call("run", self.profile, str(self.target), *words, env=env, **popen)
        self.assert_code(done, code)
        self.assert_no_leftover(self.target)
        return done

    def kept(self):
        """The names in the store, the newest last."""
        return sorted(os.listdir(self.runs)) if self.runs.is_dir() else []

    def kept_path(self):
        """The only file in the store."""
        self.assertEqual(len(self.kept()), 1)
        return self.runs / self.kept()[0]

    def only(self):
        """The only run in the store: (path, id)."""
        path = self.kept_path()
        found = NAME.fullmatch(path.name)
        self.assertTrue(found, path)
        return path, found[1]

    def copies(self, ids, hour=0):
        """More runs, older than any real one, the first id the oldest."""
        text = (self.runs / self.kept()[-1]).read_text()
        for number, id in enumerate(ids):
            name = f"2020-01-01T{hour:02}-{number // 60:02}-{number % 60:02}Z-tiny-{id}.json"
            (self.runs / name).write_text(text)


class Keeping(Store):
    def test_a_run_is_kept_as_json_shows_it_and_one_line_says_where(self):
        done = self.measure("-f", "json")
        path, id = self.only()
        self.assertEqual(path.read_text(), done.out)
        self.assertTrue(done.report["run_id"].startswith(id))
        self.assertEqual(path.name[:20].replace("-", ":"),
                         done.report["started_utc"].replace("-", ":"))
        self.assertEqual([line for line in done.err.splitlines() if str(self.state) in line],
                         [f"kept      {path}"])

    def test_only_its_owner_can_read_it(self):
        os.umask(0)
        self.addCleanup(os.umask, 0o022)
        self.measure()
        path, _ = self.only()
        self.assertEqual(mode_of(path), 0o600)
        for folder in (self.runs, self.runs.parent, self.state):
            self.assertEqual(mode_of(folder), 0o700)
        os.chmod(self.runs, 0o755)
        self.measure()
        self.assertEqual(mode_of(self.runs), 0o700)

    def test_quiet_keeps_it_without_a_word(self):
        done = self.measure("-q")
        self.assertEqual(done.err, "")
        self.only()

    def test_other_commands_that_measure_keep_their_runs_too(self):
        quick = ["--runtime", "50ms", "--ramp", "0s", "--size", "4MiB"]
        self.assert_code(self.call(str(self.target), "--slog", *quick), 0)
        done = self.call("try", "cores-busy", str(self.target), *quick, "--repeat", "2")
        if "cannot be had here" in done.err:  # a single CPU
            self.assertEqual(len(self.kept()), 1)
        else:
            self.assertEqual(len(self.kept()), 2)
        self.call("plan", "slog", str(self.target))
        self.call("run", "slog", str(self.work / "missing"))
        self.assertLessEqual(len(self.kept()), 2)

    def test_off_by_an_option_and_where_ci_is_set(self):
        for words, env in ((["--no-save"], {}), ([], {"CI": "true"})):
            with self.subTest(words=words, env=env):
                done = self.measure(*words, env=self.environment(**env))
                self.assertFalse(self.state.exists())
                self.assertNotIn("kept", done.err)
        self.measure(env=self.environment(CI=""))
        self.only()

    def test_without_xdg_state_home_it_is_in_the_home(self):
        home = self.folder("home")
        for xdg in (None, "relative/path", ""):
            self.measure(env=self.environment(XDG_STATE_HOME=xdg, HOME=str(home)))
        self.assertEqual(len(os.listdir(home / ".local/state/speedtest-hd/runs")), 3)


class NotKept(Store):
    """A store that cannot be written costs a sentence, and not the exit code."""

    def warning(self, done):
        found = [line for line in done.err.splitlines() if line.startswith("warning: this run ")]
        self.assertEqual(len(found), 1, str(done))
        self.assertIn("MB/s", done.out)
        return found[0]

    def test_no_home(self):
        warned = self.warning(self.measure(env=self.environment(XDG_STATE_HOME=None, HOME=None)))
        self.assertEqual(warned, "warning: this run is not kept: there is no home folder; set HOME "
                                 "or XDG_STATE_HOME; --no-save leaves that out")

    def test_a_home_that_is_not_there_is_not_made(self):
        home = self.work / "home"
        warned = self.warning(self.measure(env=self.environment(XDG_STATE_HOME=None,
                                                                HOME=str(home))))
        self.assertIn(f"cannot open {home}/.local/state/speedtest-hd/runs: No such file or "
                      "directory (ENOENT)", warned)
        self.assertFalse(home.exists())

    def test_a_file_in_the_place_of_the_folder(self):
        self.state.write_text("")
        self.assertIn("Not a directory (ENOTDIR)", self.warning(self.measure()))

    def test_a_link_in_the_place_of_our_folders_is_not_followed(self):
        for name in ("speedtest-hd", "speedtest-hd/runs"):
            with self.subTest(name=name):
                shutil.rmtree(self.state, ignore_errors=True)
                elsewhere = self.work / "elsewhere"
                elsewhere.mkdir(exist_ok=True)
                link = self.state / name
                link.parent.mkdir(parents=True)
                link.symlink_to(elsewhere)
                self.warning(self.measure())
                self.assertEqual(os.listdir(elsewhere), [])

    @harness.needs_root
    def test_a_read_only_filesystem(self):
        self.state = self.tmpfs("1m", "state")
        command("mount", "-o", "remount,ro", self.state)
        warned = self.warning(self.measure())
        self.assertIn("Read-only file system (EROFS)", warned)

    @harness.needs_root
    def test_a_folder_of_somebody_else(self):
        self.runs.mkdir(parents=True)
        os.chown(self.runs, NOBODY, NOBODY)
        self.assertIn(f"{self.runs} belongs to user {NOBODY}, not to user 0",
                      self.warning(self.measure()))
        self.assertEqual(self.kept(), [])

    @harness.needs_root
    def test_a_full_filesystem(self):
        self.state = self.tmpfs("4k", "state")
        self.runs = self.state / "speedtest-hd" / "runs"
        warned = self.warning(self.measure())
        self.assertIn("No space left on device (ENOSPC)", warned)
        self.assertEqual(self.kept(), [])

    @harness.needs_root
    def test_a_filesystem_that_is_full_before_the_end_has_the_finished_rows(self):
        self.measure()
        size = os.path.getsize(self.only()[0])
        self.state = self.tmpfs(f"{size // 1024 + 8}k", "small")  # but not journal and record
        self.runs = self.state / "speedtest-hd" / "runs"
        warned = self.warning(self.measure())
        part = self.kept_path()
        self.assertEqual(part.suffix, ".part")
        self.assertEqual(warned, f"warning: this run is not kept whole: cannot write "
                                 f"{str(part).removesuffix('.part')}: No space left on device "
                                 f"(ENOSPC); 2 finished rows are in {part}")
        done = self.call("render", "@-1", "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual([j["status"] for j in done.report["jobs"]], ["ok", "ok"])


class Killed(Store):
    """SIGKILL of the runner: what is left is a journal with every finished row."""

    def setUp(self):
        super().setUp()
        # The last row takes longer than the test.
        jobs = [job("first"), job("second", op="read"), job("last", more='runtime = "60s"')]
        self.profile = harness.profile(self.work, runtime="100ms", size="4MiB", jobs=jobs)

    def rows(self):
        """Finished rows in the journal."""
        if not self.kept():
            return 0
        return sum(line.startswith('{"id":') for line in self.kept_path().read_text().splitlines())

    def begin(self):
        started = self.start("run", self.profile, str(self.target), env=self.environment())
        self.assertTrue(harness.eventually(lambda: self.rows() == 2, 30), self.kept())
        return started

    def test_every_finished_row_can_be_read(self):
        started = self.begin()
        history = self.call("history")
        self.assertRegex(history.out, r"(?m)^@-1 .*  2 of 3, running  first: MB/s ")
        started.signal(signal.SIGKILL)
        self.assertEqual(started.wait(), 128 + signal.SIGKILL)
        part = self.kept_path()
        self.assertEqual(part.suffix, ".part")
        self.assertEqual(mode_of(part), 0o600)
        history = self.call("history")
        self.assertRegex(history.out, r"(?m)^@-1 .*  2 of 3, cut off  first: MB/s ")
        for word in ("@-1", str(part)):
            done = self.call("render", word, "-f", "json")
            self.assert_code(done, 0)
            self.assertEqual(done.err, f"note: {word} ends early: 2 of 3 jobs are in it\n")
            self.assertEqual([(j["id"], j["status"]) for j in done.report["jobs"]],
                             [("first", "ok"), ("second", "ok")])
            self.assertEqual([j["id"] for j in done.report["plan"]["jobs"]],
                             ["first", "second", "last"])
            self.assertIn("run-too-short", {f["code"] for f in done.report["findings"]})
        done = self.call("analyze", "@-1")
        self.assert_code(done, 0)
        self.assertIn("note: @-1 ends early: 2 of 3 jobs are in it\n", done.err)
        # It does not hinder the next run, and what was read of it is a record like any other.
        again = self.work / "again.json"
        self.assert_code(self.call("render", "@-1", "-f", f"json:{again}"), 0)
        done = self.call("render", str(again))
        self.assertEqual(done.err, "")
        self.assertEqual(done.out, self.call("render", str(part)).out)

    def test_a_journal_cut_anywhere_is_read_or_refused_in_a_sentence(self):
        started = self.begin()
        started.signal(signal.SIGKILL)
        started.wait()
        text = self.kept_path().read_bytes()
        cut = self.work / "cut.json"
        ends = [0, len(text)]
        for length in [*range(1, len(text), len(text) // 40), len(text) - 1, len(text)]:
            cut.write_bytes(text[:length])
            done = self.call("render", str(cut), "-f", "json")
            self.assertIn(done.code, (0, 2), str(done))
            ends.append(done.code)
            self.assertEqual(len(done.err.splitlines()), 1, str(done))
            if done.code == 0:
                self.assertIn(" ends early: ", done.err)
                json.loads(done.out)
        self.assertIn(2, ends[2:])
        self.assertIn(0, ends[2:])

    def test_an_interrupted_run_is_whole(self):
        started = self.begin()
        started.signal(signal.SIGINT)
        self.assertEqual(started.wait(), 128 + signal.SIGINT)
        path = self.kept_path()
        self.assertEqual(path.suffix, ".json")
        self.assertEqual([j["status"] for j in json.loads(path.read_text())["jobs"]],
                         ["ok", "ok", "interrupted"])
        self.assertRegex(self.call("history").out, r"(?m)^@-1 .*  2 of 3 +first: MB/s ")


class Naming(Store):
    def test_a_run_is_named_by_index_id_prefix_or_name(self):
        self.measure()
        first, first_id = self.only()
        table = self.call("render", str(first)).out
        self.measure("--only", "read")
        newest = next(self.runs / n for n in self.kept() if n != first.name)
        for word in ("@-2", first_id, first_id[:7], first.stem,
                     json.loads(first.read_text())["run_id"]):
            with self.subTest(word=word):
                done = self.call("render", word)
                self.assert_code(done, 0)
                self.assertEqual((done.out, done.err), (table, ""))
        done = self.call("render", "@-1", "@-2", "-f", "csv")
        self.assertEqual(done.out, "".join(
            self.call("render", str(p), "-f", "csv").out for p in (newest, first)))
        done = self.call("analyze", "@-2", "-f", "json")
        self.assertEqual(done.out, first.read_text())

    def test_a_file_of_that_name_comes_first(self):
        self.measure()
        path, id = self.only()
        other = self.folder("elsewhere")
        (other / id).write_text("{}")
        (other / "@-1").write_text("{}")
        self.assert_code(self.call("render", id, cwd=other), 2)
        self.assert_code(self.call("render", "./@-1", cwd=other), 2)
        self.assert_code(self.call("render", "@-1", cwd=other), 0)

    def test_what_names_no_run_exits_2_and_says_why(self):
        self.assert_refused("@-1", "@-1 names no run: none is kept yet")
        self.measure()
        self.copies(["abcdef01", "abcdef02"])
        for word, sentence in (
                ("@-4", "@-4 names no run: 3 runs are kept; `speedtest-hd history` lists them"),
                ("@-0", "@-0 names no run: @-1 is the newest, @-2 the one before it"),
                ("@1", "@1 names no run: @-1 is the newest, @-2 the one before it"),
                ("@-1x", "@-1x names no run: @-1 is the newest, @-2 the one before it"),
                ("abcdef0", "abcdef0 begins the id of 2 kept runs (abcdef02, abcdef01): give more "
                            "of it, or @-N"),
                ("abcdef03", "there is neither a file nor a kept run called abcdef03; "
                             "`speedtest-hd history` lists the runs"),
                ("nothing.json", "cannot read nothing.json: No such file or directory (ENOENT)")):
            self.assert_refused(word, sentence)

    def assert_refused(self, word, sentence):
        for name in ("render", "analyze"):
            with self.subTest(word=word, command=name):
                done = self.call(name, word)
                self.assert_code(done, 2)
                self.assertEqual((done.out, done.err), ("", f"speedtest-hd: {sentence}\n"))

    def test_a_kept_run_that_is_no_record_is_refused(self):
        self.measure()
        self.copies(["00000001"])
        (self.runs / self.kept()[0]).write_text("{}")
        done = self.call("render", "@-2")
        self.assert_code(done, 2)
        self.assertIn("@-2: the record cannot be read: schema is missing", done.err)
        self.assertRegex(self.call("history").out,
                         r"(?m)^@-2  00000001  2020-01-01 00:00:00 +the record cannot be read: "
                         r"schema is missing$")


class History(Store):
    def test_the_newest_comes_first(self):
        done = self.call("history")
        self.assert_code(done, 0)
        self.assertEqual(done.out, f"no run is kept in {self.runs}\n")
        self.measure()
        first, id = self.only()
        self.measure("--only", "read")
        done = self.call("history")
        self.assert_code(done, 0)
        lines = done.out.splitlines()
        self.assertEqual(lines[0].split("  ")[0], "Run")
        self.assertEqual([line[:4] for line in lines[1:]], ["@-1 ", "@-2 "])
        record = json.loads(first.read_text())
        self.assertEqual(lines[2].split()[1], id)
        self.assertRegex(lines[2], re.escape(record["started_utc"].replace("T", " ")[:-1])
                         + rf"  tiny +{re.escape(str(self.target))}  2 of 2 +write: MB/s [\d.]+$")
        self.assertRegex(lines[1], r"  1 of 1 +read: MB/s [\d.]+$")
        self.assertRegex(done.err, rf"^2 runs, [\d.]+ KiB, in {re.escape(str(self.runs))}\n$")
        self.assertEqual(self.call("history", "-q").err, "")

    def test_twenty_are_shown_and_all_on_request(self):
        self.measure()
        self.copies([f"{n:08x}" for n in range(30)])
        done = self.call("history")
        self.assertEqual(len(done.out.splitlines()), 21)
        self.assertIn("; --all shows the other 11\n", done.err)
        done = self.call("history", "--all")
        lines = done.out.splitlines()
        self.assertEqual(len(lines), 32)
        self.assertTrue(lines[-1].startswith("@-31"))
        self.assertNotIn("--all", done.err)

    def test_what_is_not_ours_is_not_looked_at(self):
        self.measure()
        path, _ = self.only()
        for name in ("notes.json", "2020-01-01T00-00-00Z-tiny-0000000g.json", path.name + ".bak",
                     "2020-01-01T00-00-00Z-0000000a.json", "x" + path.name):
            (self.runs / name).write_text("{}")
        (self.runs / "2020-01-01T00-00-00Z-tiny-00000001.json").mkdir()
        (self.runs / "2020-01-01T00-00-00Z-tiny-00000002.json").symlink_to(path)
        os.mkfifo(self.runs / "2020-01-01T00-00-00Z-tiny-00000003.json")
        self.assertEqual(len(self.call("history").out.splitlines()), 2)

    def test_no_home_exits_2(self):
        done = self.call("history", env=self.environment(XDG_STATE_HOME=None, HOME=None))
        self.assert_code(done, 2)
        self.assertEqual(done.err, "speedtest-hd: there is no home folder; set HOME or "
                                   "XDG_STATE_HOME\n")

    def test_a_full_stdout_exits_5(self):
        self.measure()
        with open("/dev/full", "wb") as full:
            self.assert_code(self.call("history", stdout=full), 5)


class Pruning(Store):
    def test_the_oldest_make_room(self):
        self.measure()
        self.copies([f"{n:08x}" for n in range(MOST_RUNS + 2)])
        others = ["notes.json", "2019-01-01T00-00-00Z-tiny-0000000g.json"]
        for name in others:
            (self.runs / name).write_text("mine")
        self.measure()
        names = [n for n in self.kept() if n not in others]
        self.assertEqual(len(names), MOST_RUNS)
        self.assertTrue(all((self.runs / n).exists() for n in others))
        self.assertEqual(names[0].rsplit("-", 1)[1], "00000004.json")

    def test_bytes_are_counted_too(self):
        self.measure()
        self.copies([f"{n:08x}" for n in range(3)])
        names = self.kept()
        for name in names[:3]:
            os.truncate(self.runs / name, MOST_BYTES // 3)  # sparse
        self.measure()
        self.assertEqual(self.kept()[:2], names[1:3])

    def test_the_newest_is_kept_however_large_the_others_are(self):
        self.measure()
        first, _ = self.only()
        os.truncate(first, MOST_BYTES + 1)
        self.measure()
        self.assertFalse(first.exists())
        self.assertEqual(len(self.kept()), 1)

    def test_one_that_is_being_written_stays(self):
        self.measure()
        self.copies([f"{n:08x}" for n in range(MOST_RUNS + 2)])
        running, cut = (self.runs / n for n in self.kept()[:2])
        for path in (running, cut):
            path.rename(str(path) + ".part")
        with open(str(running) + ".part", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.measure()
            self.assertTrue(os.path.exists(str(running) + ".part"))
            self.assertFalse(os.path.exists(str(cut) + ".part"))
        self.measure()
        self.assertFalse(os.path.exists(str(running) + ".part"))

    def test_what_a_killed_end_left_is_removed(self):
        self.measure()
        path, _ = self.only()
        for end in (".part", ".tmp"):
            shutil.copy(path, str(path) + end)
        self.assertEqual(len(self.call("history").out.splitlines()), 2)
        self.measure()
        self.assertEqual(len(self.kept()), 2)


class UnderSudo(Store):
    """Root on behalf of a user: what sudo sets, and a user of the machine's list with a home."""

    def setUp(self):
        super().setUp()
        if not harness.CAN_MOUNT:
            self.skipTest("not run: needs root")
        os.chmod(self.work, 0o755)
        self.home = self.folder("home")
        os.chown(self.home, NOBODY, NOBODY)
        users = self.work / "passwd"
        lines = pathlib.Path("/etc/passwd").read_text().splitlines()
        lines = [line for line in lines if line.split(":")[2] != str(NOBODY)]
        lines.append(f"nobody:x:{NOBODY}:{NOBODY}::{self.home}:/bin/sh")
        users.write_text("\n".join(lines) + "\n")
        command("mount", "--bind", users, "/etc/passwd")
        self.addCleanup(command, "umount", "-l", "/etc/passwd")
        self.runs = self.home / ".local/state/speedtest-hd/runs"

    def environment(self, **changes):
        return super().environment(**{"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY),
                                      "SUDO_USER": "nobody"} | changes)

    def test_all_belongs_to_the_invoking_user(self):
        done = self.measure()
        path, _ = self.only()
        self.assertIn(f"kept      {path}\n", done.err)
        self.assertFalse(self.state.exists())  # the environment may be root's
        while path != self.home:
            facts = os.lstat(path)
            self.assertEqual((facts.st_uid, facts.st_gid), (NOBODY, NOBODY), path)
            self.assertEqual(mode_of(path), 0o600 if path.is_file() else 0o700, path)
            path = path.parent
        self.assertRegex(self.call("history").out, r"(?m)^@-1 .*  2 of 2 +write: MB/s ")
        self.assert_code(self.call("render", "@-1"), 0)

    def test_the_user_sees_it_as_his_own(self):
        for path in (self.work, pathlib.Path(harness.binary())):
            with contextlib.suppress(PermissionError):
                if not self.reaches(path):
                    self.skipTest(f"not run: nobody cannot reach {path}")
        self.measure()
        env = harness.environment(XDG_STATE_HOME=None, HOME=str(self.home))
        done = self.call("history", env=env, preexec_fn=drop, cwd="/")
        self.assertRegex(done.out, r"(?m)^@-1 .*  2 of 2 +write: MB/s ")

    @staticmethod
    def reaches(path):
        pid = os.fork()
        if pid == 0:
            drop()
            os._exit(0 if os.access(path, os.X_OK) else 1)
        return os.waitpid(pid, 0)[1] == 0

    def test_his_links_lead_root_nowhere(self):
        secret = self.folder("secret")  # root's alone
        os.chmod(secret, 0o700)
        for name in (".local", ".local/state", ".local/state/speedtest-hd",
                     ".local/state/speedtest-hd/runs"):
            with self.subTest(name=name):
                shutil.rmtree(self.home / ".local", ignore_errors=True)
                with contextlib.suppress(OSError):
                    os.unlink(self.home / ".local")
                link = self.home / name
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(secret)
                done = self.measure()
                self.assertIn("warning: this run is not kept: cannot open ", done.err)
                self.assertEqual(os.listdir(secret), [])

    def test_a_sudo_uid_that_is_no_user_is_not_believed(self):
        for uid in ("", "nobody", "-1", "4294967295", "65534 ", "4242424"):
            with self.subTest(uid=uid):
                shutil.rmtree(self.state, ignore_errors=True)
                self.measure(env=self.environment(SUDO_UID=uid))
                kept = list((self.state / "speedtest-hd/runs").iterdir())
                self.assertEqual([os.lstat(p).st_uid for p in kept], [0])


if __name__ == "__main__":
    harness.main()
