"""The rooms of the source tree keep to their dependencies, and nobody calls a shell."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)

# Each room of runner/ and the rooms it may include: app -> run -> plan -> profile; host and record beside them.
ROOMS = {
    "record": set(),
    "profile": set(),
    "host": set(),
    "analyze": set(),
    "compare": {"analyze"},
    "plan": {"host", "profile"},
    "run": {"plan", "record", "host"},
    "app": {"run", "plan", "profile", "host", "record", "analyze", "compare"},
}
# Each package and the places that may include it.
PACKAGES = {
    r"toml\+\+/|toml\.hpp": r"runner/profile/load\.cpp",
    r"valijson/": r"runner/profile/schema[a-z_]*\.(cpp|hpp)",
    r"nlohmann/": r"runner/record/|runner/profile/schema|plugins/backends/fio-exec/",
    r"CLI/": r"runner/app/",
    r"boost/dll/alias": r"plugins/sdk/include/sthd/abi\.hpp",
    r"boost/": r"runner/host/plugin_|plugins/sdk/include/sthd/abi\.hpp",
    r"libaio\.h": r"plugins/backends/native-aio/",
    r"liburing\.h": r"plugins/backends/native-uring/|tests/bench/",
    r"range/v3/": r"runner/(profile|plan|app)/|plugins/sdk/kit/table/|plugins/formatters/",
}
# Files of packages that are no headers, and who may name them.
FILES = {r"chart\.min\.js": r"plugins/formatters/html/requires\.cmake|\.ci/setup\.sh"}
SHELL = re.compile(r"\b(system|popen|wordexp|setlocale)\s*\(")


def sources(below):
    folder = ROOT / below
    return [p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp") and p.is_file()]


def includes(path):
    return INCLUDE.findall(path.read_text())


def name(path):
    return str(path.relative_to(ROOT))


class Rooms(unittest.TestCase):
    def test_a_plugin_includes_nothing_of_the_runner(self):
        files = sources("plugins")
        self.assertGreater(len(files), 20)
        wrong = [name(p) for p in files if any(i.startswith("runner/") for i in includes(p))]
        self.assertEqual(wrong, [])

    def test_runner_rooms_depend_one_way(self):
        wrong = []
        for room, allowed in ROOMS.items():
            files = sources(f"runner/{room}")
            self.assertTrue(files, room)
            for path in files:
                for included in includes(path):
                    parts = included.split("/")
                    if parts[0] == "runner" and parts[1] != room and parts[1] not in allowed:
                        wrong.append(f"{name(path)} includes {included}")
        self.assertEqual(wrong, [])
        self.assertEqual({p.name for p in (ROOT / "runner").iterdir() if p.is_dir()}, set(ROOMS))

    def test_sdk_headers_need_the_standard_library_alone(self):
        wrong = []
        for path in (ROOT / "plugins/sdk/include/sthd").glob("*.hpp"):
            for included in includes(path):
                alias = included == "boost/dll/alias.hpp" and path.name == "abi.hpp"
                if not included.startswith("sthd/") and not alias and "/" in included:
                    wrong.append(f"{name(path)} includes {included}")
        self.assertEqual(wrong, [])

    def test_each_package_stays_in_its_place(self):
        wrong = []
        for path in sources("runner") + sources("plugins"):
            for included in includes(path):
                for package, place in PACKAGES.items():
                    if re.match(package, included):
                        if not re.match(place, name(path)):
                            wrong.append(f"{name(path)} includes {included}")
                        break
        self.assertEqual(wrong, [])

    def test_each_file_of_a_package_is_named_in_its_place(self):
        for file, place in FILES.items():
            named = {name(p) for below in ("runner", "plugins", ".ci") for p in (ROOT / below).rglob("*")
                     if p.is_file() and re.search(file, p.read_text())}
            self.assertEqual({n for n in named if not re.fullmatch(place, n)}, set())
            self.assertTrue(named, file)

    def test_nobody_calls_a_shell_or_changes_the_locale(self):
        wrong = []
        for path in sources("runner") + sources("plugins"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = line.split("//")[0]
                if SHELL.search(code):
                    wrong.append(f"{name(path)}:{number}: {line.strip()}")
        self.assertEqual(wrong, [])

    def test_sources_stay_readable(self):
        long = [f"{name(p)}: {len(p.read_text().splitlines())}" for p in sources("runner") + sources("plugins")
                if len(p.read_text().splitlines()) > (200 if p.suffix == ".hpp" and "kit" not in name(p) else 400)]
        self.assertEqual(long, [])


if __name__ == "__main__":
    unittest.main()
