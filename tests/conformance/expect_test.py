"""Expectations: judged, shown, and in the exit code; those that cannot be judged; faults of a profile."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

FEW = "iops = { min = 1 }"
MANY = "iops = { min = 1000000000 }"


def expect(id, kind, metrics, more=""):
    return (f'[[expect]]\nid = "{id}"\nkind = "{kind}"\nsource = "a test"\n{more}\n'
            f"[expect.metrics]\n{metrics}\n")


class Expectations(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def profile(self, *expectations, jobs=None, **more):
        path = pathlib.Path(harness.profile(self.work, jobs=jobs or [harness.job("write")], **more))
        path.write_text(path.read_text() + "".join(expectations))
        return str(path)

    def run_it(self, profile, *words):
        done = harness.run("run", profile, str(self.target), "-f", "json", *words)
        self.assert_no_leftover(self.target)
        return done

    def verdicts(self, done):
        return {j["expectation"]: j["verdict"] for j in done.report["judgements"]}

    def test_what_is_met_exits_0_and_is_in_the_last_column(self):
        profile = self.profile(expect("few", "require", FEW),
                               expect("quick", "healthy", 'lat.p50 = { max = "1h" }'))
        done = self.run_it(profile, "--strict")
        self.assert_code(done, 0)
        self.assertEqual(self.verdicts(done), {"few": "met", "quick": "met"})
        self.assertEqual(done.report["expectations"][0]["jobs"], ["write"])
        self.assertNotIn("speedtest-hd: ", done.err)
        table = harness.run("run", profile, str(self.target))
        self.assertRegex(table.out, r"(?m)^\| Test .* \| +Expected \|$")
        self.assertRegex(table.out, r"(?m)^\| write .* \| +ok \|$")

    def test_a_missed_requirement_exits_3_and_says_why(self):
        profile = self.profile(expect("many", "require", MANY, 'remedy = "Pray."'))
        for words in ((), ("--strict",), ("-q",)):
            with self.subTest(words=words):
                done = self.run_it(profile, *words)
                self.assert_code(done, 3)
                self.assertRegex(
                    done.err, r'(?m)^speedtest-hd: the require expectation "many" was missed: write '
                              r"write: iops \d+, expected at least 1000000000$")
        finding = next(f for f in done.report["findings"] if f["code"] == "expectation-missed")
        self.assertEqual((finding["severity"], finding["remedy"]), ("note", "Pray."))
        table = harness.run("run", profile, str(self.target), "-f", "csv")
        self.assert_code(table, 3)
        self.assertIn(",missed,", table.out)

    def test_the_other_kinds_exit_3_only_when_strict(self):
        for kind, metrics in (("healthy", MANY), ("vendor-spec", "iops = { spec = 1000000000 }")):
            with self.subTest(kind=kind):
                profile = self.profile(expect("e", kind, metrics))
                done = self.run_it(profile)
                self.assert_code(done, 0)
                self.assertEqual(self.verdicts(done), {"e": "missed"})
                self.assertNotIn("was missed", done.err)
                done = self.run_it(profile, "--strict")
                self.assert_code(done, 3)
                self.assertIn(f'the {kind} expectation "e" was missed', done.err)

    def test_far_better_than_the_maker_says_is_suspect_and_not_missed(self):
        done = self.run_it(self.profile(expect("e", "vendor-spec", "iops = { spec = 1 }")),
                           "--strict")
        self.assert_code(done, 0)
        self.assertEqual(self.verdicts(done), {"e": "above"})
        self.assertIn("above-spec", {f["code"] for f in done.report["findings"]})
        self.assertNotEqual(self.record(done, "write")["verdict"]["validity"], "ok")

    def test_a_required_row_that_is_skipped_exits_1(self):
        # Two backends, so that none is named, and neither can.
        jobs = [harness.job("write"),
                harness.job("odd", pattern="random", more='backend = ["dd", "nosuch"]')]
        for kind, code in (("require", 1), ("healthy", 0)):
            with self.subTest(kind=kind):
                profile = self.profile(expect("e", kind, FEW), jobs=jobs)
                done = self.run_it(profile, "--strict")
                self.assert_code(done, code)
                reasons = [j["reason"] for j in done.report["judgements"] if j["job"] == "odd"]
                self.assertIn("skipped: ", reasons[0])
                said = 'the requirement "e" could not be judged: odd write: skipped: '
                self.assertEqual(said in done.err, kind == "require")

    def test_a_requirement_whose_figure_is_unknown_exits_1(self):
        done = self.run_it(self.profile(expect("e", "require", 'sync.p99 = { max = "1s" }')))
        self.assert_code(done, 1)
        self.assertEqual(self.verdicts(done), {"e": "unknown"})
        self.assertIn('speedtest-hd: the requirement "e" could not be judged: write write: the row has '
                      "no sync.p99\n", done.err)

    def test_what_is_about_other_machines_is_not_judged(self):
        elsewhere = 'only_if = { filesystem = "no such filesystem" }'
        untold = 'only_if = { "no.such_fact" = "*" }'
        profile = self.profile(expect("elsewhere", "require", MANY, elsewhere),
                               expect("untold", "require", MANY, untold))
        done = self.run_it(profile)
        self.assert_code(done, 0)
        self.assertEqual(self.verdicts(done), {"untold": "unknown"})
        table = harness.run("run", profile, str(self.target))
        self.assertNotIn("Expected", table.out)

    def test_rows_that_were_left_out_are_not_expected(self):
        jobs = [harness.job("write"), harness.job("read", op="read")]
        profile = self.profile(expect("e", "require", MANY, 'match = { job = "read" }'), jobs=jobs)
        self.assert_code(self.run_it(profile, "--only", "write"), 0)
        self.assert_code(self.run_it(profile, "--only", "read"), 3)

    def test_analyze_judges_a_record_anew_and_render_shows_it(self):
        record = self.work / "r.json"
        profile = self.profile(expect("many", "require", MANY), expect("e", "healthy", MANY))
        self.assert_code(self.run_it(profile, "-o", str(record)), 3)
        report = json.loads(record.read_text())
        report["judgements"] = []
        bare = self.work / "bare.json"
        bare.write_text(json.dumps(report))
        done = harness.run("analyze", str(bare), "-f", "json")
        self.assert_code(done, 3)
        self.assertEqual(done.out, record.read_text())
        self.assertIn('"many" was missed', done.err)
        self.assertNotIn('"e" was missed', done.err)
        self.assertIn('"e" was missed', harness.run("analyze", str(bare), "--strict").err)
        shown = harness.run("render", str(record))
        self.assert_code(shown, 0)
        self.assertIn("(≥1.000e+09) IOPS", shown.out)

    def test_the_lines_of_the_table_are_equally_wide(self):
        done = harness.run("run", self.profile(expect("many", "healthy", MANY)), str(self.target))
        widths = {len(line) for line in done.out.splitlines() if line.startswith(("|", "+-"))}
        self.assertEqual(len(widths), 1, done.out)

    def test_faults_have_their_place_and_exit_2(self):
        for metrics, more, fault in (
                ("iops = { min = 1 }", 'match = { job = "wirte" }',
                 'no job is called "wirte"'),
                ("bw = { min = 5 }", "", "bw: 5 has no unit (write 3140MB/s)"),
                ("iops = { spec = 5 }", "", 'spec does not go with kind = "require"')):
            with self.subTest(fault=fault):
                profile = self.profile(expect("e", "require", metrics, more))
                done = harness.run("check", profile)
                self.assert_code(done, 2)
                self.assertRegex(done.err, r"tiny\.toml:\d+:\d+: ")
                self.assertIn(fault, done.err)

    def test_strict_is_an_option_of_what_judges(self):
        done = harness.run("render", "--strict", "x.json")
        self.assert_code(done, 2)
        self.assertIn("--strict is an option of run and analyze", done.err)


if __name__ == "__main__":
    harness.main()
