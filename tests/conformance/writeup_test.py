"""What a write-up is made of: details, plots, case-study, junit, from real records."""

import pathlib
import re
import sys
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["latency.svg", "p99.svg", "throughput.svg"]


class WriteUp(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = pathlib.Path(harness.tempfile.mkdtemp(prefix="sthd-writeup-",
                                                         dir=harness.test_root()))
        cls.addClassCleanup(harness.shutil.rmtree, cls.kept, ignore_errors=True)
        (cls.kept / "target").mkdir()
        cls.profile = harness.profile(cls.kept, runtime="600ms", defaults="sample = \"50ms\"")
        cls.records = []
        for name in ("before", "after"):
            record = cls.kept / f"{name}.json"
            done = harness.run("run", cls.profile, str(cls.kept / "target"), "-f",
                               f"json:{record}")
            assert done.code == 0, done
            cls.records.append(str(record))

    def render(self, *words):
        done = harness.run("render", *words)
        self.assert_code(done, 0)
        return done.out

    def svg(self, path):
        """The root of a file that is well-formed and has points, words and nothing that runs."""
        root = xml.parse(path).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        self.assertTrue(root.find(SVG + "title").text)
        self.assertTrue(root.find(SVG + "desc").text)
        self.assertEqual([e.tag for e in root.iter() if e.tag == SVG + "script"], [])
        marks = [*root.iter(SVG + "polyline"), *root.iter(SVG + "circle")]
        self.assertTrue(marks, path)
        width, height = float(root.get("width")), float(root.get("height"))
        for line in root.iter(SVG + "polyline"):
            for x, y in (point.split(",") for point in line.get("points").split()):
                self.assertTrue(0 <= float(x) <= width and 0 <= float(y) <= height, line.attrib)
        return root

    def test_details_fold_the_environment(self):
        plain = self.render(self.records[0], "-f", "markdown")
        detailed = self.render(self.records[0], "-f", "markdown", "--details")
        self.assertNotIn("<details>", plain)
        self.assertTrue(detailed.startswith(plain))
        self.assertRegex(detailed, r"(?s)<details>\n<summary>Environment</summary>\n\n\| Fact \| "
                                   r"Value \|.*\n\| cpu\.cores \| \d+ \|.*\n\n</details>\n\Z")
        self.assertRegex(plain, r"\n\n[^\n]*Linux \d[^\n]*\n\n- ")

    def test_a_run_draws_its_plots_and_its_markdown_shows_them(self):
        pictures = self.folder("pictures")
        report = self.work / "report.md"
        done = harness.run("run", self.profile, str(self.folder()), "--plots", str(pictures),
                           "-o", str(report))
        self.assert_code(done, 0)
        self.assertEqual(sorted(p.name for p in pictures.iterdir()), NAMES)
        for name in NAMES:
            self.svg(pictures / name)
        self.assertEqual(re.findall(r"\n!\[([^]]*)\]\(([^)]*)\)", report.read_text()),
                         [("Latency by percentile", "pictures/latency.svg"),
                          ("Throughput over time", "pictures/throughput.svg"),
                          ("p99 latency over time", "pictures/p99.svg")])

    def test_render_draws_what_the_run_drew(self):
        first, second = self.folder("first"), self.folder("second")
        out = self.render(self.records[0], "--plots", str(first), "-f", "markdown")
        self.assertIn(f"]({first}/latency.svg)", out)
        self.render(self.records[0], "--plots", str(second))
        for name in NAMES:
            self.assertEqual((first / name).read_text(), (second / name).read_text())

    def test_plots_of_several_records_have_their_runs_before_their_names(self):
        pictures = self.folder("pictures")
        self.render(*self.records, "--plots", str(pictures))
        names = sorted(p.name for p in pictures.iterdir())
        self.assertEqual(len(names), 6)
        for name in names:
            self.assertRegex(name, r"\A[0-9a-f-]{36}-(latency|p99|throughput)\.svg\Z")

    def test_hostile_texts_are_words_in_a_plot(self):
        text = pathlib.Path(self.records[0]).read_text()
        hostile = self.work / "hostile.json"
        hostile.write_text(text.replace('"label": "write"',
                                        r'"label": "</desc><script>1</script>&\u001b\uffff"'))
        pictures = self.folder("pictures")
        self.render(str(hostile), "--plots", str(pictures))
        for name in NAMES:
            root = self.svg(pictures / name)
            self.assertIn("</desc><script>1</script>&\\x1b\ufffd",
                          "".join(root.itertext()))

    def test_plots_in_a_missing_folder_exit_5_before_measuring(self):
        slow = harness.profile(self.work, "slow", runtime="30s")
        done = harness.run("run", slow, str(self.folder()), "--plots", str(self.work / "missing"))
        self.assert_code(done, 5)
        self.assertIn(f"cannot write {self.work}/missing/latency.svg: No such file", done.err)
        self.assertLess(done.seconds, 15)

    def test_a_plot_that_cannot_be_written_exits_5_and_the_table_is_shown(self):
        pictures = self.folder("pictures")
        (pictures / "throughput.svg").mkdir()
        done = harness.run("render", self.records[0], "--plots", str(pictures), "-f", "markdown")
        self.assert_code(done, 5)
        self.assertIn("| Test |", done.out)
        self.assertNotIn("throughput.svg", done.out)
        self.assertIn(f"cannot write {pictures}/throughput.svg: ", done.err)

    def test_a_case_study_of_one_record_leaves_gaps_for_its_author(self):
        out = self.render(self.records[0], "-f", "case-study")
        self.assertEqual(re.findall(r"^## (.*)$", out, re.M),
                         ["The set-up", "The symptom", "The evidence", "The fixes tried",
                          "The results", "What was learned"])
        self.assertRegex(out, r"\| Measured with \| speedtest-hd [^|]*profile tiny")
        self.assertGreaterEqual(out.count("> **To fill in:**"), 4)

    def test_a_case_study_of_two_records_has_their_stages(self):
        out = self.render(*self.records, "-f", "case-study")
        self.assertEqual(out.count("# Case study"), 1)
        results = out.split("## The results")[1].split("## What was learned")[0]
        self.assertNotIn("To fill in", results)
        self.assertIn("before", results)
        self.assertIn("after", results)

    def test_junit_has_a_case_for_each_row(self):
        suites = xml.fromstring(self.render(self.records[0], "-f", "junit"))
        self.assertEqual(suites.tag, "testsuites")
        cases = list(suites.iter("testcase"))
        self.assertEqual([(c.get("classname"), c.get("name")) for c in cases],
                         [("tiny.write", "measured"), ("tiny.read", "measured")])
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")),
                         ("2", "0", "0"))
        for case in cases:
            self.assertGreater(float(case.get("time")), 0.5)

    def test_junit_reports_a_row_that_was_skipped_or_failed(self):
        profile = harness.profile(self.work, jobs=[
            harness.job("random", more='backend = ["dd"]\nengine = ["dd"]'), harness.job("good")])
        file = self.work / "report.xml"
        done = harness.run("run", profile, str(self.folder()), "-o", str(file))
        self.assert_code(done, 1)
        suite = xml.parse(file).getroot().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("skipped")), ("2", "1"))
        skipped = suite.find("testcase[@classname='tiny.random']/skipped")
        self.assertIn("dd does sequential I/O only", skipped.get("message"))

    def test_junit_of_hostile_texts_is_well_formed(self):
        text = pathlib.Path(self.records[0]).read_text()
        hostile = self.work / "hostile.json"
        hostile.write_text(re.sub(r'"hostname": "[^"]*"',
                                  r'"hostname": "<&\\"]]>\\u0000\\u001b\\uffff\\ud83d\\ude00"', text,
                                  count=1))
        suites = xml.fromstring(self.render(str(hostile), "-f", "junit"))
        self.assertEqual(suites.find("testsuite").get("hostname"),
                         '<&"]]>\\x00\\x1b\ufffd\U0001f600')


if __name__ == "__main__":
    harness.main()
