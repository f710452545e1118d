#include "sthd/units.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace sthd {
namespace {

using Table = std::vector<std::pair<std::string, std::uint64_t>>;
using Faults = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("Sizes are read whole, binary with k or KiB, decimal with kB", "[sdk][units]") {
  const Table table{{"1", 1},
                    {"4096", 4096},
                    {"4k", 4096},
                    {"4K", 4096},
                    {"4KiB", 4096},
                    {"4kib", 4096},
                    {"4kB", 4000},
                    {"4KB", 4000},
                    {"1m", kMiB},
                    {"1MB", 1'000'000},
                    {"2GiB", 2 * kGiB},
                    {"2gb", 2'000'000'000},
                    {"1t", 1024 * kGiB},
                    {"1TB", 1'000'000'000'000},
                    {"1.5k", 1536},
                    {"0.5KiB", 512},
                    {"00004k", 4096},
                    {"0000000000000000000000000000001", 1},
                    {"4194304t", kMaxBytes},
                    {"4611686018427387904", kMaxBytes}};
  for (const auto& [text, bytes] : table) {
    INFO(text);
    const auto parsed = parse_size(text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == bytes);
  }
}

TEST_CASE("Sizes that are none are refused with one clause", "[sdk][units]") {
  const std::string form = " is not a size (write 4096, 4k, 1MiB or 1GB)";
  const std::string unit =
      " has an unknown unit (k, m, g, t and KiB, MiB, GiB, TiB are binary; kB, MB, GB, TB are "
      "decimal)";
  const std::string most = " is more than 4 EiB, the largest size";
  const Faults table{{"", "\"\"" + form},
                     {"-1", "\"-1\"" + form},
                     {"+1", "\"+1\"" + form},
                     {"k", "\"k\"" + form},
                     {"1.", "\"1.\"" + form},
                     {".5k", "\".5k\"" + form},
                     {" 4k", "\" 4k\"" + form},
                     {"4k ", "\"4k \"" + unit},
                     {"4 k", "\"4 k\"" + unit},
                     {"4Ki", "\"4Ki\"" + unit},
                     {"4x", "\"4x\"" + unit},
                     {"1e3", "\"1e3\"" + unit},
                     {"0x10", "\"0x10\"" + unit},
                     {std::string("4k\0", 3), "\"4k\\x00\"" + unit},
                     {"4\x1b[m", "\"4\\x1b[m\"" + unit},
                     {"0", "\"0\" is not a size: it must be at least 1 byte"},
                     {"0.0g", "\"0.0g\" is not a size: it must be at least 1 byte"},
                     {"0.5", "\"0.5\" is not a whole number of bytes"},
                     {"1.0001k", "\"1.0001k\" is not a whole number of bytes"},
                     {"1.00000000000001t", "\"1.00000000000001t\" is not a whole number of bytes"},
                     {"4611686018427387905", "\"4611686018427387905\"" + most},
                     {"4194305t", "\"4194305t\"" + most},
                     {"4194304.5t", "\"4194304.5t\"" + most},
                     {"18446744073709551617", "\"18446744073709551617\"" + most},
                     {"16777216t", "\"16777216t\"" + most},
                     {"99999999999999999999t", "\"99999999999999999999t\"" + most},
                     {"340282366920938463463374607431768211457",
                      "\"340282366920938463463374607431768211457\"" + most}};
  for (const auto& [text, message] : table) {
    INFO(text);
    const auto parsed = parse_size(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().message == message);
    CHECK(parsed.error().code == ErrorCode::refused);
  }
}

TEST_CASE("Durations are read whole, with their unit", "[sdk][units]") {
  const Table table{{"0s", 0},
                    {"500us", 500'000},
                    {"500ms", 500'000'000},
                    {"5s", 5 * kSecond},
                    {"1m", 60 * kSecond},
                    {"2h", 7200 * kSecond},
                    {"1d", 86'400 * kSecond},
                    {"1.5s", 1'500'000'000},
                    {"30d", kMaxDuration}};
  for (const auto& [text, ns] : table) {
    INFO(text);
    const auto parsed = parse_duration(text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == ns);
  }
  REQUIRE(parse_duration("30", true).ok());
  CHECK(*parse_duration("30", true) == 30 * kSecond);
  CHECK(*parse_duration("0.25", true) == 250'000'000);
  CHECK(*parse_duration("7ms", true) == 7'000'000);
}

TEST_CASE("Durations that are none are refused with one clause", "[sdk][units]") {
  const Faults table{{"5", "\"5\" has no unit (write 500ms, 5s, 1m or 2h)"},
                     {"", "\"\" is not a time (write 500ms, 5s, 1m or 2h)"},
                     {"-1s", "\"-1s\" is not a time (write 500ms, 5s, 1m or 2h)"},
                     {"1M", "\"1M\" has an unknown unit (us, ms, s, m, h or d)"},
                     {"1m30s", "\"1m30s\" has an unknown unit (us, ms, s, m, h or d)"},
                     {"5 s", "\"5 s\" has an unknown unit (us, ms, s, m, h or d)"},
                     {"0.0001us", "\"0.0001us\" is not a whole number of nanoseconds"},
                     {"31d", "\"31d\" is more than 30 days, the longest time"},
                     {"18446744073709551616s",
                      "\"18446744073709551616s\" is more than 30 days, the longest time"}};
  for (const auto& [text, message] : table) {
    INFO(text);
    const auto parsed = parse_duration(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().message == message);
  }
}

TEST_CASE("Short sizes are exact and read back as themselves", "[sdk][units]") {
  const std::vector<std::pair<std::uint64_t, std::string>> table{
      {4096, "4K"}, {kMiB, "1M"},        {1000, "1000"},         {1536, "1536"},
      {1, "1"},     {3 * kMiB, "3M"},    {kMiB + kKiB, "1025K"}, {kGiB, "1G"},
      {0, "0"},     {1024 * kGiB, "1T"}, {kMaxBytes, "4194304T"}};
  for (const auto& [bytes, text] : table) {
    INFO(text);
    CHECK(short_size(bytes) == text);
    if (bytes != 0) CHECK(*parse_size(text) == bytes);
  }
}

TEST_CASE("Human sizes have two decimals and never say 1024.00", "[sdk][units]") {
  const std::vector<std::pair<std::uint64_t, std::string>> table{{0, "0 B"},
                                                                 {512, "512 B"},
                                                                 {1023, "1023 B"},
                                                                 {1024, "1.00 KiB"},
                                                                 {kMiB - 1, "1.00 MiB"},
                                                                 {kGiB, "1.00 GiB"},
                                                                 {kGiB + kGiB / 2, "1.50 GiB"},
                                                                 {UINT64_MAX, "16.00 EiB"}};
  for (const auto& [bytes, text] : table) CHECK(human_size(bytes) == text);
}

TEST_CASE("Human durations name at most two units", "[sdk][units]") {
  const std::vector<std::pair<std::uint64_t, std::string>> table{{0, "0s"},
                                                                 {999, "999ns"},
                                                                 {85'500, "85.5us"},
                                                                 {999'949, "999.9us"},
                                                                 {999'950, "1ms"},
                                                                 {500 * kMillisecond, "500ms"},
                                                                 {5 * kSecond, "5s"},
                                                                 {24'400 * kMillisecond, "24.4s"},
                                                                 {59'949 * kMillisecond, "59.9s"},
                                                                 {59'950 * kMillisecond, "1m"},
                                                                 {90 * kSecond, "1m30s"},
                                                                 {3599'600 * kMillisecond, "1h"},
                                                                 {3600 * kSecond, "1h"},
                                                                 {7500 * kSecond, "2h5m"},
                                                                 {86'399 * kSecond, "1d"},
                                                                 {26 * 3600 * kSecond, "1d2h"},
                                                                 {UINT64_MAX, "213504d"}};
  for (const auto& [ns, text] : table) CHECK(human_duration(ns) == text);
}

}  // namespace
}  // namespace sthd
