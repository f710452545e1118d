#!/usr/bin/env python3
"""Do our figures differ from fio's by more than fio's differ from fio's own?

    STHD_BINARY=build/release/bin/speedtest-hd python3 tests/bench/fio_parity.py [DIRECTORY]

Triples fio / ours / fio of the slog profile's T1 and T4 rows on the same directory, each on a new,
fully written, warm file of the same size. The median of ours to fio (the geometric mean of the two
around it) must lie between the 2.5 and 97.5 percentiles of the fio-to-fio ratios.
STHD_TRIPLES (15), STHD_SECONDS (3), STHD_SIZE in MiB (256).
"""

import json
import math
import mmap
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

TRIPLES = int(os.environ.get("STHD_TRIPLES", "15"))
SECONDS = int(os.environ.get("STHD_SECONDS", "3"))
SIZE = int(os.environ.get("STHD_SIZE", "256")) << 20
RAMP = 1
METRICS = ("iops", "p50", "p99")


def lay_out(path):
    """As the runner does: written whole, 1 MiB at a time, past the cache, then read once.

    Past the cache: what buffered writes leave there are larger folios than what reads bring in, and ext4's
    O_SYNC writes cost more CPU on those (fio was 15 % slower on such a file).
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_DIRECT, 0o600)
    os.posix_fallocate(fd, 0, SIZE)
    with mmap.mmap(-1, 1 << 20) as block:  # aligned as O_DIRECT needs it
        for at in range(0, SIZE, 1 << 20):
            block.seek(0)
            block.write(os.urandom(1 << 20))
            os.pwrite(fd, block, at)
    os.fsync(fd)
    os.close(fd)
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def by_fio(directory, threads):
    path = pathlib.Path(directory) / f"fio-parity-{os.getpid()}"
    try:
        lay_out(path)
        done = subprocess.run(
            ["fio", "--name=parity", f"--filename={path}", "--rw=randwrite", "--bs=4k",
             "--ioengine=psync", "--sync=1", f"--numjobs={threads}", "--thread",
             "--group_reporting", f"--size={SIZE}", "--time_based", f"--runtime={SECONDS}",
             f"--ramp_time={RAMP}", "--norandommap", "--randrepeat=0", "--allow_file_create=0",
             "--invalidate=0",  # else fio drops the cache: cold, where slog is warm
             "--lat_percentiles=1", "--clat_percentiles=0", "--percentile_list=50:99",
             "--output-format=json"], capture_output=True, text=True, check=True)
    finally:
        path.unlink(missing_ok=True)
    write = json.loads(done.stdout)["jobs"][0]["write"]
    percentiles = write["lat_ns"]["percentile"]
    return {"iops": write["iops"], "p50": percentiles["50.000000"],
            "p99": percentiles["99.000000"]}


def by_us(directory, threads):
    done = harness.run("run", "slog", directory, "-f", "json", "--only", f"4K sync T{threads}",
                       "--backend", "native-psync", "--runtime", str(SECONDS), "--ramp", str(RAMP),
                       "--size", str(SIZE))
    if done.code != 0:
        sys.exit(str(done))
    figures = done.report["jobs"][0]["derived"]["write"]
    return {"iops": figures["iops"], "p50": figures["lat_ns"]["p50"],
            "p99": figures["lat_ns"]["p99"]}


def percentile(values, q):
    """Linear between the two nearest ranks."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def compare(directory, threads):
    """Prints the triples of one row; False when a median lies outside."""
    triples = []
    print(f"\n### slog T{threads}: {TRIPLES} triples of {SECONDS} s, {SIZE >> 20} MiB\n")
    print("| # | " + " | ".join(f"{m} fio, ours, fio | ours/fio | fio/fio" for m in METRICS) + " |")
    print("| --: |" + " --: | --: | --: |" * len(METRICS))
    for number in range(1, TRIPLES + 1):
        first, ours, second = (by_fio(directory, threads), by_us(directory, threads),
                               by_fio(directory, threads))
        triples.append((first, ours, second))
        cells = []
        for m in METRICS:
            scale = 1 if m == "iops" else 1000
            cells.append(f"{first[m] / scale:.1f}, {ours[m] / scale:.1f}, {second[m] / scale:.1f}"
                         f" | {ours[m] / math.sqrt(first[m] * second[m]):.3f}"
                         f" | {second[m] / first[m]:.3f}")
        print(f"| {number} | " + " | ".join(cells) + " |", flush=True)
    print("\n| metric | median ours/fio | fio/fio 2.5 % | fio/fio 97.5 % | |")
    print("| :-- | --: | --: | --: | :-- |")
    good = True
    for m in METRICS:
        ours = statistics.median(o[m] / math.sqrt(a[m] * b[m]) for a, o, b in triples)
        fio = [b[m] / a[m] for a, _, b in triples]
        low, high = percentile(fio, 0.025), percentile(fio, 0.975)
        within = low <= ours <= high
        good = good and within
        verdict = "within" if within else "OUTSIDE"
        print(f"| {m} | {ours:.3f} | {low:.3f} | {high:.3f} | {verdict} |")
    return good


def main():
    parent = sys.argv[1] if len(sys.argv) > 1 else harness.test_root()
    with tempfile.TemporaryDirectory(prefix="sthd-parity-", dir=parent) as directory:
        results = [compare(directory, threads) for threads in (1, 4)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
