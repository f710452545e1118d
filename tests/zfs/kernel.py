"""Debian's User-Mode Linux kernel, what builds modules for it, and OpenZFS's modules."""

import lzma
import os
import pathlib
import re
import shutil
import struct
import tarfile

from packages import CannotBuild, run

ARCH = {"ARCH": "um", "SUBARCH": "x86_64"}
KEPT_TREES = ("scripts/", "include/", "arch/um/", "arch/x86/", "tools/include/", "tools/build/",
              "tools/scripts/", "certs/", "usr/", "lib/vdso/", "kernel/time/", "security/")
KEPT_FILES = ("kernel/bounds.c", "kernel/sched/sched.h")


def needed(name):
    """Of the kernel's source: what `make modules_prepare` and a module's build read."""
    base = name.rsplit("/", 1)[-1]
    return (name.startswith(KEPT_TREES) or name in KEPT_FILES or "/" not in name
            or base.startswith(("Kconfig", "Makefile", "Kbuild")))


def unpack_source(archive, folder):
    with lzma.open(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
        for member in tar:
            _, _, name = member.name.partition("/")
            if name and needed(name):
                member.name = name
                tar.extract(member, folder)


class Elf:
    """As much of a 64-bit ELF file as tells what it exports."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        start, = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        table = [struct.unpack_from("<IIQQQQ", self.data, start + i * size) for i in range(count)]
        base = table[names][4]
        self.sections = [(self.text(base + s[0]), s[1], s[3], s[4], s[5]) for s in table]

    def text(self, offset):
        return self.data[offset:self.data.index(0, offset)].decode()

    def text_at(self, address):
        for _, kind, start, offset, size in self.sections:
            if kind != 8 and start and start <= address < start + size:  # 8: no bytes in the file
                return self.text(offset + address - start)
        return ""

    def exported(self):
        """(symbol, for GPL modules alone, namespace) of each entry: value, name, namespace."""
        for name, _, _, offset, size in self.sections:
            if name in ("__ksymtab", "__ksymtab_gpl"):
                for at in range(offset, offset + size, 24):
                    _, symbol, space = struct.unpack_from("<QQQ", self.data, at)
                    yield (self.text_at(symbol), name.endswith("_gpl"),
                           self.text_at(space) if space else "")


def write_symvers(program, path):
    """The package has no Module.symvers; the kernel itself knows (without CRCs: no MODVERSIONS)."""
    lines = [f"0x00000000\t{symbol}\tvmlinux\tEXPORT_SYMBOL{'_GPL' if gpl else ''}\t{space}\n"
             for symbol, gpl, space in Elf(program).exported()]
    if len(lines) < 1000:
        raise CannotBuild(f"{program} lists only {len(lines)} exported symbols")
    path.write_text("".join(lines))


class Kernel:
    """folder/x: the package as unpacked; folder/src: a tree that modules can be built against."""

    def __init__(self, folder):
        self.folder, self.source = folder, folder / "src"
        self.program = folder / "x/usr/bin/linux.uml"

    @property
    def version(self):
        return next((self.folder / "x/usr/lib/uml/modules").iterdir()).name

    def build(self, suite, say):
        if (self.folder / "done").exists():
            return
        missing = [p for p in ("gcc", "make", "flex", "bison", "bc") if not shutil.which(p)]
        if missing:
            raise CannotBuild(f"not installed here: {' '.join(missing)}")
        shutil.rmtree(self.folder, ignore_errors=True)
        say("the User-Mode Linux kernel and its source")
        suite.alone("user-mode-linux", self.folder / "x")
        package = "linux-source-" + ".".join(self.version.split(".")[:2])
        versions = suite.versions(package)
        if not versions:
            raise CannotBuild(f"{suite.name} has no {package}")
        same = [v for v in versions if v.startswith(self.version + "-")]
        suite.alone(f"{package}={(same or versions)[0]}", self.folder / "s")
        archive = next((self.folder / "s/usr/src").glob("*.tar.xz"))
        unpack_source(archive, self.source)
        shutil.rmtree(self.folder / "s")
        if not same:  # a later source of the same series; modules must name the kernel they are for
            make = self.source / "Makefile"
            patch = self.version.split(".")[2]
            make.write_text(re.sub(r"(?m)^SUBLEVEL = .*", f"SUBLEVEL = {patch}", make.read_text()))
        self._prepare(say)
        (self.folder / "done").touch()

    def _prepare(self, say):
        say(f"preparing the source of {self.version}")
        (self.source / ".config").write_text(run(self.program, "--showconfig"))
        words = [f"{key}={value}" for key, value in ARCH.items()]
        for goal in ("olddefconfig", "modules_prepare"):
            run("nice", "make", f"-j{os.cpu_count()}", *words, goal, cwd=self.source,
                log=self.folder / f"{goal}.log", what=f"make {goal}")
        write_symvers(self.program, self.source / "Module.symvers")


def adapt(source):
    """OpenZFS knows that UML on x86_64 is an x86 since 2.2; earlier ones are told."""
    makefiles, kbuilds = (list((source / "module").rglob(f"{n}*")) for n in ("Makefile", "Kbuild"))
    if any("CONFIG_UML_X86" in f.read_text() for f in makefiles + kbuilds):
        return
    for file in makefiles:
        text = file.read_text()
        file.write_text(text.replace("$(CONFIG_X86)", "$(CONFIG_X86_64)"))
    jump = source / "module/lua/setjmp/setjmp_x86_64.S"  # UML's own have the same names
    jump.write_text("#define setjmp kernel_setjmp\n#define longjmp kernel_longjmp\n"
                    + jump.read_text())


def build_modules(kernel, suite, root, work, say):
    """OpenZFS of `suite` for `kernel`, put into the guest's `root`; returns its version."""
    done = root / "zfs-version"
    if done.exists():
        return done.read_text()
    shutil.rmtree(work, ignore_errors=True)
    suite.alone("zfs-dkms", work)
    source = next((work / "usr/src").glob("zfs-*"))
    adapt(source)
    env = {**ARCH, "KCFLAGS": "-g0"}
    say(f"configuring {source.name} for {kernel.version}")
    run("nice", "./configure", "--prefix=/usr", "--with-config=kernel",
        "--disable-dependency-tracking", f"--with-linux={kernel.source}",
        f"--with-linux-obj={kernel.source}", "KERNEL_ARCH=um", cwd=source, env=env,
        log=work.with_suffix(".configure.log"), what=f"configure of {source.name}")
    say(f"compiling {source.name}")
    run("nice", "make", f"-j{os.cpu_count()}", cwd=source, env=env,
        log=work.with_suffix(".make.log"), what=f"make of {source.name}")
    place = root / "lib/modules" / kernel.version / "extra"
    place.mkdir(parents=True, exist_ok=True)
    for module in (source / "module").rglob("*.ko"):
        shutil.copy(module, place)
        run("strip", "--strip-debug", place / module.name)
    run("chroot", root, "depmod", kernel.version)
    version = source.name.removeprefix("zfs-")
    shutil.rmtree(work)
    done.write_text(version)
    return version
