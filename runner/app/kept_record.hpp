#pragma once

#include <optional>
#include <string>

#include "runner/app/options.hpp"
#include "runner/host/run_store.hpp"
#include "sthd/report.hpp"
#include "sthd/result.hpp"

namespace sthd::app {

/// The record of one run on its way into the store: a journal while rows are measured, the whole at
/// the end. What goes wrong costs a sentence, never the run. Off with --no-save, and where the
/// environment says CI.
class KeptRecord {
 public:
  explicit KeptRecord(const Options& options);

  /// Before the first row, with a report that has everything but records.
  void begin(const Report& report);
  /// After each row.
  void add(const ResultRecord& record);
  /// With the report that is complete. Older runs make room for it.
  void finish(const Report& report);

  /// Where the record is, or why it is not; empty = off, or there was no row.
  [[nodiscard]] std::string sentence() const;

 private:
  bool wanted_;
  std::optional<host::RunFiles> files_;
  std::string name_;
  std::size_t added_ = 0;
  bool journal_ends_ = false;  ///< a part could not be written, and what follows must not
  std::string fault_;
};

}  // namespace sthd::app
