#!/usr/bin/env python3
"""A device of known speed: every engine must report the limit, and buffered writes never more.

    sudo STHD_BINARY=build/release/bin/speedtest-hd python3 tests/bench/throttle.py

Loop devices under a cgroup v1 limit of 500, 2000 and 8000 IOPS (4 KiB, O_DIRECT, Q1 and Q32, within
1 %), of 20 MB/s (1 MiB, within 2 %), and of 20 MB/s for buffered writes. Prints a Markdown table;
exit code 1 when a figure is off. STHD_SECONDS (10) is the least measured time of a row: each I/O in
flight has at least 100 turns. STHD_BACKENDS=native-uring,fio-exec measures those backends alone.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness
from harness import job

BYTES_PER_SECOND = 20_000_000
SECONDS = float(os.environ.get("STHD_SECONDS", "10"))
BACKENDS = os.environ.get("STHD_BACKENDS", "native-uring,native-aio,native-psync,fio-exec,dd")
SIZE = "128MiB"
TURNS = 100  # of each I/O in flight

# Backend and engine.
ENGINES = [("native-uring", "io_uring"), ("native-aio", "libaio"), ("native-psync", "psync"),
           ("fio-exec", "io_uring"), ("fio-exec", "libaio"), ("fio-exec", "psync")]


def by_depths(*depths):
    """Rows (backend, engine, queue depth, threads)."""
    return [(backend, engine, depth, 1) for depth in depths for backend, engine in ENGINES]


# Limit, block size, pattern, tolerance, rows.
CASES = [("iops", limit, "4KiB", "random", 0.01, by_depths(1, 32)) for limit in (500, 2000, 8000)]
CASES.append(("bps", BYTES_PER_SECOND, "1MiB", "sequential", 0.02,
              [*by_depths(1), ("native-psync", "psync", 2, 1), ("native-aio", "libaio", 2, 1),
               ("fio-exec", "libaio", 2, 1), ("dd", "dd", 1, 1)]))


def chosen(rows):
    return [row for row in rows if row[0] in BACKENDS.split(",")]


def runtime(kind, limit, block_size, depth, threads):
    """Seconds in which each I/O in flight has its turns, at least SECONDS."""
    rate = limit if kind == "iops" else limit / (1 << 20)
    return max(SECONDS, TURNS * depth * threads / rate)


def jobs(kind, limit, block_size, pattern, rows, direct):
    """Without the final fsync of direct writes: the disk below may take its time over that."""
    last = "true" if direct == "off" else "false"
    return [job(f"r{i}-{op}", op=op, pattern=pattern, block_size=block_size,
                label=f"{backend} {engine} Q{depth}T{threads} {op}",
                more=f'backend = ["{backend}"]\nengine = ["{engine}"]\nqueue_depth = {depth}\n'
                     f'threads = {threads}\ndirect = "{direct}"\n'
                     f'runtime = "{runtime(kind, limit, block_size, depth, threads):g}s"'
                     + (f"\nend_fsync = {last}" if op == "write" else ""))
            for i, (backend, engine, depth, threads) in enumerate(chosen(rows))
            for op in ("read", "write")]


class Bench(harness.TestCase):
    """Only for its temporary folder and filesystem; main() calls measure()."""

    def runTest(self):
        self.failures = []
        if not disks.Throttle.available():
            self.skipTest("not run: needs cgroup v1 blkio")
        print("| limit | row | measured | deviation |\n| :-- | :-- | --: | --: |")
        for number, case in enumerate(CASES):
            self.direct(f"limit{number}", *case)
        self.buffered()
        self.assertEqual(self.failures, [])

    def measure(self, name, jobs_, target, throttle):
        profile = harness.profile(self.work, name, size=SIZE, ramp="1s", jobs=jobs_)
        done = harness.run("run", profile, str(target), "-f", "json", timeout=7200,
                           preexec_fn=throttle.join)
        self.assert_code(done, 0)
        return done.report["jobs"]

    def show(self, limit, record, value, share, bad):
        mark = " **off**" if bad else ""
        print(f"| {limit} | {record['label']} | {value:.1f} | "
              f"{(share - 1) * 100:+.2f} %{mark} |", flush=True)
        if bad:
            self.failures.append((limit, record["label"], record["op"], value))

    def direct(self, name, kind, limit, block_size, pattern, tolerance, rows):
        if not chosen(rows):
            return
        # The image lies in RAM: a disk below may be slower than 8000 IOPS at depth 1.
        ram = self.tmpfs("600m", name=f"{name}-ram")
        target, device = self.filesystem("ext4", 512 << 20, folder=ram, name=name)
        throttle = disks.Throttle(self, device,
                                  **{f"read_{kind}": limit, f"write_{kind}": limit})
        metric = "iops" if kind == "iops" else "bw_bytes_per_s"
        words = f"{limit} IOPS, {block_size}" if kind == "iops" else \
            f"{limit / 1e6:.0f} MB/s, {block_size}"
        shares = []
        for record in self.measure(name, jobs(kind, limit, block_size, pattern, rows, "required"),
                                   target, throttle):
            value = record["derived"][record["op"]][metric]
            shares.append(value / limit)
            self.show(words, record, value if kind == "iops" else value / 1e6, shares[-1],
                      abs(shares[-1] - 1) > tolerance)
        spread = max(shares) / min(shares) - 1
        print(f"| {words} | all rows among each other | | {spread * 100:.2f} % |")
        if spread > 2 * tolerance:
            self.failures.append(("spread", words, spread))
        throttle.lift()

    def buffered(self):
        """Writeback belongs to the root group."""
        rows = [("native-psync", "psync", 1, 1), ("fio-exec", "psync", 1, 1), ("dd", "dd", 1, 1)]
        if not chosen(rows):
            return
        target, device = self.filesystem("ext4", 512 << 20, direct_io=True, name="buffered")
        throttle = disks.Throttle(self, device, root=True, write_bps=BYTES_PER_SECOND)
        wanted = [j for j in jobs("bps", BYTES_PER_SECOND, "1MiB", "sequential", rows, "off")
                  if 'op = "write"' in j]
        for record in self.measure("buffered", wanted, target, throttle):
            value = record["derived"]["write"]["bw_bytes_per_s"]
            share = value / BYTES_PER_SECOND
            self.show("20 MB/s, buffered", record, value / 1e6, share, share > 1.02)
        throttle.lift()


if __name__ == "__main__":
    harness.main(root=True)
