#pragma once

#include <string_view>
#include <utility>

// Private to the run store: how the names of a run's files end.
namespace sthd::host {

inline constexpr const char* kRecordEnd = ".json";
inline constexpr const char* kJournalEnd = ".json.part";
inline constexpr const char* kTemporaryEnd = ".json.tmp";

/// "NAME" and its ending; that is empty where it is none of these.
inline std::pair<std::string_view, std::string_view> split_ending(std::string_view file) {
  for (const std::string_view end : {kRecordEnd, kJournalEnd, kTemporaryEnd}) {
    if (file.ends_with(end)) return {file.substr(0, file.size() - end.size()), end};
  }
  return {file, {}};
}

}  // namespace sthd::host
