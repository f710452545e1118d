#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runner/app/commands.hpp"
#include "runner/app/history_text.hpp"
#include "runner/app/with_session.hpp"
#include "runner/host/run_store.hpp"
#include "sthd/text.hpp"
#include "sthd/units.hpp"

namespace sthd::app {
namespace {

constexpr std::size_t kNewest = 20;

Outcome<record::Imported> content_of(const host::RunStore& store, const host::KeptRun& run) {
  auto text = store.read(run);
  if (!text) return text.error();
  return record::import_report(*text);
}

/// "23 runs, 1.20 MiB, in /home/u/.local/state/speedtest-hd/runs; --all shows the other 3".
std::string summary(const host::RunStore& store, const std::vector<host::KeptRun>& runs,
                    std::size_t shown) {
  std::uint64_t bytes = 0;
  for (const host::KeptRun& run : runs) bytes += run.bytes;
  std::string text = fmt::format("{} run{}, {}, in {}", runs.size(), runs.size() == 1 ? "" : "s",
                                 human_size(bytes), display(store.folder().string()));
  if (shown < runs.size()) {
    text += fmt::format("; --all shows the other {}", runs.size() - shown);
  }
  return text;
}

}  // namespace

int history_command(const CommandInput& input) {
  const auto store = host::RunStore::open(host::invoking_user());
  const auto runs = store ? store->runs() : store.error();
  if (!runs) {
    input.terminal.error(runs.error().message);
    return kUsage;
  }
  if (runs->empty()) {
    return finish(input.terminal,
                  fmt::format("no run is kept in {}\n", display(store->folder().string())));
  }
  const std::size_t shown = input.options.all ? runs->size() : std::min(kNewest, runs->size());
  std::vector<HistoryLine> lines;
  for (std::size_t i = 0; i < shown; ++i) {
    const host::KeptRun& run = (*runs)[i];
    lines.push_back(history_line(i + 1, run, content_of(*store, run)));
  }
  const int code = finish(input.terminal, history_text(std::move(lines)));
  input.terminal.note(summary(*store, *runs, shown));
  return code;
}

}  // namespace sthd::app
