"""Whatever kills a run, nothing is left: no process, no file, no byte of the filesystem.

STHD_MOMENTS=30 takes more moments of a run than the few of an ordinary test.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job

MOMENTS = int(os.environ.get("STHD_MOMENTS", "4"))
SECONDS_TO_CLEAN = 3.0
ATTRIBUTE = "user.speedtest-hd.run"


def unlocked(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(fd)


class OnAPrivateDisk(harness.TestCase):
    """An ext4 of its own; the profile has every kind of job: native, by fio and by dd."""

    def setUp(self):
        super().setUp()
        self.target, _ = self.filesystem("ext4", 256 << 20)
        jobs = [job("sync", more='sync = "o_sync"\nengine = ["psync"]'),
                job("deep", op="read", more='queue_depth = 4\ncache = "cold"'),
                job("buffered", pattern="sequential", block_size="1MiB", more='direct = "off"'),
                job("fio", more='backend = ["fio-exec"]\nengine = ["psync"]'),
                job("dd", pattern="sequential", block_size="1MiB",
                    more='backend = ["dd"]\nengine = ["dd"]')]
        self.profile = harness.profile(self.work, size="64MiB", runtime="250ms", ramp="50ms",
                                       jobs=jobs)
        self.free = harness.free_bytes(self.target)
        self.temporary = self.folder("tmp")

    def run_it(self, **popen):
        return self.start("run", self.profile, str(self.target),
                          env=harness.environment(TMPDIR=str(self.temporary)), **popen)

    def duration(self):
        """Of a whole run, which must end well."""
        done = harness.run("run", self.profile, str(self.target))
        self.assert_code(done, 0)
        return done.seconds

    def moments(self):
        whole = self.duration()
        return [whole * (i + 0.5) / MOMENTS for i in range(MOMENTS)]


class Kill(OnAPrivateDisk):
    """One process of a run is ended."""

    def assert_clean(self, started, killed_at):
        """Nothing is left `SECONDS_TO_CLEAN` after the signal."""
        def left():
            return {"processes": {**started.processes(), **harness.users_of(self.target)},
                    "files": os.listdir(self.target),
                    "lost bytes": self.free - harness.free_bytes(self.target),
                    "scratch": os.listdir(self.temporary)}
        remaining = killed_at + SECONDS_TO_CLEAN - time.monotonic()
        harness.eventually(lambda: not any(left().values()), remaining)
        self.assertFalse(any(left().values()), left())

    def sweep(self, expected_code, kill):
        for moment in self.moments():
            with self.subTest(moment=f"{moment:.3f} s"):
                started = self.run_it()
                time.sleep(moment)
                ended_before = started.process.poll() is not None
                killed_at = time.monotonic()
                kill(started)
                code = started.wait(SECONDS_TO_CLEAN)
                self.assertEqual(code, 0 if ended_before else expected_code)
                self.assert_clean(started, killed_at)

    def test_sigkill_of_the_runner(self):
        self.sweep(128 + signal.SIGKILL, lambda run: run.signal(signal.SIGKILL))

    def test_sigterm(self):
        self.sweep(128 + signal.SIGTERM, lambda run: run.signal(signal.SIGTERM))

    def test_sighup(self):
        self.sweep(128 + signal.SIGHUP, lambda run: run.signal(signal.SIGHUP))

    def test_two_sigints(self):
        def twice(run):
            run.signal(signal.SIGINT)
            time.sleep(0.01)
            run.signal(signal.SIGINT)
        self.sweep(128 + signal.SIGINT, twice)

    def test_ctrl_c_reaches_only_the_runner(self):
        """A terminal signals the whole foreground group; the keeper is in a session of its own."""
        started = self.run_it(start_new_session=True)
        self.assertTrue(harness.eventually(started.jobs, 20))
        killed_at = time.monotonic()
        os.killpg(started.process.pid, signal.SIGINT)
        self.assertEqual(started.wait(SECONDS_TO_CLEAN), 128 + signal.SIGINT)
        self.assert_clean(started, killed_at)

    def test_under_nohup_a_hangup_is_ignored(self):
        started = self.run_it(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertTrue(harness.eventually(started.jobs, 20))
        started.signal(signal.SIGHUP)
        self.assertEqual(started.wait(), 0)
        self.assertEqual(os.listdir(self.target), [])

    def test_sigkill_of_the_keeper_ends_the_run(self):
        started = self.run_it()
        self.assertTrue(harness.eventually(lambda: harness.test_files(self.target), 20))
        os.kill(started.keeper(), signal.SIGKILL)
        self.assertEqual(started.wait(SECONDS_TO_CLEAN), 1)
        self.assertTrue(harness.eventually(lambda: not started.processes(), SECONDS_TO_CLEAN))


class Leftover(OnAPrivateDisk):
    """SIGKILL of runner and keeper together is what a power cut looks like."""

    def leave_a_file(self, moment):
        """The test file's name, or nothing when the run had none at that moment."""
        before = set(harness.test_files(self.target))
        started = self.run_it()
        time.sleep(moment)
        keeper = started.keeper()
        for pid in (keeper, started.process.pid):
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(pid, signal.SIGKILL)
        started.wait(SECONDS_TO_CLEAN)
        gone = harness.eventually(
            lambda: not started.processes() and not harness.users_of(self.target),
            SECONDS_TO_CLEAN)
        self.assertTrue(gone, started.processes())
        names = set(harness.test_files(self.target)) - before
        self.assertLessEqual(len(names), 1)
        # The kernel may need a moment to close what a killed process had locked.
        for path in (self.target, *(self.target / name for name in names)):
            self.assertTrue(harness.eventually(lambda p=path: unlocked(p), SECONDS_TO_CLEAN))
        return names.pop() if names else None

    def look_alikes(self):
        """What a user may have there under names like ours: {name: content}."""
        def path(number):
            return self.target / f"speedtest-hd-{number:08x}.bench"
        for number in range(1, 4):
            path(number).write_bytes(b"precious")
        os.setxattr(path(2), ATTRIBUTE, b"x")
        os.link(path(2), self.target / "second-name")
        os.setxattr(path(3), ATTRIBUTE, b"x")
        os.chown(path(3), 1234, 1234)
        path(4).mkdir()
        path(5).symlink_to("second-name")
        os.mkfifo(path(6))
        for name in ("speedtest-hd-0000000A.bench", "speedtest-hd-000000001.bench",
                     "speedtest-hd-00000001.bench.bak", "xspeedtest-hd-00000001.bench"):
            (self.target / name).write_bytes(b"precious")
            os.setxattr(self.target / name, ATTRIBUTE, b"x")

    def contents(self):
        return {p.name: p.read_bytes() if p.is_file() else None for p in self.target.iterdir()}

    def test_cleanup_removes_exactly_the_leftover(self):
        self.look_alikes()
        before = self.contents()
        free = harness.free_bytes(self.target)
        left = 0
        for moment in self.moments():
            with self.subTest(moment=f"{moment:.3f} s"):
                name = self.leave_a_file(moment)
                if name:
                    left += 1
                    done = harness.run("cleanup", str(self.target))
                    self.assert_code(done, 1)  # some of our name were not removed
                    self.assertEqual(re.findall(r"^removed (\S+)", done.out, re.M), [name])
                    self.assertEqual(sorted(re.findall(r"^left (\S+?):? ", done.out, re.M)),
                                     [f"speedtest-hd-{i:08x}.bench" for i in range(1, 7)], done.out)
                self.assertEqual(self.contents(), before)
                self.assertEqual(harness.free_bytes(self.target), free)
        self.assertGreater(left, 0)

    def test_cleanup_says_when_there_was_nothing(self):
        done = harness.run("cleanup", str(self.target))
        self.assert_code(done, 0)
        self.assertEqual(done.out, f"nothing was left in {self.target}\n")

    def test_the_next_run_offers_to_remove_the_leftover_and_leaves_it(self):
        name = self.leave_a_file(self.duration() / 2)
        done = harness.run("run", self.profile, str(self.target), "--only", "sync")
        self.assert_code(done, 0)
        self.assertIn(name, done.err)
        self.assertIn(f"`speedtest-hd cleanup {self.target}` removes it", done.err)
        self.assertEqual(harness.test_files(self.target), [name])

    def test_cleanup_leaves_the_file_of_a_running_run(self):
        started = self.run_it()
        self.assertTrue(harness.eventually(lambda: harness.test_files(self.target), 20))
        done = harness.run("cleanup", str(self.target))
        self.assert_code(done, 75)
        self.assertEqual(started.wait(), 0)


if __name__ == "__main__":
    harness.main(root=True)
