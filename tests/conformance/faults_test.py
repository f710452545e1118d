"""Faults of kernel, device and space: each costs what it must, says so, and leaves nothing."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness
from harness import job


def fill(directory):
    """Another writer: takes all the space there is. True when that was little."""
    name = pathlib.Path(directory) / "filler"
    try:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError:
        return True
    try:
        for size in (1 << 20, 4096):
            data = os.urandom(size)
            while True:
                os.write(fd, data)
                os.fsync(fd)
    except OSError:
        return True
    finally:
        os.close(fd)


class Background(harness.TestCase):
    """A run in the background whose report is looked at while it goes."""

    def begin(self, profile, target):
        self.report_file = self.work / "report.json"
        self.target = target
        self.errors = open(self.work / "stderr", "w+", encoding="utf-8", errors="replace")
        self.addCleanup(self.errors.close)
        self.started = self.start("run", profile, str(target), "-o", str(self.report_file),
                                  stderr=self.errors)

    def rows(self):
        try:
            return json.loads(self.report_file.read_text())["jobs"]
        except (OSError, ValueError):
            return []

    def wait_for_rows(self, count):
        self.assertTrue(harness.eventually(lambda: len(self.rows()) >= count, 30))

    def finish(self, code):
        ended = self.started.wait()
        self.errors.seek(0)
        self.said = self.errors.read()
        self.assertEqual(ended, code, self.said)
        return {j["id"].split("/")[0]: j for j in self.rows()}


@harness.needs("strace")
class InjectedFaults(harness.TestCase):
    """strace answers a system call in the kernel's place; it counts the calls of each thread."""

    LATER = 300  # beyond what reads plugins and probes

    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.log = self.work / "strace"
        probe = subprocess.run(["strace", "-o", "/dev/null", "true"], check=False,
                               capture_output=True)
        if probe.returncode != 0:
            self.skipTest("not run: needs the right to trace")

    def run_it(self, jobs, inject, calls, **defaults):
        profile = harness.profile(self.work, jobs=jobs, runtime="800ms", **defaults)
        via = ["strace", "-f", "-qq", "-o", str(self.log), "-e", f"trace={calls}", "-e",
               f"inject={inject}"]
        done = harness.run("run", profile, str(self.target), "-f", "json", via=via)
        self.assert_no_leftover(self.target)
        return done

    def test_a_failed_fdatasync_fails_its_row_and_is_never_tried_again(self):
        jobs = [job("before"), job("synced", more='sync = "fdatasync"'), job("after", op="read")]
        done = self.run_it(jobs, "fdatasync:error=EIO:when=3+", "fdatasync",
                           defaults='engine = ["psync"]')
        self.assert_code(done, 1)
        failed = self.record(done, "synced")
        self.assertEqual(failed["status"], "failed")
        self.assertEqual(failed["reason"], "fdatasync: Input/output error (EIO)")
        self.assertEqual(failed["derived"], {})
        for name in ("before", "after"):
            self.assertEqual(self.record(done, name)["status"], "ok")
        lines = self.log.read_text().splitlines()
        injected = [line for line in lines if "(INJECTED)" in line]
        self.assertEqual(len(injected), 1, injected)

    def test_a_failed_fsync_of_the_layout_ends_the_run(self):
        done = self.run_it([job("write")], "fsync:error=EIO:when=1", "fsync")
        self.assert_code(done, 1)
        self.assertIn("the final fsync: Input/output error (EIO)", done.err)
        self.assertEqual(done.out, "")

    def test_a_short_read_is_continued_and_counted_once(self):
        jobs = [job("read", op="read", more=f'engine = ["psync"]\nios = {self.LATER + 500}')]
        done = self.run_it(jobs, f"pread64:retval=1024:when={self.LATER}+", "pread64")
        self.assert_code(done, 0)
        figures = self.record(done, "read")["loops"][0]["read"]
        ios = self.LATER + 500
        self.assertEqual((figures["ios"], figures["bytes"]), (ios, ios * 4096))
        calls = sum("(INJECTED)" in line for line in self.log.read_text().splitlines())
        self.assertEqual(calls, (ios - self.LATER + 1) * 4)

    def test_the_end_of_the_file_fails_the_row_with_its_offset(self):
        jobs = [job("read", op="read", more=f'engine = ["psync"]\nios = {self.LATER + 500}'),
                job("write")]
        done = self.run_it(jobs, f"pread64:retval=0:when={self.LATER}", "pread64")
        self.assert_code(done, 1)
        failed = self.record(done, "read")
        self.assertEqual(failed["status"], "failed")
        self.assertRegex(failed["reason"], r"^read of 4096 bytes at offset \d+: the file ended "
                                           r"there \(short transfer\)$")
        self.assertEqual(self.record(done, "write")["status"], "ok")

    def test_an_error_of_one_read_fails_the_row_with_errno_and_offset(self):
        jobs = [job("read", op="read", more=f'engine = ["psync"]\nios = {self.LATER + 500}'),
                job("write")]
        done = self.run_it(jobs, f"pread64:error=EIO:when={self.LATER}", "pread64")
        self.assert_code(done, 1)
        self.assertRegex(self.record(done, "read")["reason"],
                         r"^read of 4096 bytes at offset \d+: Input/output error \(EIO\)$")
        self.assertEqual(self.record(done, "write")["status"], "ok")

    def test_an_interrupted_call_is_not_a_fault(self):
        jobs = [job("write", more='engine = ["psync"]\nios = 64')]
        done = self.run_it(jobs, "pwrite64:error=EINTR:when=3+5", "pwrite64")
        self.assert_code(done, 0)
        self.assertEqual(self.record(done, "write")["loops"][0]["write"]["ios"], 64)


class KilledJob(Background):
    """A backend that dies takes one row with it."""

    JOBS = [job("first"), job("second", more='runtime = "20s"'), job("third", op="read")]

    def test_a_job_killed_by_sigbus_costs_one_row(self):
        self.begin(harness.profile(self.work, jobs=self.JOBS), self.folder())
        self.wait_for_rows(1)
        self.assertTrue(harness.eventually(self.started.jobs, 5))
        time.sleep(0.3)
        for pid in self.started.jobs():
            os.kill(pid, signal.SIGBUS)
        rows = self.finish(1)
        self.assertEqual({n: r["status"] for n, r in rows.items()},
                         {"first": "ok", "second": "failed", "third": "ok"})
        self.assertEqual(rows["second"]["reason"], "its process was killed by SIGBUS")
        self.assert_no_leftover(self.target)

    @harness.needs("fio")
    def test_a_fio_that_is_killed_costs_one_row(self):
        jobs = [job("first"), job("second", more='runtime = "20s"\nbackend = ["fio-exec"]'),
                job("third", op="read")]
        self.begin(harness.profile(self.work, jobs=jobs), self.folder())
        self.wait_for_rows(1)

        def fio():
            return [p for p, name in harness.users_of(self.target).items() if name == "fio"]
        self.assertTrue(harness.eventually(fio, 10))
        time.sleep(0.5)
        for pid in fio():
            os.kill(pid, signal.SIGKILL)
        rows = self.finish(1)
        self.assertEqual({n: r["status"] for n, r in rows.items()},
                         {"first": "ok", "second": "failed", "third": "ok"})
        self.assertIn("SIGKILL", rows["second"]["reason"])
        self.assert_no_leftover(self.target)

    def test_an_interrupted_run_labels_its_rows(self):
        self.begin(harness.profile(self.work, jobs=self.JOBS), self.folder())
        self.wait_for_rows(1)
        self.assertTrue(harness.eventually(self.started.jobs, 5))
        time.sleep(0.5)
        self.started.signal(signal.SIGTERM)
        rows = self.finish(128 + signal.SIGTERM)
        self.assertEqual([rows[n]["status"] for n in ("first", "second", "third")],
                         ["ok", "interrupted", "interrupted"])
        self.assertGreater(rows["second"]["derived"]["write"]["iops"], 0)
        self.assertEqual(rows["third"]["loops"], [])
        self.assert_no_leftover(self.target)


@harness.needs_root
class Space(Background):
    """Space that goes away under a run, and devices that lie about it."""

    # Copy-on-write needs new blocks for every write.
    JOBS = [job("write", more='sync = "fdatasync"\ndirect = "off"\nengine = ["psync"]\n'
                              'runtime = "20s"'),
            job("read", op="read", more='direct = "off"')]

    def profile(self, size="32MiB"):
        return harness.profile(self.work, jobs=self.JOBS, size=size)

    def wait_for_the_first_job(self):
        self.assertTrue(harness.eventually(
            lambda: "job 1 of" in pathlib.Path(self.errors.name).read_text(errors="replace"), 20))
        time.sleep(0.5)

    def assert_row_lost(self, reason):
        rows = self.finish(1)
        self.assertEqual(rows["write"]["status"], "failed", self.said)
        self.assertRegex(rows["write"]["reason"], reason)
        self.assertEqual(harness.test_files(self.target), [], self.said)
        return rows

    @harness.needs("mkfs.btrfs")
    def test_another_writer_takes_the_space(self):
        target, _ = self.filesystem("btrfs", 256 << 20)
        self.begin(self.profile(), target)
        self.wait_for_the_first_job()
        fill(target)
        rows = self.assert_row_lost(r"No space left on device \(ENOSPC\)$")
        self.assertEqual(rows["read"]["status"], "ok")

    @harness.needs("mkfs.btrfs")
    def test_a_quota_is_told_from_a_full_disk(self):
        mount, _ = self.filesystem("btrfs", 1 << 30)
        target = mount / "sub"
        harness.command("btrfs", "subvolume", "create", target)
        harness.command("btrfs", "quota", "enable", mount)
        harness.command("btrfs", "qgroup", "limit", "80M", target)
        self.begin(self.profile(), target)
        self.wait_for_the_first_job()
        fill(target)
        rows = self.assert_row_lost(r"Disk quota exceeded \(EDQUOT\)$")
        self.assertEqual(rows["read"]["status"], "ok")

    @harness.needs("mkfs.btrfs")
    def test_a_quota_smaller_than_the_test_file_ends_the_run_at_the_layout(self):
        mount, _ = self.filesystem("btrfs", 256 << 20)
        target = mount / "sub"
        harness.command("btrfs", "subvolume", "create", target)
        harness.command("btrfs", "quota", "enable", mount)
        harness.command("btrfs", "qgroup", "limit", "8M", target)
        done = harness.run("run", self.profile(), str(target))
        self.assert_code(done, 1)
        self.assertIn("Disk quota exceeded (EDQUOT)", done.err)
        self.assertEqual(harness.test_files(target), [], str(done))

    def test_a_thin_device_that_lies_is_found_out_by_the_sync(self):
        """write() succeeds, the first fsync says ENOSPC, the second something else."""
        backing = self.tmpfs("24m", "backing")
        target, _ = self.filesystem("ext4", 64 << 20, folder=backing)
        done = harness.run("run", self.profile(), str(target))
        self.assert_code(done, 1)
        self.assertRegex(done.err, r"No space left on device \(ENOSPC\)|Input/output error \(EIO\)")
        self.assertNotIn("MB/s", done.out)

    def test_a_device_that_fails_writes_fails_the_row(self):
        control = pathlib.Path("/sys/class/zram-control")
        if not control.exists():
            self.skipTest("not run: needs zram")
        number = (control / "hot_add").read_text().strip()
        self.addCleanup((control / "hot_remove").write_text, number)
        zram = pathlib.Path(f"/sys/block/zram{number}")
        (zram / "disksize").write_text("96M")
        (zram / "mem_limit").write_text("48M")
        device = f"/dev/zram{number}"
        harness.command(*disks.MKFS["ext4"], device)
        target = self.mount(device, "ext4", "errors=continue")
        self.begin(self.profile("16MiB"), target)
        self.wait_for_the_first_job()
        # The first error may be the other writer's alone, and leave room for the rows' own blocks.
        harness.eventually(lambda: fill(target) and self.started.process.poll() is not None, 15)
        rows = self.finish(1)
        self.assertEqual(rows["write"]["status"], "failed", self.said)
        self.assertRegex(rows["write"]["reason"], r"\((EIO|EROFS)\)$")


if __name__ == "__main__":
    harness.main()
