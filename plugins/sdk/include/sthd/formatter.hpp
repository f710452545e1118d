#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sthd/comparison.hpp"
#include "sthd/outcome.hpp"
#include "sthd/report.hpp"

namespace sthd {

/// A picture that was written beside the text.
struct Plot {
  std::string title;
  std::string path;  ///< as the text may refer to it
};

/// All that a formatter sees. `record_json` is the report as result.v1 JSON: json prints it, html
/// embeds it.
struct FormatInput {
  const Report& report;
  std::string_view record_json;
  /// Where several records are shown together: all of them, `report` the first, and their JSON.
  std::span<const Report> reports = {};
  std::span<const std::string> record_jsons = {};
  const Comparison* comparison = nullptr;  ///< of `reports`; set only where info() takes it
  bool details = false;                    ///< `--details`: the environment in full
  std::span<const Plot> plots = {};        ///< `--plots`
};

struct FormatterInfo {
  std::vector<std::string> extensions;  ///< "md", "json": what -o FILE picks it by; may be empty
  bool streams = false;   ///< can print row by row: head() + row(0…n-1) + tail() == render()
  bool compares = false;  ///< shows FormatInput::comparison when it is set, instead of the report
  bool several = false;   ///< shows all records of a `render` together, with their comparison
};

/// Renders a report as text. Pure: no I/O, no clock, no locale, no state between calls.
class Formatter {
 public:
  virtual ~Formatter() = default;
  /// Required.
  [[nodiscard]] virtual Outcome<FormatterInfo> info() const noexcept = 0;
  /// Required. The whole text, ending with a newline.
  [[nodiscard]] virtual Outcome<std::string> render(const FormatInput& input) const noexcept = 0;
  /// Where info().streams: the parts of render(). Before a row's jobs have finished only head() is
  /// asked for; `row` counts the table's rows in order (labels of report.plan.jobs).
  [[nodiscard]] virtual Outcome<std::string> head(const FormatInput& input) const noexcept = 0;
  [[nodiscard]] virtual Outcome<std::string> row(const FormatInput& input,
                                                 std::size_t index) const noexcept = 0;
  [[nodiscard]] virtual Outcome<std::string> tail(const FormatInput& input) const noexcept = 0;
};

/// What an author derives from; exceptions become Errors here, inside the plugin.
class FormatterPlugin : public Formatter {
 public:
  [[nodiscard]] Outcome<FormatterInfo> info() const noexcept final {
    return guarded<FormatterInfo>([&] { return describe(); });
  }
  [[nodiscard]] Outcome<std::string> render(const FormatInput& input) const noexcept final {
    return guarded<std::string>([&] { return format(input); });
  }
  [[nodiscard]] Outcome<std::string> head(const FormatInput& input) const noexcept final {
    return guarded<std::string>([&] { return format_head(input); });
  }
  [[nodiscard]] Outcome<std::string> row(const FormatInput& input,
                                         std::size_t index) const noexcept final {
    return guarded<std::string>([&] { return format_row(input, index); });
  }
  [[nodiscard]] Outcome<std::string> tail(const FormatInput& input) const noexcept final {
    return guarded<std::string>([&] { return format_tail(input); });
  }

 protected:
  [[nodiscard]] virtual FormatterInfo describe() const = 0;
  [[nodiscard]] virtual std::string format(const FormatInput& input) const = 0;
  [[nodiscard]] virtual std::string format_head(const FormatInput&) const { return {}; }
  [[nodiscard]] virtual std::string format_row(const FormatInput&, std::size_t) const { return {}; }
  [[nodiscard]] virtual std::string format_tail(const FormatInput&) const { return {}; }
};

}  // namespace sthd
