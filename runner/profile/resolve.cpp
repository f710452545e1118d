#include "runner/profile/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "runner/profile/label.hpp"
#include "sthd/units.hpp"

namespace sthd::profile {
namespace {

/// Keys without a default, and what to write.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNeeded{
    {{"op", "add op = \"read\" to it or to [defaults]"},
     {"pattern", "add pattern = \"random\" to it or to [defaults]"},
     {"block_size", "add block_size = \"4KiB\" to it or to [defaults]"},
     {"engine", "add extends = \"base\" to the profile, or engine = [\"psync\"] to [defaults]"}}};

/// Other keys without a default.
constexpr std::array<std::string_view, 5> kUnset{"end_fsync", "ios", "bytes", "rate_iops",
                                                 "backend"};

class Resolver {
 public:
  Resolver(const Case& candidate, Diagnostics& faults) : case_(candidate), faults_(faults) {}

  Job run() {
    const std::size_t before = faults_.size();
    for (const auto& [key, remedy] : kNeeded) {
      if (find(key) == nullptr) missing(key, remedy);
    }
    check_engines();
    job_.id = case_.id();
    job_.template_id = case_.template_id;
    job_.label = label();
    if (faults_.size() > before) return job_;
    for (const auto& [key, value] : case_.settings) apply(key, value.setting, job_.workload);
    limits();
    check_sizes();
    return job_;
  }

 private:
  [[nodiscard]] const Assigned* find(std::string_view key) const {
    const auto found = case_.settings.find(key);
    return found == case_.settings.end() ? nullptr : &found->second;
  }

  void missing(std::string_view key, std::string_view remedy) {
    faults_.push_back(fault_at(case_.job->find("id")->place,
                               fmt::format("job {} has no {}", in_quotes(case_.template_id), key),
                               std::string(remedy)));
  }

  /// A backend that is named may be a plugin with engines of its own; without one, a word that
  /// nobody knows is a mistake.
  void check_engines() {
    const Assigned* engine = find("engine");
    if (engine == nullptr || find("backend") != nullptr) return;
    const std::vector<std::string>& known = known_engines();
    for (const std::string& name : std::get<std::vector<std::string>>(engine->setting)) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      std::string message =
          fmt::format("engine must be one of {}, not {}", list_in_quotes(known), in_quotes(name));
      std::string remedy = did_you_mean(name, known);
      if (remedy.empty()) remedy = "name the backend, too, if a plugin brings this engine";
      faults_.push_back(engine->place.line == 0
                            ? fault_of({}, "command line: " + message, std::move(remedy))
                            : fault_at(engine->place, std::move(message), std::move(remedy)));
    }
  }

  std::string label() {
    const Value& written = *case_.job->find("label");
    std::string text;
    std::set<std::string> named;
    for (const LabelPart& part : label_parts(written.text)) {
      if (!part.placeholder) {
        text += part.text;
        continue;
      }
      const auto key = placeholder_key(part.text);
      if (key) named.insert(*key);
      const Assigned* value = key ? find(*key) : nullptr;
      if (value != nullptr) {
        text += placeholder_text(part.text, value->setting);
      } else if (std::find(kUnset.begin(), kUnset.end(), *key) != kUnset.end()) {
        faults_.push_back(
            fault_at(written.place, fmt::format("the label names {{{}}}, which job {} does not set",
                                                part.text, in_quotes(case_.template_id))));
      }
    }
    for (const std::string& key : case_.added) {  // no profile can name what the command line adds
      if (named.count(key) != 0) continue;
      text += fmt::format(" {}={}", key, label_text(key, find(key)->setting));
    }
    return text;
  }

  /// A limited job runs until its limit: no time of [defaults] cuts it short.
  void limits() {
    Workload& work = job_.workload;
    const Assigned* bytes = find("bytes");
    if (bytes != nullptr && std::holds_alternative<std::string>(bytes->setting)) {
      work.bytes = work.size - work.size % work.block_size;
      const bool by_each = work.region == Region::same;
      if (by_each && __builtin_mul_overflow(work.bytes, std::uint64_t{work.threads}, &work.bytes)) {
        misfit("bytes", fmt::format("{} threads over {} each are more bytes than can be counted",
                                    work.threads, human_size(work.size)));
      }
    }
    const bool writes = work.op != Op::read;
    if (find("end_fsync") == nullptr) work.end_fsync = work.sync == SyncMode::none;
    work.end_fsync = work.end_fsync && writes;
    if (bytes == nullptr && find("ios") == nullptr) return;
    if (!find("runtime")->of_job) work.runtime_ns = 0;
    if (!find("ramp")->of_job) work.ramp_ns = 0;
  }

  void check_sizes() {
    const Workload& work = job_.workload;
    const std::string block = human_size(work.block_size);
    const std::string file = human_size(work.size);
    if (work.layout == Layout::none) check_new_file();
    if (work.block_size > work.size) {
      return misfit("block_size", fmt::format("block_size {} is larger than size {}", block, file));
    }
    const bool parts = work.region == Region::own ||
                       (work.region == Region::auto_ && work.pattern == Pattern::sequential);
    if (parts && work.block_size > work.size / work.threads) {
      return misfit("threads", fmt::format("each of {} threads gets less than one block of {} from "
                                           "size {}",
                                           work.threads, block, file));
    }
    if (work.bytes % work.block_size != 0) {
      misfit("bytes", fmt::format("bytes {} is not a multiple of block_size {}", work.bytes,
                                  work.block_size));
    }
  }

  /// A file that begins empty can be extended, and nothing else.
  void check_new_file() {
    const Workload& work = job_.workload;
    if (work.op == Op::write && work.pattern == Pattern::sequential) return;
    const bool reads = work.op != Op::write;
    const std::string message = fmt::format(
        "layout = \"none\" begins each loop with an empty file, {}, so it needs {}",
        reads ? "where there is nothing to read" : "which random writes would leave full of holes",
        reads ? "op = \"write\"" : "pattern = \"sequential\"");
    const Place& place = find("layout")->place;
    faults_.push_back(place.line == 0 ? fault_of({}, "command line: " + message)
                                      : fault_at(place, message));
  }

  void misfit(std::string_view key, std::string message) {
    for (const std::string_view candidate : {key, std::string_view("size")}) {
      const Assigned* value = find(candidate);
      if (value == nullptr || value->place.line == 0) continue;
      faults_.push_back(fault_at(value->place, std::move(message)));
      return;
    }
    faults_.push_back(fault_at(case_.job->find("id")->place, std::move(message)));
  }

  const Case& case_;
  Diagnostics& faults_;
  Job job_;
};

}  // namespace

Job resolve(const Case& candidate, Diagnostics& faults) {
  return Resolver(candidate, faults).run();
}

}  // namespace sthd::profile
