#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tree.hpp"

namespace sthd::test {

/// tests/fixtures/facts/<name>.tree, unpacked; its README has the form.
class FactsTree {
 public:
  explicit FactsTree(const std::string& name) {
    std::ifstream file(STHD_SOURCE_DIR "/tests/fixtures/facts/" + name + ".tree");
    if (!file) throw std::runtime_error("no fixture " + name);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    while (at_ < lines_.size()) take(lines_[at_++]);
  }
  [[nodiscard]] const std::string& root() const { return tree_.root(); }
  Tree& tree() { return tree_; }

 private:
  void take(const std::string& line) {
    if (line.empty() || line[0] == '#') return;
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    const std::string virtual_devices = "/sys/devices/virtual/block/";
    if (words[0] == "disk") {
      places_[words[1]] = words[3] + "/" + words[1];
      block(places_[words[1]], words[1], words[2]);
      tree_.link(places_[words[1]] + "/device", "..");
    } else if (words[0] == "part") {
      const std::string folder = places_.at(words[1]) + "/" + words[2];
      block(folder, words[2], words[3]);
      tree_.put(folder + "/partition", "1\n");
    } else if (words[0] == "made") {
      block(virtual_devices + words[1], words[1], words[2]);
      for (std::size_t i = 3; i < words.size(); ++i) {
        tree_.link(virtual_devices + words[1] + "/slaves/" + words[i], "../../" + words[i]);
      }
    } else if (const auto arrow = line.find(" -> "); arrow != line.npos) {
      tree_.link(line.substr(0, arrow), line.substr(arrow + 4));
    } else if (line.back() == ':') {
      std::string text;
      for (; at_ < lines_.size() && lines_[at_].starts_with("  "); ++at_) {
        text += lines_[at_].substr(2) + "\n";
      }
      tree_.put(line.substr(0, line.size() - 1), text);
    } else {
      const auto colon = line.find(": ");
      tree_.put(line.substr(0, colon), line.substr(colon + 2) + "\n");
    }
  }

  void block(const std::string& folder, const std::string& name, const std::string& number) {
    tree_.put(folder + "/dev", number + "\n");
    const std::string up = "../.." + folder.substr(4);  // below /sys
    tree_.link("/sys/class/block/" + name, up).link("/sys/dev/block/" + number, up);
  }

  Tree tree_;
  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> places_;
};

}  // namespace sthd::test
