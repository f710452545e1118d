#include "kit/process/fio_by_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/process/fio_command.hpp"
#include "kit/process/fio_program.hpp"

namespace sthd::process {
namespace {

constexpr std::string_view kFile = "/speedtest-hd.fio.bench";

/// Why fio cannot do the same; empty = it can.
std::string objection(const Workload& w, std::string_view engine) {
  constexpr std::array<std::string_view, 5> kEngines{"io_uring", "libaio", "psync", "posixaio",
                                                     "dd"};
  if (std::find(kEngines.begin(), kEngines.end(), engine) == kEngines.end()) {
    return fmt::format("fio has no engine {}", engine);
  }
  if (w.condition != Condition::as_is) {
    return fmt::format("the condition {} is not for fio to make", to_text(w.condition));
  }
  Workload laid_out = w;  // by hand, fio may begin with an empty file
  laid_out.layout = Layout::full;
  return fio_objection(laid_out, engine);
}

/// Before the row, as a job of its own.
void add_layout(const Workload& w, bool direct, std::vector<std::string>& out) {
  const std::uint64_t size = (w.size + kMiB - 1) / kMiB * kMiB;
  out.insert(out.end(), {"--name=layout", "--rw=write", fmt::format("--bs={}", kMiB),
                         fmt::format("--size={}", size), fmt::format("--direct={}", direct ? 1 : 0),
                         "--refill_buffers", "--end_fsync=1"});
}

/// The state of the cache before the row. With O_DIRECT fio has no way to fill it, and no need to.
void add_cache(const Workload& w, bool direct, std::vector<std::string>& out) {
  const bool read_before = w.cache == CacheMode::warm && !direct && w.layout == Layout::full;
  out.push_back(fmt::format("--invalidate={}", w.cache == CacheMode::cold ? 1 : 0));
  if (read_before) out.emplace_back("--pre_read=1");
}

}  // namespace

ByHand fio_by_hand(const Job& job, const Resolution& resolution, const std::string& directory) {
  const Workload& w = job.workload;
  if (resolution.engine.empty()) return {};
  if (std::string why = objection(w, resolution.engine); !why.empty()) {
    return {.command = {}, .why_not = std::move(why)};
  }
  const bool direct = resolution.direct_effective.value_or(true);  // unknown: used, effect unknown
  const FioSettings settings{.filename = directory + std::string(kFile),
                             .engine = resolution.engine,
                             .direct = direct,
                             .flush = !resolution.direct_effective.value_or(false)};
  std::vector<std::string> out{fio_filename(settings.filename), "--fallocate=none",
                               "--exitall_on_error=1"};
  const bool full = w.layout == Layout::full;
  if (full) add_layout(w, direct, out);
  out.insert(out.end(), {"--name=row", full ? "--stonewall" : "--create_on_open=1"});
  for (std::string& argument : fio_load(w, settings)) out.push_back(std::move(argument));
  add_cache(w, direct, out);
  out.insert(out.end(),
             {"--randrepeat=0", "--lat_percentiles=1", "--group_reporting=1", "--unlink=1"});
  return {.command = command_line("fio", out), .why_not = {}};
}

}  // namespace sthd::process
