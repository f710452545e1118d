#include <fmt/format.h>

#include <array>
#include <tuple>

#include "runner/compare/match.hpp"

namespace sthd::compare {
namespace {

/// A key of the profile that says what is done, and its value as text.
struct Key {
  std::string_view name;
  std::string (*text)(const Workload&);
};

template <auto Member>
std::string word(const Workload& workload) {
  return std::string(to_text(workload.*Member));
}
template <auto Member>
std::string number(const Workload& workload) {
  return fmt::to_string(workload.*Member);
}

std::string read_percent(const Workload& workload) {
  return workload.op == Op::mixed ? number<&Workload::read_percent>(workload) : "";
}

std::string distribution(const Workload& workload) {
  if (workload.distribution == Distribution::uniform) return "uniform";
  return fmt::format("zipf:{}", workload.zipf_theta);
}

std::string rate(const Workload& workload) {
  return workload.rate_iops == 0 ? "none" : number<&Workload::rate_iops>(workload);
}

constexpr std::array kKeys{Key{"op", word<&Workload::op>},
                           Key{"pattern", word<&Workload::pattern>},
                           Key{"block_size", number<&Workload::block_size>},
                           Key{"queue_depth", number<&Workload::queue_depth>},
                           Key{"threads", number<&Workload::threads>},
                           Key{"sync", word<&Workload::sync>},
                           Key{"cache", word<&Workload::cache>},
                           Key{"end_fsync", number<&Workload::end_fsync>},
                           Key{"region", word<&Workload::region>},
                           Key{"layout", word<&Workload::layout>},
                           Key{"buffer", word<&Workload::buffer>},
                           Key{"read_percent", read_percent},
                           Key{"rate_iops", rate},
                           Key{"distribution", distribution}};

}  // namespace

std::string work_difference(const Workload& first, const Workload& other,
                            const std::string& first_label, const std::string& other_label) {
  std::string text;
  for (const Key& key : kKeys) {
    const std::string one = key.text(first);
    const std::string two = key.text(other);
    if (one == two) continue;
    text += text.empty()
                ? fmt::format("{} {} in {}, {} in {}", key.name, one, first_label, two, other_label)
                : fmt::format("; {} {}, {}", key.name, one, two);
  }
  return text;
}

bool same_amount(const Workload& first, const Workload& other) {
  const auto amount = [](const Workload& w) {
    return std::tuple(w.runtime_ns, w.ios, w.bytes, w.loops, w.size);
  };
  return amount(first) == amount(other);
}

}  // namespace sthd::compare
