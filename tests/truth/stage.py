"""Where a lie is staged: private filesystems and devices, and what happens beside the run."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness
from disks import command

MIB = 1 << 20
CPU_GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")
ZRAM = pathlib.Path("/sys/class/zram-control")


class CannotStage(Exception):
    """This machine lacks what the scene needs; the text says what."""


def needs(condition, what):
    if not condition:
        raise CannotStage(f"needs {what}")


def known_filesystem(kind):
    """Whether the kernel has it; it is asked by name, so a module is loaded for it."""
    text = pathlib.Path("/proc/filesystems").read_text()
    return any(line.split()[-1] == kind for line in text.splitlines())


class Stage(disks.Disks):
    """One scene. Everything on it goes with close(), in reverse order."""

    def __init__(self):
        self._undo = contextlib.ExitStack()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="sthd-truth-", dir=harness.test_root()))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.devices = set()
        self.via = []  # the command before the program
        self.preexec = None  # called in the child before the program
        self.env = {}
        self.during = []  # called with (this, the started program) in threads of their own
        self.over = threading.Event()

    def addCleanup(self, call, *args, **kwargs):  # noqa: N802  (unittest's name: Disks calls it)
        self._undo.callback(call, *args, **kwargs)

    def close(self):
        self.over.set()
        self._undo.close()

    # Filesystems ------------------------------------------------------------------------------

    def disk(self, kind="ext4", size=256 * MIB, options="", name="mnt"):
        """A filesystem whose device really reads and writes: the loop's own cache is off."""
        if kind != "ext4":
            needs(known_filesystem(kind) and shutil.which(f"mkfs.{kind}"), kind)
        self.point, self.device = self.filesystem(kind, size, options, name, direct_io=True)
        return self.point

    def overlay(self, lower):
        needs(known_filesystem("overlay"), "overlayfs")
        for folder in ("upper", "work", "lower"):
            (lower / folder).mkdir()
        return self.mount("overlay", "overlay", f"lowerdir={lower}/lower,upperdir={lower}/upper,"
                          f"workdir={lower}/work", "merged")

    def thin_disk(self, promised, held):
        """A device that takes more than it can hold: its image lies on a smaller tmpfs."""
        store = self.tmpfs(held, "store")
        self.point, self.device = self.filesystem("ext4", promised, folder=store)
        return self.point

    def zram(self, size):
        needs(ZRAM.exists(), "zram")
        number = (ZRAM / "hot_add").read_text().strip()
        self.addCleanup(_write_late, ZRAM / "hot_remove", number)
        pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(size))
        device = f"/dev/zram{number}"
        if not os.path.exists(device):
            major, minor = pathlib.Path(f"/sys/block/zram{number}/dev").read_text().split(":")
            command("mknod", device, "b", major, minor)
        command("mkfs.ext4", "-q", "-F", "-E", "nodiscard", device)
        self.point, self.device = self.mount(device, "ext4"), device
        return self.point

    def fill(self, leave):
        """Other files take the space of the filesystem but for `leave` bytes."""
        facts = os.statvfs(self.point)
        size = facts.f_bavail * facts.f_frsize - leave
        command("fallocate", "-l", size, self.point / "others-data")

    def limit_subvolume(self, size):
        """A subvolume of its own mount: only of those does the kernel tell which one it is."""
        command("btrfs", "quota", "enable", self.point)
        command("btrfs", "subvolume", "create", self.point / "limited")
        command("btrfs", "qgroup", "limit", size, self.point / "limited")
        return self.mount(self.device, "btrfs", "subvol=limited", "limited")

    # Limits and company -----------------------------------------------------------------------

    def throttle(self, **limits):
        needs(disks.Throttle.available(), "blkio throttling (cgroup v1)")
        made = disks.Throttle(self, self.device, root=True, **limits)
        return made

    def cpu_quota(self, share):
        """For the program and its children: this share of one core."""
        needs((CPU_GROUPS / "cpu.cfs_quota_us").exists() or (CPU_GROUPS / "cgroup.procs").exists(),
              "CPU groups (cgroup v1)")
        group = CPU_GROUPS / f"sthd-truth-{os.getpid()}"
        group.mkdir(exist_ok=True)
        needs((group / "cpu.cfs_quota_us").exists(), "CPU quotas (CONFIG_CFS_BANDWIDTH)")
        self.addCleanup(_remove_group, group)
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text(str(int(100000 * share)))
        self.preexec = lambda: (group / "cgroup.procs").write_text(str(os.getpid()))

    def background(self, *words, count=1):
        """Processes beside the run, ended with the scene."""
        for _ in range(count):
            process = subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)

    def spinners(self, cpu, count):
        self.background("taskset", "-c", cpu, sys.executable, "-c", "while True: pass", count=count)

    def pinned(self, cpu):
        needs(shutil.which("taskset"), "taskset")
        self.via = ["taskset", "-c", str(cpu)]

    def other_writer(self):
        """Somebody else's direct writes to the same device, from before the run to its end."""
        path = self.point / "others"
        script = ("import os, mmap\n"
                  f"fd = os.open({str(path)!r}, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)\n"
                  "block = mmap.mmap(-1, 1 << 18)\nblock.write(os.urandom(1 << 18))\n"
                  "n = 0\nwhile True:\n    os.pwrite(fd, block, (n % 64) << 18)\n    n += 1\n")
        self.background(sys.executable, "-c", script)

    def once_measuring(self, action, after):
        """`action(job's pid)` so many seconds after the first job that lives longer than that.

        A layout and the probes are children of the keeper too, but short ones here.
        """
        def watch(program):
            since = {}
            while not self.over.is_set():
                now = time.monotonic()
                jobs = program.jobs()
                since = {pid: since.get(pid, now) for pid in jobs}
                old = [pid for pid, born in since.items() if now - born >= after]
                if old:
                    action(old[0])
                    return
                time.sleep(0.05)
        self.during.append(watch)

    def pause(self, after, seconds):
        """The job stops as a suspended machine does, and goes on."""
        def stop(pid):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(os.getpgid(pid), signal.SIGSTOP)
                try:
                    time.sleep(seconds)
                finally:
                    os.killpg(os.getpgid(pid), signal.SIGCONT)
        self.once_measuring(stop, after)

    def slow_down(self, throttle, after, **limits):
        def change(_):
            for name, value in limits.items():
                (throttle.group / f"blkio.throttle.{name}_device").write_text(
                    f"{throttle.device} {value}")
        self.once_measuring(change, after)

    def dying_fio(self):
        """A fio that writes its whole report and then dies of SIGBUS; probes of it are well."""
        real = shutil.which("fio")
        needs(real, "fio")
        folder = self.work / "bin"
        folder.mkdir()
        fake = folder / "fio"
        fake.write_text(f'#!/bin/sh\n{real} "$@" || exit\n'
                        'case $* in *--eta=always*) kill -BUS $$ ;; esac\n')
        fake.chmod(0o755)
        self.env["PATH"] = f"{folder}:{os.environ['PATH']}"

    def denied(self, code, *calls):
        self.via = harness.denying(self, code, *calls)

    def delayed_calls(self, calls, microseconds, when):
        needs(shutil.which("strace"), "strace")
        self.via = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e",
                    f"inject={calls}:delay_enter={microseconds}:when={when}"]


def _write_late(path, text):
    """A device is busy for a moment after its unmount."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            path.write_text(text)
            return
        time.sleep(0.1)


def _remove_group(group):
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
