#!/usr/bin/env python3
"""The built-in engines against fio and against bare loops of the same system calls.

    ./run-bench engines --quick
    python3 tests/bench/engines.py --targets cached --engines uring --depths 32 --threads 1

4 KiB random reads. In each round every program runs once, in an order that moves on from round to
round, so what the machine does meanwhile meets them all. Prints medians with their ranges, ratios
and CPU time as Markdown tables; --json writes every figure. Exit code 1 when a program of ours did
not measure, or with --strict when a claim does not hold.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys

import bench
from bench import Failed, Load, ratios, spread, with_range

TARGETS = {"cached": "page cache", "tmpfs": "tmpfs", "disk": "O_DIRECT"}
ENGINES = ("uring", "aio", "psync")
# What each engine is measured with; ours first.
PROGRAMS = {"uring": ("ours", "fio", "fio-tuned", "bare"), "aio": ("ours", "fio", "bare"),
            "psync": ("ours", "fio", "bare")}

# Page-cached: engine, depth, threads, the program beside ours, and the least ratio.
CLAIMS = [("uring", 32, 1, "fio", 2.0), ("uring", 32, 1, "fio-tuned", 1.25),
          ("uring", 32, 1, "bare", 0.95), ("aio", 32, 1, "fio", 2.0),
          ("psync", 1, 1, "fio", 1.15), ("psync", 1, 1, "bare", 0.93)]
SCALING = 1.8  # two threads to one
USER_NS = 25  # of io_uring at depth 32, one thread


def words(choices):
    def read(text):
        values = text.split(",")
        for value in values:
            if value not in choices:
                raise argparse.ArgumentTypeError(f"no {value}; there are {', '.join(choices)}")
        return values
    return read


def numbers(text):
    values = [int(word) for word in text.split(",")]
    if min(values) < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return values


def options(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dir", default=os.environ.get("STHD_TEST_DIR", "/var/tmp"),
                        help="folder on the disk for cached and disk (default %(default)s)")
    parser.add_argument("--ram", default="/dev/shm", help="folder on tmpfs (default %(default)s)")
    parser.add_argument("--targets", type=words(TARGETS), default=list(TARGETS))
    parser.add_argument("--engines", type=words(ENGINES), default=list(ENGINES))
    parser.add_argument("--depths", type=numbers, default=[1, 8, 32, 128],
                        help="of uring and aio; psync has 1")
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--pairs", type=int, default=7, help="rounds (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=1, help="a run (default %(default)s)")
    parser.add_argument("--ramp", type=float, default=0.2)
    parser.add_argument("--size", type=int, default=512, help="MiB (default %(default)s)")
    parser.add_argument("--quick", action="store_true",
                        help="cached, depths 1 and 32, 3 short rounds: a look, no measurement")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--strict", action="store_true")
    if "--quick" in (sys.argv[1:] if argv is None else argv):
        parser.set_defaults(targets=["cached"], depths=[1, 32], threads=[1], pairs=3, seconds=0.3)
    chosen = parser.parse_args(argv)
    if chosen.pairs < 1 or chosen.seconds < 0.05 or chosen.size < 1:
        parser.error("--pairs and --size are at least 1, --seconds at least 0.05")
    return chosen


class Place:
    """One target: a folder for our own files, and the file that the others read."""

    def __init__(self, name, parent, size, stack):
        self.name = name
        self.direct = name == "disk"
        self.work = stack.enter_context(bench.folder(parent))
        self.target = self.work / "target"
        self.target.mkdir()
        self.size = size
        self.file = self.work / "laid-out"
        bench.lay_out(self.file, size)
        if not self.direct:
            bench.warm(self.file)
        self.filesystem, self.source = bench.mount_of(self.work)

    def run(self, program, load):
        if program == "ours":
            return bench.ours(self.work, self.target, self.size, load)
        if program == "bare":
            return bench.bare(self.file, load)
        more = bench.tuned(load.depth) if program == "fio-tuned" else ()
        return bench.fio(self.file, self.size, load, more)


def measure(place, engine, depth, chosen):
    """{threads: {program: [Figure of each round]}} and what each lost program said."""
    programs = list(PROGRAMS[engine])
    figures = {t: {p: [] for p in programs} for t in chosen.threads}
    lost = {}
    for turn in range(chosen.pairs):
        print(f"{place.name} {engine} Q{depth}: round {turn + 1} of {chosen.pairs}",
              file=sys.stderr, flush=True)
        start = turn % len(programs)
        for threads in chosen.threads if turn % 2 == 0 else chosen.threads[::-1]:
            load = Load(engine, depth, threads, place.direct, not place.direct, chosen.seconds,
                        chosen.ramp)
            for program in programs[start:] + programs[:start]:
                if program in lost:
                    continue
                try:
                    figures[threads][program].append(place.run(program, load))
                except Failed as fault:
                    lost[program] = str(fault)
                    print(f"  {program}: not measured: {fault}", file=sys.stderr, flush=True)
    return figures, lost


def summary(place, engine, depth, threads, figures, lost):
    """The JSON entry of one row; a program that was lost on its way has no figures."""
    programs = {}
    for name, runs in figures.items():
        if name in lost or not runs:
            programs[name] = {"not_measured": lost.get(name, "no round")}
            continue
        programs[name] = {"iops": spread([f.iops for f in runs]),
                          "user_ns_per_io": spread([f.user_ns for f in runs]),
                          "iops_of_rounds": [round(f.iops, 1) for f in runs],
                          "user_ns_per_io_of_rounds": [round(f.user_ns, 2) for f in runs]}
    entry = {"target": place.name, "filesystem": place.filesystem, "source": place.source,
             "engine": engine, "depth": depth, "threads": threads, "programs": programs,
             "ours_to": {}}
    if measured(entry, "ours"):
        mine = programs["ours"]["iops_of_rounds"]
        entry["ours_to"] = {name: ratios(mine, programs[name]["iops_of_rounds"])
                            for name in programs if name != "ours" and measured(entry, name)}
    return entry


def measured(entry, program):
    return "iops" in entry["programs"].get(program, {})


def scaling(rows):
    """Two threads to one, of each program."""
    found = []
    for two in rows:
        if two["threads"] != 2:
            continue
        place = ("target", "engine", "depth")
        one = next((r for r in rows if r["threads"] == 1
                    and all(r[k] == two[k] for k in place)), None)
        if one is None:
            continue
        of = {p: ratios(two["programs"][p]["iops_of_rounds"], one["programs"][p]["iops_of_rounds"])
              for p in two["programs"] if measured(two, p) and measured(one, p)}
        found.append({k: two[k] for k in place} | {"two_threads_to_one": of})
    return found


# Tables -------------------------------------------------------------------------------------------


NAMES = {"uring": "io_uring", "aio": "libaio", "psync": "psync"}


def name_of(row):
    threads = f" T{row['threads']}" if "threads" in row else ""
    return f"{row['target']} {NAMES[row['engine']]} Q{row['depth']}{threads}"


def ratio_cell(found):
    """The ratio of the medians; behind it the median of the rounds' ratios, and their range."""
    return "–" if found is None else f"{found['of_medians']:.2f}; {with_range(found['pairwise'], 1, 2)}"


def tables(document):
    rows = document["rows"]
    programs = ("ours", "bare", "fio", "fio-tuned")

    def cells(key, **form):
        return [[name_of(r)] + [with_range(r["programs"][p][key], **form) if measured(r, p) else "–"
                                for p in programs] for r in rows]

    text = "Thousand IOPS, median (range):\n\n"
    text += bench.table(["4 KiB random reads", *programs], cells("iops", scale=1000))
    text += "\nRatios: of the medians; median of the rounds' (range):\n\n"
    text += bench.table(
        ["4 KiB random reads", *(f"ours / {p}" for p in programs[1:])],
        [[name_of(r)] + [ratio_cell(r["ours_to"].get(p)) for p in programs[1:]] for r in rows])
    text += "\nUser CPU time, ns per I/O, median (range):\n\n"
    text += bench.table(["4 KiB random reads", *programs], cells("user_ns_per_io", digits=1))
    if document["scaling"]:
        text += "\nTwo threads to one:\n\n"
        text += bench.table(["4 KiB random reads", *programs],
                            [[name_of(s)] + [ratio_cell(s["two_threads_to_one"].get(p))
                                             for p in programs] for s in document["scaling"]])
    if document["claims"]:
        text += "\n" + bench.table(
            ["claim", "wanted", "found", ""],
            [[c["claim"], c["wanted"], f"{c['found']:.2f}", "yes" if c["holds"] else "**no**"]
             for c in document["claims"]])
    return text


def claims(rows, scaled):
    """What is said of page-cached reads, as far as it was measured; by the medians."""
    def row(engine, depth, threads):
        return next((r for r in rows if (r["target"], r["engine"], r["depth"], r["threads"])
                     == ("cached", engine, depth, threads)), None)

    made = []

    def claim(words_, found, least=None, most=None):
        holds = found >= least if most is None else found <= most
        made.append({"claim": words_, "found": found, "holds": holds,
                     "wanted": f"≥ {least:.2f}" if most is None else f"≤ {most}"})

    for engine, depth, threads, other, least in CLAIMS:
        found = row(engine, depth, threads)
        if found and other in found["ours_to"]:
            claim(f"{NAMES[engine]} Q{depth}T{threads}: ours / {other}",
                  found["ours_to"][other]["of_medians"], least)
    for found in scaled:
        depth = 1 if found["engine"] == "psync" else 32
        if (found["target"], found["depth"]) == ("cached", depth) and \
                "ours" in found["two_threads_to_one"]:
            claim(f"{NAMES[found['engine']]} Q{depth}: two threads / one",
                  found["two_threads_to_one"]["ours"]["of_medians"], SCALING)
    found = row("uring", 32, 1)
    if found and measured(found, "ours"):
        claim("io_uring Q32T1: user ns per I/O",
              found["programs"]["ours"]["user_ns_per_io"]["median"], most=USER_NS)
    return made


def main():
    chosen = options()
    bench.end_on_signals()
    facts = bench.machine()
    before = bench.stolen()
    rows = []
    ours_lost = False
    for name in chosen.targets:
        parent = chosen.ram if name == "tmpfs" else chosen.dir
        with contextlib.ExitStack() as stack:
            place = Place(name, parent, chosen.size * bench.MIB, stack)
            for engine in chosen.engines:
                for depth in [1] if engine == "psync" else chosen.depths:
                    figures, lost = measure(place, engine, depth, chosen)
                    ours_lost = ours_lost or "ours" in lost
                    rows += [summary(place, engine, depth, t, figures[t], lost)
                             for t in chosen.threads]
    after = bench.stolen()
    facts["stolen_share"] = (after[0] - before[0]) / max(1, after[1] - before[1])
    scaled = scaling(rows)
    document = {"schema": "bench-engines.v1", "machine": facts,
                "settings": {k: v for k, v in vars(chosen).items()
                             if k not in ("json", "markdown", "strict")},
                "fio_tuned": bench.tuned(32), "rows": rows, "scaling": scaled,
                "claims": claims(rows, scaled)}
    text = (f"{bench.machine_line(facts)}; {chosen.pairs} rounds of {chosen.seconds:g} s, "
            f"{chosen.size} MiB; {facts['stolen_share'] * 100:.1f} % of the CPU stolen\n\n"
            + tables(document))
    print(text, end="")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(document, indent=1) + "\n",
                                             encoding="utf-8")
    if chosen.markdown:
        pathlib.Path(chosen.markdown).write_text(text, encoding="utf-8")
    missed = chosen.strict and not all(c["holds"] for c in document["claims"])
    sys.exit(1 if ours_lost or missed else 0)


if __name__ == "__main__":
    main()
