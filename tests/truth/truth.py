#!/usr/bin/env python3
"""Is every staged lie told by its code, and no honest twin accused of it?

    STHD_BINARY=build/release/bin/speedtest-hd python3 tests/truth/truth.py [--runs 3]
        [--only GLOB] [--quick] [--json FILE] [--list]

For root: it makes filesystems of its own on loop devices, in a mount namespace of its own. The
table goes to stdout. Exit code 1: a lie was not told, or a twin was accused; 77: nothing ran.
"""

import argparse
import collections
import fnmatch
import json
import pathlib
import signal
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import harness
from cases import CASES
from stage import CannotStage, Stage

LONGEST = 180  # seconds for one run


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value)


def profile_text(job):
    keys = "\n".join(f"{key} = {toml(value)}" for key, value in job.items())
    return ('schema = 1\nname = "truth"\ntitle = "One job"\n'
            f'[[job]]\nid = "it"\nlabel = "it"\n{keys}\n'
            '[[column]]\nid = "iops"\ntitle = "IOPS"\nmetric = "iops"\n')


class Outcome:
    """Of one run: the codes, with row-failed where a row failed, and what cannot be trusted."""

    def __init__(self, codes, error=""):
        self.codes, self.error = codes, error


def read(path, process_code, stderr):
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError):
        lines = stderr.strip().splitlines()
        return Outcome(set(), f"no report, exit {process_code}: {lines[-1] if lines else ''}")
    codes = {f["code"] for f in report["findings"]}
    states = collections.Counter(j["status"] for j in report["jobs"])
    if states["failed"]:
        codes.add("row-failed")
    error = ""
    if states["skipped"]:
        error = "skipped: " + next(j["reason"] for j in report["jobs"] if j["status"] == "skipped")
    return Outcome(codes, error)


def place(scene, stage):
    try:
        return scene.place(stage)
    except (RuntimeError, OSError) as error:  # a tool or a kernel interface that the stage needs
        raise CannotStage(str(error).replace("\n", " ")) from error


def play(scene):
    """One run of a scene."""
    stage = Stage()
    try:
        target = place(scene, stage)
        profile, out = stage.work / "truth.toml", stage.work / "out.json"
        profile.write_text(profile_text(scene.job))
        words = ["run", str(profile), str(target), "-f", f"json:{out}"]
        errors = stage.work / "stderr"
        with open(errors, "wb") as file:
            started = harness.Started(*words, via=stage.via, preexec_fn=stage.preexec,
                                      env=harness.environment(**stage.env), stderr=file)
            stage.addCleanup(started.end)
            watchers = [threading.Thread(target=w, args=(started,)) for w in stage.during]
            for watcher in watchers:
                watcher.start()
            try:
                code = started.wait(LONGEST)
            except subprocess.TimeoutExpired:
                return Outcome(set(), f"not done after {LONGEST} s")
            finally:
                stage.over.set()
                for watcher in watchers:
                    watcher.join()
        return read(out, code, errors.read_text(errors="replace"))
    finally:
        stage.close()


def counted(outcomes):
    """"code 3/3, other 1/3", and the errors."""
    seen = collections.Counter(code for o in outcomes for code in o.codes)
    runs = len(outcomes)
    words = [f"{code} {count}/{runs}" for code, count in seen.most_common()]
    words += sorted({f"({o.error})" for o in outcomes if o.error})
    return ", ".join(words) or "-"


def judge(case, lies, twins):
    """What is wrong, as words; none when all is right."""
    wrong = []
    missed = sum(case.code not in o.codes for o in lies)
    accused = sum(case.code in o.codes for o in twins)
    unmeasured = sum(bool(o.error) or "row-failed" in o.codes for o in twins)
    if missed:
        wrong.append(f"lie not told in {missed} of {len(lies)}")
    if accused:
        wrong.append(f"twin accused in {accused} of {len(twins)}")
    if unmeasured:
        wrong.append(f"twin not measured in {unmeasured} of {len(twins)}")
    return wrong


def show(row):
    print(f"| {row['verdict']} | {row['lie']} | {row['code']} | {row['seen']} | {row['twin']} |",
          flush=True)


def run_case(case, runs):
    row = {"lie": case.name, "code": case.code, "seen": "", "twin": ""}
    try:
        lies = [play(case.lie) for _ in range(runs)]
        twins = [play(case.twin) for _ in range(runs)]
    except CannotStage as reason:
        return {**row, "verdict": f"skipped: {reason}", "skipped": True}
    wrong = judge(case, lies, twins)
    return {**row, "seen": counted(lies), "twin": counted(twins), "skipped": False,
            "verdict": "; ".join(wrong).upper() or "ok", "ok": not wrong}


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="*", help="glob over names and codes")
    parser.add_argument("--quick", action="store_true", help="the quickest cases alone")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def leave(number, _):
    """The stage is taken down on the way out: its limits and devices outlive this process."""
    for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def main():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    asked = options()
    chosen = [c for c in CASES if (c.quick or not asked.quick)
              and (fnmatch.fnmatch(c.name, asked.only) or fnmatch.fnmatch(c.code, asked.only))]
    if asked.list:
        print("\n".join(f"{c.code}: {c.name}" for c in chosen))
        return 0
    if not chosen:
        print(f"no case matches {asked.only!r}; --list shows them", file=sys.stderr)
        return 2
    harness.binary()
    if not harness.CAN_MOUNT:
        print("not run: needs root and a mount namespace of its own")
        return harness.NOT_RUN
    print("| verdict | lie | expected | seen in the lie | seen in the twin |")
    print("|---|---|---|---|---|")
    rows = []
    for case in chosen:
        rows.append(run_case(case, asked.runs))
        show(rows[-1])
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=2) + "\n")
    ran = [r for r in rows if not r["skipped"]]
    good = sum(r["ok"] for r in ran)
    print(f"\n{good} of {len(ran)} cases as they should be, {len(rows) - len(ran)} skipped; "
          f"{asked.runs} runs each of lie and twin")
    if not ran:
        return harness.NOT_RUN
    return 0 if good == len(ran) else 1


if __name__ == "__main__":
    sys.exit(main())
