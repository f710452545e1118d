#include "support/named_report.hpp"

#include <string>

#include "support/reports.hpp"

namespace sthd::test {
namespace {

/// The kinds of names that somebody or something may put into any text.
constexpr std::string_view kEverything =
    "on NAS01 (nas01.acme.lan, filer.acme.lan) by jdoe from /home/jdoe/bench and "
    "/home/jd/x: 192.168.7.21, [fd00::7]:2049, 52:54:00:12:34:56, "
    "/dev/disk/by-id/ata-Samsung_SSD_870_S6PNNS0W123456-part1, S6PNNS0W123456, "
    "naa.5000c500a1b2c3d4, 8d2f7c1e-51f0-4d0b-9f52-0d6f3a1b2c3d";

void add(std::string& text) {
  text += ' ';
  text += kEverything;
}

void name_host(Report& report) {
  report.argv = {
      "/home/jdoe/src/speedtest-hd", "run", "/home/jdoe/acme.toml", "/mnt/nas01/pool", "-f",
      "json:/home/jdoe/out.json"};
  report.environment.hostname = "nas01.acme.lan";
  report.target.path = "/mnt/nas01/pool";
  report.target.resolved_path = "/home/jdoe/mnt/nas01/pool";
  report.target.mount_point = "/home/jdoe/mnt/nas01";
  report.target.filesystem = "nfs4";
  report.target.source = "filer.acme.lan:/export/jdoe";
  report.target.mount_options =
      "rw,noatime,vers=4.2,rsize=1048576,addr=192.168.7.21,clientaddr=fd00::7,username=jdoe,"
      "domain=MYDOMAIN";
  report.facts.insert(
      report.facts.end(),
      {{"host.cmdline", "cmdline-marker root=UUID=8d2f7c1e-51f0-4d0b-9f52-0d6f3a1b2c3d", ""},
       {"target.path", report.target.path, ""},
       {"target.source", report.target.source, ""},
       {"target.mount_options", report.target.mount_options, ""},
       {"nfs.server", "filer.acme.lan", ""},
       {"nfs.options", report.target.mount_options, ""},
       {"chain.0.name", "filer.acme.lan:/export/jdoe", ""},
       {"disk.0.serial", "S5GXNX0R654321", ""},
       {"disk.0.serial_hash", "e5170317c6e1", ""},
       {"disk.0.wwid", "naa.5000c500a1b2c3d4", ""},
       {"site.note", "secret-note", ""},
       {"cpu.epp", {}, "jdoe may not read it"}});
  report.profile.name = "nas01-slog";
  report.profile.title = "Acme's NAS01 by jdoe";
  report.profile.files = {{"/home/jdoe/acme.toml", "00ff", "# secret-note\n"}};
  report.profile.overrides = {"title=nas01.acme.lan"};
}

void name_records(Report& report) {
  for (ResultRecord& record : report.records) {
    record.job.label += " nas01";
    record.job.id += "-nas01";
    record.fio_command = "fio --filename=/home/jdoe/mnt/nas01/pool/fio.file";
    add(record.resolution.direct_reason);
    add(record.resolution.note);
    record.resolution.tried = {{"libaio", "EPERM"}};
    add(record.resolution.tried[0].refused);
    for (LoopResult& loop : record.loops) {
      loop.notes = {"fio: said"};
      add(loop.notes[0]);
      add(loop.cache.reached_by);
    }
  }
  report.records[0].status = Status::interrupted;
  report.records[0].reason = "pread";
  add(*report.records[0].reason);
  report.plan.jobs.clear();
  for (const ResultRecord& record : report.records) report.plan.jobs.push_back(record.job);
}

}  // namespace

Report named_report() {
  Report report = ok_report();
  name_host(report);
  name_records(report);
  for (Column& column : report.columns) column.title += " jdoe";
  Finding& finding = report.findings.front();
  finding.job = report.records.back().job.id;
  for (std::string* text : {&finding.mark, &finding.text, &finding.remedy}) add(*text);
  finding.evidence = {{"device", "filer.acme.lan"}, {"depth", 1.5}};
  const ExpectedRange range{"iops", 1e9, {}, {}};
  report.expectations = {{"jdoe's", ExpectKind::healthy, {finding.job}, {}, "", "", {range}}};
  add(report.expectations[0].source);
  add(report.expectations[0].remedy);
  report.judgements = {{"jdoe's", finding.job, Op::write, range, 100'000, Expected::missed, ""}};
  add(report.judgements[0].reason);
  return report;
}

}  // namespace sthd::test
