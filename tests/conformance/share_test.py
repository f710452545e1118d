"""--share: what it writes names nobody, in any format, from a run and from a record."""

import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

FORMATS = ("ascii", "case-study", "csv", "html", "json", "junit", "markdown", "timeseries")
LABELLED = """
[[job]]
id = "write-jdoe"
op = "write"
pattern = "random"
block_size = "4KiB"
label = "for jdoe on {host} at /home/jdoe/x"
"""


class Share(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.home = self.work / "home" / "jdoe"
        self.home.mkdir(parents=True)
        self.host = os.uname().nodename
        self.profile = harness.profile(self.home, "acme",
                                       jobs=[LABELLED.replace("{host}", self.host)])

    def measure(self, *words):
        done = harness.run("run", self.profile, str(self.home), *words)
        self.assert_code(done, 0)
        return done.out

    def assert_names_nobody(self, text, what):
        names = {"jdoe"}
        if len(self.host) >= 3 and not self.host.isalpha():  # "debian" may stay
            names.add(re.escape(self.host.lower()))
        for name in names:
            self.assertNotRegex(text.lower(), rf"(?<![a-z0-9]){name}(?![a-z0-9])", what)

    def test_a_run_writes_only_what_may_be_shown(self):
        files = {form: self.work / f"out.{form}" for form in FORMATS}
        outputs = [word for form, file in files.items() for word in ("-f", f"{form}:{file}")]
        self.assertNotIn("jdoe", self.measure("--share", "--plots", str(self.work), *outputs))
        for form, file in files.items():
            self.assert_names_nobody(file.read_text(), form)
        for file in self.work.glob("*.svg"):
            self.assert_names_nobody(file.read_text(), file)
        record = json.loads(files["json"].read_text())
        self.assertIsNone(record["environment"]["hostname"])
        self.assertNotIn("host.cmdline", record["facts"])
        self.assertEqual([f["text"] for f in record["profile"]["files"]], [""])
        self.assertTrue(record["target"]["path"].endswith("/home/user-1"), record["target"])
        self.assertEqual(record["argv"][0], "speedtest-hd")
        self.assertEqual(record["argv"][2], "acme.toml")

    def test_a_record_is_shared_as_its_run_would_have_been(self):
        file = self.work / "record.json"
        self.measure("-f", f"json:{file}")
        self.assertIn("jdoe", file.read_text())
        for form in FORMATS:
            done = harness.run("render", str(file), "--share", "-f", form)
            self.assert_code(done, 0)
            self.assert_names_nobody(done.out, form)
        once = self.work / "once.json"
        once.write_text(harness.run("render", str(file), "--share", "-f", "json").out)
        for form in FORMATS:
            shared = harness.run("render", str(once), "-f", form)
            self.assertEqual(shared.out, harness.run("render", str(file), "--share", "-f", form).out)
            self.assertEqual(shared.out, harness.run("render", str(once), "--share", "-f", form).out)
        figures = [json.loads(path.read_text())["jobs"][0]["derived"] for path in (file, once)]
        self.assertEqual(*figures)

    def test_explained_findings_name_nobody_either(self):
        file = self.work / "record.json"
        self.measure("-f", f"json:{file}")
        done = harness.run("render", str(file), "--share", "--explain")
        self.assert_code(done, 0)
        self.assert_names_nobody(done.out + done.err, "--explain")


if __name__ == "__main__":
    harness.main()
