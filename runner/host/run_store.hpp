#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit/process/spawn.hpp"
#include "runner/host/invoking_user.hpp"
#include "sthd/outcome.hpp"

// The folder in which the records of runs outlive them. Files are made, found and removed below its
// descriptor and as the invoking user; only names that run_name() gives are looked at.
namespace sthd::host {

/// A run in the store.
struct KeptRun {
  std::string name;             ///< as run_name()
  std::string id;               ///< the end of its name
  bool whole = false;           ///< else there is only its journal: it was cut off, or is running
  bool running = false;         ///< another process is writing it
  std::int64_t changed_ns = 0;  ///< when its newest file was
  std::uint64_t bytes = 0;      ///< of all its files
  std::string file() const;     ///< the name of what is read
};

/// "2026-12-01T09-51-47Z-slog-1f3a9c2e": when it began, its profile and the first eight digits of
/// its id, whatever bytes the profile's name has.
std::string run_name(std::string_view started_utc, std::string_view profile,
                     std::string_view run_id);
/// The other way round; nothing of a name that is not ours.
std::optional<KeptRun> parse_run_name(std::string_view name);

/// How much is kept.
struct StoreLimits {
  std::size_t runs = 200;
  std::uint64_t bytes = 200'000'000;
};

class RunStore {
 public:
  /// $XDG_STATE_HOME/speedtest-hd/runs of that user; empty = not known.
  static std::filesystem::path folder_of(const InvokingUser& user);

  /// For reading. A folder that is not there is an empty store.
  static Outcome<RunStore> open(const InvokingUser& user);
  /// For writing: makes the folders that lack, all but the home, for the user alone.
  static Outcome<RunStore> make(const InvokingUser& user);

  /// The newest first; of those that began in one second, the one that was changed last.
  [[nodiscard]] Outcome<std::vector<KeptRun>> runs() const;
  /// The text of a run, whole or not. The Error names the file.
  [[nodiscard]] Outcome<std::string> read(const KeptRun& run) const;
  /// Removes the oldest until the others are within the limits; never `keep`, nor one that is
  /// running. What cannot be removed stays.
  void prune(const StoreLimits& limits, std::string_view keep) const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const InvokingUser& user() const { return user_; }
  /// The open folder; -1 of an empty store.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  RunStore(const InvokingUser& user, std::filesystem::path folder, process::Descriptor fd)
      : user_(user), folder_(std::move(folder)), fd_(std::move(fd)) {}

  InvokingUser user_;
  std::filesystem::path folder_;
  process::Descriptor fd_;
};

/// The files of one run: a journal that grows with it, and the record that takes its place. The
/// journal is locked, so that nobody takes it for one that was cut off.
class RunFiles {
 public:
  /// Error{failed}, as of the others: "cannot write FILE: …".
  static Outcome<RunFiles> begin(RunStore store, std::string name, std::string_view text);

  /// Puts `text` behind what the journal has; on the disk when it returns.
  Outcome<Done> add(std::string_view text);
  /// Writes the record beside the journal, which is then removed.
  Outcome<Done> finish(std::string_view record);

  [[nodiscard]] const RunStore& store() const { return store_; }
  /// The journal's path, or the record's when that is there.
  [[nodiscard]] std::filesystem::path path() const;

 private:
  RunFiles(RunStore store, std::string name) : store_(std::move(store)), name_(std::move(name)) {}
  [[nodiscard]] Error cannot_write(const std::string& file, int code) const;

  RunStore store_;
  std::string name_;
  process::Descriptor journal_;
  bool named_ = false;  ///< the folder's entry of the journal is on the disk
  bool whole_ = false;
};

}  // namespace sthd::host
