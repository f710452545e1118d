#!/usr/bin/env python3
"""What the tool's own looking costs: the sampler, the facts, and the IOPS with and without it.

    python3 tests/bench/cost.py [--quick] [--dir DIR] [--json FILE]

The sampler: CPU time of the runner's process (/proc/PID/schedstat) in the middle of a long row, as a
share of one core, with the sampler and without; on this machine and as on one of 256 CPUs, whose
files are made for it (--sysroot). The facts: the whole of `probe`, which bounds them from above. The
IOPS: pairs of short rows with and without the sampler, in turn and each first every other time, and
the 95 % interval of their ratio's median by order statistics. Exit code 1 when one of the limits is
exceeded, of the IOPS when the whole interval lies beyond it.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import time

import bench
from bench import Failed

SHARE = 0.005  # of one core
PROBE_MS = 50
NOISE = 0.02  # of the IOPS: the medians of pairs of the same program differ by that much
Z_95 = 1.96
MANY_CPUS = 256


def many_cpus(folder):
    """A sysroot with as many CPUs as a large host, in RAM where that is possible."""
    for cpu in range(MANY_CPUS):
        place = folder / f"sys/devices/system/cpu/cpu{cpu}"
        for name, text in (("cpufreq/scaling_cur_freq", "2400000\n"),
                           ("cpuidle/state1/time", "1000\n"), ("cpuidle/state1/disable", "0\n"),
                           ("cpuidle/state2/time", "2000\n"), ("cpuidle/state2/disable", "0\n")):
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return folder


def run_ns(pid):
    """CPU time of a process of one thread, ns."""
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0])


def share_of_runner(work, target, seconds, *options):
    """CPU time of the runner during most of a row's window ÷ that time."""
    words = bench.command(work, target, *bench.by("psync"), *options, op="read", pattern="random",
                          block_size="4KiB", size="64MiB", cache="as_is",
                          runtime=f"{seconds + 1}s", ramp="0s")
    with open(work / "out", "w+", encoding="utf-8") as out, \
            open(work / "err", "w+", encoding="utf-8") as err, \
            bench.started(*words, stdout=out, stderr=err) as process:
        seen, since = None, 0.0
        while process.poll() is None:
            job = bench.job_of(process.pid)
            if job != seen:
                seen, since = job, time.monotonic()
            if seen and time.monotonic() - since > 0.7:  # what lives that long is the row
                break
            time.sleep(0.02)
        if process.poll() is not None:
            err.seek(0)
            raise Failed(f"exit {process.returncode}: {err.read().strip()[-300:]}")
        begun, before = time.monotonic(), run_ns(process.pid)
        time.sleep(seconds - 0.5)
        used = run_ns(process.pid) - before
        elapsed = time.monotonic() - begun
        if process.poll() is not None:
            raise Failed("the row was over too soon")
        process.wait(60)
        out.seek(0)
        bench.measured_row(out.read())
    return used / 1e9 / elapsed


def iops(work, target, seconds, *options):
    row = bench.measured_row(bench.run(*bench.command(
        work, target, *bench.by("psync"), "--buffered", *options, op="read", pattern="random",
        block_size="4KiB", size="64MiB", cache="warm", runtime=bench.milliseconds(seconds),
        ramp="200ms")))
    return row["derived"]["read"]["iops"]


def probe_ms(target):
    begun = time.monotonic()
    bench.run(bench.binary(), "probe", target, "-f", "json")
    return (time.monotonic() - begun) * 1e3


def interval_of_median(values):
    """The order statistics that hold the median of what `values` are drawn from in 95 % of cases:
    the normal approximation to the binomial (Conover, Practical Nonparametric Statistics, 3.2)."""
    values, n = sorted(values), len(values)
    reach = Z_95 * n ** 0.5 / 2
    return values[max(0, int(n / 2 - reach))], values[min(n - 1, int(n / 2 + reach))]


def in_turns(work, target, seconds, pairs):
    """[(IOPS with the sampler, without it)]."""
    found = []
    for number in range(pairs):
        pair = {}
        for sampler in (True, False) if number % 2 == 0 else (False, True):
            pair[sampler] = iops(work, target, seconds, *([] if sampler else ["--no-sampler"]))
        found.append((pair[True], pair[False]))
    return found


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"))
    parser.add_argument("--quick", action="store_true", help="3 s a row and 7 pairs")
    parser.add_argument("--pairs", type=int, default=61)
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def main():
    chosen = parse()
    bench.end_on_signals()
    facts = bench.machine()
    seconds, pairs = (3, 7) if chosen.quick else (10, chosen.pairs)
    good, figures, rows = True, {}, []

    def add(name, value, text, limit="", fine=True):
        nonlocal good
        figures[name] = value
        good = good and fine
        rows.append([name, text, limit, ("yes" if fine else "**no**") if limit else ""])

    with bench.folder(chosen.dir) as work, \
            bench.folder("/dev/shm" if os.access("/dev/shm", os.W_OK) else chosen.dir) as memory:
        target = work / "target"
        target.mkdir()
        tree = many_cpus(memory / "root")
        for name, options in (("this machine", []), (f"{MANY_CPUS} CPUs", ["--sysroot", tree])):
            with_, without = (share_of_runner(work, target, seconds, *options, *more)
                              for more in ([], ["--no-sampler"]))
            cost = with_ - without
            add(f"runner, {name}", with_, f"{with_ * 100:.3f} % of a core",
                f"≤ {SHARE * 100} %", with_ <= SHARE)
            add(f"of that the sampler, {name}", cost, f"{cost * 100:.3f} % of a core")
        probes = bench.spread([probe_ms(target) for _ in range(5 if chosen.quick else 15)])
        add("the whole of `probe`", probes, bench.with_range(probes, digits=1) + " ms",
            f"≤ {PROBE_MS} ms", probes["median"] <= PROBE_MS)
        found = in_turns(work, target, 0.5, pairs)
        ratio = bench.ratios(*zip(*found))
        ratio["interval_95"] = low, high = interval_of_median([a / b for a, b in found])
        add("IOPS with ÷ without the sampler", ratio,
            f"{ratio['pairwise']['median']:.4f} ({low:.4f}–{high:.4f}), {pairs} pairs",
            f"within {NOISE * 100:.0f} %", low <= 1 + NOISE and high >= 1 - NOISE)
    print(f"{bench.machine_line(facts)}\n")
    print(bench.table(["cost", "found", "wanted", ""], rows), end="")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(
            json.dumps({"schema": "bench-cost.v1", "machine": facts, "figures": figures}, indent=1)
            + "\n", encoding="utf-8")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
