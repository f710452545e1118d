#!/usr/bin/env python3
"""A device of known speed: every backend must report the limit, and buffered writes never more.

    sudo STHD_BINARY=build/release/bin/speedtest-hd python3 tests/bench/throttle.py

A loop device under a cgroup v1 limit of 2000 IOPS (4 KiB) and of 20 MB/s (1 MiB). Prints a Markdown
table; exit code 1 when a figure is off. STHD_SECONDS is the measured time of a row.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness
from harness import job

IOPS = 2000
BYTES_PER_SECOND = 20_000_000
TOLERANCE = 0.02
SECONDS = float(os.environ.get("STHD_SECONDS", "12"))
SIZE = "128MiB"

# Limit, block size, metric, and the rows (backend, engine, queue depth, threads).
CASES = [
    ("iops", IOPS, "4KiB", "random",
     [("native-psync", "psync", 1, 4), ("native-psync", "psync", 8, 1),
      ("native-aio", "libaio", 8, 1), ("fio-exec", "psync", 1, 4), ("fio-exec", "libaio", 8, 1)]),
    ("bps", BYTES_PER_SECOND, "1MiB", "sequential",
     [("native-psync", "psync", 1, 1), ("native-psync", "psync", 2, 1),
      ("native-aio", "libaio", 2, 1), ("fio-exec", "psync", 1, 1), ("fio-exec", "libaio", 2, 1),
      ("dd", "dd", 1, 1)]),
]


def jobs(block_size, pattern, rows, direct):
    """Without the final fsync of direct writes: the disk below may take its time over that."""
    last = "true" if direct == "off" else "false"
    return [job(f"r{i}-{op}", op=op, pattern=pattern, block_size=block_size,
                label=f"{backend} {engine} Q{depth}T{threads} {op}",
                more=f'backend = ["{backend}"]\nengine = ["{engine}"]\nqueue_depth = {depth}\n'
                     f'threads = {threads}\ndirect = "{direct}"'
                     + (f"\nend_fsync = {last}" if op == "write" else ""))
            for i, (backend, engine, depth, threads) in enumerate(rows) for op in ("read", "write")]


class Bench(harness.TestCase):
    """Only for its temporary folder and filesystem; main() calls measure()."""

    def runTest(self):
        self.failures = []
        if not disks.Throttle.available():
            self.skipTest("not run: needs cgroup v1 blkio")
        # Per I/O in flight at least 100 turns.
        for _, limit, block_size, _, rows in CASES:
            turns = limit * SECONDS / (1 << 20 if block_size == "1MiB" else 1)
            for _, _, depth, threads in rows:
                self.assertGreaterEqual(turns, 100 * depth * threads, "STHD_SECONDS is too short")
        print("| limit | row | measured | deviation |\n| :-- | :-- | --: | --: |")
        for case in CASES:
            self.direct(*case)
        self.buffered()
        self.assertEqual(self.failures, [])

    def profile(self, name, jobs_):
        return harness.profile(self.work, name, size=SIZE, runtime=f"{SECONDS}s", ramp="1s",
                               jobs=jobs_)

    def measure(self, profile, target, throttle):
        done = harness.run("run", profile, str(target), "-f", "json", timeout=1800,
                           preexec_fn=throttle.join)
        self.assert_code(done, 0)
        return done.report["jobs"]

    def show(self, limit, record, value, share, bad):
        mark = " **off**" if bad else ""
        print(f"| {limit} | {record['label']} | {value:.1f} | "
              f"{(share - 1) * 100:+.2f} %{mark} |", flush=True)
        if bad:
            self.failures.append((record["label"], record["op"], value))

    def direct(self, kind, limit, block_size, pattern, rows):
        target, device = self.filesystem("ext4", 512 << 20, direct_io=True, name=kind)
        throttle = disks.Throttle(self, device,
                                  **{f"read_{kind}": limit, f"write_{kind}": limit})
        metric = "iops" if kind == "iops" else "bw_bytes_per_s"
        words = f"{limit} IOPS, {block_size}" if kind == "iops" else \
            f"{limit / 1e6:.0f} MB/s, {block_size}"
        shares = []
        for record in self.measure(self.profile(kind, jobs(block_size, pattern, rows, "required")),
                                   target, throttle):
            value = record["derived"][record["op"]][metric]
            shares.append(value / limit)
            self.show(words, record, value if kind == "iops" else value / 1e6, shares[-1],
                      abs(shares[-1] - 1) > TOLERANCE)
        spread = max(shares) / min(shares) - 1
        print(f"| {words} | all rows among each other | | {spread * 100:.2f} % |")
        if spread > TOLERANCE:
            self.failures.append(("spread", words, spread))
        throttle.lift()

    def buffered(self):
        """Writeback belongs to the root group."""
        target, device = self.filesystem("ext4", 512 << 20, direct_io=True, name="buffered")
        throttle = disks.Throttle(self, device, root=True, write_bps=BYTES_PER_SECOND)
        rows = [("native-psync", "psync", 1, 1), ("fio-exec", "psync", 1, 1), ("dd", "dd", 1, 1)]
        wanted = [j for j in jobs("1MiB", "sequential", rows, "off") if 'op = "write"' in j]
        for record in self.measure(self.profile("buffered", wanted), target, throttle):
            value = record["derived"]["write"]["bw_bytes_per_s"]
            share = value / BYTES_PER_SECOND
            self.show("20 MB/s, buffered", record, value / 1e6, share, share > 1 + TOLERANCE)
        throttle.lift()


if __name__ == "__main__":
    harness.main(root=True)
