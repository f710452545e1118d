#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

// Private to runner/record.
namespace sthd::record {

/// What names a machine, a person or a disk, and the token that stands for it everywhere.
class Secrets {
 public:
  /// `words` (lower case) are not replaced as words, whatever they are the name of.
  explicit Secrets(std::set<std::string> words) : words_(std::move(words)) {}

  /// A host by its name, with or without domain. An address is known by its form.
  void learn_host(std::string name);
  void learn_domain(std::string_view domain);
  void learn_user(const std::string& name);
  void learn_serial(std::string_view serial);
  /// What is named in a text by its place: who owns a folder, the serial number in a link.
  void learn_places(std::string_view text);

  /// The text with tokens. Addresses and UUIDs get theirs here.
  [[nodiscard]] std::string clean(std::string_view text);

 private:
  struct Hit {
    std::size_t length = 0;
    std::string token;
  };
  [[nodiscard]] Hit hit_at(std::string_view text, std::size_t at);
  [[nodiscard]] Hit known_at(std::string_view text, std::size_t at) const;
  void learn(const std::string& name, const std::string& token);
  /// "kind-N": N counts the names of the kind, from 1 on.
  const std::string& numbered(const std::string& kind, const std::string& name);

  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::set<std::string> words_;
  std::map<std::string, std::string, LongestFirst> known_;              ///< by name, in lower case
  std::map<std::string, std::map<std::string, std::string>> numbered_;  ///< by kind and name
};

}  // namespace sthd::record
