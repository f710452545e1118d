#include "runner/profile/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "runner/profile/diagnostics.hpp"
#include "sthd/units.hpp"

namespace sthd::profile {
namespace {

constexpr std::uint64_t kSector = 512;
constexpr std::string_view kZipf = "zipf:";
constexpr double kSteepest = 5;  // almost every draw is then the same block
constexpr std::uint64_t kShortestSample = kMillisecond;
constexpr std::uint64_t kLongestSample = 3600 * kSecond;
constexpr std::uint64_t kLongestInterval = 3600 * kSecond;

struct Key {
  std::string_view name;
  KeyKind kind;
};

constexpr std::array<Key, 31> kKeys{
    {{"op", KeyKind::word},         {"pattern", KeyKind::word},
     {"block_size", KeyKind::size}, {"queue_depth", KeyKind::count},
     {"threads", KeyKind::count},   {"sync", KeyKind::word},
     {"direct", KeyKind::word},     {"cache", KeyKind::word},
     {"end_fsync", KeyKind::flag},  {"runtime", KeyKind::time},
     {"ramp", KeyKind::time},       {"loops", KeyKind::count},
     {"repeat", KeyKind::count},    {"order", KeyKind::word},
     {"score", KeyKind::word},      {"interval", KeyKind::time},
     {"condition", KeyKind::word},  {"ios", KeyKind::count},
     {"bytes", KeyKind::size},      {"size", KeyKind::size},
     {"region", KeyKind::word},     {"layout", KeyKind::word},
     {"buffer", KeyKind::word},     {"read_percent", KeyKind::percent},
     {"rate_iops", KeyKind::count}, {"distribution", KeyKind::word},
     {"poll", KeyKind::flag},       {"sqpoll", KeyKind::flag},
     {"sample", KeyKind::time},     {"engine", KeyKind::names},
     {"backend", KeyKind::names}}};

const Key* key_named(std::string_view name) {
  const auto* const found =
      std::find_if(kKeys.begin(), kKeys.end(), [name](const Key& key) { return key.name == name; });
  return found == kKeys.end() ? nullptr : found;
}

Error refused(std::string message) { return {ErrorCode::refused, std::move(message), 0}; }

Outcome<Setting> read_size(std::string_view key, const Value& value) {
  if (key == "bytes" && value.kind == Kind::string && value.text == kWholeSize) {
    return Setting(std::string(kWholeSize));
  }
  std::uint64_t bytes = 0;
  if (value.kind == Kind::integer) {
    if (value.integer <= 0 || static_cast<std::uint64_t>(value.integer) > kMaxBytes) {
      return refused(fmt::format("{} bytes is out of range", value.integer));
    }
    bytes = static_cast<std::uint64_t>(value.integer);
  } else {
    const auto parsed = parse_size(value.text);
    if (!parsed) return parsed.error();
    bytes = parsed.value();
  }
  if (key == "block_size" && (bytes > kGiB || bytes % kSector != 0)) {
    return refused(fmt::format("{} bytes is not a multiple of 512 up to 1 GiB", bytes));
  }
  return Setting(bytes);
}

Outcome<Setting> read_time(std::string_view key, const Value& value) {
  const auto parsed = parse_duration(value.text);
  if (!parsed) return parsed.error();
  if (parsed.value() == 0 && key == "runtime") {
    return refused("a measured window of nothing measures nothing");
  }
  if (key == "sample" && (parsed.value() < kShortestSample || parsed.value() > kLongestSample)) {
    return refused(fmt::format("{} is not a time from 1ms to 1h", in_quotes(value.text)));
  }
  if (key == "interval" && parsed.value() > kLongestInterval) {
    return refused(fmt::format("{} is more than 1h, the longest pause", in_quotes(value.text)));
  }
  return Setting(parsed.value());
}

/// The theta of "zipf:THETA"; nothing for any other word, NaN for what is no number.
std::optional<double> zipf_theta(std::string_view text) {
  if (!text.starts_with(kZipf)) return std::nullopt;
  text.remove_prefix(kZipf.size());
  double theta = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), theta);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return whole ? theta : std::numeric_limits<double>::quiet_NaN();
}

Outcome<Setting> read_word(std::string_view key, const Value& value) {
  if (key == "distribution") {
    const auto theta = zipf_theta(value.text);
    if (theta && !(*theta > 0 && *theta <= kSteepest)) {
      return refused(fmt::format("the theta of {} is not above 0 and up to {}",
                                 in_quotes(value.text), kSteepest));
    }
  }
  return Setting(value.text);
}

std::vector<std::string> read_names(const Value& value) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& text) {
    std::string name = text == "sync" ? "psync" : text;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (value.kind == Kind::string) add(value.text);
  for (const Value& item : value.items) add(item.text);
  return names;
}

std::string time_text(std::uint64_t ns) {
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 3> kUnits{
      {{kSecond, "s"}, {kMillisecond, "ms"}, {kMicrosecond, "us"}}};
  for (const auto& [unit, suffix] : kUnits) {
    if (ns % unit == 0) return fmt::format("{}{}", ns / unit, suffix);
  }
  return fmt::format("{}ns", ns);
}

template <class E>
void set_word(const std::string& text, E& target) {
  if (const auto value = from_text<E>(text)) target = *value;
}

void apply_word(std::string_view key, const std::string& text, Workload& workload) {
  if (key == "op") set_word(text, workload.op);
  if (key == "pattern") set_word(text, workload.pattern);
  if (key == "sync") set_word(text, workload.sync);
  if (key == "direct") set_word(text, workload.direct);
  if (key == "cache") set_word(text, workload.cache);
  if (key == "region") set_word(text, workload.region);
  if (key == "layout") set_word(text, workload.layout);
  if (key == "buffer") set_word(text, workload.buffer);
  if (key == "condition") set_word(text, workload.condition);
  if (key == "order") set_word(text, workload.order);
  if (key == "score") set_word(text, workload.score);
  if (key == "distribution") {
    const auto theta = zipf_theta(text);
    workload.distribution = theta ? Distribution::zipf : Distribution::uniform;
    workload.zipf_theta = theta.value_or(0);
  }
}

void apply_flag(std::string_view key, bool flag, Workload& workload) {
  if (key == "end_fsync") workload.end_fsync = flag;
  if (key == "poll") workload.poll = flag;
  if (key == "sqpoll") workload.sqpoll = flag;
}

void apply_number(std::string_view key, std::uint64_t number, Workload& workload) {
  const auto count = static_cast<std::uint32_t>(number);  // the schema keeps counts small
  if (key == "block_size") workload.block_size = number;
  if (key == "queue_depth") workload.queue_depth = count;
  if (key == "threads") workload.threads = count;
  if (key == "runtime") workload.runtime_ns = number;
  if (key == "ramp") workload.ramp_ns = number;
  if (key == "loops") workload.loops = count;
  if (key == "repeat") workload.repeat = count;
  if (key == "interval") workload.interval_ns = number;
  if (key == "ios") workload.ios = number;
  if (key == "bytes") workload.bytes = number;
  if (key == "size") workload.size = number;
  if (key == "read_percent") workload.read_percent = count;
  if (key == "rate_iops") workload.rate_iops = number;
  if (key == "sample") workload.sample_ns = number;
}

}  // namespace

const std::vector<std::string>& known_engines() {
  static const std::vector<std::string> names{"io_uring", "libaio",   "psync",
                                              "sync",     "posixaio", "dd"};
  return names;
}

bool is_workload_key(std::string_view key) { return key_named(key) != nullptr; }

KeyKind kind_of(std::string_view key) { return key_named(key)->kind; }

Outcome<Setting> read_setting(std::string_view key, const Value& value) {
  switch (kind_of(key)) {
    case KeyKind::size:
      return read_size(key, value);
    case KeyKind::time:
      return read_time(key, value);
    case KeyKind::count:
      if (value.integer <= 0) return refused(fmt::format("{} is out of range", value.integer));
      return Setting(static_cast<std::uint64_t>(value.integer));
    case KeyKind::percent:
      if (value.integer < 0 || value.integer > 100) {
        return refused(fmt::format("{} is out of range", value.integer));
      }
      return Setting(static_cast<std::uint64_t>(value.integer));
    case KeyKind::flag:
      return Setting(value.boolean);
    case KeyKind::word:
      return read_word(key, value);
    case KeyKind::names:
      return Setting(read_names(value));
  }
  return refused("no such key");
}

std::string id_text(std::string_view key, const Setting& setting) {
  if (const auto* number = std::get_if<std::uint64_t>(&setting)) {
    return kind_of(key) == KeyKind::time ? time_text(*number) : std::to_string(*number);
  }
  if (const auto* flag = std::get_if<bool>(&setting)) return *flag ? "true" : "false";
  if (const auto* word = std::get_if<std::string>(&setting)) return *word;
  return fmt::format("{}", fmt::join(std::get<std::vector<std::string>>(setting), "+"));
}

std::string label_text(std::string_view key, const Setting& setting) {
  const auto* number = std::get_if<std::uint64_t>(&setting);
  return number != nullptr && kind_of(key) == KeyKind::size ? short_size(*number)
                                                            : id_text(key, setting);
}

void apply(std::string_view key, const Setting& setting, Workload& workload) {
  if (const auto* number = std::get_if<std::uint64_t>(&setting)) {
    apply_number(key, *number, workload);
  } else if (const auto* flag = std::get_if<bool>(&setting)) {
    apply_flag(key, *flag, workload);
  } else if (const auto* word = std::get_if<std::string>(&setting)) {
    apply_word(key, *word, workload);
  } else {
    const auto& names = std::get<std::vector<std::string>>(setting);
    (key == "engine" ? workload.engines : workload.backends) = names;
    (key == "engine" ? workload.engine_named : workload.backend_named) = names.size() == 1;
  }
}

}  // namespace sthd::profile
