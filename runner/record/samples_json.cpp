#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/record/bins_json.hpp"
#include "runner/record/codec.hpp"

// A series may have 600 slices with some thirty bins each: as a tree of values it would be the
// largest part of a report by far, in memory and on paper. So it is written as text at once, and
// with an array for each member of the slices.
namespace sthd::record {
namespace {

/// Appends "[a,b,…]", each as `append(sample)` writes it.
template <class F>
void print_column(const std::vector<Sample>& samples, const char* before, F append,
                  std::string& out) {
  out += before;
  const char* separator = "[";
  for (const Sample& sample : samples) {
    out += separator;
    separator = ",";
    append(sample);
  }
  out += samples.empty() ? "[]" : "]";
}

void print_bins(const CoarseBins& bins, std::string& out) {
  BinsText<CoarseGrid> text(out);
  for (const auto& [index, count] : bins) text.add(index, count);
  text.end();
}

CoarseBins read_coarse_bins(const Reader& json) {
  CoarseBins bins;
  bins.reserve(json.json().size());
  read_bins<CoarseGrid>(json, [&bins](std::size_t index, std::uint64_t count) {
    bins.emplace_back(static_cast<std::uint16_t>(index), count);
  });
  return bins;
}

/// One member of all slices.
class Column {
 public:
  /// `slices` is how many there are; the first column may have any number.
  Column(const Reader& json, std::string_view key, std::optional<std::size_t> slices)
      : json_(json.at(key)) {
    if (!json_.json().is_array()) json_.fail("is no array");
    if (slices && *slices != size()) {
      json_.fail(fmt::format("has {} slices, and the other columns have {}", size(), *slices));
    }
  }

  [[nodiscard]] std::size_t size() const { return json_.json().size(); }
  [[nodiscard]] Reader at(std::size_t slice) const { return json_.element(slice); }
  [[nodiscard]] bool is_null(std::size_t slice) const { return json_.json()[slice].is_null(); }
  [[nodiscard]] std::uint64_t u64(std::size_t slice) const {
    const auto* value = json_.json()[slice].get_ptr<const Json::number_unsigned_t*>();
    return value != nullptr ? *value : at(slice).u64();
  }

 private:
  Reader json_;
};

}  // namespace

Json write_samples(const std::vector<Sample>& samples) {
  std::string text;
  const auto number = [&text](std::uint64_t value) { append_number(value, text); };
  const auto longest = [&](const Sample& each) {
    if (!each.max_ns) {
      text += "null";
    } else {
      number(*each.max_ns);
    }
  };
  print_column(
      samples, "{\"at_ns\": ", [&](const Sample& each) { number(each.at_ns); }, text);
  print_column(
      samples, ", \"ios\": ", [&](const Sample& each) { number(each.ios); }, text);
  print_column(
      samples, ", \"bytes\": ", [&](const Sample& each) { number(each.bytes); }, text);
  print_column(samples, ", \"max_ns\": ", longest, text);
  print_column(
      samples, ", \"bins\": ", [&](const Sample& each) { print_bins(each.lat, text); }, text);
  text += '}';
  return printed(text);
}

std::vector<Sample> read_samples(const Reader& json) {
  const Column at(json, "at_ns", std::nullopt);
  const std::size_t slices = at.size();
  const Column ios(json, "ios", slices);
  const Column bytes(json, "bytes", slices);
  const Column longest(json, "max_ns", slices);
  const Column bins(json, "bins", slices);
  std::vector<Sample> samples(slices);
  for (std::size_t i = 0; i < slices; ++i) {
    samples[i].at_ns = at.u64(i);
    samples[i].ios = ios.u64(i);
    samples[i].bytes = bytes.u64(i);
    if (!longest.is_null(i)) samples[i].max_ns = longest.u64(i);
    if (!bins.is_null(i)) samples[i].lat = read_coarse_bins(bins.at(i));
  }
  return samples;
}

}  // namespace sthd::record
