"""The lies and their honest twins, one entry each.

A scene is a function of the stage that returns the target, and the keys of the one job that runs
there. `row-failed` stands for a row of status failed: that is how a device that loses data shows.
"""

import dataclasses
from collections.abc import Callable

from stage import MIB

BASE = {"op": "write", "pattern": "random", "block_size": "4KiB", "runtime": "2s", "ramp": "0s",
        "cache": "as_is", "size": "128MiB", "engine": ["psync"]}


@dataclasses.dataclass
class Scene:
    place: Callable
    job: dict


@dataclasses.dataclass
class Case:
    name: str
    code: str
    lie: Scene
    twin: Scene
    quick: bool = False  # one of those that run with the ordinary tests


def case(name, code, lie, twin, quick=False, **job):
    """`lie` and `twin`: a place, or (place, keys of the job where the two differ)."""
    def scene(given):
        place, more = given if isinstance(given, tuple) else (given, {})
        return Scene(place, {**BASE, **job, **more})
    return Case(name, code, scene(lie), scene(twin), quick)


# Places -----------------------------------------------------------------------------------------


def disk(kind="ext4", size=256 * MIB, options="", then=None):
    def place(stage):
        point = stage.disk(kind, size, options)
        return (then and then(stage)) or point
    return place


def tmpfs(stage):
    return stage.tmpfs("256m")


def overlay_on(lower):
    return lambda stage: stage.overlay(lower(stage))


def ramfs(stage):
    return stage.mount("none", "ramfs")


def on_disk(act, **kwargs):
    """A disk, and `act(stage)` once it is there."""
    def then(stage):
        act(stage)
    return disk(then=then, **kwargs)


def halved(stage):
    limit = stage.throttle(write_iops=1000)
    stage.slow_down(limit, 2.5, write_iops=300)


def stolen(stage):
    stage.pinned(0)
    stage.spinners(0, 3)


ext4, xfs = disk(), disk("xfs", 400 * MIB)
btrfs = disk("btrfs", 512 * MIB)
btrfs_plain = disk("btrfs", 512 * MIB, "nodatasum")
journal = disk(options="data=journal")
DIRECT, BUFFERED = {"direct": "required"}, {"direct": "off"}
DEEP = {"queue_depth": 32}
WARM = {"op": "read", "cache": "warm", "direct": "off"}
SYNC = {"sync": "o_sync", "direct": "off", "size": "32MiB"}

CASES = [
    # Reads and writes that RAM answered.
    case("reads from the page cache, ext4", "cached-reads", (ext4, WARM),
         (ext4, {"op": "read", **DIRECT}), quick=True),
    case("reads from the page cache, xfs", "cached-reads", (xfs, WARM),
         (xfs, {"op": "read", **DIRECT})),
    case("reads from the page cache, btrfs", "cached-reads", (btrfs, WARM),
         (btrfs_plain, {"op": "read", **DIRECT})),
    case("buffered writes that were never flushed", "cached-writes",
         (ext4, {**BUFFERED, "end_fsync": False, "bytes": "64MiB"}), (ext4, {**DIRECT}),
         pattern="sequential", block_size="1MiB"),
    case("a buffered file that fits in RAM", "file-smaller-than-cache", (ext4, WARM),
         (ext4, {"op": "read", **DIRECT})),
    case("a working set of 64 MiB", "working-set-tiny", (disk(size=1700 * MIB), {"size": "64MiB"}),
         (disk(size=1700 * MIB), {"size": "1GiB"}), op="read", direct="required",
         block_size="64KiB"),
    # O_DIRECT that is not.
    case("O_DIRECT on tmpfs", "direct-ignored", tmpfs, ext4, quick=True, op="read"),
    case("O_DIRECT on ext4 with data=journal", "direct-ignored", journal, ext4, op="read"),
    case("O_DIRECT on btrfs with checksums", "direct-ignored", btrfs, btrfs_plain),
    case("O_DIRECT on overlay over data=journal", "direct-ignored", overlay_on(journal),
         overlay_on(ext4), op="read"),
    case("O_DIRECT on overlay over btrfs with checksums", "direct-ignored", overlay_on(btrfs),
         overlay_on(btrfs_plain)),
    case("O_DIRECT on ramfs", "direct-refused", ramfs, ext4, op="read", size="32MiB"),
    # A queue depth that is only a label.
    case("buffered libaio at Q32", "depth-collapsed", (ext4, BUFFERED), (ext4, DIRECT), op="read",
         quick=True, engine=["libaio"], **DEEP),
    case("buffered io_uring at Q32 served from the cache", "depth-collapsed", (ext4, WARM),
         (ext4, DIRECT), op="read", quick=True, engine=["io_uring"], **DEEP),
    case("direct writes that extend the file at Q32", "depth-collapsed",
         (ext4, {"layout": "none", "bytes": "100MiB"}), ext4, pattern="sequential",
         block_size="64KiB", engine=["libaio"], direct="required", **DEEP),
    case("buffered libaio writes block in the submission", "submit-blocked", (ext4, BUFFERED),
         (ext4, DIRECT), block_size="64KiB", engine=["libaio"], **DEEP),
    case("io_uring refused by seccomp", "engine-fell-back",
         on_disk(lambda s: s.denied("EPERM", "io_uring_setup")), ext4,
         engine=["io_uring", "libaio", "psync"], runtime="500ms", size="16MiB"),
    # The run itself.
    case("a runtime of 0.2 s", "run-too-short", (ext4, {"runtime": "200ms"}),
         (ext4, {"runtime": "4s"}), op="read", direct="required"),
    case("the speed falls mid-run", "not-steady", on_disk(halved),
         on_disk(lambda s: s.throttle(write_iops=1000)), direct="required", runtime="6s",
         size="16MiB"),
    case("an I/O limit taken for the device", "rate-limited",
         on_disk(lambda s: s.throttle(write_iops=800)), ext4, direct="required", runtime="4s",
         size="16MiB"),
    case("some calls take 100 ms", "outliers",
         on_disk(lambda s: s.delayed_calls("pread64", 100000, "400+400")), ext4, op="read",
         direct="required", runtime="4s"),
    case("the job was stopped for a while", "stalled", on_disk(lambda s: s.pause(1.0, 1.5)), ext4,
         direct="required", runtime="4s", size="16MiB"),
    # The host.
    case("a CPU quota of a tenth of a core", "cgroup-throttled",
         on_disk(lambda s: s.cpu_quota(0.1)), ext4, op="read", direct="off", cache="warm",
         runtime="3s", size="32MiB"),
    case("spinners on the job's core", "cpu-stolen", on_disk(stolen),
         on_disk(lambda s: s.pinned(0)), op="read", direct="off", cache="warm", runtime="3s",
         size="32MiB"),
    case("the CPU is the limit", "cpu-bound", tmpfs,
         (on_disk(lambda s: s.throttle(write_iops=500)), DIRECT), direct="off", threads=2,
         size="32MiB"),
    case("somebody else writes to the device", "foreign-load",
         on_disk(lambda s: s.other_writer()), ext4, direct="required", runtime="3s",
         size="64MiB"),
    # Data and durability.
    case("zeros on a filesystem that compresses", "compressible-data",
         (disk("btrfs", 512 * MIB, "compress-force=zstd"), {"buffer": "zeros"}),
         (disk("btrfs", 512 * MIB, "compress-force=zstd"), {"buffer": "random"}),
         pattern="sequential", block_size="1MiB"),
    case("sync writes on tmpfs", "durability-not-shown", tmpfs, ext4, **SYNC),
    case("sync writes on zram", "durability-not-shown", lambda s: s.zram(128 * MIB), ext4, **SYNC),
    case("sync writes without barriers", "sync-ignored", disk(options="nobarrier"), ext4,
         quick=True, **SYNC),
    case("a thin device that cannot hold what it took", "row-failed",
         lambda s: s.thin_disk(256 * MIB, "48m"), ext4, quick=True, pattern="sequential",
         block_size="1MiB", size="96MiB", direct="off", bytes="96MiB", layout="none"),
    # The filesystem.
    case("a filesystem that is nearly full", "nearly-full",
         on_disk(lambda s: s.fill(40 * MIB), size=512 * MIB), ext4, quick=True, size="8MiB",
         direct="required"),
    case("a btrfs subvolume near its quota", "near-quota",
         disk("btrfs", 512 * MIB, then=lambda s: s.limit_subvolume(24 * MIB)), btrfs, size="16MiB",
         direct="off", op="read"),
    case("fio dies after its results", "backend-died-after-results",
         on_disk(lambda s: s.dying_fio()), (ext4, {}), quick=True, backend=["fio-exec"],
         size="16MiB", runtime="1s"),
]
