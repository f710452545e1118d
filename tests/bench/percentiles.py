#!/usr/bin/env python3
"""Are the percentiles of the report those of the I/Os themselves?

    STHD_BINARY=build/release/bin/speedtest-hd python3 tests/bench/percentiles.py [DIRECTORY]

Runs slog, and cdm by each built-in engine, with a raw log of every I/O, recomputes p50 and p99 of
every job from it and holds them against the report: within the histogram's error of 0.8 %.
STHD_SECONDS (2), STHD_SIZE in MiB (256).
"""

import collections
import math
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

SECONDS = os.environ.get("STHD_SECONDS", "2")
SIZE = os.environ.get("STHD_SIZE", "256") + "m"
ERROR = 0.008
RUNS = [("slog", "native-psync"), ("cdm", "native-uring"), ("cdm", "native-aio"),
        ("cdm", "native-psync")]
QUANTILES = {"p50": 0.5, "p99": 0.99}


def logged(path):
    """{job id: latencies}, and {job id: bytes}."""
    latencies = collections.defaultdict(list)
    sizes = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            # A job's id has commas of its own.
            job_id, _, _, size, latency = line.rsplit(",", 4)
            latencies[job_id].append(int(latency))
            sizes[job_id] += int(size)
    return latencies, sizes


def quantile(ordered, q):
    """The sample of rank ceil(q n); nothing when less than one sample lies beyond it."""
    n = len(ordered)
    return None if n * (1 - q) < 1 else ordered[max(math.ceil(q * n - 1e-9), 1) - 1]


def check(profile, backend, directory, log):
    done = harness.run("run", profile, directory, "-f", "json", "--runtime", SECONDS, "--backend",
                       backend, "--size", SIZE, "--io-log", str(log), timeout=1800)
    if done.code != 0:
        sys.exit(str(done))
    latencies, sizes = logged(log)
    good = True
    for record in done.report["jobs"]:
        ordered = sorted(latencies[record["id"]])
        loop = [entry[record["op"]] for entry in record["loops"]]
        counted = (sum(part["ios"] for part in loop), sum(part["bytes"] for part in loop),
                   sum(part["lat"]["count"] for part in loop))
        same = counted == (len(ordered), sizes[record["id"]], len(ordered))
        lat = record["derived"][record["op"]]["lat_ns"]
        exact = (lat["min"], lat["max"]) == (ordered[0], ordered[-1])
        cells = []
        for name, q in QUANTILES.items():
            raw, told = quantile(ordered, q), lat[name]
            if raw is None or told is None:
                off = 0 if raw == told else math.inf
                cells.append("- | - | -")
            else:
                off = told / raw - 1
                cells.append(f"{raw / 1e3:.3f} | {told / 1e3:.3f} | {off * 100:+.3f} %")
            good = good and abs(off) <= ERROR
        good = good and same and exact
        print(f"| {profile} {record['label']} | {record['op']} | {backend} | {len(ordered)}"
              f"{'' if same and exact else ' **counts differ**'} | "
              + " | ".join(cells) + " |", flush=True)
    return good


def main():
    parent = sys.argv[1] if len(sys.argv) > 1 else harness.test_root()
    print("| job | op | backend | I/Os | " + " | ".join(
        f"{q} of the log (us) | {q} of the report (us) | off" for q in QUANTILES) + " |")
    print("| :-- | :-- | :-- | --: |" + " --: | --: | --: |" * len(QUANTILES))
    with tempfile.TemporaryDirectory(prefix="sthd-percentiles-", dir=parent) as work:
        directory = pathlib.Path(work) / "target"
        directory.mkdir()
        results = [check(profile, backend, str(directory), pathlib.Path(work) / "log")
                   for profile, backend in RUNS]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
