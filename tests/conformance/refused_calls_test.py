"""System calls that a container or a hardened kernel refuses: the next engine serves, and says why."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import harness
from harness import job


class RefusedCalls(harness.TestCase):
    """What a container's seccomp profile or a hardened kernel does."""

    JOBS = [job("write", more="queue_depth = 8"),
            job("read", op="read", more="queue_depth = 8\nthreads = 2")]

    def setUp(self):
        super().setUp()
        self.target = self.folder()
        self.profile = harness.profile(self.work, jobs=self.JOBS, runtime="400ms", ramp="100ms")

    def run_it(self, *words, **kwargs):
        done = harness.run("run", self.profile, str(self.target), "-f", "json", *words, **kwargs)
        self.assert_no_leftover(self.target)
        return done

    def test_without_libaio_psync_honours_the_depth_and_the_reason_is_shown(self):
        for code, text in (("EPERM", "Operation not permitted (EPERM)"),
                           ("ENOSYS", "Function not implemented (ENOSYS)"),
                           ("EAGAIN", "Resource temporarily unavailable (EAGAIN)")):
            with self.subTest(errno=code):
                done = self.run_it(
                    via=harness.denying(self, code, "io_setup", "io_uring_setup"))
                self.assert_code(done, 0)
                self.assertIn("io_uring by native-uring: io_uring_setup: ", done.err)
                self.assertIn(f"libaio by native-aio: io_setup: {text}", done.err)
                for name, workers in (("write", 8), ("read", 16)):
                    record = self.record(done, name)
                    self.assertEqual(record["status"], "ok")
                    how = record["resolution"]
                    self.assertEqual((how["backend"], how["engine"], how["queue_depth_effective"],
                                      how["workers"]), ("native-psync", "psync", 8, workers))
                    tried = {t["what"]: t["refused"] for t in how["tried"]}
                    self.assertTrue(tried["libaio by native-aio"].startswith(f"io_setup: {text}"))
                    figures = record["derived"][record["op"]]
                    in_flight = figures["iops"] * figures["lat_ns"]["mean"] / 1e9
                    self.assertGreater(in_flight, 0.7 * workers)
                    self.assertLess(in_flight, 1.02 * workers)

    def test_a_refused_io_setup_tells_what_is_left_of_its_limit(self):
        done = self.run_it(via=harness.denying(self, "EAGAIN", "io_setup", "io_uring_setup"))
        self.assertRegex(done.err, r"8 more events are needed, "
                                   r"\d+ of fs\.aio-max-nr = \d+ are in use")

    def test_a_refused_io_uring_has_its_sentence_and_libaio_serves(self):
        for code, text in (
                ("EPERM", "Operation not permitted (EPERM): a seccomp filter forbids it, as in "
                          "many containers"),
                ("ENOSYS", "Function not implemented (ENOSYS): this kernel has no io_uring, or a "
                           "seccomp filter hides it"),
                ("ENOMEM", "Cannot allocate memory (ENOMEM)")):
            with self.subTest(errno=code):
                done = self.run_it(via=harness.denying(self, code, "io_uring_setup"))
                self.assert_code(done, 0)
                for name in ("write", "read"):
                    how = self.record(done, name)["resolution"]
                    refused = {t["what"]: t["refused"] for t in how["tried"]}
                    self.assertTrue(refused["io_uring by native-uring"].startswith(
                        f"io_uring_setup: {text}"), refused)
                    self.assertEqual(how["backend"], "native-aio")

    def test_what_io_uring_may_not_register_is_noted_and_measured_all_the_same(self):
        done = self.run_it("--engine", "io_uring",
                           via=harness.denying(self, "ENOMEM", "io_uring_register"))
        self.assert_code(done, 0)
        for record in done.report["jobs"]:
            self.assertEqual(record["status"], "ok")
            notes = " ".join(record["loops"][0]["notes"])
            self.assertIn("io_uring with its file not registered: io_uring_register: Cannot "
                          "allocate memory (ENOMEM)", notes)
            self.assertIn("io_uring with its buffers not registered: io_uring_register: Cannot "
                          "allocate memory (ENOMEM)", notes)

    def test_a_queue_that_cannot_be_polled_is_skipped_with_its_reason(self):
        done = self.run_it("--set", "poll=true", "--buffered")
        self.assert_code(done, 1)
        for record in done.report["jobs"]:
            self.assertEqual(record["status"], "skipped")
            refused = {t["what"]: t["refused"] for t in record["resolution"]["tried"]}
            self.assertEqual(refused["io_uring by native-uring"],
                             "poll needs O_DIRECT: the page cache has no queue")
            self.assertIn("psync has neither", refused["psync by native-psync"])

    def test_a_named_engine_is_never_replaced(self):
        done = self.run_it("--engine", "libaio", via=harness.denying(self, "EPERM", "io_setup"))
        self.assert_code(done, 1)
        for record in done.report["jobs"]:
            self.assertEqual(record["status"], "skipped")
            self.assertIn("EPERM", record["reason"])

    def test_new_calls_of_the_kernel_are_not_needed(self):
        via = harness.denying(self, "ENOSYS", "statx", "openat2", "pidfd_open", "close_range",
                              "fallocate", "fsetxattr", "io_uring_setup")
        done = self.run_it(via=via)
        self.assert_code(done, 0)
        self.assertEqual([j["status"] for j in done.report["jobs"]], ["ok", "ok"])


if __name__ == "__main__":
    harness.main()
