"""Private filesystems, loop devices and devices of a known speed, for tests that run as root."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import time
import uuid

_libc = ctypes.CDLL(None, use_errno=True)


def free_bytes(directory):
    """Free to everyone, after what is pending was written."""
    fd = os.open(directory, os.O_RDONLY)
    try:
        _libc.syncfs(fd)
    finally:
        os.close(fd)
    facts = os.statvfs(directory)
    return facts.f_bfree * facts.f_frsize


def isolate():
    """A private mount namespace for this process and its children; False where that is refused."""
    new_namespace, recursive, private = 0x00020000, 0x4000, 1 << 18
    return (_libc.unshare(new_namespace) == 0
            and _libc.mount(b"none", b"/", None, recursive | private, None) == 0)


def command(*words, **kwargs):
    """Runs a tool that the test needs; its words are shown when it fails."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          **kwargs)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(w) for w in words)}: exit {done.returncode}: "
                           f"{done.stderr.strip()}")
    return done.stdout.strip()


MKFS = {"ext4": ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
        "xfs": ["mkfs.xfs", "-q", "-f"],
        "btrfs": ["mkfs.btrfs", "-q", "-f"]}


class Disks:
    """Part of harness.TestCase: what it mounts goes with the test."""

    def mount(self, source, kind, options="", name="mnt"):
        point = self.work / name
        point.mkdir(exist_ok=True)
        command("mount", "-t", kind, *(["-o", options] if options else []), source, point)
        self.addCleanup(unmount, point)
        return point

    def tmpfs(self, size, name="mnt"):
        return self.mount("none", "tmpfs", f"size={size}", name)

    def loop(self, size, direct_io=False, folder=None):
        """A loop device over a new file; it goes with its last user once detach() was called."""
        image = pathlib.Path(folder or self.work) / f"image-{uuid.uuid4().hex[:8]}"
        with open(image, "wb") as file:
            file.truncate(size)
        device = command("losetup", "--find", "--show",
                         *(["--direct-io=on"] if direct_io else []), image)
        image.unlink()
        self.devices.add(device)
        self.addCleanup(self.detach, device)
        return device

    def detach(self, device):
        """Once only: later the number may be another's."""
        if device in self.devices:
            self.devices.remove(device)
            command("losetup", "-d", device)

    def filesystem(self, kind="ext4", size=64 << 20, options="", name="mnt", **loop):
        """A new filesystem on a loop device: (mount point, device)."""
        device = self.loop(size, **loop)
        command(*MKFS[kind], device)
        point = self.mount(device, kind, options, name)
        self.detach(device)  # from now on it lives as long as the mount
        shutil.rmtree(point / "lost+found", ignore_errors=True)
        return point, device


def unmount(point):
    for _ in range(50):
        if subprocess.run(["umount", point], capture_output=True, check=False).returncode == 0:
            return
        if not os.path.ismount(point):
            return
        time.sleep(0.1)
    subprocess.run(["umount", "-l", point], capture_output=True, check=False)


class Throttle:
    """A limit on a block device for the processes that join(), or for all with root=True.

    Of cgroup v1. Writeback is done by kernel threads of the root group, so only a limit there holds
    for buffered I/O.
    """

    BASE = pathlib.Path("/sys/fs/cgroup/blkio")

    @classmethod
    def available(cls):
        return (cls.BASE / "blkio.throttle.write_bps_device").exists()

    def __init__(self, test, device, root=False, **limits):
        numbers = os.stat(device).st_rdev
        self.device = f"{os.major(numbers)}:{os.minor(numbers)}"
        self.group = self.BASE if root else self.BASE / f"sthd-test-{os.getpid()}-{numbers}"
        self.group.mkdir(exist_ok=True)
        self.limits = limits
        test.addCleanup(self.lift)
        for name, value in limits.items():  # read_bps, write_bps, read_iops, write_iops
            (self.group / f"blkio.throttle.{name}_device").write_text(f"{self.device} {value}")

    def join(self):
        """For preexec_fn."""
        (self.group / "cgroup.procs").write_text(str(os.getpid()))

    def lift(self):
        while self.limits:
            name, _ = self.limits.popitem()
            (self.group / f"blkio.throttle.{name}_device").write_text(f"{self.device} 0")
        if self.group != self.BASE:
            for _ in range(50):  # its last process may still be going
                with contextlib.suppress(OSError):
                    self.group.rmdir()
                    return
                time.sleep(0.1)
