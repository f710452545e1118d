"""Debian packages of any suite, by apt, without touching what is installed on this machine."""

import os
import pathlib
import subprocess

TRIES = 3


class CannotBuild(Exception):
    """Why the rig cannot be had here; the text is shown as the reason of the skip."""


def run(*words, log=None, env=None, cwd=None, what=None):
    """Runs a tool to its end; its output goes to `log` or is returned."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C", **(env or {})}, cwd=cwd,
                          stdin=subprocess.DEVNULL)
    if log:
        pathlib.Path(log).write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise CannotBuild(f"{what or words[0]} failed: {last}" + (f" (see {log})" if log else ""))
    return done.stdout


def release_of_host():
    pairs = (line.rstrip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    facts = {key: value.strip('"') for key, value in pairs}
    if facts.get("ID") != "debian" or "VERSION_CODENAME" not in facts:
        raise CannotBuild("this machine is not a Debian release")
    return facts["VERSION_CODENAME"]


def sources_of_host():
    """{suite: (uri, keyring)} as apt is configured here, main component alone."""
    text = run("apt-get", "indextargets", "--format",
               "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(SIGNED_BY)|$(CREATED_BY)")
    found = {}
    for line in text.splitlines():
        uri, suite, component, keyring, kind = line.split("|")
        if component == "main" and kind == "Packages":
            known = "" if keyring.startswith("$") else keyring  # a field it has no value for
            found.setdefault(suite, (uri, known))
    return found


class Suite:
    """One suite with its updates and security fixes, contrib included, in a private apt state."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)
        base = name.removesuffix("-backports")
        for part in ("lists/partial", "archives/partial", "empty"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        here, configured = release_of_host(), sources_of_host()
        if here not in configured:
            raise CannotBuild(f"apt has no source with suite {here} configured")
        keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
        lines = []
        for suite in dict.fromkeys([base, f"{base}-updates", name]):
            lines.append(self._line(configured[here], suite, keyring))
        if f"{here}-security" in configured:
            lines.append(self._line(configured[f"{here}-security"], f"{base}-security", keyring))
        (self.folder / "sources.list").write_text("".join(lines))
        self.options = [word for pair in {
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": self.folder / "empty",
            "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": "/dev/null",
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::Status": self.folder / "status",
            "Dir::Cache": self.folder, "Dir::Cache::Archives": self.folder / "archives",
            "APT::Sandbox::User": "root", "APT::Default-Release": name,
            "APT::Install-Recommends": "false", "Acquire::Languages": "none",
            "Acquire::Retries": TRIES}.items() for word in ("-o", f"{pair[0]}={pair[1]}")]
        if not (self.folder / "fresh").exists():
            run("apt-get", *self.options, "update", log=self.folder / "update.log",
                what=f"apt-get update of {name}")
            (self.folder / "fresh").touch()

    @staticmethod
    def _line(source, suite, keyring):
        uri, known = source
        return f"deb [signed-by={known or keyring}] {uri} {suite} main contrib\n"

    def versions(self, package):
        text = run("apt-cache", *self.options, "madison", package)
        return [line.split("|")[1].strip() for line in text.splitlines() if "|" in line]

    def with_dependencies(self, *packages):
        """Paths of the packages and all that they depend on."""
        run("apt-get", *self.options, "install", "-y", "--download-only", *packages,
            log=self.folder / "download.log", what=f"download of {' '.join(packages)}")
        return sorted((self.folder / "archives").glob("*.deb"))

    def alone(self, package, into):
        """Unpacks the package, without what it depends on."""
        store = self.folder / "alone"
        store.mkdir(exist_ok=True)
        for old in store.glob("*.deb"):
            old.unlink()
        run("apt-get", *self.options, "download", package, cwd=store,
            what=f"download of {package} from {self.name}")
        into.mkdir(parents=True, exist_ok=True)
        for file in store.glob("*.deb"):
            run("dpkg-deb", "-x", file, into)
            file.unlink()
