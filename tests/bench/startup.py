#!/usr/bin/env python3
"""What a run costs beside its I/O: start, first I/O, listing, and the time between the rows.

    python3 tests/bench/startup.py [--quick] [--dir DIR] [--json FILE]

First I/O: from the start of the process to the system call that issues the one I/O of the row
(`layout = "none"`), as strace sees it; it stops the program only at those calls and at forks. The
whole run of that I/O needs no strace and bounds it from above.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import time

import bench
from bench import Failed, run, spread

FIRST_IO_MS = 30
LIST_MS = 10
CDM_OVERHEAD = 0.01
# The call by which an engine issues an I/O.
CALLS = {"uring": "io_uring_enter", "aio": "io_submit", "psync": "pwrite64"}
ONE_IO = {"op": "write", "pattern": "sequential", "block_size": "4KiB", "ios": 1, "layout": "none",
          "end_fsync": False, "size": "4KiB"}
TRACED = re.compile(r"^(?:\[pid +)?(\d+)\]? +(\d+\.\d+) (\w+)\(")


def timed(*words):
    """Wall time of a program, ms."""
    begun = time.monotonic()
    run(*words)
    return (time.monotonic() - begun) * 1e3


def one_io(work, target, engine, times):
    """(whole run ms, first I/O of any kind ms, the row's I/O ms), of `times` runs each."""
    call = CALLS[engine]
    command = bench.command(work, target, *bench.by(engine), "--buffered", **ONE_IO)
    bench.measured_row(run(*command))  # and the files of the program are in RAM
    whole = [timed(*command) for _ in range(times)]
    first, row = [], []
    for _ in range(times):
        trace = work / "trace"
        run("strace", "-f", "--seccomp-bpf", "-ttt", "-e", f"trace={call},execve", "-o", trace,
            *command)
        seen = [(m[1], float(m[2]), m[3]) for line in trace.read_text().splitlines()
                if (m := TRACED.match(line))]
        begun = next(at for _, at, what in seen if what == "execve")
        calls = [(thread, at) for thread, at, what in seen if what == call]
        if not calls:
            raise Failed(f"strace saw no {call}")
        last = calls[-1][0]  # the row is the last to do I/O; probes come before it
        first.append((calls[0][1] - begun) * 1e3)
        row.append((next(at for thread, at in calls if thread == last) - begun) * 1e3)
    return whole, first, row


def fio_one_io(work):
    return timed("fio", "--name=one", f"--filename={work / 'fio-one'}", "--rw=write", "--bs=4k",
                 "--size=4k", "--ioengine=psync", "--thread", "--output-format=json")


def traced_layout(work, *command):
    """(seconds of the whole, seconds of the layout): from its fallocate to its last sync."""
    trace = work / "trace"
    begun = time.monotonic()
    run("strace", "-f", "--seccomp-bpf", "-ttt", "-T", "-e", "trace=fallocate,fsync,fdatasync",
        "-o", trace, *command)
    return time.monotonic() - begun, layout_of(trace.read_text())


def layout_of(text):
    """Of a trace in which nothing else syncs before the first row: see layout.py."""
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if " fallocate(" in line), None)
    if at is None:
        raise Failed("strace saw no fallocate: the layout was not found")
    begun = float(lines[at].split()[1])
    for line in lines[at:]:
        done = re.search(r" (\d+\.\d+) (?:fsync|fdatasync)\(.* <(\d+\.\d+)>$", line)
        if done:
            return float(done[1]) + float(done[2]) - begun
        resumed = re.search(r" (\d+\.\d+) <\.\.\. (?:fsync|fdatasync) resumed>", line)
        if resumed:
            return float(resumed[1]) - begun
    raise Failed("strace saw no end of the layout")


def rows_of(seconds, ramp):
    """What fio needs for cdm's rows, in its order."""
    for rw, depth in (("", 8), ("", 1)):
        for op in ("read", "write"):
            yield [f"--rw={rw}{op}", "--bs=1m", f"--iodepth={depth}", "--numjobs=1",
                   f"--runtime={seconds}", f"--ramp_time={ramp}"]
    for threads in (1, 16):
        for op in ("read", "write"):
            yield [f"--rw=rand{op}", "--bs=4k", "--iodepth=32", f"--numjobs={threads}",
                   f"--runtime={seconds}", f"--ramp_time={ramp}"]


def fio_cdm(work, size, seconds, ramp):
    """(wall time of eight processes beyond their rows, layout), seconds; as the old script ran."""
    path = work / "fio-cdm"
    begun = time.monotonic()
    bench.lay_out(path, size)
    laid_out = time.monotonic() - begun
    begun = time.monotonic()
    for row in rows_of(seconds, ramp):
        run("fio", "--name=row", f"--filename={path}", f"--size={size}", "--direct=1",
            "--ioengine=libaio", "--time_based", "--thread", "--group_reporting",
            "--end_fsync=1", "--output-format=json", *row)
    wall = time.monotonic() - begun
    path.unlink()
    return wall, laid_out


def cdm(work, target, size, seconds, ramp):
    """Our cdm profile: wall time against what its rows and its layout took."""
    output = work / "cdm.json"
    wall, layout = traced_layout(
        work, bench.binary(), "run", "cdm", target, "-q", "-o", output, "--size", size,
        "--runtime", seconds, "--ramp", ramp)
    report = json.loads(output.read_text())
    asked = sum(job["workload"]["runtime_ns"] + job["workload"]["ramp_ns"]
                for job in report["jobs"]) / 1e9
    # A row ends with its last I/O, and a write with the fsync after it: both belong to it.
    measured = asked
    for job in report["jobs"]:
        if job["status"] != "ok":
            raise Failed(f"cdm: {job['label']} {job['op']}: {job['status']}: {job['reason']}")
        measured += sum(loop[job["op"]]["elapsed_ns"] for loop in job["loops"]) / 1e9
        measured -= job["workload"]["runtime_ns"] / 1e9
    return {"wall_s": wall, "layout_s": layout, "rows_asked_s": asked, "rows_measured_s": measured,
            "over_asked": wall / (asked + layout) - 1, "over_measured": wall / (measured + layout) - 1}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"))
    parser.add_argument("--times", type=int, default=15, help="runs of each kind")
    parser.add_argument("--quick", action="store_true", help="5 runs of each, cdm with 1 s a row")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args()


def starts(work, target, times):
    """Table rows of the first part, and its figures."""
    rows, figures = [], {}

    def add(name, values, limit=None):
        figures[name] = spread(values)
        good = "" if limit is None else \
            ("yes" if statistics.median(values) <= limit else "**no**")
        rows.append([name, bench.with_range(figures[name], digits=1),
                     "" if limit is None else f"≤ {limit}", good])

    for engine in CALLS:
        try:
            whole, first, row = one_io(work, target, engine, times)
        except Failed as fault:
            print(f"{engine}: not measured: {fault}", file=sys.stderr)
            continue
        add(f"{engine}: start to the first I/O, a probe's", first)
        add(f"{engine}: start to the first I/O of the row", row, FIRST_IO_MS)
        add(f"{engine}: the whole run of one I/O", whole)
    add("fio psync: the whole run of one I/O", [fio_one_io(work) for _ in range(times)])
    add("`list`", [timed(bench.binary(), "list") for _ in range(times)], LIST_MS)
    add("`/bin/true`, by the same clock", [timed("/bin/true") for _ in range(times)])
    return rows, figures


def main():
    chosen = parse()
    bench.end_on_signals()
    facts = bench.machine()
    size, seconds, ramp = (256 << 20, 1, 1) if chosen.quick else (1 << 30, 5, 1)
    with bench.folder(chosen.dir) as work:
        target = work / "target"
        target.mkdir()
        rows, figures = starts(work, target, 5 if chosen.quick else chosen.times)
        print(f"{bench.machine_line(facts)}\n")
        print(bench.table(["ms, median (range)", "found", "wanted", ""], rows))
        figures["cdm"] = ours = cdm(work, target, size, seconds, ramp)
        wall, _ = fio_cdm(work, size, seconds, ramp)
        asked = ours["rows_asked_s"]
        figures["fio_cdm"] = {"wall_s": wall, "over_asked": wall / asked - 1}
        # The layout is left out of fio's side: its rows found the file there.
        print(bench.table(
            ["cdm, s", "wall", "runtimes + ramps", "layout", "beyond", "beyond the rows as they ended"],
            [["ours", f"{ours['wall_s']:.2f}", f"{asked:.2f}", f"{ours['layout_s']:.2f}",
              f"{ours['over_asked'] * 100:.2f} %", f"{ours['over_measured'] * 100:.2f} %"],
             ["fio, a process a row", f"{wall:.2f}", f"{asked:.2f}", "–",
              f"{(wall / asked - 1) * 100:.2f} %", "–"]]), end="")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(
            json.dumps({"schema": "bench-startup.v1", "machine": facts} | figures, indent=1) + "\n",
            encoding="utf-8")


if __name__ == "__main__":
    main()
