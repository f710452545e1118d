"""What the benchmarks share: a private folder, a file laid out once, the programs, and figures.

The programs measured: ours (STHD_BINARY, else build/release/bin/speedtest-hd), fio, and the bare
loops (STHD_BARE, else `bare` beside ours).
"""

import contextlib
import dataclasses
import datetime
import json
import mmap
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

os.environ["CI"] = "1"  # runs of a benchmark are not kept among the user's

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20


class Failed(Exception):
    """A program that did not measure; the message says why."""


def binary():
    path = os.environ.get("STHD_BINARY") or SOURCE / "build/release/bin/speedtest-hd"
    if not os.access(path, os.X_OK):
        sys.exit(f"there is no {path}: build it (./run-bench), or name another by STHD_BINARY")
    return os.path.abspath(path)


def bare_binary():
    return os.environ.get("STHD_BARE") or str(pathlib.Path(binary()).with_name("bare"))


# Processes ----------------------------------------------------------------------------------------


_held = None  # the signals that came while a process was being started, or None


def end_on_signals():
    """A signal unwinds the stack once, so that folders are removed; a second one is not heard."""
    def end(number, _):
        if _held is not None:
            _held.append(number)
            return
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        sys.exit(128 + number)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, end)


def _popen(words, popen):
    """A process that is known before a signal ends us: none is lost between its fork and its name.

    Returns it and what came meanwhile.
    """
    global _held
    _held = came = []
    try:
        return subprocess.Popen([str(w) for w in words], **popen), came
    finally:
        _held = None


@contextlib.contextmanager
def started(*words, **popen):
    """A process that is ended, after it had time to clean up, however this is left."""
    popen.setdefault("stdin", subprocess.DEVNULL)
    process = None
    try:
        process, came = _popen(words, popen)
        for number in came:
            signal.raise_signal(number)
        yield process
    finally:
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def run(*words, timeout=900):
    """The stdout of a program that must succeed; else Failed, with its last words."""
    try:
        with started(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            out, err = process.communicate(timeout=timeout)
    except FileNotFoundError:
        raise Failed(f"{words[0]} is not there") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{words[0]} took longer than {timeout} s") from None
    if process.returncode != 0:
        last = " ".join((err or out).strip().splitlines()[-3:])
        raise Failed(f"{pathlib.Path(str(words[0])).name}: exit {process.returncode}: {last}")
    return out


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # the process has gone
        return ""


def processes_of(root):
    """{pid: (parent, name)} of a process and all that come from it."""
    everyone = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            text = _read(f"/proc/{entry}/stat")
            before, _, after = text.rpartition(")")
            if after and after.split()[0] != "Z":
                everyone[int(entry)] = (int(after.split()[1]), before.partition("(")[2])
    ours_ = {root}
    while more := {pid for pid, (parent, _) in everyone.items() if parent in ours_} - ours_:
        ours_ |= more
    return {pid: everyone[pid] for pid in ours_ if pid in everyone}


def job_of(root):
    """The process of the running row (or of what comes before the rows), if there is one.

    The runner starts a keeper, and that a process for each row.
    """
    family = processes_of(root)
    return next((pid for pid, (parent, _) in family.items()
                 if parent in family and family[parent][0] == root), None)


def memory_of(pid):
    """{"VmHWM": …, "Pss": …} in bytes, what can be read of it."""
    found = {}
    for name, file in (("VmHWM", "status"), ("Pss", "smaps_rollup")):
        for line in _read(f"/proc/{pid}/{file}").splitlines():
            if line.startswith(name + ":"):
                found[name] = int(line.split()[1]) * 1024
    return found


# Files --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def folder(parent):
    """A private folder below `parent` that goes when this is left."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="sthd-bench-", dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def lay_out(path, size):
    """As the program does: incompressible, written past the cache where that works.

    What buffered writes leave in the cache are larger folios than what reads bring in, and those
    are faster to read: both sides must read from the same kind.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    try:
        fd = os.open(path, flags | os.O_DIRECT, 0o600)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        fd = os.open(path, flags, 0o600)
    try:
        os.posix_fallocate(fd, 0, size)
        with mmap.mmap(-1, MIB) as block:  # aligned as O_DIRECT needs it
            for at in range(0, size, MIB):
                block.seek(0)
                block.write(os.urandom(MIB))
                os.pwrite(fd, block, at)
        os.fsync(fd)
    finally:
        os.close(fd)


def warm(path):
    """Brings a file into the page cache, front to back."""
    with open(path, "rb", buffering=0) as file:
        while file.read(MIB):
            pass


# The programs -------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Load:
    """Random reads of 4 KiB."""
    engine: str  # "uring", "aio" or "psync"
    depth: int
    threads: int
    direct: bool
    cached: bool
    seconds: float
    ramp: float


@dataclasses.dataclass
class Figure:
    iops: float
    user_ns: float  # of CPU per I/O


OURS = {"uring": ("native-uring", "io_uring"), "aio": ("native-aio", "libaio"),
        "psync": ("native-psync", "psync")}
FIO = {"uring": "io_uring", "aio": "libaio", "psync": "psync"}
BARE = {"uring": "uring", "aio": "aio", "psync": "pread"}

PROFILE = """schema = 1
name = "bench"
title = "One row, made by a benchmark"
[[job]]
id = "row"
label = "row"
{keys}
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
"""


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def command(work, target, *options, **keys):
    """The words that measure `target` by a profile of one job with `keys`; JSON goes to stdout."""
    profile = pathlib.Path(work) / "bench.toml"
    profile.write_text(PROFILE.format(
        keys="\n".join(f"{name} = {toml(value)}" for name, value in keys.items())))
    return [binary(), "run", str(profile), str(target), "-q", "-f", "json", *options]


def measured_row(text):
    """The only row of a JSON report; Failed unless it was measured."""
    record = json.loads(text)["jobs"][0]
    if record["status"] != "ok":
        raise Failed(f"{record['status']}: {record['reason']}")
    return record


def by(engine):
    """The options that name an engine and who runs it."""
    backend, name = OURS[engine]
    return ["--backend", backend, "--engine", name]


def milliseconds(seconds):
    return f"{round(seconds * 1000)}ms"


def ours(work, target, size, load):
    """Of its own file in `target`, which goes with it."""
    record = measured_row(run(*command(
        work, target, *by(load.engine), "--direct" if load.direct else "--buffered", op="read",
        pattern="random", block_size="4KiB", size=size, queue_depth=load.depth,
        threads=load.threads, cache="warm" if load.cached else "as_is",
        runtime=milliseconds(load.seconds), ramp=milliseconds(load.ramp))))
    loop = record["loops"][0]
    read = loop["read"]
    return Figure(read["ios"] * 1e9 / read["elapsed_ns"], loop["cpu"]["user_ns"] / read["ios"])


# What fio's manual offers for io_uring; norandommap because we keep no map of blocks read either.
def tuned(depth):
    batch = min(8, depth)
    return ["--fixedbufs=1", "--registerfiles=1", f"--iodepth_batch={batch}",
            "--iodepth_batch_complete_min=1", f"--iodepth_batch_complete_max={batch}",
            "--norandommap=1"]


def fio(path, size, load, more=()):
    """Of a file that was laid out before; by fio's defaults, but that the cache is left alone."""
    out = run("fio", "--name=bench", f"--filename={path}", f"--size={size}",
              "--allow_file_create=0", "--readonly", "--rw=randread", "--bs=4k",
              f"--ioengine={FIO[load.engine]}", f"--iodepth={load.depth}",
              f"--numjobs={load.threads}", "--thread", "--group_reporting",
              f"--direct={int(load.direct)}", "--invalidate=0", "--randrepeat=0", "--time_based",
              f"--runtime={milliseconds(load.seconds)}",
              f"--ramp_time={milliseconds(load.ramp)}", "--output-format=json", *more)
    entry = json.loads(out[out.index("{"):])["jobs"][0]
    if entry["error"] or not entry["read"]["total_ios"]:
        raise Failed(f"fio: error {entry['error']}, {entry['read']['total_ios']} I/Os")
    user_ns = entry["usr_cpu"] / 100 * entry["job_runtime"] * 1e6
    return Figure(entry["read"]["iops"], user_ns / entry["read"]["total_ios"])


def bare(path, load):
    found = json.loads(run(
        bare_binary(), BARE[load.engine], path, "--depth", load.depth, "--threads", load.threads,
        "--seconds", load.seconds, "--ramp", load.ramp, *(["--direct"] if load.direct else [])))
    return Figure(found["iops"], found["user_ns_per_io"])


# Figures ------------------------------------------------------------------------------------------


def spread(values):
    """Median, least and most, of at least one value."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def ratios(ours_, others):
    """Ours to another's, of values measured in the same rounds."""
    return {"of_medians": statistics.median(ours_) / statistics.median(others),
            "pairwise": spread([a / b for a, b in zip(ours_, others)])}


def with_range(found, scale=1, digits=0):
    """A spread() as text."""
    return (f"{found['median'] / scale:.{digits}f} ({found['min'] / scale:.{digits}f}–"
            f"{found['max'] / scale:.{digits}f})")


def table(titles, rows):
    """Markdown; the columns with numbers, after the first, are right-aligned."""
    def rule(column):
        number = any(str(row[column])[:1].isdigit() for row in rows)
        return "--:" if column and number else ":--"
    lines = ["| " + " | ".join(titles) + " |",
             "| " + " | ".join(rule(i) for i in range(len(titles))) + " |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


# The machine --------------------------------------------------------------------------------------


def _words(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL).stdout.strip()
    except FileNotFoundError:
        return None


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def mount_of(path):
    """(filesystem, source) of a folder."""
    found = (_words("findmnt", "-n", "-o", "FSTYPE,SOURCE", "-T", str(path)) or "").split()
    return (found[0], found[1]) if len(found) == 2 else ("unknown", "unknown")


def stolen():
    """(CPU time that the hypervisor gave to others, all CPU time), in ticks."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def machine():
    busy = os.getloadavg()[0]
    if busy > 0.7:
        print(f"warning: the load of this machine is {busy:.1f}: let it come to rest, or the "
              "figures are those of what else it does", file=sys.stderr)
    return {"cpu": cpu_model(), "cores": os.cpu_count(), "kernel": platform.release(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "date_utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"),
            "fio": _words("fio", "--version"), "speedtest_hd": _words(binary(), "--version"),
            "load": round(busy, 2)}


def machine_line(facts):
    return (f"{facts['cpu']}, {facts['cores']} cores, Linux {facts['kernel']}, {facts['fio']}, "
            f"{facts['date_utc']} UTC")
