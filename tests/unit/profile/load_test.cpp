#include <sys/stat.h>

#include "runner/profile/tree.hpp"
#include "support.hpp"

using namespace profile_test;
namespace sp = sthd::profile;

namespace {
std::string load_faults(const std::string& path) {
  const auto loaded = sp::load(path, {});
  const auto* faults = std::get_if<Diagnostics>(&loaded);
  return faults == nullptr ? "" : sp::render(*faults);
}
sp::Value tree_of(const std::string& text) {
  auto tree = sp::parse(std::make_shared<const sp::SourceFile>(sp::SourceFile{"t.toml", text}));
  if (auto* faults = std::get_if<Diagnostics>(&tree)) throw std::runtime_error(sp::render(*faults));
  return std::get<sp::Value>(std::move(tree));
}
std::string place(const sp::Place& place) {
  return fmt::format("{}:{}+{}", place.line, place.column, place.length);
}
std::string parse_faults(const std::string& text) {
  try {
    tree_of(text);
    return {};
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}
}  // namespace

TEST_CASE("Only a regular file is read, and nothing waits", "[profile][load]") {
  const Folder folder;
  const std::string fifo = (folder.path() / "fifo.toml").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(load_faults(fifo) == fifo + ": a profile must be a regular file, not a FIFO\n");
  CHECK(load_faults("/dev/zero") == "/dev/zero: a profile must be a regular file, not a device\n");
  CHECK(load_faults("/tmp/") == "/tmp/: a profile must be a regular file, not a directory\n");
  CHECK(load_faults("./none.toml") == "./none.toml: there is no such profile file\n");
}

TEST_CASE("A profile has 1 MiB at most", "[profile][load]") {
  const Folder folder;
  const std::string fits(sp::kMaxFileBytes, '#');
  CHECK(load_faults(folder.write("fits.toml", fits)).find("no \"schema\"") != std::string::npos);
  const std::string path = folder.write("large.toml", fits + "#");
  CHECK(load_faults(path) == path + ": a profile may have 1 MiB at most\n");
}

TEST_CASE("Every key and value knows its line and column", "[profile][load]") {
  const sp::Value root = tree_of(
      "# first\nname = \"é日\"   # more\n\n[[job]]\n  zeta = [1,\n 22]\n"
      "\talpha = { x = true }\nlat.p50 = 1.5\n");
  CHECK(place(root.entry("name")->key_place) == "2:1+4");
  CHECK(place(root.find("name")->place) == "2:8+4");
  const sp::Value& job = root.find("job")->items.at(0);
  CHECK(place(job.place) == "4:1+7");
  REQUIRE(job.entries.size() == 3);
  CHECK(job.entries[0].key == "zeta");  // as in the file, not by the alphabet
  CHECK(job.entries[1].key == "alpha");
  CHECK(place(job.find("zeta")->items.at(1).place) == "6:2+2");
  CHECK(place(job.find("alpha")->entry("x")->key_place) == "7:12+1");
  CHECK(place(job.find("lat")->entry("p50")->key_place) == "8:5+3");
}

TEST_CASE("What JSON has no word for stays apart", "[profile][load]") {
  const sp::Value root = tree_of("a = 1979-05-27\nb = nan\nc = -inf\nd = 4e3\n");
  CHECK(root.find("a")->kind == sp::Kind::null);
  CHECK(root.find("b")->text == "NaN");
  CHECK(root.find("c")->text == "infinity");
  CHECK(root.find("d")->kind == sp::Kind::floating);
}

TEST_CASE("Invalid UTF-8 is refused with its place", "[profile][load]") {
  for (const std::string bad :
       {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    CHECK(parse_faults("a = 1\nb = \"é" + bad + "\"\n").substr(0, 34) ==
          "t.toml:2:7: this is not valid UTF-");
  }
  CHECK(parse_faults("a = \"x\xff\"\n") ==
        "t.toml:1:7: this is not valid UTF-8\n    1 | a = \"x\\xff\"\n"
        "      |       ^~~~ save the file as UTF-8\n");
}

TEST_CASE("Nesting is bounded before the parser sees it", "[profile][load]") {
  const std::string open(300, '[');
  const std::string close(300, ']');
  CHECK(parse_faults("a = " + open + close).find("nested deeper than 16 levels") !=
        std::string::npos);
  std::string dots = "a";
  for (int i = 0; i < 400'000; ++i) dots += ".a";
  CHECK(parse_faults(dots + " = 1").substr(0, 44) ==
        "t.toml:1:34: nested deeper than 16 levels\n  ");
  CHECK(parse_faults("a = 1 # " + open).empty());
  CHECK(parse_faults("a = '" + open + "'\nb = \"\"\"\n" + open + "\"\"\"\nc = \"\\\"" + open + "\"")
            .empty());
  CHECK(parse_faults("a = [[[[1]]]]\nb = { c = { d = [1.5, 2.5] } }").empty());
}

TEST_CASE("Strings are bounded and hold no control characters", "[profile][load]") {
  CHECK(parse_faults("a = \"" + std::string(sp::kMaxStringBytes, 'x') + "\"").empty());
  CHECK(parse_faults("a = '" + std::string(sp::kMaxStringBytes + 1, 'x') + "'").substr(0, 63) ==
        "t.toml:1:5: a string may have 4096 bytes at most, not 4097\n    ");
  CHECK(parse_faults("a = \"\\u001b]0;x\"") ==
        "t.toml:1:5: a string may hold no control characters\n    1 | a = \"\\u001b]0;x\"\n"
        "      |     ^~~~~~~~~~~~\n");
  CHECK(parse_faults("a = \"x\\n\\ty\"").empty());
}

TEST_CASE("A fault of TOML's syntax has its place", "[profile][load]") {
  CHECK(parse_faults("a = 1\na = 2\n").substr(0, 26) == "t.toml:2:5: TOML syntax: E");
}

TEST_CASE("The files of a profile are kept with their text, child first", "[profile][load]") {
  const auto loaded = sp::load("slog", {kInstalled});
  const auto& info = std::get<Profile>(loaded).info();
  CHECK(info.name == "slog");
  CHECK(info.title == "Sync-write latency (ZFS ZIL / SLOG, NFS, iSCSI, VM)");
  REQUIRE(info.files.size() == 2);
  CHECK(info.files[0].path == (kInstalled / "slog.toml").string());
  CHECK(info.files[0].text == read_text(kInstalled / "slog.toml"));
  CHECK(info.files[1].path == (kInstalled / "base.toml").string());
}

TEST_CASE("A bare name is looked up in order, a path is not", "[profile][load]") {
  const Folder mine;
  mine.write("slog.toml", jobs("[[job]]\nid = \"mine\"\nlabel = \"mine\""));
  const auto loaded = sp::load("slog", {mine.path(), kInstalled});
  CHECK(std::get<Profile>(loaded).info().files[0].path == (mine.path() / "slog.toml").string());
  CHECK(load_faults("slgo") == "there is no profile \"slgo\" in any folder\n");
  const auto absent = sp::load("slgo", {mine.path()});
  CHECK(sp::render(std::get<Diagnostics>(absent)) ==
        "there is no profile \"slgo\" in " + mine.path().string() + "; did you mean \"slog\"?\n");
}

TEST_CASE("list shows every profile but base, the first of a name, and why one fails",
          "[profile][load]") {
  const Folder mine;
  mine.write("slog.toml", jobs("title = \"late\"\n"));
  mine.write("broken.toml", "schema = 1\nname = \"broken\"\nthread = 1\n");
  mine.write("notes.txt", "no profile");
  const auto listed = sp::list({mine.path(), kInstalled, "/nonexistent"});
  Strings names;
  for (const auto& entry : listed) names.push_back(entry.name + (entry.fault.empty() ? "" : "!"));
  CHECK(names == Strings{"broken!", "cdm", "cdm-default", "cdm-nvme", "dd", "drive-spec", "etcd",
                         "parallel-read", "slog!", "sync-doctor", "sync-stream"});
  CHECK(mine.scrub(listed[0].fault) == "broken.toml:3:1: unknown key \"thread\" at the top level");
  CHECK(listed[1].title == "CrystalDiskMark-style: sequential and random, read and write");
  CHECK(listed[1].path == kInstalled / "cdm.toml");
}
