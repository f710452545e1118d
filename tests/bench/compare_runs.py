#!/usr/bin/env python3
"""What `compare` claims of real runs: nothing between equal ones, a limit that was changed always.

    sudo STHD_BINARY=build/release/bin/speedtest-hd python3 tests/bench/compare_runs.py

First STHD_RUNS (10) runs of sync writes with the same settings on the disk below STHD_TEST_DIR, each
compared with each: at most one in twenty rows may claim a difference. Then, for root and with
cgroup v1, rounds of a loop device that is limited to 2000, 1900 and 1400 IOPS in turns: 1900 is to
be found in at least 19 of 20 comparisons with 2000, 1400 in all, and 2000 of one round against 2000
of the next in at most one of twenty. Prints Markdown tables; exit code 1 when a claim fails.
STHD_SECONDS (5) is the measured time of a row, STHD_REPEAT (1) its repeats.
"""

import itertools
import json
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import disks
import harness
from harness import job

RUNS = int(os.environ.get("STHD_RUNS", "10"))
SECONDS = float(os.environ.get("STHD_SECONDS", "5"))
REPEAT = int(os.environ.get("STHD_REPEAT", "1"))
LIMITS = (2000, 1900, 1400)
ONE_IN_TWENTY = 0.05

COLUMNS = """
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
[[column]]
id = "p50"
title = "p50 (us)"
metric = "lat.p50"
unit = "us"
precision = 1
[[column]]
id = "p99"
title = "p99 (us)"
metric = "lat.p99"
unit = "us"
precision = 1
"""


def sync_jobs():
    """As the slog profile has them."""
    return [job(f"sync4k-t{threads}", label=f"4K sync T{threads}",
                more=f'threads = {threads}\nsync = "o_sync"\ndirect = "off"\ncache = "warm"')
            for threads in (1, 4)]


def direct_jobs():
    """What a limit meets: I/O of the process itself."""
    return [job(f"{op}-t{threads}", op=op, label=f"4K direct T{threads} {op}",
                more=f'threads = {threads}\ndirect = "required"'
                     + ("\nend_fsync = false" if op == "write" else ""))
            for op in ("read", "write") for threads in (1, 4)]


class Bench(harness.TestCase):
    """Only for its temporary folder and filesystem; main() calls it."""

    def runTest(self):
        self.failures = []
        self.same_runs()
        if harness.CAN_MOUNT and disks.Throttle.available():
            self.limited_runs()
        else:
            print("\nnot run: limits need root and cgroup v1 blkio")
        self.assertEqual(self.failures, [])

    def profile(self, name, jobs):
        path = harness.profile(self.work, name, size="64MiB", runtime=f"{SECONDS:g}s", ramp="500ms",
                               defaults=f'engine = ["psync"]\nrepeat = {REPEAT}', jobs=jobs)
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(text[:text.index("[[column]]")] + COLUMNS)
        return path

    def run_once(self, profile, target, name, **popen):
        file = self.work / f"{name}.json"
        done = harness.run("run", profile, str(target), "-f", f"json:{file}", timeout=7200, **popen)
        self.assert_code(done, 0)
        return file

    def compared(self, first, second):
        """{(row, metric): its values and its ratio}."""
        done = harness.run("compare", str(first), str(second), "-f", "json")
        self.assert_code(done, 0)
        return {(row["label"], row["title"]): (row["values"], row["ratios"][0])
                for row in json.loads(done.out)["rows"]}

    def judge(self, what, claims, least, most):
        """`claims`: {row: [whether a difference was claimed]}."""
        total = list(itertools.chain(*claims.values()))
        for row, each in claims.items():
            print(f"| {what} | {' '.join(row)} | {sum(each)} of {len(each)} |")
        share = sum(total) / len(total)
        bad = not least <= share <= most
        print(f"| {what} | all | {sum(total)} of {len(total)} ({share * 100:.1f} %)"
              f"{' **off**' if bad else ''} |", flush=True)
        if bad:
            self.failures.append((what, share))

    def same_runs(self):
        profile = self.profile("same", sync_jobs())
        target = self.folder()
        files = [self.run_once(profile, target, f"same-{i}") for i in range(RUNS)]
        claims, widths, values = {}, {}, {}
        for first, second in itertools.combinations(files, 2):
            for row, (figures, ratio) in self.compared(first, second).items():
                claims.setdefault(row, []).append(ratio["change"] in ("better", "worse"))
                values.setdefault(row, set()).update(figures)
                if ratio["low"]:
                    widths.setdefault(row, []).append((ratio["high"] - ratio["low"]) / 2)
        print("| row | deviation between runs | half of the interval, mean |\n| :-- | --: | --: |")
        for row, figures in values.items():
            deviation = statistics.stdev(figures) / statistics.mean(figures) * 100
            width = statistics.mean(widths[row]) * 100 if row in widths else float("nan")
            print(f"| {' '.join(row)} | {deviation:.1f} % | {width:.1f} % |")
        print("\n| pairs | row | claim a difference |\n| :-- | :-- | --: |")
        self.judge("the same settings", claims, 0, ONE_IN_TWENTY)

    def limited_runs(self):
        # The image lies in RAM: the disk below is not to be the limit.
        ram = self.tmpfs("600m", name="ram")
        target, device = self.filesystem("ext4", 512 << 20, folder=ram, name="limited")
        profile = self.profile("limited", direct_jobs())
        files = {limit: [] for limit in LIMITS}
        for turn, limit in itertools.product(range(RUNS), LIMITS):
            throttle = disks.Throttle(self, device, read_iops=limit, write_iops=limit)
            files[limit].append(self.run_once(profile, target, f"{limit}-{turn}",
                                              preexec_fn=throttle.join))
            throttle.lift()
        print("\n| pairs | row | claim a difference |\n| :-- | :-- | --: |")
        base = files[LIMITS[0]]
        for what, others, least, most in (("2000 with 2000", base[1:], 0, ONE_IN_TWENTY),
                                          ("1900 with 2000", files[1900], 1 - ONE_IN_TWENTY, 1),
                                          ("1400 with 2000", files[1400], 1, 1)):
            claims = {}
            for first, second in zip(base, others):
                for row, (_, ratio) in self.compared(first, second).items():
                    if row[1] != "IOPS":  # the limit is one on I/Os; its slices make the latencies
                        continue
                    claims.setdefault(row, []).append(ratio["change"] in ("better", "worse"))
            self.judge(what, claims, least, most)


if __name__ == "__main__":
    harness.main()
