#include "runner/record/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runner/record/fio_figures.hpp"
#include "sthd/units.hpp"

namespace sthd::record {

namespace {

/// I/Os that were in flight when the ramp ended are in the bytes or in the histogram, not always in
/// both. The histogram has every completion of the window once.
void settle_ramp(OpResult& result, const Workload& workload) {
  const std::uint64_t counted = result.lat.count();
  if (workload.ramp_ns == 0 || counted == 0 || workload.block_size == 0) return;
  const std::uint64_t by_bytes = result.bytes / workload.block_size;
  const std::uint64_t in_flight = std::uint64_t{workload.threads} * (workload.queue_depth + 1ULL);
  const auto near = [&](std::uint64_t ios) {
    return std::max(ios, counted) - std::min(ios, counted) <= in_flight;
  };
  if (!near(by_bytes) || !near(result.ios) || counted > kMaxBytes / workload.block_size) return;
  result.ios = counted;
  result.bytes = counted * workload.block_size;
}

/// Of writes with fsync=1 alone: those of fsync=32 would be taken for each write's.
void add_syncs(OpResult& write, const Reader& entry, const Workload& workload) {
  const bool each = workload.sync == SyncMode::fsync || workload.sync == SyncMode::fdatasync;
  const auto sync = entry.find("sync");
  if (!each || !sync) return;
  write.sync = read_fio_latency(*sync, "lat_ns", sync->at("total_ios").u64());
}

void add_direction(LoopResult& loop, const FioJob& job, std::size_t index, Op op) {
  const Workload& workload = job.asked.workload;
  if (workload.op != Op::mixed && workload.op != op) return;
  const Reader& entry = job.entries[index];
  const Reader direction = entry.at(to_text(op));
  OpResult thread = read_fio_direction(direction);
  if (op == Op::write) add_syncs(thread, entry, workload);
  if (!job.asked.mixed_blocks) settle_ramp(thread, workload);
  if (!job.summed_by_fio()) {
    loop.per_thread.push_back({static_cast<std::uint32_t>(index), op, thread.bytes, thread.ios,
                               thread.elapsed_ns, std::nullopt});
  }
  // Those of several threads do not add up.
  if (job.entries.size() == 1 && thread.ios > 0) add_fio_percentiles(loop.counters, direction, op);
  std::optional<OpResult>& all = op == Op::read ? loop.read : loop.write;
  if (all) {
    add_fio_thread(*all, thread, direction);
  } else {
    all = std::move(thread);
  }
}

/// An asynchronous engine that submits one I/O a call spends its slat in it.
void add_submission(LoopResult& loop, const FioOptions& options) {
  if (options.number("iodepth_batch").value_or(1) > 1) return;
  for (const auto* part : {&loop.read, &loop.write}) {
    if (!*part || !(*part)->slat) continue;
    loop.submit_ns = loop.submit_ns.value_or(0) + (*part)->slat->sum_ns();
  }
}

LoopResult loop_of(const FioJob& job) {
  LoopResult loop;
  bool known = true;
  CpuUse cpu;
  for (std::size_t i = 0; i < job.entries.size(); ++i) {
    add_direction(loop, job, i, Op::read);
    add_direction(loop, job, i, Op::write);
    const auto part = read_fio_cpu(job.entries[i]);
    known = known && part;
    cpu += part.value_or(CpuUse{});
  }
  if (known) loop.cpu = cpu;
  add_submission(loop, job.options);
  loop.notes = job.asked.notes;
  if (job.summed_by_fio()) {
    loop.notes.emplace_back("fio added the threads of the group up (group_reporting)");
  }
  return loop;
}

/// A block size for what has many: their mean.
void settle_blocks(const FioJob& job, ResultRecord& record) {
  LoopResult& loop = record.loops.front();
  const auto& part = record.job.workload.op == Op::write ? loop.write : loop.read;
  if (!job.asked.mixed_blocks || !part || part->ios == 0) return;
  record.job.workload.block_size = part->bytes / part->ios;
  loop.notes.emplace_back("blocks of several sizes: their mean stands for them");
}

void end(ResultRecord& record, Status status, std::string reason) {
  record.status = status;
  record.reason = std::move(reason);
}

std::string error_text(std::uint64_t code) {
  constexpr std::uint64_t kMostErrno = 4095;
  const char* name = code <= kMostErrno ? ::strerrorname_np(static_cast<int>(code)) : nullptr;
  return fmt::format("fio reports error {}{}", code,
                     name == nullptr ? "" : fmt::format(" ({})", name));
}

/// What fio itself says against a job's figures.
void judge(ResultRecord& record, const FioJob& job) {
  for (const Reader& entry : job.entries) {
    const auto code = entry.find("error");
    if (code && code->u64() != 0) return end(record, Status::failed, error_text(code->u64()));
  }
  std::uint64_t ios = 0;
  std::uint64_t ran = 0;
  for (const auto* part : {&record.loops.front().read, &record.loops.front().write}) {
    if (!*part) continue;
    ios = std::max(ios, (*part)->ios);
    ran = std::max(ran, (*part)->elapsed_ns);
  }
  if (ios == 0) return end(record, Status::failed, "fio reports no I/O of this job");
  const std::uint64_t asked = record.job.workload.runtime_ns;
  if (job.options.flag("time_based") && ran < asked / 10 * 9) {
    end(record, Status::interrupted,
        fmt::format("fio ended after {} of the {} asked for", human_duration(ran),
                    human_duration(asked)));
  }
}

/// Engines that wait for each I/O: iodepth is a label there.
bool is_synchronous(std::string_view engine) {
  constexpr std::array<std::string_view, 7> kNames{"psync",   "sync", "vsync", "pvsync",
                                                   "pvsync2", "mmap", "splice"};
  return std::find(kNames.begin(), kNames.end(), engine) != kNames.end();
}

Resolution resolution_of(const Workload& workload, const std::string& version) {
  Resolution how;
  how.backend = "fio";
  how.engine = workload.engines.front();
  how.backend_version = version;
  how.workers = workload.threads;
  if (is_synchronous(how.engine)) how.queue_depth_effective = 1;
  if (workload.direct == DirectMode::off) {
    how.direct_effective = false;
    how.direct_reason = "buffered by choice";
  } else {
    how.direct_reason = "asked for; fio does not tell whether the filesystem honours it";
  }
  return how;
}

std::string label_of(const FioJob& job) {
  const Workload& w = job.asked.workload;
  return fmt::format("{} {} {} Q{}T{}", job.name, job.asked.kind,
                     job.asked.mixed_blocks ? "mixed" : short_size(w.block_size), w.queue_depth,
                     w.threads);
}

}  // namespace

std::vector<FioJob> read_fio_jobs(const Reader& document) {
  const auto global = document.find("global options");
  std::vector<FioJob> jobs;
  for (const Reader& entry : document.at("jobs").items()) {
    const std::string name = entry.at("jobname").text();
    const auto group = entry.find("groupid");
    const std::uint64_t number = group ? group->u64() : 0;
    if (!jobs.empty()) {
      FioJob& last = jobs.back();
      if (last.name == name && last.group == number && last.summed_by_fio()) {
        last.entries.push_back(entry);
        continue;
      }
    }
    FioOptions options(global, entry.find("job options"));
    FioWorkload asked = fio_workload(options);
    jobs.push_back({name, number, {entry}, std::move(options), std::move(asked)});
  }
  return jobs;
}

ResultRecord read_fio_record(const FioJob& job, const std::string& version) {
  ResultRecord record;
  record.job = {job.name, job.name, label_of(job), {}, job.asked.workload};
  record.resolution = resolution_of(job.asked.workload, version);
  const Reader& first = job.entries.front();
  if (!job.asked.refusal.empty()) {
    end(record, Status::skipped, job.asked.refusal);
  } else if (first.find("mixed") && !first.find("read")) {
    end(record, Status::skipped, "unified_rw_reporting hides its reads and writes");
  } else {
    record.loops.push_back(loop_of(job));
    settle_blocks(job, record);
    judge(record, job);
  }
  return record;
}

}  // namespace sthd::record
