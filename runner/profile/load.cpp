#include "runner/profile/load.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sthd/outcome.hpp"

namespace sthd::profile {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

std::string_view file_kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Place place_of(const std::shared_ptr<const SourceFile>& file, const toml::source_region& region) {
  Place place{file, region.begin.line, region.begin.column, 1};
  if (region.end.line == region.begin.line && region.end.column > region.begin.column) {
    place.length = region.end.column - region.begin.column;
  } else if (region.end.line > region.begin.line) {
    place.length = kMaxFileBytes;  // to the end of the line
  }
  return place;
}

/// toml++ ends here: its tables are sorted by name and its copies lose their places.
class Conversion {
 public:
  explicit Conversion(std::shared_ptr<const SourceFile> file) : file_(std::move(file)) {}

  Value value(const toml::node& node) {
    Value result;
    result.place = place_of(file_, node.source());
    switch (node.type()) {
      case toml::node_type::table:
        return table(*node.as_table(), std::move(result));
      case toml::node_type::array:
        result.kind = Kind::array;
        for (const toml::node& item : *node.as_array()) result.items.push_back(value(item));
        return result;
      case toml::node_type::string:
        result.kind = Kind::string;
        result.text = node.as_string()->get();
        check_text(result.text, "a string", result.place);
        return result;
      case toml::node_type::integer:
        result.kind = Kind::integer;
        result.integer = node.as_integer()->get();
        return result;
      case toml::node_type::floating_point:
        return floating(node.as_floating_point()->get(), std::move(result));
      case toml::node_type::boolean:
        result.kind = Kind::boolean;
        result.boolean = node.as_boolean()->get();
        return result;
      default:
        result.kind = Kind::null;
        result.text = "a date or time of day";
        return result;
    }
  }

  Diagnostics take_faults() { return std::move(faults_); }

 private:
  Value table(const toml::table& from, Value result) {
    result.kind = Kind::table;
    for (const auto& [key, node] : from) {
      Entry entry{std::string(key.str()), place_of(file_, key.source()), value(node)};
      check_text(entry.key, "a key", entry.key_place);
      result.entries.push_back(std::move(entry));
    }
    std::stable_sort(result.entries.begin(), result.entries.end(),
                     [](const Entry& a, const Entry& b) {
                       return std::tie(a.key_place.line, a.key_place.column) <
                              std::tie(b.key_place.line, b.key_place.column);
                     });
    return result;
  }

  static Value floating(double number, Value result) {
    result.kind = std::isfinite(number) ? Kind::floating : Kind::null;
    result.floating = number;
    if (!std::isfinite(number)) result.text = std::isnan(number) ? "NaN" : "infinity";
    return result;
  }

  void check_text(const std::string& text, std::string_view what, const Place& place) {
    if (faults_.size() > kMaxFaults) return;
    if (text.size() > kMaxStringBytes) {
      faults_.push_back(fault_at(place, fmt::format("{} may have {} bytes at most, not {}", what,
                                                    kMaxStringBytes, text.size())));
    }
    const auto control = [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    };
    if (std::any_of(text.begin(), text.end(), control)) {
      faults_.push_back(fault_at(place, fmt::format("{} may hold no control characters", what)));
    }
  }

  std::shared_ptr<const SourceFile> file_;
  Diagnostics faults_;
};

}  // namespace

std::variant<std::shared_ptr<const SourceFile>, Diagnostic> read_file(
    const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) {
    return fault_of(path.string(), system_error("this profile cannot be opened", errno).message);
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) {
    return fault_of(path.string(), system_error("this profile cannot be inspected", errno).message);
  }
  if (!S_ISREG(facts.st_mode)) {
    return fault_of(path.string(), fmt::format("a profile must be a regular file, not {}",
                                               file_kind(facts.st_mode)));
  }
  SourceFile source{path.string(), {}};
  constexpr std::size_t kStep = 16384;  // its size may be a lie (/proc), or change meanwhile
  std::size_t length = 0;
  while (length <= kMaxFileBytes) {
    source.text.resize(length + kStep);
    const ssize_t got =
        ::read(file.get(), source.text.data() + length, source.text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fault_of(path.string(), system_error("this profile cannot be read", errno).message);
    }
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > kMaxFileBytes) return fault_of(path.string(), "a profile may have 1 MiB at most");
  source.text.resize(length);
  return std::make_shared<const SourceFile>(std::move(source));
}

Checked<Value> parse(const std::shared_ptr<const SourceFile>& file) {
  if (auto fault = scan(file)) return Diagnostics{std::move(*fault)};
  try {
    const toml::table table = toml::parse(file->text);
    Conversion conversion(file);
    Value root = conversion.value(table);
    Diagnostics faults = conversion.take_faults();
    if (!faults.empty()) return faults;
    root.place = Place{file, 1, 1, kMaxFileBytes};
    return root;
  } catch (const toml::parse_error& e) {
    return Diagnostics{
        fault_at(place_of(file, e.source()), fmt::format("TOML syntax: {}", e.description()))};
  } catch (const std::exception& e) {
    return Diagnostics{fault_of(file->path, fmt::format("TOML syntax: {}", e.what()))};
  }
}

}  // namespace sthd::profile
