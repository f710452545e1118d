#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit/text/xml.hpp"

namespace sthd::html {

using text::xml_escaped;

/// `json` for a <script type="application/json">: the same values, and nothing in it ends the
/// element or is one of the characters that display() escapes.
std::string embedded_json(std::string_view json);

/// "1234.5" for a table that a chart is drawn from; empty for unknown.
std::string number_text(std::optional<double> value, int precision);

enum class Align { numbers, texts };

/// A table with a caption, in a box that can be scrolled. Texts are escaped here.
class TableText {
 public:
  /// `heads` holds that of the first column too, whose cells name their rows.
  TableText(std::string_view caption, const std::vector<std::string>& heads, Align align);
  void row(std::string_view name, const std::vector<std::string>& cells);
  /// What follows is about the rows above: sums, numbers.
  void foot();
  [[nodiscard]] std::string text() const;

 private:
  std::string text_;
};

/// "<section><h2>…</h2>body</section>"; nothing without a body.
std::string section(std::string_view title, std::string_view body);

/// What can be opened; `body` is markup.
std::string folded(std::string_view summary, std::string_view body, bool open = false);

/// Tables that page.js draws as a chart of this kind; without it they are shown folded.
std::string plot(std::string_view kind, std::string_view title, std::string_view tables);

/// "<ul>" of texts; nothing for none.
std::string list(const std::vector<std::string>& texts);

}  // namespace sthd::html
