#include "kit/table/fields.hpp"
#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// All facts, one line a job and direction; an empty field is an unknown one.
class Csv final : public FormatterPlugin {
 protected:
  [[nodiscard]] FormatterInfo describe() const override { return {{"csv"}, false}; }

  [[nodiscard]] std::string format(const FormatInput& input) const override {
    std::string out;
    for (const table::Field& field : table::fields(input.report, ResultRecord{}, Op::read)) {
      append(field.name, out);
    }
    end_line(out);
    for (const ResultRecord& record : input.report.records) {
      for (const Op op : {Op::read, Op::write}) {
        const Op asked = record.job.workload.op;
        if (asked != op && asked != Op::mixed) continue;
        for (const table::Field& field : table::fields(input.report, record, op)) {
          append(field.is_number ? field.text : harmless(field.text), out);
        }
        end_line(out);
      }
    }
    return out;
  }

 private:
  /// A spreadsheet runs text that begins like a formula; a leading ' makes it text. Numbers of
  /// ours may begin with a minus and stay numbers.
  static std::string harmless(const std::string& text) {
    constexpr std::string_view kFormula = "=+-@\t\r";
    const bool formula = !text.empty() && kFormula.find(text.front()) != std::string_view::npos;
    return formula ? "'" + text : text;
  }
  /// RFC 4180: quoted where needed, quotes doubled.
  static void append(const std::string& text, std::string& out) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
      out += text;
    } else {
      out += '"';
      for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
      out += '"';
    }
    out += ',';
  }
  static void end_line(std::string& out) { out.back() = '\n'; }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Csv, "csv", "Every fact, one line a job and direction")
