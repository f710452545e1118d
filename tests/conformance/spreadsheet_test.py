"""CSV with hostile texts: LibreOffice opens it with the cells that Python's csv module reads, and runs none."""

import csv
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

CANNED = harness.SOURCE / "tests/golden/reports/unicode.json.approved.txt"
# A label, and the cell that it must be.
LABELS = [
    ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
    ('=HYPERLINK("http://example.org","x")', "'=HYPERLINK(\"http://example.org\",\"x\")"),
    ("+1+1", "'+1+1"),
    ("-1.5", "'-1.5"),
    ("@SUM(1+1)", "'@SUM(1+1)"),
    ("a, b; c\td", "a, b; c\\td"),
    ('say "hi", "there"', 'say "hi", "there"'),
    ("two\nlines\r\n", "two\\nlines\\x0d\\n"),
    ("x=1", "x=1"),
    ("書き込み ±5 % é", "書き込み ±5 % é"),
    (" around ", " around "),
    ("", ""),
]


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file, strict=True))


def same(ours, theirs):
    """Spreadsheets write numbers and truth values in their own way."""
    try:
        return math.isclose(float(ours), float(theirs), rel_tol=1e-9)
    except ValueError:
        return ours == theirs or ours.lower() in ("true", "false") and ours == theirs.lower()


class Spreadsheet(harness.TestCase):
    def setUp(self):
        super().setUp()
        record = json.loads(CANNED.read_text())
        job = record["jobs"][0]
        record["jobs"] = []
        record["plan"]["jobs"] = []
        for number, (label, _) in enumerate(LABELS):
            one = {**job, "id": f"sync4k/n={number}", "label": label}
            record["jobs"].append(one)
            record["plan"]["jobs"].append(
                {key: one[key] for key in ("id", "template", "label", "checks", "op")}
                | {"workload": None})
        file = self.work / "record.json"
        file.write_text(json.dumps(record))
        self.csv = self.work / "hostile.csv"
        self.assert_code(harness.run("render", str(file), "-o", str(self.csv)), 0)
        self.rows = cells(self.csv)

    def test_python_reads_the_labels(self):
        head, *rows = self.rows
        self.assertEqual(head[1], "label")
        self.assertEqual([row[1] for row in rows], [cell for _, cell in LABELS])
        self.assertEqual({len(row) for row in rows}, {len(head)})
        iops = head.index("iops_per_s")
        self.assertEqual({row[iops] for row in rows}, {"1000"})

    @harness.needs("soffice")
    def test_libreoffice_opens_the_same_cells(self):
        out = self.work / "opened"
        subprocess.run(
            ["soffice", "--headless", f"-env:UserInstallation=file://{self.work}/office",
             "--infilter=CSV:44,34,76,1", "--convert-to",
             "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false", "--outdir", out,
             self.csv], check=True, timeout=120, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        opened = cells(out / "hostile.csv")
        self.assertEqual(len(opened), len(self.rows))
        for ours, theirs in zip(self.rows, opened):
            theirs += [""] * (len(ours) - len(theirs))
            wrong = [(a, b) for a, b in zip(ours, theirs) if not same(a, b)]
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    harness.main()
