#pragma once

#include <cstdint>
#include <random>

#include "sthd/report.hpp"

namespace sthd::record::test {

/// A report with every part filled at random, the same for the same seed on every machine. Texts
/// are valid UTF-8 but otherwise anything; integers have at most `bits` bits.
Report random_report(std::uint64_t seed, unsigned bits = 64);

}  // namespace sthd::record::test
