#include <string>

#include "sthd/metrics.hpp"

namespace sthd {
namespace {

std::string disk_counter(std::size_t disk, std::string_view name) {
  return "disk." + std::to_string(disk) + "." + std::string(name);
}

/// The sum over both directions, or what one of them has.
template <class F>
std::optional<double> of_directions(Op op, F total) {
  if (op != Op::mixed) return total(op);
  const std::optional<double> read = total(Op::read);
  const std::optional<double> write = total(Op::write);
  return read && write ? std::optional(*read + *write) : std::nullopt;
}

std::optional<double> ratio(std::optional<double> ticks_ns, std::optional<double> ios) {
  if (!ticks_ns || !ios || *ios <= 0) return std::nullopt;
  return *ticks_ns / *ios;
}

}  // namespace

std::optional<double> counter_total(const ResultRecord& record, std::string_view name) {
  if (record.loops.empty()) return std::nullopt;
  double total = 0;
  for (const LoopResult& loop : record.loops) {
    const auto value = fact_number(loop.counters, name);
    if (!value) return std::nullopt;
    total += *value;
  }
  return total;
}

std::size_t disk_count(const ResultRecord& record) {
  if (record.loops.empty()) return 0;
  std::size_t count = 0;
  while (find_fact(record.loops.front().counters, disk_counter(count, "name")) != nullptr) ++count;
  return count;
}

std::optional<double> disk_total(const ResultRecord& record, std::string_view name,
                                 std::optional<std::size_t> disk) {
  if (disk) return counter_total(record, disk_counter(*disk, name));
  const std::size_t count = disk_count(record);
  std::optional<double> total;
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = counter_total(record, disk_counter(i, name));
    if (!part) return std::nullopt;
    total = total.value_or(0) + *part;
  }
  return total;
}

std::optional<double> device_mean_ns(const ResultRecord& record, Op op,
                                     std::optional<std::size_t> disk) {
  const auto total = [&](std::string_view name) {
    return of_directions(op, [&](Op one) {
      return disk_total(record, std::string(to_text(one)) + std::string(name), disk);
    });
  };
  return ratio(total("_ticks_ns"), total("_ios"));
}

std::optional<double> device_flush_mean_ns(const ResultRecord& record,
                                           std::optional<std::size_t> disk) {
  return ratio(disk_total(record, "flush_ticks_ns", disk), disk_total(record, "flush_ios", disk));
}

std::optional<double> device_bytes(const ResultRecord& record, Op op) {
  return of_directions(
      op, [&](Op one) { return disk_total(record, std::string(to_text(one)) + "_bytes"); });
}

std::optional<double> job_bytes(const ResultRecord& record, Op op) {
  const auto bytes = metric(record, op, "bytes");
  return bytes ? std::optional(bytes->value) : std::nullopt;
}

}  // namespace sthd
