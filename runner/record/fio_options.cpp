#include "runner/record/fio_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "sthd/units.hpp"

namespace sthd::record {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// 1000^n or 1024^n of a suffix; 0 for one that is none.
std::uint64_t factor_of(const std::string& suffix, bool kilo_is_1000) {
  if (suffix.empty() || suffix == "b") return 1;
  const auto power = std::string_view("kmgtp").find(suffix.front());
  if (power == std::string_view::npos) return 0;
  const std::string rest = suffix.substr(1);
  if (!rest.empty() && rest != "b" && rest != "i" && rest != "ib") return 0;
  const bool decimal = (rest == "ib") != kilo_is_1000;
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= decimal ? 1000 : 1024;
  return factor;
}

/// The part for a direction of "read,write": one without a comma is for all.
std::string_view part_of(std::string_view text, Op op) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return text;
  if (op != Op::write) return text.substr(0, comma);
  text.remove_prefix(comma + 1);
  return text.substr(0, text.find(','));
}

void add_note(FioWorkload& job, const FioOptions& options, std::string_view name) {
  if (const auto text = options.text(name)) job.notes.push_back(fmt::format("{}={}", name, *text));
}

void set_pattern(FioWorkload& job, const FioOptions& options) {
  job.kind = options.text("rw").value_or("read");
  const std::string word = job.kind.substr(0, job.kind.find(':'));
  if (word != job.kind) job.notes.push_back("rw=" + job.kind);
  job.kind = word;
  const bool random = word.starts_with("rand");
  const std::string rest = random ? word.substr(4) : word;
  job.workload.pattern = random ? Pattern::random : Pattern::sequential;
  if (rest == "rw" || rest == "readwrite") {
    job.workload.op = Op::mixed;
  } else if (rest == "write") {
    job.workload.op = Op::write;
  } else if (rest != "read") {
    job.refusal = fmt::format("rw={} has no row here; reads, writes and both have", word);
  }
  constexpr std::uint64_t kAll = 100;
  const auto writes = options.number("rwmixwrite");
  const std::uint64_t reads = options.number("rwmixread").value_or(50);  // fio's default
  job.workload.read_percent =
      static_cast<std::uint32_t>(std::min(kAll, writes ? kAll - std::min(kAll, *writes) : reads));
}

void set_blocks(FioWorkload& job, const FioOptions& options) {
  constexpr std::uint64_t kDefault = 4096;
  const std::string text = options.text("bs").value_or("");
  const auto size_for = [&](Op op) {
    const std::string_view part = part_of(text, op);
    return part.empty() ? std::optional(kDefault) : options.parse(part);
  };
  Workload& w = job.workload;
  const auto size = size_for(w.op);
  for (const std::string_view name : {"bssplit", "bsrange", "bs_unaligned"}) {
    if (!options.text(name)) continue;
    job.mixed_blocks = true;
    add_note(job, options, name);
  }
  if (!size || *size == 0) {
    job.mixed_blocks = true;
    add_note(job, options, "bs");
  }
  w.block_size = size.value_or(0);
  const bool differ = w.op == Op::mixed && size_for(Op::read) != size_for(Op::write);
  if (w.op == Op::mixed && (differ || job.mixed_blocks) && job.refusal.empty()) {
    job.refusal = "its reads and writes have blocks of several sizes, which one row cannot hold";
  }
}

void set_sync(FioWorkload& job, const FioOptions& options) {
  Workload& w = job.workload;
  const std::string word = options.text("sync").value_or("0");
  if (word == "1" || word == "sync") w.sync = SyncMode::o_sync;
  if (word == "dsync") w.sync = SyncMode::o_dsync;
  for (const std::string_view name : {"fsync", "fdatasync"}) {
    const std::uint64_t after = options.number(name).value_or(0);
    if (after > 1) job.notes.push_back(fmt::format("{} after every {} writes", name, after));
    if (after == 1) w.sync = *from_text<SyncMode>(name);
  }
  w.end_fsync = w.op != Op::read && options.number("end_fsync").value_or(0) > 0;
}

std::uint32_t small(std::optional<std::uint64_t> value, std::uint32_t otherwise) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return value && *value > 0 ? static_cast<std::uint32_t>(std::min(*value, kMost)) : otherwise;
}

void set_limits(FioWorkload& job, const FioOptions& options) {
  Workload& w = job.workload;
  w.runtime_ns = options.nanoseconds("runtime").value_or(0);
  w.ramp_ns = options.nanoseconds("ramp_time").value_or(0);
  w.size = std::min(options.number("size").value_or(0), kMaxBytes);
  const auto times_threads = [&](std::optional<std::uint64_t> each) {
    return each && *each <= kMaxBytes / w.threads ? *each * w.threads : 0;
  };
  w.bytes = times_threads(options.number("io_size"));
  w.ios = times_threads(options.number("number_ios"));
  const auto rate = options.text("rate_iops");
  if (rate) w.rate_iops = times_threads(options.parse(part_of(*rate, w.op)));
  const auto bandwidth = options.text("rate");
  if (bandwidth && w.rate_iops == 0 && w.block_size > 0) {
    w.rate_iops =
        times_threads(options.parse(part_of(*bandwidth, w.op)).value_or(0) / w.block_size);
  }
  for (const auto* name : {"rate", "rate_iops", "thinktime", "loops", "verify", "latency_target"}) {
    add_note(job, options, name);
  }
}

void set_distribution(FioWorkload& job, const FioOptions& options) {
  const std::string text = options.text("random_distribution").value_or("random");
  constexpr std::string_view kZipf = "zipf:";
  double theta = 0;
  if (text.starts_with(kZipf)) {
    std::from_chars(text.data() + kZipf.size(), text.data() + text.size(), theta);
  }
  if (theta > 0 && theta < 100) {
    job.workload.distribution = Distribution::zipf;
    job.workload.zipf_theta = theta;
  } else if (text != "random") {
    job.notes.push_back("random_distribution=" + text);
  }
}

}  // namespace

FioOptions::FioOptions(const std::optional<Reader>& global, const std::optional<Reader>& job) {
  for (const auto& part : {global, job}) {
    if (!part) continue;
    if (!part->json().is_object()) part->fail("is no object");
    for (const auto& [name, value] : part->json().items()) {
      if (value.is_string()) values_[name] = value.get<std::string>();
    }
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kAliases{
      {{"readwrite", "rw"}, {"blocksize", "bs"}}};
  for (const auto& [alias, name] : kAliases) {
    if (const auto value = text(alias)) values_.emplace(name, *value);
  }
  kilo_is_1000_ = text("kb_base") == "1000";
}

std::optional<std::string> FioOptions::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> FioOptions::number(std::string_view name) const {
  const auto value = text(name);
  return value ? parse(*value) : std::nullopt;
}

std::optional<std::uint64_t> FioOptions::nanoseconds(std::string_view name) const {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto parsed = parse_duration(*value, true);
  return parsed.ok() ? std::optional(*parsed) : std::nullopt;
}

bool FioOptions::flag(std::string_view name) const {
  const auto value = text(name);
  return value && (value->empty() || *value == "1");
}

std::optional<std::uint64_t> FioOptions::parse(std::string_view text) const {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (read.ec != std::errc{}) return std::nullopt;
  const std::string_view suffix(read.ptr,
                                static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  const std::uint64_t factor = factor_of(lower(suffix), kilo_is_1000_);
  std::uint64_t product = 0;
  if (factor == 0 || __builtin_mul_overflow(value, factor, &product)) return std::nullopt;
  return product;
}

FioWorkload fio_workload(const FioOptions& options) {
  FioWorkload job;
  Workload& w = job.workload;
  set_pattern(job, options);
  set_blocks(job, options);
  w.queue_depth = small(options.number("iodepth"), 1);
  w.threads = small(options.number("numjobs"), 1);
  set_sync(job, options);
  set_limits(job, options);
  if (w.pattern == Pattern::random) set_distribution(job, options);
  const bool direct = options.text("buffered") ? options.text("buffered") == "0"
                                               : options.number("direct").value_or(0) > 0;
  w.direct = direct ? DirectMode::required : DirectMode::off;
  w.region = options.text("filename") ? Region::same : Region::own;
  w.buffer = options.flag("zero_buffers") ? BufferKind::zeros : BufferKind::random;
  w.engines = {options.text("ioengine").value_or("psync")};  // fio's default on Linux
  w.engine_named = true;
  w.backends = {"fio"};
  w.backend_named = true;
  return job;
}

}  // namespace sthd::record
