"""Where the time of a row went: host, a limit's queue, and a device of known slowness.

The device is a loop over a FUSE file that takes its time for every read and write.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness

MIB = 1 << 20
US = 1000
AGREE = 0.05  # of the application's mean
STARVED = 0.02  # of the row's time ready to run and without a core: from here on the parts blur


class SplitTest(harness.TestCase):
    def slow_disk(self, milliseconds):
        """ext4 on a device whose every I/O takes that long and a little more: (folder, device)."""
        if not os.path.exists("/dev/fuse"):
            self.skipTest("not run: needs FUSE")
        file = self.work / "slow"
        file.touch()
        daemon = subprocess.Popen(
            [sys.executable, "-B", str(harness.HERE / "slow_file.py"), str(file), str(64 * MIB),
             str(milliseconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.kill)
        if daemon.stdout.readline() != "ready\n":
            self.skipTest(f"not run: FUSE cannot be mounted here: {daemon.stderr.read().strip()}")
        self.addCleanup(disks.unmount, file)
        try:
            device = disks.command("losetup", "--find", "--show", file)
        except RuntimeError as error:
            self.skipTest(f"not run: needs a loop device: {error}")
        self.devices.add(device)
        self.addCleanup(self.detach, device)
        disks.command("mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0", device)
        return self.mount(device, "ext4", "nodiscard"), device

    def throttle(self, device, **limits):
        if not disks.Throttle.available():
            self.skipTest("not run: needs blkio throttling (cgroup v1)")
        return disks.Throttle(self, device, **limits)

    def measure(self, *row, **more):
        """A row during which nobody else had the CPU; where none can be had, the test is skipped."""
        for _ in range(5):
            record = self.measure_once(*row, **more)
            loop = record["loops"][0]
            elapsed = (loop.get("write") or loop["read"])["elapsed_ns"]
            starved = loop["counters"]["own.steal_ns"] / elapsed
            if starved < STARVED:
                return record
        return self.skipTest(f"not run: others had the CPU for {100 * starved:.0f} % of its time")

    def measure_once(self, folder, op="write", more="", formats=(), **popen):
        profile = harness.profile(self.work, size="8MiB", runtime="1500ms",
                                  defaults='engine = ["psync"]\ndirect = "required"\n' + more,
                                  jobs=[harness.job("it", op=op, label="It", block_size="16KiB")])
        done = harness.run("run", profile, str(folder), "-f", "json", *formats, **popen)
        self.assert_code(done, 0)
        return self.record(done, "it")

    def layers(self, record):
        return {layer["name"]: layer["mean_ns"] for layer in record["verdict"]["layers"]}

    def assert_adds_up(self, layers):
        """What follows the application is the application."""
        parts = sum(mean for name, mean in layers.items() if name != "application")
        self.assertAlmostEqual(parts, layers["application"], delta=AGREE * layers["application"])

    def own_ns(self, record, op):
        """What the job's thread did for each I/O itself, by the kernel's account of its time."""
        loop = record["loops"][0]
        used = loop["cpu"]["user_ns"] + loop["cpu"]["system_ns"] + loop["counters"]["own.steal_ns"]
        return used / loop[op]["ios"]

    def test_a_slow_device_is_told_from_the_host(self):
        folder, _ = self.slow_disk(2)
        for op in ("write", "read"):
            with self.subTest(op=op):
                record = self.measure(folder, op)
                layers = self.layers(record)
                self.assertEqual(list(layers), ["application", "host", "device"])
                self.assert_adds_up(layers)
                self.assertGreater(layers["device"], 2000 * US)
                self.assertLess(layers["host"], 0.2 * layers["application"])
                # The same by figures that know nothing of each other.
                self.assertAlmostEqual(self.own_ns(record, op) + layers["device"],
                                       record["derived"][op]["lat_ns"]["mean"],
                                       delta=AGREE * layers["application"])

    def test_threads_wait_for_the_device_alike(self):
        folder, _ = self.slow_disk(2)
        layers = self.layers(self.measure(folder, more="threads = 4"))
        self.assertEqual(layers.keys() - {"wait"}, {"application", "host", "device"})
        self.assert_adds_up(layers)

    def assert_limited(self, milliseconds, iops):
        folder, device = self.slow_disk(milliseconds)
        limit = self.throttle(device, write_iops=iops)
        layers = self.layers(self.measure(folder, preexec_fn=limit.join))
        self.assertEqual(list(layers), ["application", "host", "wait", "device"])
        self.assert_adds_up(layers)
        self.assertGreater(layers["application"], 0.7e9 / iops)  # a limit lets a burst pass first
        self.assertGreater(layers["device"], milliseconds * 1000 * US)
        self.assertGreater(layers["wait"], 0.5 * layers["application"])

    def test_a_limit_on_a_slow_device_is_a_layer_of_its_own(self):
        self.assert_limited(milliseconds=2, iops=100)

    def test_a_limit_on_a_fast_device_is_a_layer_of_its_own(self):
        self.assert_limited(milliseconds=0, iops=500)

    def test_every_form_of_the_report_shows_the_layers(self):
        folder, _ = self.slow_disk(2)
        names = {kind: self.work / f"out.{kind}" for kind in ("md", "csv")}
        record = self.measure(folder, formats=["-f", f"markdown:{names['md']}", "-f",
                                               f"csv:{names['csv']}"])
        mean = {name: f"{ns / 1e3:.1f} us" for name, ns in self.layers(record).items()}
        words = ", ".join(f"{name} {text}" for name, text in mean.items())
        self.assertIn(f"Mean latency by layer:\n\n- It write: {words}\n", names["md"].read_text())
        titles, row = (line.split(",") for line in names["csv"].read_text().splitlines()[:2])
        for name in ("application", "host", "device"):
            shown = float(row[titles.index(f"{name}_mean_us")])
            self.assertAlmostEqual(shown, self.layers(record)[name] / 1e3, delta=0.1)
        self.assertEqual(row[titles.index("wait_mean_us")], "")


if __name__ == "__main__":
    harness.main(root=True)
