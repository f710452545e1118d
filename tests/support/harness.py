"""What the system tests share: the program, its processes, profiles, and a look at what is left.

A test file ends with harness.main(). It runs alone too: STHD_BINARY=/path/to/speedtest-hd python3
FILE. As root the tests run in a mount namespace of their own, and image files are unlinked once
they are in use: whatever ends a test, the kernel takes its filesystems and loop devices with it.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import disks
from disks import command, free_bytes  # noqa: F401

NOT_RUN = 77  # what ctest takes for "skipped"
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
TEST_FILE_NAME = re.compile(r"speedtest-hd-[0-9a-f]{8}\.bench")
KEEPER = "sthd-keeper"
CAN_MOUNT = os.geteuid() == 0 and disks.isolate()
needs_root = unittest.skipUnless(CAN_MOUNT, "not run: needs root")


def needs(*programs):
    """Skips a test whose programs are not installed."""
    missing = [p for p in programs if shutil.which(p) is None]
    return unittest.skipIf(missing, f"not run: needs {', '.join(missing)}")


def binary():
    path = os.environ.get("STHD_BINARY")
    if not path:
        sys.exit("STHD_BINARY must name the program: STHD_BINARY=/path/to/bin/speedtest-hd")
    return os.path.abspath(path)


def test_root():
    """A folder on a real disk: STHD_TEST_DIR, else /var/tmp."""
    path = os.environ.get("STHD_TEST_DIR", "/var/tmp")
    os.makedirs(path, exist_ok=True)
    return path


def eventually(condition, seconds, step=0.02):
    """The first true value of `condition()`, or its last value when the time is over."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(step)
    return value


# The program ------------------------------------------------------------------------------------


@dataclasses.dataclass
class Done:
    code: int  # exit code; 128+n when signal n ended it
    out: str
    err: str
    seconds: float

    @property
    def report(self):
        """The JSON report on stdout: exactly one document."""
        return json.loads(self.out)

    def __str__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def _text(raw):
    return raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else raw or ""


def environment(**changes):
    """The caller's, without what would change the program's words; None removes a name.

    Runs are not kept: CI is set, and the state folder cannot be made.
    """
    env = {k: v for k, v in os.environ.items()
           if k not in ("NO_COLOR", "XDG_CONFIG_HOME", "STHD_PLUGIN_PATH", "SUDO_UID", "TERM")}
    env |= {"XDG_CONFIG_HOME": "/nonexistent", "XDG_STATE_HOME": "/dev/null", "CI": "1"}
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


def run(*args, via=(), env=None, timeout=120, **popen):
    """Runs the program to its end, under the command `via` if one is given."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.PIPE)
    popen.setdefault("stderr", subprocess.PIPE)
    env = dict(env or environment())
    if "strace" in via:  # the leak checker traces too, and there can be only one
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    started = time.monotonic()
    done = subprocess.run([*via, binary(), *args], env=env, timeout=timeout,
                          check=False, **popen)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    return Done(code, _text(done.stdout), _text(done.stderr), time.monotonic() - started)


class Started:
    """The program in the background. All its processes, keeper and jobs included, carry a mark."""

    def __init__(self, *args, via=(), env=None, **popen):
        self.mark = f"STHD_TEST_MARK={uuid.uuid4()}"
        env = dict(env or environment())
        name, _, value = self.mark.partition("=")
        env[name] = value
        popen.setdefault("stdin", subprocess.DEVNULL)
        popen.setdefault("stdout", subprocess.DEVNULL)
        popen.setdefault("stderr", subprocess.DEVNULL)
        self.process = subprocess.Popen([*via, binary(), *args], env=env, **popen)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=60):
        """Its exit code; 128+n when signal n ended it."""
        code = self.process.wait(seconds)
        return code if code >= 0 else 128 - code

    def processes(self):
        """{pid: name} of what is alive of it."""
        return living(lambda p: self.mark.encode() in _read(p / "environ").split(b"\0"))

    def named(self, name):
        return [pid for pid, known in self.processes().items() if known == name]

    def keeper(self):
        return next(iter(self.named(KEEPER)), None)

    def jobs(self):
        """Children of the keeper."""
        keeper = self.keeper()
        return [pid for pid in self.processes() if keeper and parent_of(pid) == keeper]

    def end(self):
        for pid in [*self.processes(), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def _read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def living(wanted):
    """{pid: name} of the processes, zombies apart, for whose /proc folder `wanted` holds."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        status = _read(folder / "status").decode(errors="replace")
        if "\nState:\tZ" in status or not status:
            continue
        if wanted(folder):
            found[int(folder.name)] = _read(folder / "comm").decode(errors="replace").strip()
    return found


def users_of(directory):
    """{pid: name} of the processes that hold anything below `directory` open."""
    def holds(folder):
        for link in [*folder.glob("fd/*"), folder / "cwd"]:
            with contextlib.suppress(OSError):
                if os.readlink(link).startswith(str(directory)):
                    return True
        return False
    return living(holds)


def parent_of(pid):
    found = re.search(rb"^PPid:\t(\d+)", _read(pathlib.Path(f"/proc/{pid}/status")), re.M)
    return int(found[1]) if found else None


def test_files(directory):
    return sorted(p.name for p in pathlib.Path(directory).iterdir()
                  if TEST_FILE_NAME.fullmatch(p.name))


PROFILE = """
schema = 1
name = "{name}"
title = "Small and quick"
[defaults]
{engine}
size = "{size}"
runtime = "{runtime}"
ramp = "{ramp}"
cache = "as_is"
{defaults}
{jobs}
[[column]]
id = "bw"
title = "MB/s"
metric = "bw"
unit = "MB/s"
precision = 2
{op}
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
{op}
"""

JOB = """
[[job]]
id = "{id}"
op = "{op}"
pattern = "{pattern}"
block_size = "{block_size}"
label = "{label}"
{more}
"""


def job(id, op="write", pattern="random", block_size="4KiB", label=None, more=""):
    return JOB.format(id=id, op=op, pattern=pattern, block_size=block_size, label=label or id,
                      more=more)


def profile(folder, name="tiny", size="8MiB", runtime="200ms", ramp="0s", defaults="", jobs=None):
    """Writes a profile of one random write and one random read, or of `jobs`; returns its path.

    With a mixed job the columns are of writes.
    """
    jobs = jobs or [job("write"), job("read", op="read")]
    path = pathlib.Path(folder) / f"{name}.toml"
    engine = "" if "engine =" in defaults else 'engine = ["io_uring", "libaio", "psync"]'
    op = 'op = "write"' if any('op = "mixed"' in each for each in jobs) else ""
    path.write_text(PROFILE.format(name=name, size=size, runtime=runtime, ramp=ramp, engine=engine,
                                   defaults=defaults, jobs="".join(jobs), op=op))
    return str(path)


# Running tests ----------------------------------------------------------------------------------


class TestCase(disks.Disks, unittest.TestCase):
    """With a work folder on a real disk, and filesystems that go with the test."""

    maxDiff = None

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="sthd-test-", dir=test_root()))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.devices = set()

    def folder(self, name="target"):
        path = self.work / name
        path.mkdir()
        return path

    def start(self, *args, **kwargs):
        started = Started(*args, **kwargs)
        self.addCleanup(started.end)
        return started

    def assert_code(self, done, code):
        self.assertEqual(done.code, code, str(done))

    def assert_no_leftover(self, directory):
        self.assertEqual(os.listdir(directory), [])

    def record(self, done, job_id):
        """The entry of one job in the JSON report on stdout."""
        return next(j for j in done.report["jobs"] if j["id"].split("/")[0] == job_id)


def denying(test, code, *calls):
    """The command before a program whose `calls` return errno `code` (seccomp), for run(via=…)."""
    launcher = os.environ.get("STHD_DENY_SYSCALLS")
    if not launcher:
        launcher = str(test.work / "deny_syscalls")
        command(shutil.which("cc") or "gcc", "-O1", "-o", launcher, HERE / "deny_syscalls.c")
    return [launcher, code, ",".join(calls), "--"]


def main(root=False):
    """Runs the tests of the calling file; with root=True they are all for root."""
    binary()
    if root and not CAN_MOUNT:
        print("not run: needs root")
        sys.exit(NOT_RUN)
    program = unittest.main(module="__main__", exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(NOT_RUN if result.testsRun and len(result.skipped) == result.testsRun else 0)
