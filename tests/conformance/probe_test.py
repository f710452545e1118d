"""The probe command: all facts, as text and as JSON, and nothing left behind."""

import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import facts_tree
import harness
from harness import needs_root

TREES = harness.SOURCE / "tests/fixtures/facts"


def probe_json(*args):
    done = harness.run("probe", *map(str, args), "-f", "json")
    return done, json.loads(done.out) if done.code == 0 else None


class Probe(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.target = self.folder()

    def tearDown(self):
        self.assert_no_leftover(self.target)

    def test_every_null_has_its_reason_and_every_reason_its_null(self):
        done, facts = probe_json(self.target)
        self.assert_code(done, 0)
        unknown = facts.pop("unknown")
        self.assertEqual({n for n, v in facts.items() if v is None}, set(unknown))
        self.assertTrue(all(unknown.values()))
        self.assertEqual(facts["host.kernel"], os.uname().release)
        self.assertEqual(facts["target.path"], str(self.target))
        self.assertGreater(facts["clock.read_ns"], 0)
        self.assertGreater(facts["memory.total_bytes"], 1e6)

    def test_the_text_names_each_group(self):
        done = harness.run("probe", str(self.target))
        self.assert_code(done, 0)
        for title in ("host", "cpu", "memory", "target", "chain"):
            self.assertRegex(done.out, rf"(?m)^{title} +\S")
        self.assertNotIn("\x1b", done.out)

    def test_json_goes_to_a_file(self):
        file = self.work / "facts.json"
        done = harness.run("probe", str(self.target), "-f", f"json:{file}")
        self.assert_code(done, 0)
        self.assertEqual(done.out, "")
        self.assertIn("target.filesystem", json.loads(file.read_text()))

    def test_another_format_is_refused(self):
        done = harness.run("probe", str(self.target), "-f", "csv")
        self.assert_code(done, 2)
        self.assertEqual(done.err, 'speedtest-hd: probe prints text, or JSON with -f json; '
                                   'it has no format "csv"\n')

    def test_a_target_that_is_not_there_is_refused(self):
        done = harness.run("probe", str(self.target / "missing"))
        self.assert_code(done, 4)
        self.assertIn("does not exist", done.err)

    def test_a_report_carries_the_facts(self):
        done = harness.run("run", harness.profile(self.work), str(self.target), "-f", "json")
        self.assert_code(done, 0)
        self.assertEqual(done.report["facts"]["host.kernel"], os.uname().release)
        self.assertEqual(set(done.report["facts_unknown"]),
                         {n for n, v in done.report["facts"].items() if v is None})

    def test_facts_can_come_from_a_fixture(self):
        tree = facts_tree.unpack(TREES / "truenas-slog.tree", self.work / "tree")
        done, facts = probe_json("/mnt/nvme-ultra-r10/vm disks", "--sysroot", tree)
        self.assert_code(done, 0)
        self.assertEqual(facts["cpu.governor"], "schedutil")
        self.assertEqual(facts["zfs.log.0.name"], "nvme2n1p1")
        self.assertEqual(facts["disk.2.role"], "log")
        self.assertEqual(facts["unknown"]["disk.0.temperature_c"],
                         "the kernel shows no sensor of this disk")

    def test_a_fixture_without_such_a_mount_is_refused(self):
        tree = facts_tree.unpack(TREES / "truenas-slog.tree", self.work / "tree")
        done = harness.run("probe", "/srv", "--sysroot", str(tree))
        self.assert_code(done, 4)
        self.assertEqual(done.err, f'speedtest-hd: no mount of "{tree}" leads to "/srv"; '
                                   'name a path below one\n')

    @needs_root
    def test_a_read_only_target_has_its_other_facts(self):
        harness.command("mount", "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", str(self.target))
        try:
            done, facts = probe_json(self.target)
            self.assert_code(done, 0)
            self.assertEqual(facts["target.filesystem"], "tmpfs")
            self.assertIn("Read-only file system", facts["unknown"]["target.direct"])
        finally:
            harness.command("umount", str(self.target))


if __name__ == "__main__":
    harness.main()
