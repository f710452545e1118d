"""The cases: how the pool is set, what runs on it, and what its counters and findings must say."""

import dataclasses
from collections.abc import Callable

KIB = 1024
RUN = "speedtest-hd run"
SMALL = "--set size=64MiB --set runtime=3s --set ramp=500ms"


@dataclasses.dataclass
class Case:
    name: str
    setup: str  # shell, in the guest
    command: str  # without its -f
    counters: Callable  # of the ZIL over the case, layout included: what must hold
    must: Callable = lambda version: set()  # codes that must be found
    never: Callable = lambda version: set()  # codes that must not


def direct_is_real(version):
    """O_DIRECT is accepted and ignored before 2.3."""
    return version >= (2, 3)


def log_took_it(z, _):
    return z["slog_bytes"] > 0 and z["normal_bytes"] == 0 and z["commits"] > 0


def data_disks_took_it(z, _):
    return z["slog_bytes"] == 0 and z["normal_bytes"] > 0 and z["commits"] > 0


def nothing_was_logged(z, _):
    return z["slog_bytes"] == 0 and z["normal_bytes"] == 0 and z["indirect_count"] == 0


def written_in_place(z, _):
    """The log holds pointers alone; the data went to the data disks."""
    return z["indirect_count"] > 0 and z["copied_bytes"] + z["needcopy_bytes"] == 0


def mostly_pointers(z):
    """Each commit is a pointer to data that is in place already; the layout went by the log."""
    return 2 * z["indirect_count"] > z["commits"]


def mostly_data(z):
    return 2 * z["indirect_count"] < z["commits"] and z["slog_bytes"] > 0


def direct_counters(z, version):
    return mostly_pointers(z) if direct_is_real(version) else mostly_data(z)


def any_counters(*_):
    return True


def only(*codes):
    return lambda version: set(codes)


SLOG = only("slog-confirmed")
OTHER_LOGS = ("slog-bypassed", "slog-absent", "log-write-indirect", "sync-ignored")
# What is said of writes that wait for their commit.
OF_COMMITS = ("latency-bound", "slog-slow-host", "slog-regresses-with-threads",
              "write-cache-volatile")

DIRECT_SYNC = """cat > /tmp/direct.toml <<'END'
schema = 1
name = "direct"
title = "Direct sync writes of whole records"
extends = "base"
[[job]]
id = "sync128k"
op = "write"
pattern = "random"
block_size = "128KiB"
engine = ["psync"]
sync = "o_sync"
direct = "auto"
cache = "as_is"
label = "128K sync"
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
END"""

ARC_READS = """cat > /tmp/reads.toml <<'END'
schema = 1
name = "reads"
title = "Reads of a file that was just written"
extends = "base"
[[job]]
id = "read4k"
op = "read"
pattern = "random"
block_size = "4KiB"
engine = ["psync"]
direct = "off"
cache = "warm"
label = "4K reads"
[[column]]
id = "iops"
title = "IOPS"
metric = "iops"
END"""

SLOG_RUN = f"{RUN} slog /tank/ds {SMALL}"

CASES = [
    Case("with log", "", SLOG_RUN, log_took_it, SLOG, only(*OTHER_LOGS)),
    Case("without log", "zpool remove tank ubdc", SLOG_RUN, data_disks_took_it,
         only("slog-absent"),
         only("slog-confirmed", "slog-bypassed", "slog-slow-host", "sync-ignored")),
    Case("sync=disabled", "zfs set sync=disabled tank/ds", SLOG_RUN, nothing_was_logged,
         only("sync-ignored"), only("slog-confirmed", "slog-bypassed", "slog-absent",
                                    "log-write-indirect", *OF_COMMITS)),
    Case("logbias=throughput", "zfs set logbias=throughput tank/ds", SLOG_RUN, written_in_place,
         only("log-write-indirect", "slog-bypassed"),
         only("slog-confirmed", "slog-absent", "slog-slow-host", "sync-ignored")),
    Case("direct sync writes", DIRECT_SYNC, f"{RUN} /tmp/direct.toml /tank/ds {SMALL}",
         direct_counters,
         lambda v: {"slog-bypassed", "log-write-indirect"} if direct_is_real(v)
         else {"direct-ignored", "slog-confirmed"},
         lambda v: {"direct-ignored", "slog-confirmed", "slog-absent"} if direct_is_real(v)
         else set(OTHER_LOGS)),
    Case("reads from ARC", ARC_READS, f"{RUN} /tmp/reads.toml /tank/ds {SMALL}", any_counters,
         only("cached-reads"), only("target-mismatch", "slog-confirmed", *OTHER_LOGS)),
    Case("a zvol under ext4",
         "zfs create -V 512m tank/vol && udev_link zd0 && mkfs.ext4 -q -F /dev/zd0 && "
         "mkdir -p /tmp/vol && mount /dev/zd0 /tmp/vol",
         f"{RUN} slog /tmp/vol {SMALL}", log_took_it, SLOG,
         only("write-cache-volatile", "target-mismatch", *OTHER_LOGS)),
]

# A system call costs 15 microseconds in the guest and a look at the clock 53: always to be told.
ALWAYS = {"clock-slow"}

PREPARE = """set -e
export LD_LIBRARY_PATH=/work/lib PATH=/work/app/bin:$PATH
udev_link() { i=0; while [ ! -e /dev/$1 ] && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done; }
zil() {
  mkdir -p "$1"
  cat /proc/spl/kstat/zfs/zil > "$1/zil"
  cat /proc/diskstats > "$1/diskstats"
}
zpool create -f -o ashift=12 -o cachefile=none -O atime=off tank /dev/ubdb log /dev/ubdc
zfs create tank/ds
"""

# Each step leaves its exit code in NAME.status.
PROBE = """status=0
speedtest-hd probe {target} > {out}/probe.txt 2>&1 || status=$?
echo $status > {out}/probe.status
status=0
speedtest-hd probe {target} -f json > {out}/probe.json 2> {out}/probe.stderr || status=$?
echo $status > {out}/probe-json.status
"""

DOCTOR = """status=0
speedtest-hd doctor /tank/ds > {out}/doctor.txt 2> {out}/doctor.stderr || status=$?
echo $status > {out}/doctor.status
"""


def script_of(case, out, doctor):
    """Of one boot: its pool is new."""
    target = "/tmp/vol" if "/tmp/vol" in case.command else "/tank/ds"
    lines = [PREPARE, f"mkdir -p {out}", case.setup, PROBE.format(target=target, out=out),
             f"zil {out}/before", "status=0",
             f"{case.command} -f markdown -f json:{out}/report.json > {out}/table.md "
             f"2> {out}/stderr || status=$?", f"echo $status > {out}/run.status",
             f"zil {out}/after"]
    if doctor:
        lines.append(DOCTOR.format(out=out))
    return "\n".join([*lines, ""])


def steps(doctor):
    return ["probe", "probe-json", "run", *(["doctor"] if doctor else [])]
