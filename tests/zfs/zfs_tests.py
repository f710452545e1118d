#!/usr/bin/env python3
"""Real OpenZFS pools with a log device, in a User-Mode Linux guest: is each case told apart?

    ./run-zfs-tests [--zfs SUITE]... [--only GLOB] [--doctor] [--cache DIR] [--out DIR]

Suites: bookworm (OpenZFS 2.1), trixie (2.3), trixie-backports (2.4); all three when none is named.
For root on Debian; everything is built in the cache from packages' sources. Exit code 1: a case is
not as it should be; 77: it cannot be built here, with the reason.
"""

import argparse
import fcntl
import fnmatch
import json
import os
import pathlib
import re
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases
from guest import Guest
from kernel import Kernel, build_modules
from packages import CannotBuild, Suite, release_of_host, run

NOT_RUN = 77
SUITES = ("bookworm", "trixie", "trixie-backports")
SECONDS = 240  # for one boot; doctor has its own
ROWS = {"commits": "zil_commit_count", "slog_bytes": "zil_itx_metaslab_slog_bytes",
        "normal_bytes": "zil_itx_metaslab_normal_bytes", "indirect_count": "zil_itx_indirect_count",
        "copied_bytes": "zil_itx_copied_bytes", "needcopy_bytes": "zil_itx_needcopy_bytes"}


def say(text):
    print(f"run-zfs-tests: {text}", file=sys.stderr, flush=True)


def copy_program(binary, share):
    """The program, its folders, and the libraries that the guest's userland lacks."""
    build = binary.parent.parent
    shutil.copytree(build / "lib/speedtest-hd", share / "app/lib/speedtest-hd")
    shutil.copytree(build / "share/speedtest-hd", share / "app/share/speedtest-hd")
    (share / "app/bin").mkdir()
    shutil.copy(binary, share / "app/bin/speedtest-hd")
    (share / "lib").mkdir()
    plugins = (share / "app/lib").rglob("*.so")
    for program in [binary, *plugins]:
        for path in re.findall(r"=> (/\S+)", run("ldd", program)):
            name = os.path.basename(path)
            if not re.match(r"(libc|libm|libpthread|libdl|librt|ld-linux.*)\.so", name):
                shutil.copy(path, share / "lib" / name)


def counters(folder):
    """What the pool's intent log did between the two snapshots of a case."""
    def rows(path):
        lines = [line.split() for line in path.read_text().splitlines()]
        return {w[0]: int(w[2]) for w in lines if len(w) == 3 and w[2].isdigit()}
    before, after = (rows(folder / when / "zil") for when in ("before", "after"))
    return {short: after.get(name, 0) - before.get(name, 0) for short, name in ROWS.items()}


def judge(case, version, found, moved):
    wrong = []
    if not case.counters(moved, version):
        wrong.append("counters are not those of the case")
    missing = (case.must(version) | cases.ALWAYS) - found
    if missing:
        wrong.append("not found: " + ", ".join(sorted(missing)))
    extra = case.never(version) & found
    if extra:
        wrong.append("found in error: " + ", ".join(sorted(extra)))
    return wrong


def zfs_not_seen(probe):
    """Of a zvol the chain of its disks tells the kind; a dataset's pool is a fact of its own."""
    try:
        facts = json.loads(probe.read_text())
    except ValueError:
        return ["probe: its output is no JSON"]
    seen = facts.get("zfs.pool") == "tank" or facts.get("chain.0.kind") == "zfs"
    return [] if seen else ["probe: does not see ZFS"]


def run_case(guest, case, share, version, doctor):
    out = share / "out"
    shutil.rmtree(out, ignore_errors=True)
    text, status = guest.boot(cases.script_of(case, "/work/out", doctor), share,
                              SECONDS + (400 if doctor else 0))
    report = out / "report.json"
    if status is None or not report.exists():
        last = "; ".join(text.strip().splitlines()[-3:]) or "nothing was printed"
        error = out / "stderr"
        if error.exists():
            last += "; " + error.read_text(errors="replace").strip()[-300:]
        return {"case": case.name, "wrong": [f"no report (status {status}): {last}"],
                "findings": [], "counters": {}}
    moved = counters(out)
    findings = json.loads(report.read_text())["findings"]
    wrong = judge(case, version, {f["code"] for f in findings}, moved)
    for step in cases.steps(doctor):
        answer = out / f"{step}.status"
        code = answer.read_text().strip() if answer.exists() else "none"
        wrong += [] if code == "0" else [f"{step}: exit {code}"]
    wrong += zfs_not_seen(out / "probe.json")
    return {"case": case.name, "wrong": wrong, "findings": findings, "counters": moved}


def show(row, release):
    codes = ", ".join(sorted({f["code"] for f in row["findings"]})) or "-"
    numbers = " | ".join(str(row["counters"].get(name, "")) for name in ROWS)
    print(f"| {release} | {row['case']} | {numbers} | {codes} | "
          f"{'; '.join(row['wrong']) or 'ok'} |", flush=True)


def keep(share, out, release, name):
    if out and (share / "out").exists():
        place = out / f"zfs-{release}" / re.sub(r"[^a-z0-9]+", "-", name.lower())
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(share / "out", place)


def check_boot(guest, share):
    """Some machines do not let User-Mode Linux trace its processes."""
    text, status = guest.boot("zpool list", share, 60)
    if status != 0:
        last = " ".join(text.strip().splitlines()[-2:]) or "it printed nothing"
        raise CannotBuild(f"the guest does not boot into OpenZFS: {last}")


def guests(asked, share):
    """(guest, OpenZFS's version as text) of each suite, or None and the reason."""
    kernel = Kernel(asked.cache / "kernel")
    host = Suite(release_of_host(), asked.cache / f"apt-{release_of_host()}")
    kernel.build(host, say)
    for name in asked.zfs or SUITES:
        try:
            suite = Suite(name, asked.cache / f"apt-{name}")
            guest = Guest(kernel, suite, asked.cache / f"root-{name}")
            guest.build(say)
            work = asked.cache / f"build-{name}"
            release = build_modules(kernel, suite, guest.root, work, say)
            check_boot(guest, share)
            yield guest, release
        except CannotBuild as reason:
            yield None, f"{name}: {reason}"


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zfs", action="append", metavar="SUITE")
    parser.add_argument("--only", default="*", metavar="GLOB")
    parser.add_argument("--doctor", action="store_true")
    parser.add_argument("--build", action="store_true", help="build the cache, run nothing")
    parser.add_argument("--cache", type=pathlib.Path,
                        default=pathlib.Path("/var/cache/speedtest-hd-zfs"))
    parser.add_argument("--out", type=pathlib.Path, help="keep what the cases leave here")
    return parser.parse_args()


def test(asked, binary, share):
    rows, skipped = [], []
    print("| OpenZFS | case | " + " | ".join(ROWS) + " | findings | verdict |")
    print("|---" * (len(ROWS) + 4) + "|", flush=True)
    for guest, release in guests(asked, share):
        if guest is None:
            skipped.append(release)
            say(f"skipped {release}")
            continue
        version = tuple(int(n) for n in re.findall(r"\d+", release)[:2])
        for case in cases.CASES:
            if asked.build or not fnmatch.fnmatch(case.name, asked.only):
                continue
            doctor = asked.doctor and case.name == "with log"
            rows.append(run_case(guest, case, share, version, doctor))
            show(rows[-1], release)
            keep(share, asked.out, release, case.name)
    return rows, skipped


def main():
    # The guest is ended on the way out; SIGINT raises by itself.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    asked = options()
    if os.geteuid() != 0:
        print("not run: needs root, to unpack the guest's packages")
        return NOT_RUN
    binary = pathlib.Path(os.environ.get("STHD_BINARY", ""))
    if not binary.is_file():
        print("STHD_BINARY must name the program, as ./run-zfs-tests does", file=sys.stderr)
        return 2
    asked.cache = asked.cache.resolve()
    asked.cache.mkdir(parents=True, exist_ok=True)
    if re.search(r"[\s,]", str(asked.cache)):
        print(f"the cache's path may have no blanks or commas: {asked.cache}", file=sys.stderr)
        return 2
    with open(asked.cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        share = asked.cache / "share"
        shutil.rmtree(share, ignore_errors=True)
        share.mkdir()
        try:
            copy_program(binary.resolve(), share)
            rows, skipped = test(asked, binary, share)
        except CannotBuild as reason:
            print(f"not run: {reason}")
            return NOT_RUN
        finally:
            shutil.rmtree(share, ignore_errors=True)
    good = sum(not row["wrong"] for row in rows)
    print(f"\n{good} of {len(rows)} cases as they should be"
          + "".join(f"; skipped {reason}" for reason in skipped))
    if not rows:
        return 0 if asked.build and not skipped else NOT_RUN
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
