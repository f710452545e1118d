#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/app/options.hpp"
#include "runner/app/plots.hpp"
#include "runner/app/terminal.hpp"
#include "runner/host/plugin_host.hpp"
#include "sthd/formatter.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// One requested rendering.
struct Output {
  const host::FormatterEntry* formatter = nullptr;
  std::string file;  ///< empty = stdout
};

/// Several records that are shown at once, as they may be shown.
struct Together {
  std::span<const Report> reports;
  std::string json;  ///< what a format that prints JSON prints; empty = the first record's
  const Comparison* comparison = nullptr;
  bool every_format = false;  ///< or only those that show several; the others one after the other
};

/// Where the report goes. File outputs are rewritten (temporary file, fsync, rename) after each
/// job; stdout gets its rows as they finish when it is a terminal and the formatter streams,
/// everything at the end otherwise.
class Outputs {
 public:
  /// What `options` ask for: outputs, fio-style logs and plots, the last two written at the end.
  /// Error{refused}: no such format, two without a file. Error{failed}: a folder that cannot be
  /// written.
  static Outcome<Outputs> open(const Options& options, const host::PluginHost& plugins,
                               Terminal& terminal);

  /// Called when the rows are known, after each job, and at the end.
  void begin(const Report& report);
  void update(const Report& report);
  void finish(const Report& report);

  /// What is shown of `report`: with --share, what names nobody. Good until the next call.
  const Report& shown(const Report& report);

  /// In place of these three: all of several records.
  void finish_together(const Together& all);
  /// Those of all outputs.
  [[nodiscard]] std::vector<const host::FormatterEntry*> formatters() const;
  /// Whether something goes to files that hold one record each.
  [[nodiscard]] bool has_single_files() const;

  /// A sentence for each output that could not be written.
  [[nodiscard]] const std::vector<std::string>& lost() const { return lost_; }

 private:
  explicit Outputs(Terminal& terminal) : terminal_(&terminal) {}
  void write_files(const Report& report, const std::string& json, bool last);
  void write_text(const Output& output, const Outcome<std::string>& text);
  void write_logs(const Report& report);
  [[nodiscard]] FormatInput input(const Report& report, const std::string& json,
                                  const std::vector<Plot>& plots) const;
  void stream_rows(const Report& report);
  void print(const Outcome<std::string>& text);

  Terminal* terminal_;
  std::vector<Output> outputs_;
  std::string log_prefix_;
  PlotFiles plots_;
  bool details_ = false;
  bool share_ = false;
  std::optional<Report> shared_;
  const host::FormatterEntry* on_stdout_ = nullptr;
  bool streams_ = false;
  std::size_t rows_printed_ = 0;
  std::vector<std::string> lost_;
};

}  // namespace sthd::app
