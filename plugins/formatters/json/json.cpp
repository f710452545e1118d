#include "sthd/abi.hpp"

namespace sthd {
namespace {

/// The whole record (result.v1) or comparison (comparison.v1), as the runner serialised it.
class Json final : public FormatterPlugin {
 protected:
  [[nodiscard]] FormatterInfo describe() const override {
    return {.extensions = {"json"}, .compares = true};
  }
  [[nodiscard]] std::string format(const FormatInput& input) const override {
    std::string text(input.record_json);
    if (text.empty() || text.back() != '\n') text += '\n';
    return text;
  }
};

}  // namespace
}  // namespace sthd

STHD_FORMATTER_PLUGIN(sthd::Json, "json", "The whole record as JSON (result.v1)")
