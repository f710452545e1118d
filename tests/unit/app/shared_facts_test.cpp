#include <string>
#include <vector>

#include "../host/facts_tree.hpp"
#include "runner/host/facts.hpp"
#include "runner/record/share.hpp"
#include "support/catch.hpp"

namespace sthd {
namespace {

using Strings = std::vector<std::string>;

struct Place {
  const char* tree;
  const char* path;
};

/// Names of the facts that --share leaves out.
Strings left_out(const Place& place) {
  const test::FactsTree tree(place.tree);
  const auto target = host::target_below(tree.root(), place.path);
  REQUIRE(target.has_value());
  Report report;
  report.facts = host::collect_facts(tree.root(), *target);
  const Report shared = record::shared(report);
  Strings names;
  for (const Fact& fact : report.facts) {
    if (find_fact(shared.facts, fact.name) == nullptr) names.push_back(fact.name);
  }
  return names;
}

}  // namespace

TEST_CASE("Of what is known of a host, --share leaves out the kernel's command line",
          "[app][share]") {
  for (const Place& place :
       {Place{"vm", "/"}, Place{"workstation", "/pool"}, Place{"workstation", "/nfs"},
        Place{"truenas-slog", "/mnt/nvme-ultra-r10"}}) {
    CAPTURE(place.tree, place.path);
    CHECK(left_out(place) == Strings{"host.cmdline"});
  }
}

}  // namespace sthd
