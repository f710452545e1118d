#!/usr/bin/env python3
"""An open loop keeps its rate, and its response times see what a closed loop would not.

    python3 tests/bench/rate.py [--quick] [--dir DIR]

By each built-in engine `rate_iops = 1000`: undisturbed it holds 1000 to 0.5 %. Then the job's
processes are stopped for one second (SIGSTOP): a tenth of the I/Os of 10 s was due meanwhile, so
the p99 of the response time, from when an I/O was due, is most of that second, while the p99 of the
service time, from when it was submitted, knows nothing of it.
"""

import argparse
import math
import os
import signal
import sys
import time

import bench
from bench import Failed

RATE = 1000
TOLERANCE = 0.005
STOPPED = 1.0


def bins_of(flat):
    """(lower bound in ns, count) of each bin of our JSON's: the first's bound, counts, -n for n empty bins."""
    lower = flat[0]
    for count in flat[1:]:
        if count >= 0:
            yield lower, count
        for _ in range(-count if count < 0 else 1):
            lower += 1 << max(0, lower.bit_length() - 7)


def quantile(histogram, q):
    """The midpoint of the bin of the sample of rank ceil(q n), ns; of our JSON's bins."""
    rank = max(1, math.ceil(q * histogram["count"] - 1e-9))
    for lower, count in bins_of(histogram["bins"]):
        rank -= count
        if rank <= 0:
            return lower + (1 << max(0, lower.bit_length() - 7)) // 2
    raise Failed("the bins hold less than the count says")


def stop_midway(process, seconds):
    """Stops the job's group for STOPPED seconds in the middle of its row."""
    seen, since = None, 0.0
    while process.poll() is None:
        job = bench.job_of(process.pid)
        if job != seen:
            seen, since = job, time.monotonic()
        # What lives that long is the row: the layout of a small file is over sooner.
        if seen and time.monotonic() - since > seconds * 0.4:
            os.killpg(seen, signal.SIGSTOP)
            time.sleep(STOPPED)
            os.killpg(seen, signal.SIGCONT)
            return
        time.sleep(0.02)
    raise Failed("the row was over before it could be stopped")


def row(work, target, engine, seconds, disturbed):
    words = bench.command(work, target, *bench.by(engine), op="read", pattern="random",
                          block_size="4KiB", size="64MiB", queue_depth=32, rate_iops=RATE,
                          cache="as_is", runtime=f"{seconds}s", ramp="0s")
    if not disturbed:
        return bench.measured_row(bench.run(*words))["loops"][0]["read"]
    with open(work / "out", "w+", encoding="utf-8") as out, \
            open(work / "err", "w+", encoding="utf-8") as err, \
            bench.started(*words, stdout=out, stderr=err) as process:
        stop_midway(process, seconds)
        if process.wait(seconds * 3 + 30) != 0:
            err.seek(0)
            raise Failed(f"exit {process.returncode}: {err.read().strip()[-300:]}")
        out.seek(0)
        return bench.measured_row(out.read())["loops"][0]["read"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--engines", default="uring,aio,psync")
    parser.add_argument("--quick", action="store_true", help="4 s a row")
    chosen = parser.parse_args()
    seconds = 4 if chosen.quick else chosen.seconds
    bench.end_on_signals()
    rows, good = [], True
    with bench.folder(chosen.dir) as work:
        target = work / "target"
        target.mkdir()
        for engine in chosen.engines.split(","):
            for disturbed in (False, True):
                name = f"{engine}{', stopped for 1 s' if disturbed else ''}"
                try:
                    read = row(work, target, engine, seconds, disturbed)
                except Failed as fault:
                    rows.append([name, "–", "–", "–", f"**no**: {fault}"])
                    good = False
                    continue
                rate = read["ios"] * 1e9 / read["elapsed_ns"]
                response = quantile(read["response"], 0.99) / 1e6
                service = quantile(read["lat"], 0.99) / 1e6
                # The share of I/Os due while it stood is STOPPED / seconds, evenly over the second.
                expected = (STOPPED - 0.01 * seconds) * 1e3
                fine = abs(rate / RATE - 1) <= TOLERANCE
                if disturbed:
                    fine = fine and 0.8 * expected <= response <= 1.5 * expected \
                        and service < 0.5 * expected
                good = good and fine
                rows.append([name, f"{rate:.2f} ({(rate / RATE - 1) * 100:+.2f} %)",
                             f"{response:.2f}", f"{service:.2f}", "yes" if fine else "**no**"])
    print(bench.table([f"rate_iops = {RATE}, {seconds} s", "IOPS", "p99 of response, ms",
                       "p99 of service, ms", ""], rows), end="")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
