#include "kit/process/fio_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sthd/text.hpp"

namespace sthd::process {
namespace {

/// Our engine names are fio's own, but for dd's.
std::string_view fio_engine(std::string_view engine) { return engine == "dd" ? "psync" : engine; }

std::string fio_time(std::uint64_t ns) {
  return ns % kMillisecond == 0 ? fmt::format("{}ms", ns / kMillisecond)
                                : fmt::format("{}us", (ns + 999) / kMicrosecond);
}

std::string_view fio_rw(const Workload& w) {
  const bool random = w.pattern == Pattern::random;
  switch (w.op) {
    case Op::read:
      return random ? "randread" : "read";
    case Op::write:
      return random ? "randwrite" : "write";
    case Op::mixed:
      break;
  }
  return random ? "randrw" : "rw";
}

std::uint64_t divided_up(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

/// Each thread works in a part of its own: sequential threads would else read what the first one
/// has just brought into a cache.
bool own_parts(const Workload& w, std::uint64_t jobs) {
  if (jobs == 1) return false;
  if (w.region == Region::own) return true;
  return w.pattern == Pattern::sequential && (w.region == Region::auto_ || w.threads == 1);
}

void add_extent(std::vector<std::string>& out, const Workload& w, std::uint64_t jobs) {
  const std::uint64_t blocks = w.size / w.block_size;
  if (own_parts(w, jobs)) {
    const std::uint64_t part = std::max<std::uint64_t>(blocks / jobs, 1) * w.block_size;
    out.push_back(fmt::format("--size={}", part));
    out.push_back(fmt::format("--offset_increment={}", part));
  } else {
    out.push_back(fmt::format("--size={}", blocks * w.block_size));
  }
  if (w.pattern == Pattern::random) {
    out.emplace_back("--norandommap");
    if (w.distribution == Distribution::zipf) {
      out.push_back(fmt::format("--random_distribution=zipf:{}", w.zipf_theta));
    }
    if (blocks > UINT32_MAX) out.emplace_back("--random_generator=tausworthe64");
  }
}

void add_duration(std::vector<std::string>& out, const Workload& w, std::uint64_t jobs) {
  const std::uint64_t limit = limit_in_ios(w);
  if (limit > 0) {
    out.push_back(fmt::format("--io_size={}", divided_up(limit, jobs) * w.block_size));
  } else {
    out.emplace_back("--time_based");
  }
  if (w.runtime_ns > 0) out.push_back("--runtime=" + fio_time(w.runtime_ns));
  if (w.ramp_ns > 0) out.push_back("--ramp_time=" + fio_time(w.ramp_ns));
}

/// fio has a rate for each direction of each of its jobs.
void add_rate(std::vector<std::string>& out, const Workload& w, std::uint64_t jobs) {
  const std::uint64_t each = divided_up(w.rate_iops, jobs);
  if (w.op == Op::mixed) {
    const std::uint64_t reads = each * w.read_percent / 100;
    out.push_back(fmt::format("--rate_iops={},{}", reads, each - reads));
  } else {
    out.push_back(fmt::format("--rate_iops={}", each));
  }
}

void add_writing(std::vector<std::string>& out, const Workload& w, const FioSettings& settings,
                 std::uint64_t jobs) {
  out.emplace_back(w.buffer == BufferKind::zeros ? "--zero_buffers" : "--refill_buffers");
  switch (w.sync) {
    case SyncMode::o_sync:
      out.emplace_back("--sync=1");
      break;
    case SyncMode::o_dsync:
      out.emplace_back("--sync=dsync");
      break;
    case SyncMode::fsync:
      out.emplace_back("--fsync=1");
      break;
    case SyncMode::fdatasync:
      out.emplace_back("--fdatasync=1");
      break;
    case SyncMode::none:
      if (settings.flush) {
        const std::uint64_t each = w.size / w.block_size / jobs;
        out.push_back(fmt::format("--fdatasync={}", std::max<std::uint64_t>(each, 1)));
      }
      break;
  }
  if (w.end_fsync) out.emplace_back("--end_fsync=1");
}

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+%@";

/// A word that cannot be shown as it is, for a shell: "$(printf -- 'a\033b')".
std::string printed(std::string_view word) {
  std::string format;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '\'') {
      format += fmt::format("\\{:03o}", byte);
    } else {
      if (c == '\\' || c == '%') format += c;
      format += c;
    }
  }
  return fmt::format("\"$(printf -- '{}')\"", format);
}

std::string quoted(std::string_view word) {
  if (display(word) != word) return printed(word);
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return std::string(word);
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace

std::string fio_filename(std::string_view path) {
  std::string out = "--filename=";
  for (const char c : path) {
    if (c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::uint64_t fio_jobs(const Workload& workload, std::string_view engine) {
  const bool synchronous = fio_engine(engine) == "psync";
  return std::uint64_t{workload.threads} * (synchronous ? workload.queue_depth : 1);
}

std::vector<std::string> fio_load(const Workload& w, const FioSettings& settings) {
  const std::uint64_t jobs = fio_jobs(w, settings.engine);
  std::vector<std::string> out{fmt::format("--ioengine={}", fio_engine(settings.engine)),
                               fmt::format("--rw={}", fio_rw(w)),
                               fmt::format("--bs={}", w.block_size),
                               fmt::format("--iodepth={}", jobs == w.threads ? w.queue_depth : 1),
                               fmt::format("--numjobs={}", jobs),
                               "--thread",
                               fmt::format("--direct={}", settings.direct ? 1 : 0)};
  if (w.op == Op::mixed) out.push_back(fmt::format("--rwmixread={}", w.read_percent));
  if (w.poll) out.emplace_back("--hipri");
  if (w.sqpoll) out.emplace_back("--sqthread_poll");
  add_extent(out, w, jobs);
  add_duration(out, w, jobs);
  if (w.rate_iops > 0) add_rate(out, w, jobs);
  if (w.op != Op::read) add_writing(out, w, settings, jobs);
  return out;
}

std::vector<std::string> fio_arguments(const Job& job, const FioSettings& settings) {
  const Workload& w = job.workload;
  std::vector<std::string> out;
  if (w.op == Op::read) out.emplace_back("--readonly");
  out.insert(out.end(), {"--name=j0", fio_filename(settings.filename)});
  for (std::string& argument : fio_load(w, settings)) out.push_back(std::move(argument));
  const bool full = w.layout == Layout::full;  // else fio begins with a new file, as we do
  out.insert(out.end(),
             {"--randrepeat=0", "--invalidate=0", "--fallocate=none",
              fmt::format("--allow_file_create={}", full ? 0 : 1), "--exitall_on_error=1",
              "--lat_percentiles=1", "--clat_percentiles=1", "--slat_percentiles=1"});
  if (settings.group) out.emplace_back("--group_reporting=1");
  return out;
}

Job one_io_of(const Job& job, std::string_view engine, std::uint64_t file_bytes) {
  Job one = job;
  Workload& w = one.workload;
  if (w.block_size > file_bytes) w.block_size = file_bytes / (4 * kKiB) * (4 * kKiB);
  w.size = w.block_size;
  if (w.op == Op::mixed) w.op = Op::write;  // one I/O has one direction
  w.threads = 1;
  if (fio_jobs(w, engine) > 1) w.queue_depth = 1;
  w.ios = 1;
  w.bytes = w.runtime_ns = w.ramp_ns = 0;
  w.end_fsync = false;
  return one;
}

std::string command_line(std::string_view program, const std::vector<std::string>& arguments) {
  std::string line = quoted(program);
  for (const auto& argument : arguments) line += " " + quoted(argument);
  return line;
}

}  // namespace sthd::process
