#include "runner/record/share.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "random_report.hpp"
#include "runner/record/record.hpp"
#include "runner/record/report_texts.hpp"
#include "same.hpp"
#include "support/catch.hpp"
#include "support/named_report.hpp"
#include "support/reports.hpp"

namespace sthd::record {
namespace {

using Strings = std::vector<std::string>;

/// How many texts a struct has, all the way down.
template <class T>
std::size_t texts_in(const T& value);
template <class T>
std::size_t texts_in(const std::optional<T>& value) {
  return value ? texts_in(*value) : 0;
}
template <class T>
std::size_t texts_in(const std::vector<T>& values) {
  std::size_t sum = 0;
  for (const T& value : values) sum += texts_in(value);
  return sum;
}
template <class... T>
std::size_t texts_in(const std::variant<T...>& value) {
  return std::holds_alternative<std::string>(value) ? 1 : 0;
}
template <class T>
std::size_t texts_in(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return 1;
  } else if constexpr (requires { test::members(value); }) {
    return std::apply([](const auto&... x) { return (texts_in(x) + ... + 0); },
                      test::members(value));
  } else {
    return 0;
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Strings names_in(const std::string& text) {
  Strings found;
  for (const auto name : sthd::test::kNames) {
    if (lower(text).find(lower(std::string(name))) != std::string::npos) found.emplace_back(name);
  }
  return found;
}

/// What becomes of a text that stands in a title, on that host of that user.
std::string shown(const std::string& title, const std::string& host = "",
                  const std::string& path = "") {
  Report report;
  report.environment.hostname = host;
  report.target.path = path;
  report.profile.title = title;
  return shared(report).profile.title;
}

/// All figures, and nothing that was written by anyone.
Report without_texts(Report report) {
  each_text(report, [](std::string& text, TextKind) { text.clear(); });
  for (ResultRecord& record : report.records) {
    for (LoopResult& loop : record.loops) loop.counters.clear();
  }
  report.facts.clear();
  return report;
}

}  // namespace

TEST_CASE("Every text of a report is walked over", "[record][share]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Report report = test::random_report(seed);
    std::size_t visited = 0;
    each_text(report, [&visited](std::string&, TextKind) { ++visited; });
    CHECK(visited == texts_in(report));
  }
}

TEST_CASE("A shared report names no host, no person, no disk and no address", "[record][share]") {
  const Report report = sthd::test::named_report();
  CHECK(names_in(to_json(report)).size() == sthd::test::kNames.size());
  const std::string text = to_json(shared(report));
  CHECK(names_in(text) == Strings{});
  const Outcome<Report> back = from_json(text);
  if (!back) FAIL(back.error().message);
  CHECK(test::same(*back, shared(report)));
}

TEST_CASE("The same thing has the same token everywhere", "[record][share]") {
  const Report report = shared(sthd::test::named_report());
  CHECK(report.environment.hostname.empty());
  CHECK(report.target.path == "/mnt/host-1/pool");
  CHECK(report.target.resolved_path == "/home/user-1/mnt/host-1/pool");
  CHECK(report.target.source == "host-2:/export/user-1");
  CHECK(report.target.mount_options == "rw,noatime,vers=4.2,rsize=1048576");
  CHECK(report.argv ==
        Strings{"speedtest-hd", "run", "domain-1.toml", "/mnt/host-1/pool", "-f", "json:out.json"});
  CHECK(report.profile.name == "host-1-slog");
  CHECK(report.profile.title == "domain-1's host-1 by user-1");
  CHECK(report.profile.files.at(0).path == "domain-1.toml");
  CHECK(report.profile.files.at(0).sha256 == "00ff");
  CHECK(report.profile.files.at(0).text.empty());
  CHECK(report.profile.overrides == Strings{"title=host-1"});
  const std::string serial = "serial-" + sha256("s6pnns0w123456").substr(0, 8);
  const std::string wwn = "wwn-" + sha256("naa.5000c500a1b2c3d4").substr(0, 8);
  const std::string uuid = "uuid-" + sha256("8d2f7c1e-51f0-4d0b-9f52-0d6f3a1b2c3d").substr(0, 8);
  CHECK(*report.records.at(0).reason ==
        "pread on host-1 (host-1, host-2) by user-1 from /home/user-1/bench and /home/user-2/x: "
        "ip-1, [ip-2]:2049, mac-1, /dev/disk/by-id/ata-Samsung_SSD_870_" +
            serial + "-part1, " + serial + ", " + wwn + ", " + uuid);
  CHECK(report.records.at(0).job.id == report.plan.jobs.at(0).id);
  CHECK(report.findings.at(0).job == report.records.back().job.id);
  CHECK(report.judgements.at(0).expectation == report.expectations.at(0).id);
}

TEST_CASE("Facts are shared by a list of names", "[record][share]") {
  Report report;
  report.facts = {{"host.kernel", "6.1.0", ""},
                  {"host.cmdline", "root=/dev/sda", ""},
                  {"disk.12.model", "Samsung SSD", ""},
                  {"disk.0.serial", "S6PNNS0W123456", ""},
                  {"disk.0.size_bytes", 1e9, ""},
                  {"site.rooms", 3.0, ""},
                  {"Disk.0.size", 1.0, ""},
                  {"cpu.epp", {}, "no driver"},
                  {"site.note", {}, "nobody wrote it"},
                  {"nfs.options", "rw,addr=x,hard", ""}};
  Strings names;
  for (const Fact& fact : shared(report).facts) names.push_back(fact.name);
  CHECK(names ==
        Strings{"host.kernel", "disk.12.model", "disk.0.size_bytes", "cpu.epp", "nfs.options"});
  CHECK(fact_text(shared(report).facts, "nfs.options") == "rw,hard");
}

TEST_CASE("Short names, and words that a report is made of, do not mangle its texts",
          "[record][share]") {
  struct Case {
    std::string host;
    std::string path;
    std::string text;
    std::string wanted;
  };
  const std::vector<Case> cases{
      {"a", "/home/a/x", "a disk is a disk at /home/a/x", "a disk is a disk at /home/user-1/x"},
      {"x1", "", "x1 is too short", "x1 is too short"},
      {"nas", "", "A NAS called nas", "A NAS called nas"},
      {"2024", "", "in 2024", "in 2024"},
      {"", "/root/x", "root in /root and /home/root", "root in /root and /home/root"},
      {"box", "", "boxes in the box, inbox, box_1 and BOX-2",
       "boxes in the host-1, inbox, host-1_1 and host-1-2"},
      {"bär", "", "der Bär bär bären", "der host-1 host-1 bären"},
      {"web.box", "", "web.box/box web", "host-1/domain-1 host-1"},
      {"speedtest", "", "speedtest-hd on speedtest", "speedtest-hd on speedtest"}};
  for (const Case& each : cases) {
    CAPTURE(each.host, each.text);
    CHECK(shown(each.text, each.host, each.path) == each.wanted);
  }
}

TEST_CASE("Addresses and identifiers are known by their form, and what looks like them is not",
          "[record][share]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"10.0.0.1:2049, 10.0.0.1 and 10.0.0.2/24.", "ip-1:2049, ip-1 and ip-2/24."},
      {"127.0.0.1 0.0.0.0 ::1 :: std::string", "127.0.0.1 0.0.0.0 ::1 :: std::string"},
      {"Linux 6.1.0, fio 3.33, 1.2.3, 300.1.1.1", "Linux 6.1.0, fio 3.33, 1.2.3, 300.1.1.1"},
      {"at 12:34:56, 0:0:0:0, 254:0", "at 12:34:56, 0:0:0:0, 254:0"},
      {"fe80::1%eth0 and FE80::1", "ip-1%eth0 and ip-1"},
      {"aa:bb:cc:dd:ee:ff", "mac-1"},
      {"50:00:c5:00:a1:b2:c3:d4", "ip-1"},
      {"aa:bb:cc:dd:ee:ffg", "aa:bb:cc:dd:ee:ffg"},
      {"0x5000c500a1b2 0xdeadbeef", "0x5000c500a1b2 0xdeadbeef"},
      {"/run/media/joe/usb, /media/sue/usb, /media/usb, /Users/tim",
       "/run/media/user-1/usb, /media/user-2/usb, /media/usb, /Users/user-3"},
      {"/home/joe. And joe's", "/home/user-1. And user-1's"},
      {"by-id/nvme-Samsung_SSD_980_S5GXNX0R654321_1",
       "by-id/nvme-Samsung_SSD_980_S5GXNX0R654321_1"},
      {"", ""}};
  for (const auto& [text, wanted] : cases) CHECK(shown(text) == wanted);
  CHECK(shown("/dev/disk/by-id/nvme-Samsung_SSD_980_S5GXNX0R654321_1") ==
        "/dev/disk/by-id/nvme-Samsung_SSD_980_serial-" + sha256("s5gxnx0r654321").substr(0, 8) +
            "_1");
  CHECK(shown("/dev/disk/by-id/dm-name-root") == "/dev/disk/by-id/dm-name-root");
  const std::string md = "6f1c9a52:3c1e4d0b:9f520d6f:3a1b2c3d";
  CHECK(shown(md) == "uuid-" + sha256(md).substr(0, 8));
}

TEST_CASE("Servers and users of a mount's source are known", "[record][share]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"filer:/export", "host-1:/export"},
      {"//filer/share", "//host-1/share"},
      {"joe@filer.lan:/data", "user-1@host-1:/data"},
      {"[fd00::7]:/export", "[ip-1]:/export"},
      {"tank/data", "tank/data"},
      {"/dev/mapper/luks-8d2f7c1e-51f0-4d0b-9f52-0d6f3a1b2c3d",
       "/dev/mapper/luks-uuid-" + sha256("8d2f7c1e-51f0-4d0b-9f52-0d6f3a1b2c3d").substr(0, 8)}};
  for (const auto& [source, wanted] : cases) {
    Report report;
    report.target.source = source;
    CHECK(shared(report).target.source == wanted);
  }
}

TEST_CASE("Sharing twice is sharing once, and no figure changes", "[record][share]") {
  const Report named = sthd::test::named_report();
  CHECK(test::same(shared(shared(named)), shared(named)));
  CHECK(test::same(without_texts(shared(named)), without_texts(named)));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Report report = test::random_report(seed);
    std::size_t count = 0;
    each_text(report, [&](std::string& text, TextKind kind) {
      if (kind != TextKind::free || ++count % 3 != 0) return;
      text += named.findings[0].text.substr(seed % 40, 60 + count % 80);
    });
    const Report once = shared(report);
    CHECK(test::same(shared(once), once));
    CHECK(test::same(without_texts(once), without_texts(report)));
  }
}

}  // namespace sthd::record
