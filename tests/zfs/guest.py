"""The guest: Debian's userland in a folder, four file-backed disks, one script a boot."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from packages import CannotBuild

PACKAGES = ("zfsutils-linux", "busybox-static", "kmod", "bash", "coreutils", "util-linux", "mawk",
            "procps", "grep", "sed", "e2fsprogs", "libstdc++6")
MERGED = ("bin", "sbin", "lib", "lib64")
EMPTY = ("proc", "sys", "dev", "run", "tmp", "root", "work", "tank", "mnt", "var/tmp", "etc/zfs")
LEFT_OUT = ("./usr/share/doc*", "./usr/share/man*", "./usr/share/locale*", "./usr/share/i18n*",
            "./usr/share/info*", "./usr/share/zoneinfo*", "./usr/lib/x86_64-linux-gnu/gconv*")
DISKS = 4  # /dev/ubdb: data, ubdc: log, ubdd and ubde: spare

INIT = """#!/usr/bin/busybox sh
# The first and only program of the guest: runs /work/script and switches off.
export PATH=/usr/sbin:/usr/bin HOME=/root TERM=dumb LC_ALL=C
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox grep -q ' /dev devtmpfs' /proc/mounts || busybox mount -t devtmpfs dev /dev
busybox mkdir -p /dev/shm
for place in /dev/shm /run /tmp /root /var/tmp /etc/zfs; do busybox mount -t tmpfs none $place; done
for word in $(busybox cat /proc/cmdline); do
  case $word in truth.work=*) work=${word#*=} ;; esac
done
busybox mount -t hostfs -o "$work" none /work
modprobe zfs || echo "the zfs module did not load"
cd /work
sh ./script </dev/null >./output 2>&1
echo $? >./status
cd /
busybox umount -a -t ext4  # on a zvol: its pool could not be exported
for pool in $(zpool list -H -o name 2>/dev/null); do zpool export -f "$pool"; done
sync
busybox poweroff -f
"""


class Guest:
    """The userland of one suite, with OpenZFS's modules for the kernel."""

    def __init__(self, kernel, suite, folder):
        self.kernel, self.suite, self.root = kernel, suite, folder

    def build(self, say):
        if not (self.root / "unpacked").exists():
            say(f"the guest's programs from {self.suite.name}")
            files = self.suite.with_dependencies(*PACKAGES)
            shutil.rmtree(self.root, ignore_errors=True)
            for name in MERGED:
                (self.root / "usr" / name).mkdir(parents=True)
                (self.root / name).symlink_to(f"usr/{name}")
            for file in files:
                self._unpack(file)
                file.unlink()
            for name in EMPTY:
                (self.root / name).mkdir(parents=True, exist_ok=True)
            (self.root / "usr/bin/sh").unlink(missing_ok=True)
            (self.root / "usr/bin/sh").symlink_to("bash")
            (self.root / "usr/bin/awk").unlink(missing_ok=True)
            (self.root / "usr/bin/awk").symlink_to("mawk")
            (self.root / "etc/mtab").unlink(missing_ok=True)
            (self.root / "etc/mtab").symlink_to("/proc/self/mounts")
            (self.root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
            (self.root / "etc/group").write_text("root:x:0:\ndisk:x:6:\n")
            (self.root / "unpacked").touch()
        init = self.root / "init"
        init.write_text(INIT)
        init.chmod(0o755)

    def _unpack(self, package):
        """Its files alone: no script of a package runs."""
        words = ["tar", "-x", "-C", str(self.root), "--keep-directory-symlink",
                 *(f"--exclude={pattern}" for pattern in LEFT_OUT)]
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)],
                              stdout=subprocess.PIPE) as reader:
            done = subprocess.run(words, stdin=reader.stdout, capture_output=True, check=False)
        if done.returncode != 0 or reader.returncode != 0:
            raise CannotBuild(f"{package.name} cannot be unpacked: {done.stderr.decode().strip()}")

    def boot(self, script, share, seconds, memory_mb=2048, disk_mb=2048):
        """Runs `script` in the guest, where the folder `share` is /work; its output and status.

        What the script writes below /work is in `share` afterwards. A status of None: the guest did
        not come to the script's end.
        """
        (share / "script").write_text(script)
        for name in ("status", "output"):
            (share / name).unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="sthd-zfs-", dir="/var/tmp") as folder:
            words = [str(self.kernel.program), f"mem={memory_mb}M", f"uml_dir={folder}/", "umid=vm",
                     "root=/dev/root", "rootfstype=hostfs", f"rootflags={self.root}", "ro",
                     "init=/init", "quiet", "con=null", "con0=null,fd:1", f"truth.work={share}"]
            for number in range(DISKS):
                image = pathlib.Path(folder) / f"disk{number}"
                with open(image, "wb") as file:
                    file.truncate(disk_mb << 20)
                words.append(f"ubd{'bcde'[number]}={image}")
            console = share / "console"
            with open(console, "wb") as out:
                process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                           start_new_session=True,
                                           env={**os.environ, "TMPDIR": "/dev/shm"})
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    pass  # it leaves no status
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        output = share / "output"
        status = share / "status"
        text = output.read_text(errors="replace") if output.exists() else ""
        if not status.exists():
            return text + console.read_text(errors="replace")[-2000:], None
        return text, int(status.read_text())
