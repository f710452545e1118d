#include "runner/profile/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runner/profile/expect.hpp"
#include "runner/profile/keys.hpp"
#include "runner/profile/label.hpp"
#include "sthd/metrics.hpp"

namespace sthd::profile {
namespace {

constexpr std::string_view kMetrics =
    "iops, bw, bytes, seconds, depth, submit_share, or lat, clat, slat, sync or response with "
    ".min, .mean, .max, .p50, .p99, .p99_9";

class FileCheck {
 public:
  explicit FileCheck(const Diagnostics& known) : known_(known) {}

  void run(const Value& file) {
    if (const Value* defaults = file.find("defaults")) workload(*defaults);
    for (const Value* job : tables_of(file, "job")) {
      workload(*job);
      if (const Value* label = job->find("label")) this->label(*label);
      if (const Value* matrix = job->find("matrix")) axes(*matrix);
      for (const Value* table : tables_of(*job, "exclude")) partial(*table);
      for (const Value* table : tables_of(*job, "include")) workload(*table);
    }
    for (const Value* column : tables_of(file, "column")) {
      if (const Value* metric = column->find("metric")) this->metric(*metric);
    }
    for (const Value* expect : tables_of(file, "expect")) {
      if (const Value* match = expect->find("match")) partial(*match);
      figure_faults(
          *expect, [this](const Place& place) { return faulty(place); }, faults_);
    }
  }

  Diagnostics take() { return std::move(faults_); }

 private:
  [[nodiscard]] bool faulty(const Place& place) const {
    return std::any_of(known_.begin(), known_.end(), [&place](const Diagnostic& fault) {
      return fault.line == place.line && fault.column == place.column;
    });
  }

  void setting(const std::string& key, const Value& value) {
    if (!is_workload_key(key) || faulty(value.place)) return;
    for (const Value& item : value.items) {
      if (faulty(item.place)) return;
    }
    if (const auto read = read_setting(key, value); !read) {
      faults_.push_back(fault_at(value.place, fmt::format("{}: {}", key, read.error().message)));
    }
  }

  void workload(const Value& table) {
    if (table.kind != Kind::table) return;
    for (const Entry& entry : table.entries) setting(entry.key, entry.value);
  }

  void each(const std::string& key, const Value& list) {
    for (const Value& item : list.items) {
      item.kind == Kind::table ? workload(item) : setting(key, item);
    }
  }

  void axes(const Value& matrix) {
    for (const Entry& axis : matrix.entries) each(axis.key, axis.value);
  }

  void partial(const Value& table) {
    for (const Entry& entry : table.entries) {
      entry.value.kind == Kind::array ? each(entry.key, entry.value)
                                      : setting(entry.key, entry.value);
    }
  }

  void label(const Value& label) {
    if (label.kind != Kind::string) return;
    for (const LabelPart& part : label_parts(label.text)) {
      if (!part.placeholder || placeholder_key(part.text)) continue;
      const bool brace = part.text == "{" || part.text == "}";
      faults_.push_back(
          fault_at(inside(label, part, brace),
                   brace ? fmt::format("a \"{}\" without its partner in the label", part.text)
                         : fmt::format("unknown placeholder {{{}}} in the label", part.text),
                   brace ? "write it twice to mean the character itself"
                         : did_you_mean(part.text, placeholder_names())));
    }
  }

  /// The placeholder's own place, where the label is written without escapes.
  static Place inside(const Value& label, const LabelPart& part, bool brace) {
    Place place = label.place;
    const bool plain = label.text.find_first_of("\"\\\n") == std::string::npos &&
                       place.file->line(place.line).find(label.text) != std::string_view::npos;
    if (!plain) return place;
    place.column += static_cast<unsigned>(1 + part.offset);
    place.length = brace ? 1 : static_cast<unsigned>(part.text.size() + 2);
    return place;
  }

  void metric(const Value& metric) {
    if (metric.kind != Kind::string || faulty(metric.place) || is_metric(metric.text)) return;
    std::vector<std::string> names{"iops", "bw", "bytes", "seconds", "depth", "submit_share"};
    for (const char* family : {"lat", "clat", "slat", "sync", "response"}) {
      for (const char* figure : {"min", "mean", "max", "p50", "p99", "p99_9"}) {
        names.push_back(fmt::format("{}.{}", family, figure));
      }
    }
    std::string near = did_you_mean(metric.text, names);
    faults_.push_back(fault_at(metric.place,
                               fmt::format("unknown metric {}", in_quotes(metric.text)),
                               near.empty() ? fmt::format("known are {}", kMetrics) : near));
  }

  const Diagnostics& known_;
  Diagnostics faults_;
};

/// Units that a metric may be shown in, the default first.
std::vector<std::string> units_of(const std::string& metric) {
  if (metric == "iops" || metric == "depth") return {""};
  if (metric == "submit_share") return {"%"};
  if (metric == "bw") return {"MB/s"};
  if (metric == "bytes") return {"B"};
  if (metric == "seconds") return {"s", "ms"};
  return {"us", "ms", "s"};
}

int default_precision(const std::string& metric) {
  if (metric == "iops" || metric == "bytes") return 0;
  return metric == "bw" || metric == "seconds" ? 2 : 1;
}

}  // namespace

Diagnostics value_faults(const Value& file, const Diagnostics& known) {
  FileCheck check(known);
  check.run(file);
  return check.take();
}

std::vector<Column> columns_of(const Value& profile, Diagnostics& faults) {
  std::vector<Column> columns;
  for (const Value* table : tables_of(profile, "column")) {
    Column column;
    column.id = text_of(*table, "id");
    column.title = text_of(*table, "title");
    column.metric = text_of(*table, "metric");
    column.op = from_text<Op>(text_of(*table, "op"));
    const std::vector<std::string> units = units_of(column.metric);
    column.unit = units.front();
    if (const Value* unit = table->find("unit")) {
      column.unit = unit->text;
      if (std::find(units.begin(), units.end(), unit->text) == units.end()) {
        faults.push_back(
            fault_at(unit->place,
                     fmt::format("{} cannot be shown in {}", column.metric,
                                 unit->text.empty() ? "no unit" : in_quotes(unit->text)),
                     fmt::format("it has {}", list_in_quotes(units))));
      }
    }
    const Value* precision = table->find("precision");
    column.precision = precision != nullptr ? static_cast<int>(precision->integer)
                                            : default_precision(column.metric);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace sthd::profile
