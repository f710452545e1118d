#pragma once

#include <array>
#include <string_view>

#include "sthd/report.hpp"

namespace sthd::test {

/// A report in which every place that can name a machine, a person or a disk does.
Report named_report();

/// What must not be found in what is made of it with --share, in any case of letters.
inline constexpr std::array<std::string_view, 15> kNames{
    "nas01",        "acme",     "jdoe",        "S6PNNS0W123456", "5000c500a1b2c3d4",
    "192.168.7.21", "fd00::7",  "52:54:00:12", "filer",          "8d2f7c1e-51f0",
    "secret-note",  "MYDOMAIN", "/home/jd",    "cmdline-marker", "S5GXNX0R654321"};

}  // namespace sthd::test
