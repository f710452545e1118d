"""Which targets are taken and which refused with exit code 4, and that this touches nothing."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


class Kinds(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.profile = harness.profile(self.work)

    def refused(self, target, *words, **kwargs):
        """The reason; for run, plan and the original form alike."""
        reasons = set()
        for command in (["run", self.profile, target], ["plan", self.profile, target], [target]):
            done = harness.run(*map(str, command), *words, **kwargs)
            self.assert_code(done, 4)
            self.assertEqual(done.out, "")
            reasons.add([line for line in done.err.splitlines()
                         if line.startswith("speedtest-hd: ")][-1])
        self.assertEqual(len(reasons), 1, reasons)
        return reasons.pop()

    def test_a_missing_path_is_refused_and_not_created(self):
        reason = self.refused(self.work / "missing/deeper")
        self.assertIn(f"{self.work}/missing/deeper", reason)
        self.assertFalse((self.work / "missing").exists())

    def test_a_file_is_refused_and_keeps_its_content(self):
        file = self.work / "disk.img"
        file.write_bytes(b"precious" * 1000)
        self.assertIn("disk.img", self.refused(file))
        self.assertEqual(file.read_bytes(), b"precious" * 1000)

    def test_special_files_are_refused(self):
        fifo = self.work / "fifo"
        os.mkfifo(fifo)
        for target in (fifo, "/dev/null", "/dev/zero"):
            with self.subTest(target=target):
                self.refused(target)

    @harness.needs_root
    def test_a_block_device_is_refused_and_keeps_its_content(self):
        device = self.loop(8 << 20)
        with open(device, "r+b") as disk:
            disk.write(b"precious" * 1000)
        self.refused(device)
        with open(device, "rb") as disk:
            self.assertEqual(disk.read(8000), b"precious" * 1000)

    def test_a_link_to_a_directory_is_taken(self):
        target = self.folder()
        (self.work / "link").symlink_to(target)
        done = harness.run("run", self.profile, str(self.work / "link"), "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual(done.report["target"]["resolved_path"], str(target))
        self.assert_no_leftover(target)

    def test_a_relative_path_is_taken(self):
        target = self.folder()
        self.assert_code(harness.run("run", self.profile, "target", cwd=self.work), 0)
        self.assert_code(harness.run("run", self.profile, ".", cwd=target), 0)
        self.assert_no_leftover(target)

    def test_a_link_to_a_file_and_a_dangling_link_are_refused(self):
        (self.work / "file").write_text("precious")
        for name, to in (("to-file", "file"), ("dangling", "nowhere")):
            (self.work / name).symlink_to(to)
            with self.subTest(name=name):
                self.refused(self.work / name)
        self.assertFalse((self.work / "nowhere").exists())

    def test_a_second_run_on_the_same_target_exits_75(self):
        target = self.folder()
        slow = harness.profile(self.work, "slow", runtime="20s")
        first = self.start("run", slow, str(target))
        self.assertTrue(harness.eventually(lambda: harness.test_files(target), 20))
        (self.work / "link").symlink_to(target)
        for words in (["run", self.profile, str(target)], ["plan", self.profile, str(target)],
                      ["cleanup", str(target)], ["run", self.profile, str(self.work / "link")]):
            with self.subTest(words=words):
                done = harness.run(*words)
                self.assert_code(done, 75)
                self.assertIn(f"another run holds {words[-1]}", done.err)
        self.assertEqual(len(harness.test_files(target)), 1)
        first.signal(15)
        self.assertEqual(first.wait(), 128 + 15)
        self.assert_code(harness.run("run", self.profile, str(target)), 0)

    def test_two_targets_run_side_by_side(self):
        slow = harness.profile(self.work, "slow", runtime="20s")
        one, other = self.folder("one"), self.folder("other")
        first = self.start("run", slow, str(one))
        self.assertTrue(harness.eventually(lambda: harness.test_files(one), 20))
        self.assert_code(harness.run("run", self.profile, str(other)), 0)
        first.signal(15)
        first.wait()


class Refusals(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.profile = harness.profile(self.work)

    @harness.needs_root
    def test_a_read_only_mount_is_refused(self):
        target, _ = self.filesystem()
        harness.command("mount", "-o", "remount,ro", target)
        done = harness.run("run", self.profile, str(target))
        self.assert_code(done, 4)
        self.assertIn("Read-only file system (EROFS)", done.err)

    @harness.needs_root
    def test_an_immutable_directory_is_refused(self):
        target, _ = self.filesystem()
        harness.command("chattr", "+i", target)
        self.addCleanup(subprocess.run, ["chattr", "-i", target], check=False)
        done = harness.run("run", self.profile, str(target))
        self.assert_code(done, 4)
        self.assertIn("Operation not permitted (EPERM)", done.err)

    @harness.needs_root
    @harness.needs("setpriv")
    def test_a_directory_that_is_not_the_users_to_write_is_refused(self):
        target = self.folder()
        self.work.chmod(0o755)
        target.chmod(0o755)
        installed = pathlib.Path(harness.binary()).resolve()
        if subprocess.run(["setpriv", "--reuid=65534", "test", "-x", installed],
                          check=False).returncode != 0:
            self.skipTest("the program is not the other user's to start")
        done = harness.run("run", self.profile, str(target), via=[
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        self.assert_code(done, 4)
        self.assertIn("Permission denied (EACCES)", done.err)

    @harness.needs_root
    def test_too_little_space_is_refused_with_numbers_before_the_first_write(self):
        target = self.tmpfs("16m")
        before = os.stat(target).st_mtime_ns
        for size in ("64m", "16m", "15600k"):  # more than there is, all of it, past 95 %
            with self.subTest(size=size):
                done = harness.run("run", self.profile, str(target), "--size", size)
                self.assert_code(done, 4)
                self.assertIn("16.00 MiB", done.err)
                self.assertIn("95 %", done.err)
                self.assertIn("--size", done.err)
                self.assertEqual(os.stat(target).st_mtime_ns, before)
        self.assert_code(harness.run("run", self.profile, str(target), "--size", "8m"), 0)
        self.assert_no_leftover(target)


class Filesystems(harness.TestCase):
    """Every profile kind of job runs on what can be had here; O_DIRECT is told truthfully."""

    JOBS = [job("write"), job("read", op="read"),
            job("sync", more='sync = "o_sync"\ndirect = "off"'),
            job("must", more='direct = "required"')]

    def check(self, target, direct):
        profile = harness.profile(self.work, jobs=self.JOBS)
        done = harness.run("run", profile, str(target), "-f", "json")
        self.assert_code(done, 0 if direct else 1)
        for name in ("write", "read"):
            record = self.record(done, name)
            self.assertEqual(record["status"], "ok")
            self.assertEqual(record["resolution"]["direct_effective"], direct, record["resolution"])
        self.assertEqual(self.record(done, "sync")["status"], "ok")
        must = self.record(done, "must")
        self.assertEqual(must["status"], "ok" if direct else "skipped")
        if not direct:
            self.assertIn("O_DIRECT is required: ", must["reason"])
        self.assert_no_leftover(target)

    @harness.needs_root
    def test_ext4(self):
        self.check(self.filesystem("ext4", 64 << 20)[0], True)

    @harness.needs_root
    def test_ext4_with_journalled_data(self):
        self.check(self.filesystem("ext4", 64 << 20, "data=journal")[0], False)

    @harness.needs_root
    @harness.needs("mkfs.xfs")
    def test_xfs(self):
        self.check(self.filesystem("xfs", 320 << 20)[0], True)

    @harness.needs_root
    @harness.needs("mkfs.btrfs")
    def test_btrfs_with_checksums(self):
        self.check(self.filesystem("btrfs", 256 << 20)[0], False)

    @harness.needs_root
    @harness.needs("mkfs.btrfs")
    def test_btrfs_without_checksums(self):
        self.check(self.filesystem("btrfs", 256 << 20, "nodatasum")[0], True)

    @harness.needs_root
    def test_tmpfs(self):
        self.check(self.tmpfs("64m"), False)

    @harness.needs_root
    def test_overlay_on_ext4(self):
        base, _ = self.filesystem("ext4", 64 << 20, name="base")
        for name in ("lower", "upper", "work"):
            (base / name).mkdir()
        target = self.mount("overlay", "overlay", f"lowerdir={base}/lower,upperdir={base}/upper,"
                                                  f"workdir={base}/work")
        profile = harness.profile(self.work)
        self.assert_code(harness.run("run", profile, str(target)), 0)
        self.assert_no_leftover(target)


if __name__ == "__main__":
    harness.main()
