#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runner/record/json_io.hpp"

namespace sthd::record {

namespace {

constexpr std::size_t kMaxText = std::size_t{256} << 20;
constexpr std::size_t kMaxDepth = 64;

/// "near byte 4", of a text of several lines "near line 2, byte 4 of the text".
std::string place_of(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  if (line == 1) return fmt::format("near byte {}", byte);
  return fmt::format("near line {}, byte {} of the text", line, byte);
}

/// Makes a tree of what the parser finds. The name of each function is the parser's.
class Tree : public nlohmann::json_sax<Json> {
 public:
  Tree(std::string_view text, Repeated repeated) : text_(text), repeated_(repeated) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*as written*/) override {
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*there are none in text*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& e) override {
    constexpr int kOutOfRange = 406;  // a number that no double holds
    if (e.id == kOutOfRange) throw ReadError("the text has a number that is out of range");
    const bool cut = byte > text_.size() && !text_.empty();
    throw ReadError(fmt::format("the text {} {}", cut ? "ends in the middle," : "is no JSON",
                                place_of(text_, byte)));
  }

 private:
  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool open(Json value) {
    if (open_.size() >= kMaxDepth) throw ReadError("the text nests deeper than 64 levels");
    open_.push_back(&put(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// No element is added to what is around an open one, so the open ones stay where they are.
  Json& put(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& around = *open_.back();
    if (around.is_array()) return around.emplace_back(std::move(value));
    const auto [place, is_new] = around.emplace(std::move(key_), Json());
    if (!is_new && repeated_ == Repeated::refuse) {
      throw ReadError(
          fmt::format("the text has the key {} twice in one object", Json(place.key()).dump()));
    }
    return *place = std::move(value);
  }

  std::string_view text_;
  Repeated repeated_;
  Json root_;
  std::string key_;
  std::vector<Json*> open_;
};

}  // namespace

Json parse(std::string_view text, Repeated repeated) {
  if (text.size() > kMaxText) throw ReadError("the text is longer than 256 MiB");
  Tree tree(text, repeated);
  Json::sax_parse(text, &tree);
  return tree.take();
}

}  // namespace sthd::record
