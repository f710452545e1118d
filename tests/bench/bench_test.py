"""The arithmetic, the tables and the readers of the benchmarks."""

import argparse
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bench
import engines
import rate
import startup
from bench import Figure

PLACE = argparse.Namespace(name="cached", filesystem="ext4", source="/dev/vda")


def row(engine="uring", depth=32, threads=1, lost=None, **iops):
    """A row of engines.py; each program's figures in thousand IOPS, its CPU time in step."""
    figures = {name.replace("_", "-"): [Figure(v * 1000, 1000 / v) for v in values]
               for name, values in iops.items()}
    return engines.summary(PLACE, engine, depth, threads, figures, lost or {})


class Figures(unittest.TestCase):
    def test_a_ratio_is_told_of_the_medians_and_of_the_rounds(self):
        found = bench.ratios([200, 300, 220], [100, 100, 200])
        self.assertEqual(found, {"of_medians": 2.2,
                                 "pairwise": {"median": 2.0, "min": 1.1, "max": 3.0}})

    def test_a_row_holds_ours_against_every_other_program(self):
        found = row(ours=[100, 110, 120], fio=[50, 50, 60], bare=[100, 100, 100])
        self.assertEqual(found["programs"]["ours"]["iops"],
                         {"median": 110_000, "min": 100_000, "max": 120_000})
        self.assertEqual(found["ours_to"]["fio"]["of_medians"], 2.2)
        self.assertEqual(found["ours_to"]["bare"]["pairwise"],
                         {"median": 1.1, "min": 1.0, "max": 1.2})

    def test_a_program_that_was_lost_on_its_way_has_no_figures(self):
        found = row(lost={"fio": "exit 1"}, ours=[100, 110], fio=[50], bare=[100, 100])
        self.assertEqual(found["programs"]["fio"], {"not_measured": "exit 1"})
        self.assertEqual(list(found["ours_to"]), ["bare"])
        found = row(lost={"ours": "skipped"}, ours=[100], fio=[50, 51])
        self.assertEqual(found["ours_to"], {})

    def test_threads_scale_by_rounds(self):
        one = row(ours=[100, 110, 120], fio=[50, 50, 50])
        two = row(threads=2, ours=[190, 200, 240], fio=[90, 90, 90])
        other = row(threads=2, depth=8, ours=[1, 1, 1])
        found = engines.scaling([one, two, other])
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["two_threads_to_one"]["ours"]["pairwise"]["max"], 2.0)
        self.assertEqual(found[0]["two_threads_to_one"]["fio"]["of_medians"], 1.8)

    def test_claims_are_judged_by_what_was_measured(self):
        one = row(ours=[1000], fio=[500], fio_tuned=[900], bare=[1001])
        two = row(threads=2, ours=[1700], fio=[1000])
        found = engines.claims([one, two], engines.scaling([one, two]))
        self.assertEqual([(c["claim"], c["wanted"], c["holds"]) for c in found],
                         [("io_uring Q32T1: ours / fio", "≥ 2.00", True),
                          ("io_uring Q32T1: ours / fio-tuned", "≥ 1.25", False),
                          ("io_uring Q32T1: ours / bare", "≥ 0.95", True),
                          ("io_uring Q32: two threads / one", "≥ 1.80", False),
                          ("io_uring Q32T1: user ns per I/O", "≤ 25", True)])

    def test_tables_are_markdown(self):
        rows = [row(ours=[1000, 1100, 1050], fio=[500, 500, 500], bare=[1000, 1000, 1000])]
        text = engines.tables({"rows": rows, "scaling": [],
                               "claims": engines.claims(rows, [])[:1]})
        self.maxDiff = None
        self.assertEqual(text, textwrap.dedent("""\
            Thousand IOPS, median (range):

            | 4 KiB random reads | ours | bare | fio | fio-tuned |
            | :-- | --: | --: | --: | :-- |
            | cached io_uring Q32 T1 | 1050 (1000–1100) | 1000 (1000–1000) | 500 (500–500) | – |

            Ratios: of the medians; median of the rounds' (range):

            | 4 KiB random reads | ours / bare | ours / fio | ours / fio-tuned |
            | :-- | --: | --: | :-- |
            | cached io_uring Q32 T1 | 1.05; 1.05 (1.00–1.10) | 2.10; 2.10 (2.00–2.20) | – |

            User CPU time, ns per I/O, median (range):

            | 4 KiB random reads | ours | bare | fio | fio-tuned |
            | :-- | --: | --: | --: | :-- |
            | cached io_uring Q32 T1 | 1.0 (0.9–1.0) | 1.0 (1.0–1.0) | 2.0 (2.0–2.0) | – |

            | claim | wanted | found |  |
            | :-- | :-- | --: | :-- |
            | io_uring Q32T1: ours / fio | ≥ 2.00 | 2.10 | yes |
            """))

    def test_options_that_make_no_sense_are_refused(self):
        for words in (["--targets", "moon"], ["--depths", "0"], ["--pairs", "0"]):
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()), \
                    self.assertRaises(SystemExit):
                engines.options(words)
        quick = engines.options(["--quick", "--depths", "8"])
        self.assertEqual((quick.targets, quick.depths, quick.pairs), (["cached"], [8], 3))


class Readers(unittest.TestCase):
    def test_a_quantile_is_read_from_our_bins(self):
        histogram = {"count": 100, "bins": [100, 50, -219, 49, -639, 1]}
        self.assertEqual(list(rate.bins_of(histogram["bins"])), [(100, 50), (1024, 49), (1 << 20, 1)])
        self.assertEqual(rate.quantile(histogram, 0.5), 100)
        self.assertEqual(rate.quantile(histogram, 0.99), 1024 + 8)
        self.assertEqual(rate.quantile(histogram, 0.995), (1 << 20) + (1 << 13))

    def test_the_layout_lasts_from_its_fallocate_to_its_sync(self):
        before = "7 100.0 fdatasync(5) = 0 <0.1>\n8 101.0 fallocate(5, 0, 0, 1048576) = 0 <0.5>\n"
        self.assertAlmostEqual(
            startup.layout_of(before + "8 103.0 fsync(9) = 0 <0.25>\n9 200.0 fdatasync(5) = 0 <0.1>\n"),
            2.25)
        self.assertAlmostEqual(
            startup.layout_of(before + "8 103.0 fsync(9 <unfinished ...>\n"
                              "8 104.0 <... fsync resumed>) = 0 <1.0>\n"), 3.0)
        with self.assertRaisesRegex(bench.Failed, "no end of the layout"):
            startup.layout_of(before)

    def test_a_file_is_laid_out_whole_and_incompressible(self):
        with bench.folder(tempfile.gettempdir()) as work:
            path = work / "file"
            bench.lay_out(path, 2 * bench.MIB)
            data = path.read_bytes()
            self.assertEqual(len(data), 2 * bench.MIB)
            blocks = {data[at:at + 4096] for at in range(0, len(data), 4096)}
            self.assertEqual(len(blocks), 512)


class Endings(unittest.TestCase):
    def test_a_signal_removes_the_folder_and_ends_the_program(self):
        with tempfile.TemporaryDirectory() as parent:
            code = textwrap.dedent(f"""\
                import sys
                sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
                sys.dont_write_bytecode = True
                import bench
                bench.end_on_signals()
                with bench.folder({parent!r}) as work:
                    (work / "file").write_text("x")
                    print("there", flush=True)
                    bench.run("sleep", "60")
                """)
            with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                  text=True) as process:
                self.assertEqual(process.stdout.readline(), "there\n")
                self.assertEqual(len(os.listdir(parent)), 1)
                child = self.child_of(process.pid)
                process.terminate()
                self.assertEqual(process.wait(30), 128 + 15)
            self.assertEqual(os.listdir(parent), [])
            self.assertFalse(os.path.exists(f"/proc/{child}"))

    def child_of(self, pid):
        for _ in range(1000):
            children = [p for p in bench.processes_of(pid) if p != pid]
            if children:
                return children[0]
            time.sleep(0.01)
        self.fail("sleep was not started")
        return None

    def test_a_program_that_fails_is_told_with_its_last_words(self):
        with self.assertRaisesRegex(bench.Failed, "^sh: exit 3: what was wrong$"):
            bench.run("sh", "-c", "echo what was wrong >&2; exit 3")
        with self.assertRaisesRegex(bench.Failed, "^/nonexistent is not there$"):
            bench.run("/nonexistent")


if __name__ == "__main__":
    unittest.main()
