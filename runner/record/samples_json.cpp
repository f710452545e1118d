#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <limits>

#include "runner/record/codec.hpp"

// A series may have 600 slices with some thirty bins each: as a tree of values it would be the
// largest part of a report by far, in memory and on paper. So a sample is written as text at once,
// and its bins as one flat array.
namespace sthd::record {
namespace {

std::string number_or_null(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : "null";
}

/// [lower bound of the first bin, its count, the count of the next bin, …]; -n: n empty bins.
void print_bins(const CoarseBins& bins, std::string& out) {
  if (bins.empty()) {
    out += "null";
    return;
  }
  std::size_t next = bins.front().first;
  out += fmt::format("[{}", CoarseGrid::lower_of(next));
  for (const auto& [index, count] : bins) {
    if (index > next) fmt::format_to(std::back_inserter(out), ",-{}", index - next);
    fmt::format_to(std::back_inserter(out), ",{}", count);
    next = index + std::size_t{1};
  }
  out += ']';
}

/// Where in the grid an element of the flat array stands, and what it says.
class BinsReader {
 public:
  BinsReader(const Reader& json, std::size_t first) : json_(json), index_(first) {}

  void take(std::size_t element, const Json& value, CoarseBins& bins) {
    if (index_ >= CoarseGrid::kBins) fail(element, "lies beyond the last loglin3 bin");
    if (value.is_number_unsigned()) {
      const auto count = value.get<std::uint64_t>();
      if (count > std::numeric_limits<std::uint64_t>::max() - total_) {
        fail(element, "makes the number of samples overflow");
      }
      total_ += count;
      bins.emplace_back(static_cast<std::uint16_t>(index_++), count);
    } else if (value.is_number_integer() &&
               value.get<std::int64_t>() >= -static_cast<std::int64_t>(CoarseGrid::kBins)) {
      index_ += static_cast<std::size_t>(-value.get<std::int64_t>());
    } else {
      fail(element, "is neither a count nor, negative, a number of empty bins");
    }
  }

 private:
  [[noreturn]] void fail(std::size_t element, std::string_view what) const {
    json_.items().at(element).fail(what);
  }

  const Reader& json_;
  std::size_t index_;
  std::uint64_t total_ = 0;
};

CoarseBins read_bins(const Reader& json) {
  const Json& array = json.json();
  if (!array.is_array() || array.size() < 2) {
    json.fail("is no array [lower_ns of the first bin, its count, …]");
  }
  const auto lower = array[0].is_number_unsigned() ? array[0].get<std::uint64_t>() : UINT64_MAX;
  const std::size_t first = CoarseGrid::index_of(lower);
  if (CoarseGrid::lower_of(first) != lower) {
    json.items()[0].fail(
        fmt::format("is {}, which is no lower bound of a loglin3 bin", print_line(array[0])));
  }
  CoarseBins bins;
  bins.reserve(array.size() - 1);
  BinsReader reader(json, first);
  for (std::size_t i = 1; i < array.size(); ++i) reader.take(i, array[i], bins);
  return bins;
}

Json write_sample(const Sample& sample) {
  std::string text = fmt::format(
      "{{\"at_ns\": {}, \"ios\": {}, \"bytes\": {}, \"max_ns\": {}, \"bins\": ", sample.at_ns,
      sample.ios, sample.bytes, number_or_null(sample.max_ns));
  print_bins(sample.lat, text);
  text += '}';
  return printed(text);
}

Sample read_sample(const Reader& json) {
  Sample sample;
  sample.at_ns = json.at("at_ns").u64();
  sample.ios = json.at("ios").u64();
  sample.bytes = json.at("bytes").u64();
  sample.max_ns = json.maybe_u64("max_ns");
  if (const auto bins = json.at_or_null("bins")) sample.lat = read_bins(*bins);
  return sample;
}

}  // namespace

Json write_samples(const std::vector<Sample>& samples) {
  Json all = Json::array();
  for (const Sample& sample : samples) all.push_back(write_sample(sample));
  return all;
}

std::vector<Sample> read_samples(const Reader& json) {
  std::vector<Sample> all;
  for (const Reader& each : json.items()) all.push_back(read_sample(each));
  return all;
}

}  // namespace sthd::record
