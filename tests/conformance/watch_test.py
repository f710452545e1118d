"""The watch command: the load that is there, explained by counters; nothing is added to it."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import facts_tree
import harness

TREES = harness.SOURCE / "tests/fixtures/facts"
STAT = "sys/devices/pci0000:00/0000:00:0{}.0/0000:0{}:00.0/nvme/nvme{}/nvme{}n1/stat"


def stat_line(writes, sectors, write_ms, flushes, flush_ms, in_flight=0):
    return (f"0 0 0 0 {writes} 0 {sectors} {write_ms} {in_flight} {write_ms + flush_ms} "
            f"{write_ms + flush_ms} 0 0 0 0 {flushes} {flush_ms}\n")


class Pool:
    """The fixture of a server with a log device, whose counters grow while it is watched."""

    def __init__(self, folder):
        self.root = facts_tree.unpack(TREES / "truenas-slog.tree", folder)
        self.zil = self.root / "proc/spl/kstat/zfs/zil"
        frequency = self.root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
        frequency.parent.mkdir(parents=True)
        frequency.write_text("1200000\n")
        self.grow(0)

    def stat(self, disk):
        return self.root / STAT.format(disk + 1, disk + 1, disk, disk)

    @staticmethod
    def put(file, text):
        """At once: a reader sees the old text or the new one."""
        new = file.with_name(file.name + ".new")
        new.write_text(text)
        os.replace(new, file)

    def grow(self, thousands):
        for disk in (0, 1):
            self.put(self.stat(disk), stat_line(0, 0, 0, 0, 0))
        self.put(self.stat(2), stat_line(1000 * thousands, 8000 * thousands, 13 * thousands, 0, 0))
        rows = {"zil_commit_count": 1000 * thousands, "zil_itx_metaslab_slog_count": 1000 * thousands,
                "zil_itx_metaslab_slog_bytes": 4096000 * thousands,
                "zil_itx_metaslab_normal_bytes": 0, "zil_itx_indirect_bytes": 0}
        self.put(self.zil, "".join(f"{name} 4 {value}\n" for name, value in rows.items()))

    def watch(self, *options, time_="1500ms"):
        """The program's end; the counters grow all the time."""
        stop = threading.Event()

        def grow():
            thousands = 0
            while not stop.wait(0.05):
                thousands += 1
                self.grow(thousands)
        growth = threading.Thread(target=grow)
        growth.start()
        try:
            return harness.run("watch", "/mnt/nvme-ultra-r10/vm disks", time_, "--sysroot",
                               str(self.root), *options)
        finally:
            stop.set()
            growth.join()


class OfAFixture(harness.TestCase):
    """A ZFS pool with a log device, as the server of the case study had it."""

    def setUp(self):
        super().setUp()
        self.pool = Pool(self.work / "tree")

    def test_the_summary_explains_the_sync_load(self):
        done = self.pool.watch()
        self.assert_code(done, 0)
        self.assertEqual(done.err, "")
        self.assertRegex(done.out, r"(?m)^Watched /mnt/nvme-ultra-r10/vm disks \(zfs on "
                                   r"nvme-ultra-r10/vm disks\) for \d+\.\d s; ")
        self.assertRegex(done.out, r"(?m)^nvme2n1 +log ")
        self.assertRegex(done.out, r"(?m)^- \d+ ZIL commits/s: the log device nvme2n1 took 100 % of "
                                   r"the ZIL, \d+\.\d+ MB/s\.$")
        self.assertIn("- A write takes 13.0 us at nvme2n1: one writer that waits for each gets at "
                      "most 76923 sync", done.out)
        self.assertIn("- The cores ran at 1.2 of 3.3 GHz (governor schedutil): each sync write pays "
                      "for it above the device.", done.out.replace("\n  ", " "))

    def test_json_has_the_differences_and_the_facts(self):
        done = self.pool.watch("-f", "json")
        self.assert_code(done, 0)
        facts = json.loads(done.out)
        unknown = facts.pop("unknown")
        self.assertEqual({n for n, v in facts.items() if v is None}, set(unknown))
        self.assertEqual(facts["disk.2.name"], "nvme2n1")
        self.assertGreater(facts["disk.2.write_ios"], 0)
        self.assertEqual(facts["disk.2.write_bytes"], 4096 * facts["disk.2.write_ios"])
        self.assertEqual(facts["disk.2.longest_stall_ns"], 0)
        self.assertEqual(facts["zil.slog_bytes"], 4096 * facts["zil.slog_count"])
        self.assertGreater(facts["zil.slog_count"], 0)
        self.assertAlmostEqual(facts["cpu.mhz_mean"], 1200, 6)  # a mean of several readings
        self.assertEqual(facts["cpu.governor"], "schedutil")
        self.assertGreaterEqual(facts["window_ns"], 1.5e9)

    def test_ctrl_c_ends_it_with_the_summary(self):
        def has_begun():
            return any(str(link.resolve()).endswith("nvme2n1/stat")
                       for link in pathlib.Path(f"/proc/{started.process.pid}/fd").iterdir())
        with open(self.work / "out", "w+", encoding="utf-8") as out:
            started = self.start("watch", "/mnt/nvme-ultra-r10/vm disks", "1h", "--sysroot",
                                 str(self.pool.root), stdout=out)
            self.assertTrue(harness.eventually(has_begun, 20))
            started.signal(signal.SIGINT)
            self.assertEqual(started.wait(10), 128 + signal.SIGINT)
            out.seek(0)
            self.assertRegex(out.read(), r"\AWatched /mnt/nvme-ultra-r10/vm disks .*\n\ndisk +role ")

    def test_a_stall_is_seen(self):
        self.pool.stat(0).write_text(stat_line(5, 40, 5, 0, 0, in_flight=3))
        done = harness.run("watch", "/mnt/nvme-ultra-r10/vm disks", "1s", "--sysroot",
                           str(self.pool.root))
        self.assert_code(done, 0)
        self.assertRegex(done.out, r"(?m)^- nvme0n1 ended nothing for (0\.[5-9]|[1-9]\d*\.\d) s although "
                                   r"I/O was in flight\.$")

    def test_json_goes_to_a_file(self):
        file = self.work / "watch.json"
        done = self.pool.watch("-f", f"json:{file}", time_="200ms")
        self.assert_code(done, 0)
        self.assertEqual(done.out, "")
        self.assertIn("window_ns", json.loads(file.read_text()))

    def test_a_file_that_cannot_be_written_is_told_before_anything_is_watched(self):
        done = harness.run("watch", "/mnt/nvme-ultra-r10/vm disks", "1h", "--sysroot",
                           str(self.pool.root), "-f", f"json:{self.work}/missing/watch.json")
        self.assert_code(done, 5)

    def test_another_format_is_refused(self):
        done = harness.run("watch", "/mnt", "-f", "csv")
        self.assert_code(done, 2)
        self.assertEqual(done.err, 'speedtest-hd: watch prints text, or JSON with -f json; '
                                   'it has no format "csv"\n')

    def test_a_fixture_without_such_a_mount_is_refused(self):
        done = harness.run("watch", "/srv", "--sysroot", str(self.pool.root))
        self.assert_code(done, 4)
        self.assertIn('leads to "/srv"; name a path below one', done.err)


class OfThisMachine(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def test_the_writes_of_another_program_are_seen(self):
        with self.growing_load():
            done = harness.run("watch", str(self.target), "1s", "-f", "json")
        self.assert_code(done, 0)
        facts = json.loads(done.out)
        if facts.get("disk.0.name") is None:
            self.skipTest("no disk below the test folder")
        self.assertGreater(sum(v for n, v in facts.items() if n.endswith(".write_bytes")
                               and n.startswith("disk.") and v is not None), 65536)

    def test_it_runs_beside_a_benchmark(self):
        profile = harness.profile(self.work, runtime="2s", jobs=[harness.job("write")])
        started = self.start("run", profile, str(self.target))
        self.assertTrue(harness.eventually(lambda: harness.test_files(self.target), 20))
        done = harness.run("watch", str(self.target), "100ms")
        self.assert_code(done, 0)
        self.assertEqual(started.wait(), 0)

    def test_it_does_not_keep_a_benchmark_out(self):
        started = self.start("watch", str(self.target), "20s")
        time.sleep(0.3)
        done = harness.run("run", harness.profile(self.work), str(self.target))
        self.assert_code(done, 0)
        started.signal(signal.SIGTERM)
        self.assertEqual(started.wait(), 128 + signal.SIGTERM)

    @contextlib.contextmanager
    def growing_load(self):
        """Writes more each time, so that no two seconds are alike."""
        stop = threading.Event()

        def write():
            data = os.urandom(256 * 1024)
            with open(self.work / "load", "wb", buffering=0) as file:
                rounds = 0
                while not stop.wait(0.05):
                    rounds += 1
                    file.seek(0)
                    for _ in range(rounds):
                        file.write(data)
                    os.fsync(file.fileno())
        writer = threading.Thread(target=write)
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()

    def live(self, columns):
        """What the program draws on a terminal of so many columns."""
        ours, its = pty.openpty()
        try:
            fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
            done = subprocess.run([harness.binary(), "watch", str(self.target), "2500ms"],
                                  env=harness.environment(TERM="xterm"), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=its, timeout=60, check=False)
            os.set_blocking(ours, False)
            drawn = os.read(ours, 65536).decode()
        finally:
            os.close(ours)
            os.close(its)
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("\n", drawn)
        self.assertTrue(drawn.endswith("\r\x1b[K"), repr(drawn))
        return drawn.split("\r\x1b[K")[1:-1]

    def test_a_terminal_has_a_line_a_second_that_fits(self):
        with self.growing_load():  # a line that says the same again is not drawn anew
            lines = self.live(200)  # of 2.5 s: one after the first second, and one at the end
        self.assertGreaterEqual(len(lines), 2)
        self.assertTrue(all("waiting for I/O " in line for line in lines), lines)
        lines = self.live(20)
        self.assertTrue(all(len(line) < 20 and "waiting" not in line for line in lines), lines)

    def test_a_pipe_has_the_summary_alone(self):
        done = harness.run("watch", str(self.target), "1100ms")
        self.assert_code(done, 0)
        self.assertEqual(done.err, "")

    def test_a_target_that_is_not_there_is_refused(self):
        done = harness.run("watch", str(self.target / "missing"), "1s")
        self.assert_code(done, 4)
        self.assertIn("does not exist", done.err)


if __name__ == "__main__":
    harness.main()
