#include <fmt/format.h>

#include <limits>

#include "runner/record/json_io.hpp"

namespace sthd::record {

namespace {

std::string_view kind_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace

std::string Reader::path() const {
  std::string path;
  for (std::size_t i = 0; i < depth_; ++i) {
    const Step& step = steps_.at(i);
    if (step.key == nullptr) {
      path += fmt::format("[{}]", step.index);
    } else {
      path += (path.empty() ? "" : ".") + *step.key;
    }
  }
  return path;
}

void Reader::fail(std::string_view what) const {
  const std::string where = path();
  throw ReadError(fmt::format("{} {}", where.empty() ? "the text" : where, what));
}

void Reader::need_object() const {
  if (!json_->is_object()) fail(fmt::format("is {}, not an object", kind_of(*json_)));
}

Reader Reader::below(Step step, const Json& value) const {
  Reader reader = *this;
  reader.json_ = &value;
  if (depth_ < kMostSteps) reader.steps_.at(reader.depth_++) = step;
  return reader;
}

Reader Reader::element(std::size_t index) const {
  return below({nullptr, index}, json_->at(index));
}

std::string Reader::path_of(std::string_view key) const {
  const std::string here = path();
  return fmt::format("{}{}{}", here, here.empty() ? "" : ".", key);
}

std::optional<Reader> Reader::find(std::string_view key) const {
  need_object();
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return below({&found.key(), 0}, *found);
}

std::optional<Reader> Reader::at_or_null(std::string_view key) const {
  if (auto found = find(key)) return found;
  if (!json_->contains(key)) {
    throw ReadError(fmt::format("{} is missing", path_of(key)));
  }
  return std::nullopt;
}

Reader Reader::at(std::string_view key) const {
  if (auto found = at_or_null(key)) return *found;
  throw ReadError(fmt::format("{} is null", path_of(key)));
}

std::vector<Reader> Reader::items() const {
  if (!json_->is_array()) fail(fmt::format("is {}, not an array", kind_of(*json_)));
  std::vector<Reader> all;
  all.reserve(json_->size());
  while (all.size() < json_->size()) all.push_back(element(all.size()));
  return all;
}

std::uint64_t Reader::u64() const {
  if (!json_->is_number_unsigned()) {
    fail(fmt::format("is {}, not a whole number from 0 to 2^64 - 1",
                     json_->is_number() ? json_->dump() : std::string(kind_of(*json_))));
  }
  return json_->get<std::uint64_t>();
}

std::uint32_t Reader::u32() const {
  const std::uint64_t value = u64();
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    fail(fmt::format("is {}, which is more than 2^32 - 1", value));
  }
  return static_cast<std::uint32_t>(value);
}

double Reader::number() const {
  if (!json_->is_number()) fail(fmt::format("is {}, not a number", kind_of(*json_)));
  return json_->get<double>();
}

bool Reader::boolean() const {
  if (!json_->is_boolean()) fail(fmt::format("is {}, not true or false", kind_of(*json_)));
  return json_->get<bool>();
}

std::string Reader::text() const {
  if (!json_->is_string()) fail(fmt::format("is {}, not a string", kind_of(*json_)));
  return json_->get<std::string>();
}

std::vector<std::string> Reader::texts() const {
  std::vector<std::string> all;
  for (const Reader& item : items()) all.push_back(item.text());
  return all;
}

std::uint64_t Reader::u64_or_zero(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->u64() : 0;
}
std::uint32_t Reader::u32_or_zero(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->u32() : 0;
}
std::string Reader::text_or_empty(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? found->text() : std::string();
}
std::optional<std::uint64_t> Reader::maybe_u64(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->u64()) : std::nullopt;
}
std::optional<double> Reader::maybe_number(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->number()) : std::nullopt;
}
std::optional<bool> Reader::maybe_boolean(std::string_view key) const {
  const auto found = at_or_null(key);
  return found ? std::optional(found->boolean()) : std::nullopt;
}

}  // namespace sthd::record
