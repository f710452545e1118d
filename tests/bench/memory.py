#!/usr/bin/env python3
"""How much memory a run needs, and that a longer one needs no more.

    python3 tests/bench/memory.py [--quick] [--dir DIR] [--json FILE]

Random 4 KiB reads at Q32 T16 for 10 s and for 120 s by each built-in engine, and short runs of the
largest depth and the most threads. Ten times a second: the peak RSS (VmHWM) of each process of the
run, and what all of them hold together (Pss: shared pages once). Exit code 1 when the whole is more
than 24 MiB beside the buffers, or grows by more than 0.5 MiB from the short run to the long one.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import bench
from bench import MIB, Failed

LIMIT = 24 * MIB
GROWTH = MIB // 2
BLOCK = 4096


def watch(work, target, engine, depth, threads, seconds):
    """{"rss": peak of the largest process, "whole": peak Pss of all}, bytes."""
    words = bench.command(work, target, *bench.by(engine), op="read", pattern="random",
                          block_size=BLOCK, size="256MiB", queue_depth=depth, threads=threads,
                          cache="as_is", runtime=f"{seconds}s", ramp="1s")
    peak = {"rss": 0, "whole": 0}
    with open(work / "out", "w+", encoding="utf-8") as out, \
            open(work / "err", "w+", encoding="utf-8") as err, \
            bench.started(*words, stdout=out, stderr=err) as process:
        while process.poll() is None:
            found = [bench.memory_of(pid) for pid in bench.processes_of(process.pid)]
            peak["rss"] = max([peak["rss"], *(m.get("VmHWM", 0) for m in found)])
            peak["whole"] = max(peak["whole"], sum(m.get("Pss", 0) for m in found))
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        if process.returncode != 0:
            err.seek(0)
            raise Failed(f"exit {process.returncode}: {err.read().strip()[-300:]}")
        out.seek(0)
        bench.measured_row(out.read())
    return peak


def mib(value):
    return f"{value / MIB:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"))
    parser.add_argument("--seconds", type=int, nargs=2, default=[10, 120], metavar=("SHORT", "LONG"))
    parser.add_argument("--engines", default="uring,aio,psync")
    parser.add_argument("--quick", action="store_true", help="2 s and 6 s")
    parser.add_argument("--json", metavar="FILE")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.seconds = [2, 6]
    bench.end_on_signals()
    facts = bench.machine()
    short, long = chosen.seconds
    rows, figures, good = [], [], True
    with bench.folder(chosen.dir) as work:
        target = work / "target"
        target.mkdir()
        for engine in chosen.engines.split(","):
            whole_of_short = None
            for depth, threads, seconds in ((32, 16, short), (32, 16, long), (4096, 1, 2),
                                            (1, 512, 2)):
                name = f"{engine} Q{depth}T{threads}, {seconds} s"
                buffers = depth * threads * BLOCK
                begun = time.monotonic()
                try:
                    peak = watch(work, target, engine, depth, threads, seconds)
                except Failed as fault:
                    rows.append([name, "–", "–", mib(buffers), "–", "–", f"not measured: {fault}"])
                    good = good and (depth, threads) != (32, 16)
                    continue
                print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
                beside = peak["whole"] - buffers
                growth, verdict = "", ""
                if (depth, threads) == (32, 16):
                    fine = beside <= LIMIT
                    if seconds == short:
                        whole_of_short = peak["whole"]
                    elif whole_of_short is not None:
                        growth = f"{(peak['whole'] - whole_of_short) / MIB:+.2f}"
                        fine = fine and peak["whole"] - whole_of_short <= GROWTH
                    verdict = "yes" if fine else "**no**"
                    good = good and fine
                rows.append([name, mib(peak["rss"]), mib(peak["whole"]), mib(buffers), mib(beside),
                             growth, verdict])
                figures.append({"engine": engine, "queue_depth": depth, "threads": threads,
                                "seconds": seconds, "buffer_bytes": buffers,
                                "largest_process_rss_bytes": peak["rss"],
                                "all_processes_pss_bytes": peak["whole"]})
    print(f"{bench.machine_line(facts)}\n")
    print(bench.table(["MiB", "largest process, RSS", "all processes, Pss", "buffers",
                       "Pss beside buffers", "growth", f"≤ {LIMIT // MIB} MiB, no growth"], rows),
          end="")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(
            json.dumps({"schema": "bench-memory.v1", "machine": facts, "runs": figures}, indent=1)
            + "\n", encoding="utf-8")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
