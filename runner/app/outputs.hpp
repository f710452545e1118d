#pragma once

#include <string>
#include <vector>

#include "runner/app/options.hpp"
#include "runner/app/terminal.hpp"
#include "runner/host/plugin_host.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd::app {

/// One requested rendering.
struct Output {
  const host::FormatterEntry* formatter = nullptr;
  std::string file;  ///< empty = stdout
};

/// Where the report goes. File outputs are rewritten (temporary file, fsync, rename) after each
/// job; stdout gets its rows as they finish when it is a terminal and the formatter streams,
/// everything at the end otherwise.
class Outputs {
 public:
  /// `log_prefix`: of fio-style logs, written at the end; empty = none. Error{refused}: no such
  /// format, two without a file. Error{failed}: a folder that cannot be written.
  static Outcome<Outputs> open(const std::vector<OutputRequest>& requests,
                               const std::string& log_prefix, const host::PluginHost& plugins,
                               Terminal& terminal);

  /// Called when the rows are known, after each job, and at the end.
  void begin(const Report& report);
  void update(const Report& report);
  void finish(const Report& report);

  /// A sentence for each output that could not be written.
  [[nodiscard]] const std::vector<std::string>& lost() const { return lost_; }

 private:
  explicit Outputs(Terminal& terminal) : terminal_(&terminal) {}
  void write_files(const Report& report, bool last);
  void write_logs(const Report& report);
  void stream_rows(const Report& report);
  void print(const Outcome<std::string>& text);

  Terminal* terminal_;
  std::vector<Output> outputs_;
  std::string log_prefix_;
  const host::FormatterEntry* on_stdout_ = nullptr;
  bool streams_ = false;
  std::size_t rows_printed_ = 0;
  std::vector<std::string> lost_;
};

}  // namespace sthd::app
