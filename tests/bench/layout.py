#!/usr/bin/env python3
"""How fast the test file is laid out, beside fio's sequential writes of a new file in the same folder.

    python3 tests/bench/layout.py [--quick] [--dir DIR] [--json FILE]

Pairs of ours and fio's, in changing order: 1 MiB writes past the cache of a file that was not
there, blocks reserved first, one fsync at the end and inside the time. Exit code 1 when the median
of the pairs is below 0.95.
"""

import argparse
import json
import os
import pathlib
import sys

import bench
from bench import Failed, ratios, run, spread
from startup import traced_layout

LEAST = 0.95


def ours(work, target, size):
    """MB/s of the layout before a run of one read."""
    _, seconds = traced_layout(work, *bench.command(
        work, target, *bench.by("psync"), op="read", pattern="random", block_size="4KiB", ios=1,
        cache="as_is", size=size))
    return size / seconds / 1e6


def fio(work, size, depth):
    path = work / "fio-layout"
    try:
        out = run("fio", "--name=layout", f"--filename={path}", f"--size={size}", "--rw=write",
                  "--bs=1m", "--direct=1", "--ioengine=libaio", f"--iodepth={depth}", "--thread",
                  "--fallocate=native", "--end_fsync=1", "--output-format=json")
    finally:
        path.unlink(missing_ok=True)
    write = json.loads(out[out.index("{"):])["jobs"][0]["write"]
    if write["io_bytes"] != size:
        raise Failed(f"fio wrote {write['io_bytes']} of {size} bytes")
    return size / write["runtime"] / 1e3  # its runtime is in ms


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"))
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--size", type=int, default=2048, help="MiB (default %(default)s)")
    parser.add_argument("--depth", type=int, default=8, help="fio's (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="3 pairs of 512 MiB")
    parser.add_argument("--json", metavar="FILE")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.pairs, chosen.size = 3, 512
    bench.end_on_signals()
    facts = bench.machine()
    size = chosen.size * bench.MIB
    mine, theirs = [], []
    with bench.folder(chosen.dir) as work:
        target = work / "target"
        target.mkdir()
        filesystem = bench.mount_of(work)[0]
        for pair in range(chosen.pairs):
            for who in ("ours", "fio") if pair % 2 == 0 else ("fio", "ours"):
                if who == "ours":
                    mine.append(ours(work, target, size))
                else:
                    theirs.append(fio(work, size, chosen.depth))
            print(f"pair {pair + 1}: {mine[-1]:.0f} and {theirs[-1]:.0f} MB/s", file=sys.stderr)
    found = ratios(mine, theirs)
    print(f"{bench.machine_line(facts)}; {filesystem}, {chosen.size} MiB, {chosen.pairs} pairs\n")
    print(bench.table(["layout", "ours, MB/s", f"fio 1 MiB Q{chosen.depth}, MB/s",
                       "ratio of the medians", "of the pairs", "wanted"],
                      [["new file", bench.with_range(spread(mine)), bench.with_range(spread(theirs)),
                        f"{found['of_medians']:.3f}", bench.with_range(found["pairwise"], digits=3),
                        f"≥ {LEAST}"]]), end="")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(
            {"schema": "bench-layout.v1", "machine": facts, "ours_mb_per_s": mine,
             "fio_mb_per_s": theirs, "ratios": found}, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if found["pairwise"]["median"] >= LEAST else 1)


if __name__ == "__main__":
    main()
