#include "kit/process/fio_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "kit/process/program.hpp"
#include "sthd/text.hpp"

namespace sthd::process {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostWords = 300;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The next line without its end, which `rest` then begins after.
std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

/// One past the brace that closes the one at text[0]; npos when there is none.
std::size_t document_end(std::string_view text, std::string& fault) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) fault = fmt::format("nests deeper than {}", kDeepest);
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return std::string_view::npos;
}

/// The first number after `key`; empty when there is none. fio pads it: "err= 0".
std::optional<int> number_after(std::string_view line, std::string_view key) {
  auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at = line.find_first_not_of(' ', at + key.size());
  if (at == std::string_view::npos) return std::nullopt;
  int value = 0;
  const auto read = std::from_chars(line.data() + at, line.data() + line.size(), value);
  return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

bool complains(std::string_view line) {
  if (const auto code = number_after(line, "err=")) return *code != 0;
  constexpr std::array<std::string_view, 8> kSigns{"error", "Error", "got signal", "terminating",
                                                   "Abort", "abort", "stuck",      "not loadable"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [line](std::string_view sign) { return has(line, sign); });
}

/// "2629MiB/s", "673k", "31.5k IOPS", "0B/s" in base units.
std::optional<double> scaled(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || value < 0) return std::nullopt;
  const std::string_view unit(read.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  if (unit.empty()) return value;
  const auto power = std::string_view("kmgtp").find(static_cast<char>(unit.front() | 0x20));
  if (power == std::string_view::npos) return value;
  const double base = unit.size() > 1 && unit[1] == 'i' ? 1024 : 1000;
  for (std::size_t i = 0; i <= power; ++i) value *= base;
  return value;
}

/// All directions of "r=1MiB/s,w=2MiB/s" added; empty when it is no such list.
std::optional<double> summed(std::string_view group) {
  double sum = 0;
  while (!group.empty()) {
    const auto comma = group.find(',');
    const std::string_view part = group.substr(0, comma);
    group = comma == std::string_view::npos ? std::string_view{} : group.substr(comma + 1);
    if (part.size() < 3 || part[1] != '=') return std::nullopt;
    const auto value = scaled(part.substr(2));
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

}  // namespace

std::optional<FioVersion> fio_version(std::string_view output) {
  std::string_view rest = output;
  const std::string_view line = take_line(rest);
  constexpr std::string_view kPrefix = "fio-";
  if (!line.starts_with(kPrefix)) return std::nullopt;
  FioVersion version{std::string(line), std::nullopt};
  const char* end = line.data() + line.size();
  unsigned major = 0;
  unsigned minor = 0;
  const auto first = std::from_chars(line.data() + kPrefix.size(), end, major);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return version;
  if (std::from_chars(first.ptr + 1, end, minor).ec == std::errc{}) version.number = {major, minor};
  return version;
}

FioOutput split_fio_output(std::string_view output) {
  FioOutput result;
  for (std::string_view rest = output; !rest.empty();) {
    const std::string_view from_here = rest;
    const std::string_view line = take_line(rest);
    if (line != "{") {
      result.around += line;
      result.around += '\n';
      continue;
    }
    const std::size_t end = document_end(from_here, result.fault);
    if (end == std::string_view::npos) {
      result.fault = "is cut short";
      break;
    }
    result.documents.push_back(from_here.substr(0, end));
    rest = from_here.substr(end);
  }
  return result;
}

std::vector<std::string> fio_complaints(std::string_view text) {
  std::vector<std::string> found;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    if (complains(line)) found.emplace_back(line);
  }
  return found;
}

std::string fio_words(std::string_view text) {
  std::string last;
  for (std::string_view rest = text; !rest.empty();) {
    if (const std::string_view line = take_line(rest); !line.empty()) last = line;
  }
  auto complaints = fio_complaints(text);
  std::erase_if(complaints, [](const std::string& line) { return has(line, "terminating"); });
  if (!complaints.empty()) {
    // The line about the I/O itself has the offset; an engine that is not there makes a dlopen
    // line, too, which would mislead.
    const auto telling =
        std::find_if(complaints.begin(), complaints.end(), [](const std::string& line) {
          return has(line, "io_u error on file") || has(line, "not loadable");
        });
    last = telling != complaints.end() ? *telling : complaints.front();
  }
  if (last.size() > kMostWords) last.resize(kMostWords);
  return display(last);
}

int fio_errno(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const auto code = number_after(take_line(rest), "err=");
    if (code && *code > 0) return *code;
  }
  return errno_in(fio_words(text));
}

Error fio_failure(std::string_view what, std::string_view said, int code) {
  if (code == 0) code = fio_errno(said);
  const std::string words = fio_words(said);
  std::string message = fmt::format("fio {}", what);
  if (!words.empty()) message += ": " + words;
  if (code != 0 && ::strerrorname_np(code) != nullptr) {
    if (words.empty()) message += fmt::format(": {}", ::strerrordesc_np(code));
    message += fmt::format(" ({})", ::strerrorname_np(code));
  }
  return {ErrorCode::failed, std::move(message), code};
}

std::optional<FioRates> fio_rates(std::string_view line) {
  std::optional<double> bytes;
  std::optional<double> ios;
  for (auto open = line.find('['); open != std::string_view::npos;
       open = line.find('[', open + 1)) {
    const auto close = line.find(']', open);
    if (close == std::string_view::npos) break;
    const std::string_view group = line.substr(open + 1, close - open - 1);
    if (group.ends_with("IOPS")) {
      ios = summed(group);
    } else if (group.ends_with("B/s")) {
      bytes = summed(group);
    }
  }
  if (!bytes && !ios) return std::nullopt;
  return FioRates{bytes.value_or(0), ios.value_or(0)};
}

}  // namespace sthd::process
