"""The html report of a real run: well-formed, self-contained, and what it runs is what its policy names."""

import base64
import hashlib
import html.parser
import json
import re
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness

VOID = {"meta", "br", "hr", "img", "input", "link"}
LOADS = {"src", "href", "srcset", "action", "data", "poster", "style", "background", "formaction"}
MOST_BYTES = 1 << 20


class Page(html.parser.HTMLParser):
    """Elements with their attributes, and the text of each kind of element."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.faults = []
        self.elements = []  # (name, attributes)
        self.texts = []  # (name, attributes, text), inner elements first
        self._open = []  # [name, attributes, text so far]
        self.feed(text)
        self.close()
        self.faults += [f"<{name}> is not closed" for name, _, _ in self._open]

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.faults.append(f"<{tag}> has an attribute twice: {names}")
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        if not self._open or self._open[-1][0] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes {self._open[-1:]}")
            return
        name, attributes, text = self._open.pop()
        self.texts.append((name, attributes, text))
        if self._open:
            self._open[-1][2] += text

    def handle_data(self, data):
        if self._open:
            self._open[-1][2] += data

    def of(self, wanted):
        return [(attributes, text) for name, attributes, text in self.texts if name == wanted]

    def attributes_of(self, wanted):
        return [attributes for name, attributes in self.elements if name == wanted]

    def policy(self):
        return next(a["content"] for a in self.attributes_of("meta")
                    if a.get("http-equiv") == "Content-Security-Policy")


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


class Html(harness.TestCase):
    EVIL = "</script><img src=x onerror=alert(1)>"

    def setUp(self):
        super().setUp()
        self.target = self.folder()
        rows = [harness.job("write", label=self.EVIL), harness.job("read", op="read")]
        profile = harness.profile(self.work, jobs=rows)
        self.file = self.work / "report.html"
        self.json = self.work / "report.json"
        self.done = harness.run("run", profile, str(self.target), "-o", str(self.file), "-o",
                                str(self.json))
        self.assert_code(self.done, 0)
        self.text = self.file.read_text()
        self.page = Page(self.text)

    def test_it_is_well_formed_and_of_a_size_that_can_be_mailed(self):
        self.assertEqual(self.page.faults, [])
        self.assertTrue(self.text.startswith("<!DOCTYPE html>"))
        self.assertLess(len(self.text.encode()), MOST_BYTES)
        ids = [a["id"] for _, a in self.page.elements if "id" in a]
        self.assertEqual(len(ids), len(set(ids)))

    def test_its_policy_allows_what_is_in_it_and_nothing_else(self):
        scripts = [text for a, text in self.page.of("script") if "type" not in a]
        styles = [text for _, text in self.page.of("style")]
        self.assertEqual((len(scripts), len(styles)), (3, 1))
        allowed = dict(part.strip().split(" ", 1) for part in self.page.policy().split(";"))
        self.assertEqual(allowed, {"default-src": "'none'", "base-uri": "'none'",
                                   "form-action": "'none'",
                                   "script-src": " ".join(map(hash_of, scripts)),
                                   "style-src": " ".join(map(hash_of, styles))})

    def test_it_asks_for_nothing(self):
        for name, attributes in self.page.elements:
            self.assertNotIn(name, {"link", "iframe", "img", "object", "embed", "base", "form"})
            for key, value in attributes.items():
                self.assertFalse(key.startswith("on"), (name, attributes))
                if key in LOADS:
                    self.assertTrue(value.startswith("#"), (name, attributes))
        self.assertNotIn("sourceMappingURL", self.text)

    def test_texts_of_a_profile_stay_texts(self):
        heads = [text for a, text in self.page.of("th") if a.get("scope") == "row"]
        self.assertIn(self.EVIL, heads)
        self.assertEqual(self.text.count(self.EVIL), 0)

    def test_it_holds_the_record(self):
        kept = [text for a, text in self.page.of("script") if a.get("type") == "application/json"]
        self.assertEqual(len(kept), 1)
        self.assertEqual(json.loads(kept[0]), json.loads(self.json.read_text()))

    def test_its_table_has_the_figures(self):
        record = json.loads(self.json.read_text())
        self.assertEqual([job["label"] for job in record["jobs"]], [self.EVIL, "read"])
        for job, op in zip(record["jobs"], ("write", "read")):
            iops = job["derived"][op]["iops"]
            with self.subTest(op=op):
                self.assertRegex(self.text, rf"<td>{iops:.0f}[ <]")

    def test_each_table_and_each_chart_can_be_found_by_ear(self):
        captions = [text for _, text in self.page.of("caption")]
        self.assertEqual(len(captions), len(self.page.of("table")))
        self.assertTrue(all(captions))
        self.assertTrue(all("scope" in a for a in self.page.attributes_of("th")))
        plots = [a for a in self.page.attributes_of("div") if a.get("class") == "plot"]
        self.assertEqual({a["data-chart"] for a in plots} - {"layers"}, {"latency", "course"})
        levels = [int(name[1]) for name, _ in self.page.elements if re.fullmatch("h[1-6]", name)]
        self.assertEqual(levels.count(1), 1)
        for before, after in zip(levels, levels[1:]):
            self.assertLessEqual(after, before + 1)

    def test_render_writes_the_same_page(self):
        again = harness.run("render", str(self.json), "-f", "html")
        self.assert_code(again, 0)
        self.assertEqual(again.out, self.text)


if __name__ == "__main__":
    harness.main()
