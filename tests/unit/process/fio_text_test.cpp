#include "kit/process/fio_text.hpp"

#include <cerrno>

#include "support/catch.hpp"

using namespace sthd;
using strings = std::vector<std::string>;

TEST_CASE("fio's version is read leniently", "[process][fio_text]") {
  struct Row {
    std::string in;
    std::string text;
    std::pair<unsigned, unsigned> number;
  };
  for (const Row& row :
       {Row{"fio-3.33\n", "fio-3.33", {3, 33}}, Row{"fio-3.33-dirty\n", "fio-3.33-dirty", {3, 33}},
        Row{"fio-2.2.10", "fio-2.2.10", {2, 2}},
        Row{"fio-3.7-14-g0a1b\nmore", "fio-3.7-14-g0a1b", {3, 7}}}) {
    const auto version = process::fio_version(row.in);
    REQUIRE(version);
    CHECK(version->text == row.text);
    CHECK(version->number == row.number);
  }
  REQUIRE(process::fio_version("fio-master\n"));
  CHECK_FALSE(process::fio_version("fio-master\n")->number);
  for (const char* other : {"", "flexible I/O", "xfio-3.33", "FIO-3.33"}) {
    CHECK_FALSE(process::fio_version(other));
  }
}

TEST_CASE("fio's JSON is found among its diagnostics", "[process][fio_text]") {
  const auto output = process::split_fio_output(
      "note: both iodepth >= 1\nodd { line\n{\n  \"a\" : \"}\\\"{\", \"b\" : [1, {}]\n}\nafter\n");
  REQUIRE(output.documents.size() == 1);
  CHECK(output.documents[0] == "{\n  \"a\" : \"}\\\"{\", \"b\" : [1, {}]\n}");
  CHECK(output.fault.empty());
  CHECK(output.around == "note: both iodepth >= 1\nodd { line\n\nafter\n");
}

TEST_CASE("Several, cut and too deep documents are told apart", "[process][fio_text]") {
  CHECK(process::split_fio_output("{\n}\n{\n}\n").documents.size() == 2);
  CHECK(process::split_fio_output("").documents.empty());
  CHECK(process::split_fio_output("{\n \"a\" : \"}").fault == "is cut short");
  CHECK(process::split_fio_output("{\n" + std::string(1'000'000, '[')).fault == "is cut short");
  const std::string deep = "{\n" + std::string(64, '[') + std::string(64, ']') + "\n}\n";
  CHECK(process::split_fio_output(deep).fault == "nests deeper than 64");
}

TEST_CASE("A JSON report that is cut anywhere is never complete", "[process][fio_text]") {
  const std::string whole = "{\n \"jobs\" : [ { \"x\" : \"a\\\\\" } ]\n}";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CHECK(process::split_fio_output(whole.substr(0, n)).documents.empty());
  }
  CHECK(process::split_fio_output(whole).documents.size() == 1);
}

TEST_CASE("Only lines that speak of a failure are complaints", "[process][fio_text]") {
  CHECK(process::fio_complaints(
            "note: both iodepth >= 1 and synchronous I/O engine are selected\n"
            "fio: file x exceeds 32-bit tausworthe random generator.\n"
            "j0: (groupid=0, jobs=1): err= 0: pid=7259: Mon Nov 30 20:41:52 2026\n"
            "    issued rwts: total=0,145380,0,0 short=0,0,0,0 dropped=0,0,0,0\n")
            .empty());
  for (const char* line :
       {"fio: pid=7, err=28/file:io_u.c:1876, func=io_u error, error=x",
        "j0: (groupid=0, jobs=1): err=28 (file:io_u.c:1876): pid=1", "fio: pid=3, got signal=7",
        "fio: terminating on signal 2", "fio: engine nosuch not loadable",
        "fio: job 'j0' (state=5) hasn't exited in 300 seconds, it appears to be "
        "stuck. Doing forceful exit of this job."}) {
    CHECK(process::fio_complaints(std::string(line) + "\n") == strings{line});
  }
}

TEST_CASE("fio's most telling words are shown", "[process][fio_text]") {
  const std::string full =
      "fio: terminating on signal 15\n"
      "fio: pid=7, err=28/file:io_u.c:1876, func=io_u error, error=No space left on device\n"
      "fio: io_u error on file /proc/7/fd/3: No space left on device: write offset=4194304, "
      "buflen=4096\n";
  CHECK(process::fio_words(full) ==
        "fio: io_u error on file /proc/7/fd/3: No space left on device: write offset=4194304, "
        "buflen=4096");
  CHECK(process::fio_errno(full) == ENOSPC);
  CHECK(process::fio_words("hello\nthe last\x1b one\n\n") == "the last\\x1b one");
  CHECK(process::fio_words(std::string(1000, 'x')).size() == 300);
  CHECK(process::fio_words("").empty());
  CHECK(process::fio_errno("fio: io_uring_setup: Operation not permitted") == EPERM);
  CHECK(process::fio_errno("err= 0") == 0);
}

TEST_CASE("A failure of fio is one sentence", "[process][fio_text]") {
  const Error named = process::fio_failure("exited with status 1", "", EDQUOT);
  CHECK(named.message == "fio exited with status 1: Disk quota exceeded (EDQUOT)");
  CHECK(named.system_errno == EDQUOT);
  CHECK(process::fio_failure("exited with status 1", "fio: failed to load engine\n").message ==
        "fio exited with status 1: fio: failed to load engine");
}

TEST_CASE("Rates are read from fio's status lines", "[process][fio_text]") {
  struct Row {
    std::string in;
    double bytes, ios;
  };
  for (const Row& row :
       {Row{"Jobs: 4 (f=4): [r(4)][12.5%][r=2629MiB/s][r=673k IOPS][eta 00m:35s]",
            2629.0 * 1024 * 1024, 673'000},
        Row{"Jobs: 1 (f=1): [m(1)][-.-%][r=1.5GiB/s,w=512KiB/s][r=31.5k,w=128 IOPS][eta 00m:00s]",
            1.5 * 1024 * 1024 * 1024 + 512.0 * 1024, 31'628},
        Row{"Jobs: 2 (f=2): [_(3),R(5)][r=0B/s][r=0 IOPS][eta 01d:00h]", 0, 0},
        Row{"[w=10MB/s][w=2M IOPS]", 10e6, 2e6}}) {
    const auto rates = process::fio_rates(row.in);
    REQUIRE(rates);
    CHECK(rates->bytes_per_s == Approx(row.bytes));
    CHECK(rates->ios_per_s == Approx(row.ios));
  }
  for (const char* none : {"", "Jobs: 2 (f=2)", "Jobs: 1 (f=1): [f(1)][100.0%][eta 00m:00s]",
                           "[[r=", "[r=MiB/s][r=- IOPS]", "]["}) {
    CHECK_FALSE(process::fio_rates(none));
  }
}
