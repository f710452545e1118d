#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "facts_tree.hpp"
#include "runner/host/facts.hpp"
#include "runner/host/facts_layers.hpp"
#include "support/catch.hpp"

using sthd::Target;
using sthd::host::facts::parse_properties;
using sthd::host::facts::parse_zpool_status;
using sthd::host::facts::ZfsState;

namespace {

std::vector<std::string> members(std::string_view text) {
  ZfsState state;
  parse_zpool_status(text, state);
  std::vector<std::string> found;
  for (const auto& member : state.members) found.push_back(member.role + " " + member.path);
  return found;
}

constexpr std::string_view kLogAndCache =
    "  pool: tank\n"
    " state: ONLINE\n"
    "  scan: resilvered 85.6M in 00:00:00 with 0 errors on Mon Nov 30 19:31:56 2026\n"
    "config:\n"
    "\n"
    "\tNAME            STATE     READ WRITE CKSUM\n"
    "\ttank            ONLINE       0     0     0\n"
    "\t  mirror-0      ONLINE       0     0     0\n"
    "\t    /dev/ubdb   ONLINE       0     0     0\n"
    "\t    /dev/ubdd   ONLINE       0     0     0\n"
    "\tspecial\t\n"
    "\t  /dev/ubdf     ONLINE       0     0     0\n"
    "\tlogs\t\n"
    "\t  mirror-2      DEGRADED     0     0     0\n"
    "\t    /dev/ubdc   ONLINE       0     0     0\n"
    "\t    /dev/ubdg   OFFLINE      0     0     0\n"
    "\tcache\n"
    "\t  /dev/ubde     ONLINE       0     0     0\n"
    "\tspares\n"
    "\t  /dev/ubdh     AVAIL   \n"
    "\n"
    "errors: No known data errors\n";

}  // namespace

TEST_CASE("zpool status tells each member and what it is for", "[host][facts][zfs]") {
  CHECK(members(kLogAndCache) == std::vector<std::string>{"data /dev/ubdb", "data /dev/ubdd",
                                                          "special /dev/ubdf", "log /dev/ubdc",
                                                          "log /dev/ubdg", "cache /dev/ubde"});
  CHECK(members("").empty());
  CHECK(members("cannot open 'tank': no such pool\n").empty());
}

TEST_CASE("Words before the configuration are no members", "[host][facts][zfs]") {
  CHECK(members("  pool: tank\n"
                "status: One or more devices has been taken offline by the administrator.\n"
                "\t  /dev/sufficient replicas exist for the pool\n"
                "config:\n\n"
                "\tNAME         STATE     READ WRITE CKSUM\n"
                "\ttank         ONLINE       0     0     0\n"
                "\t  /root/f1   ONLINE       0     0     0\n\n"
                "errors: Permanent errors have been detected in the following files:\n\n"
                "\t  /tank/broken\n") == std::vector<std::string>{"data /root/f1"});
}

TEST_CASE("A scan in progress is told from one that ended", "[host][facts][zfs]") {
  ZfsState state;
  parse_zpool_status(kLogAndCache, state);
  CHECK(state.scanning == false);
  ZfsState running;
  parse_zpool_status("  scan: scrub in progress since Sun Nov 30 00:00:01 2026\n", running);
  CHECK(running.scanning == true);
  ZfsState never;
  parse_zpool_status("config:\n\n\ttank  ONLINE\n\t  /dev/sda  ONLINE\n", never);
  CHECK(never.scanning == false);
  ZfsState unknown;
  parse_zpool_status("", unknown);
  CHECK_FALSE(unknown.scanning.has_value());
}

TEST_CASE("A property that does not apply is none", "[host][facts][zfs]") {
  ZfsState state;
  state.properties = parse_properties("sync\talways\nmlslabel\t-\nbroken line\nlogbias\tlatency\n");
  CHECK(state.property("sync") == "always");
  CHECK(state.property("logbias") == "latency");
  CHECK(state.property("mlslabel").empty());
  CHECK(state.property("direct").empty());
  CHECK(state.properties.size() == 3);
}

TEST_CASE("Where the ZFS programs say nothing, every fact of theirs has the reason",
          "[host][facts][zfs]") {
  const sthd::test::Tree tree;
  Target target;
  target.filesystem = "zfs";
  target.source = "tank/a";
  target.filesystem_version = "2.1.11-1";
  const auto facts = sthd::host::collect_facts(tree.root(), target);
  const auto why = [&](const char* name) {
    const auto* fact = sthd::find_fact(facts, name);
    return fact == nullptr ? "absent" : fact->unknown_because;
  };
  CHECK(sthd::fact_text(facts, "zfs.version") == "2.1.11-1");
  CHECK(sthd::fact_text(facts, "zfs.pool") == "tank");
  for (const char* name :
       {"zfs.sync", "zfs.direct", "zfs.recordsize_bytes", "target.compression", "target.quota"}) {
    CHECK(why(name) == "zfs was not recorded");
  }
  CHECK(why("zfs.scrub") == "zpool was not recorded");
  CHECK(why("zfs.data.0.name") == "zpool was not recorded");
  CHECK(why("disk.0.name") == "zpool was not recorded");
  CHECK(why("zfs.ashift") == "zpool does not tell");
}

namespace {

/// Programs of our own first in PATH, while it lives.
class Programs {
 public:
  Programs() : before_(std::getenv("PATH")) {
    ::setenv("PATH", (folder_.path() + ":" + before_).c_str(), 1);
  }
  ~Programs() { ::setenv("PATH", before_.c_str(), 1); }
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  void put(const std::string& name, const std::string& script) const {
    folder_.put(name, "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder_.path() + "/" + name, std::filesystem::perms(0755));
  }

 private:
  sthd::test::TempDir folder_;
  std::string before_;
};

}  // namespace

TEST_CASE("On the real root the ZFS programs are asked, and their refusal is the reason",
          "[host][facts][zfs]") {
  const Programs programs;
  programs.put(
      "zpool",
      "case \"$*\" in\n"
      "  'status -L -P tank') printf 'config:\\n\\ttank ONLINE\\n\\t  /dev/nosuch1 ONLINE\\n"
      "\\tlogs\\n\\t  /dev/nosuch2 ONLINE\\n';;\n"
      "  'get -Hp -o value ashift tank') echo 0;;\n"
      "  *) exit 7;;\n"
      "esac\n");
  programs.put("zfs", "echo \"cannot open '$6': dataset does not exist\" >&2\nexit 1\n");
  Target target;
  target.filesystem = "zfs";
  target.source = "tank/a b";
  const auto facts = sthd::host::collect_facts("/", target);
  CHECK(sthd::fact_text(facts, "zfs.data.0.name") == "nosuch1");
  CHECK(sthd::fact_text(facts, "zfs.log.0.name") == "nosuch2");
  CHECK(sthd::find_fact(facts, "zfs.ashift")->unknown_because ==
        "the pool leaves it to each vdev (0)");
  CHECK(sthd::find_fact(facts, "zfs.sync")->unknown_because ==
        "zfs exited with status 1: cannot open 'tank/a b': dataset does not exist");
}
