#include "runner/host/plugin_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "runner/host/plugin_library.hpp"
#include "sthd/text.hpp"

namespace sthd::host {
namespace {

namespace fs = std::filesystem;

/// The folder's "*.so", sorted, so that the first of two equal names is always the same one.
std::vector<fs::path> candidates(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".so") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

template <class Entry>
const Entry* find(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

PluginEntry entry_of(const PluginDescriptor& descriptor, const PluginFile& file, bool bundled) {
  return {.name = descriptor.name,
          .version = descriptor.version,
          .summary = descriptor.summary,
          .file = file.path,
          .bundled = bundled};
}

}  // namespace

struct PluginHost::State {
  struct Instance {
    void* object;
    void (*destroy)(void*) noexcept;
  };

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (const auto& instance : instances) instance.destroy(instance.object);
  }

  void refuse(const fs::path& file, int gate, const Error& error) {
    refusals.push_back({file, gate, display(fmt::format("{}: {}", file.string(), error.message))});
  }

  void search(const PluginFolder& folder) {
    if (!folder.path.is_absolute()) {
      return refuse(folder.path, 0,
                    {ErrorCode::refused,
                     "it is a relative path, and a plugin folder's must be absolute: begin it with "
                     "\"/\"",
                     0});
    }
    std::error_code error;
    const auto files = candidates(folder.path, error);
    if (error) {
      return refuse(
          folder.path, 0,
          {ErrorCode::refused,
           fmt::format("it cannot be read as a plugin folder ({}), and it must: check the "
                       "path and its permissions",
                       error.message()),
           error.value()});
    }
    for (const auto& path : files) admit(path, folder.bundled);
  }

  /// The gates in order; whatever one refuses never reaches the next.
  void admit(const fs::path& path, bool bundled) {
    const auto file = judge_file(path);
    if (!file) return refuse(path, 0, file.error());
    const auto marker = judge_marker(*file);
    if (!marker) return refuse(path, 1, marker.error());
    if (const PluginEntry* first = loaded(*marker))
      return refuse(path, 1, duplicate(*first, *marker));
    const auto descriptor = load_descriptor(*file, *marker);
    if (!descriptor) return refuse(path, 2, descriptor.error());
    const auto object = create_instance(**descriptor);
    if (!object) return refuse(path, 3, object.error());
    instances.push_back({*object, (*descriptor)->destroy});
    const auto registered = enter(**descriptor, *object, entry_of(**descriptor, *file, bundled));
    if (!registered) return refuse(path, 3, registered.error());
  }

  [[nodiscard]] const PluginEntry* loaded(const PluginMarker& marker) const {
    if (marker.kind == PluginKind::backend) return find(backends, marker.name);
    return find(formatters, marker.name);
  }

  static Error duplicate(const PluginEntry& first, const PluginMarker& marker) {
    return {ErrorCode::refused,
            fmt::format("it is a second {} called \"{}\", and {} {} wins: remove or rename one of "
                        "them",
                        kind_text(marker.kind), marker.name,
                        first.bundled ? "the bundled" : "the earlier", first.file.string()),
            0};
  }

  Outcome<Done> enter(const PluginDescriptor& descriptor, void* object, PluginEntry entry) {
    if (descriptor.kind == PluginKind::backend) {
      auto* backend = static_cast<Backend*>(object);
      auto info = backend->info();
      if (!info) return no_info(info.error());
      backends.push_back({std::move(entry), backend, std::move(*info)});
    } else {
      auto* formatter = static_cast<Formatter*>(object);
      auto info = formatter->info();
      if (!info) return no_info(info.error());
      formatters.push_back({std::move(entry), formatter, std::move(*info)});
    }
    return Done{};
  }

  static Error no_info(const Error& error) {
    return {ErrorCode::refused,
            fmt::format("it does not say what it offers ({}), and a plugin must: see its own "
                        "documentation",
                        error.message),
            0};
  }

  std::vector<Instance> instances;
  std::vector<BackendEntry> backends;
  std::vector<FormatterEntry> formatters;
  std::vector<PluginRefusal> refusals;
};

PluginHost::PluginHost(const std::vector<PluginFolder>& folders)
    : state_(std::make_unique<State>()) {
  for (const bool bundled : {true, false}) {
    for (const auto& folder : folders) {
      if (folder.bundled == bundled) state_->search(folder);
    }
  }
}

PluginHost::~PluginHost() = default;
PluginHost::PluginHost(PluginHost&&) noexcept = default;
PluginHost& PluginHost::operator=(PluginHost&&) noexcept = default;

const std::vector<BackendEntry>& PluginHost::backends() const { return state_->backends; }
const std::vector<FormatterEntry>& PluginHost::formatters() const { return state_->formatters; }
const std::vector<PluginRefusal>& PluginHost::refusals() const { return state_->refusals; }

const BackendEntry* PluginHost::backend(std::string_view name) const {
  return find(state_->backends, name);
}

const FormatterEntry* PluginHost::formatter(std::string_view name) const {
  return find(state_->formatters, name);
}

}  // namespace sthd::host
