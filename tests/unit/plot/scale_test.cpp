#include "kit/plot/scale.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace sthd::plot {
namespace {

using Labels = std::vector<std::string>;

Labels labels(const Scale& scale) {
  Labels result;
  for (const Tick& tick : scale.ticks()) result.push_back(tick.label);
  return result;
}

TEST_CASE("A linear axis begins at 0 and is labelled in steps of 1, 2 or 5", "[plot][scale]") {
  const struct {
    double most;
    Labels labels;
  } cases[] = {{10, {"0", "2", "4", "6", "8", "10"}},
               {11, {"0", "5", "10", "15"}},
               {0.7, {"0.0", "0.2", "0.4", "0.6", "0.8"}},
               {4321, {"0", "1000", "2000", "3000", "4000", "5000"}},
               {0, {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
               {5e7, {"0", "1e+07", "2e+07", "3e+07", "4e+07", "5e+07"}}};
  for (const auto& item : cases) {
    INFO(item.most);
    CHECK(labels(Scale(AxisKind::linear, 0, item.most, 5, true)) == item.labels);
  }
}

TEST_CASE("A linear axis that is not rounded ends where its values do", "[plot][scale]") {
  const Scale scale(AxisKind::linear, 0, 11, 5, false);
  CHECK(labels(scale) == Labels{"0", "5", "10"});
  CHECK(scale.at(11) == Approx(1));
  CHECK(scale.at(0) == 0);
}

TEST_CASE("A logarithmic axis ends at 1, 2 or 5 and drops labels that have no room",
          "[plot][scale]") {
  CHECK(labels(Scale(AxisKind::log, 85, 506, 8, true)) ==
        Labels{"50", "100", "200", "500", "1000"});
  CHECK(labels(Scale(AxisKind::log, 0.3, 900, 5, true)) == Labels{"1", "10", "100", "1000"});
  CHECK(labels(Scale(AxisKind::log, 1, 1e8, 5, true)) ==
        Labels{"1", "100", "10000", "1000000", "1e+08"});
  const Scale scale(AxisKind::log, 10, 1000, 8, true);
  CHECK(scale.at(100) == Approx(0.5));
  CHECK(scale.at(10) == Approx(0).margin(1e-12));
}

TEST_CASE("A logarithmic axis of one value has it inside", "[plot][scale]") {
  const Scale scale(AxisKind::log, 100, 100, 8, true);
  CHECK(labels(scale) == Labels{"50", "100", "200"});
  CHECK(scale.at(100) == Approx(0.5));
  const Scale between(AxisKind::log, 85, 85, 8, true);
  CHECK(labels(between) == Labels{"50", "100"});
}

TEST_CASE("A percentile axis counts nines", "[plot][scale]") {
  CHECK(labels(Scale(AxisKind::percentile, 1, 10'000, 10, false)) ==
        Labels{"0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"});
  CHECK(labels(Scale(AxisKind::percentile, 1, 200, 3, false)) == Labels{"0 %", "90 %", "99 %"});
  CHECK(labels(Scale(AxisKind::percentile, 1, 1e6, 4, false)) ==
        Labels{"0 %", "99 %", "99.99 %", "99.9999 %"});
  CHECK(labels(Scale(AxisKind::percentile, 1, 2, 10, false)) == Labels{"0 %", "50 %", "90 %"});
  CHECK(Scale(AxisKind::percentile, 1, 100, 10, false).at(10) == Approx(0.5));
}

TEST_CASE("An axis shows what has a place on it", "[plot][scale]") {
  CHECK(Scale::has(AxisKind::linear, 0));
  CHECK_FALSE(Scale::has(AxisKind::linear, -1));
  CHECK_FALSE(Scale::has(AxisKind::log, 0));
  CHECK(Scale::has(AxisKind::log, 1e-3));
  CHECK_FALSE(Scale::has(AxisKind::linear, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(Scale::has(AxisKind::percentile, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace sthd::plot
