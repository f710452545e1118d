#include "runner/host/run_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "runner/host/run_store.hpp"
#include "runner/host/whole_file.hpp"
#include "sthd/text.hpp"

namespace sthd::host {
namespace {

using process::Descriptor;

/// A new file, for the user alone.
Descriptor create(int folder, const std::string& name) {
  return Descriptor(::openat(folder, name.c_str(),
                             O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             S_IRUSR | S_IWUSR));
}

}  // namespace

Error RunFiles::cannot_write(const std::string& file, int code) const {
  return system_error("cannot write " + display((store_.folder() / file).string()), code);
}

std::filesystem::path RunFiles::path() const {
  return store_.folder() / (name_ + (whole_ ? kRecordEnd : kJournalEnd));
}

Outcome<RunFiles> RunFiles::begin(RunStore store, std::string name, std::string_view text) {
  RunFiles files(std::move(store), std::move(name));
  const std::string file = files.name_ + kJournalEnd;
  const ActAs as(files.store_.user());
  files.journal_ = create(files.store_.fd(), file);
  if (!files.journal_.open()) return files.cannot_write(file, errno);
  ::flock(files.journal_.get(), LOCK_EX | LOCK_NB);  // where there are no locks, it goes without
  // Without a finished job there is nothing yet that a power cut could take.
  if (write_all(files.journal_.get(), text)) return files;
  const int code = errno;
  ::unlinkat(files.store_.fd(), file.c_str(), 0);
  return files.cannot_write(file, code);
}

Outcome<Done> RunFiles::add(std::string_view text) {
  if (!write_all(journal_.get(), text) || ::fsync(journal_.get()) != 0) {
    return cannot_write(name_ + kJournalEnd, errno);
  }
  if (!named_) ::fsync(store_.fd());
  named_ = true;
  return Done{};
}

Outcome<Done> RunFiles::finish(std::string_view record) {
  const std::string temporary = name_ + kTemporaryEnd;
  const std::string whole = name_ + kRecordEnd;
  const int folder = store_.fd();
  const ActAs as(store_.user());
  const Descriptor file = create(folder, temporary);
  const bool written = file.open() && write_all(file.get(), record) && ::fsync(file.get()) == 0 &&
                       ::renameat(folder, temporary.c_str(), folder, whole.c_str()) == 0;
  if (!written) {
    const int code = errno;
    if (file.open()) ::unlinkat(folder, temporary.c_str(), 0);
    return cannot_write(whole, code);
  }
  whole_ = true;
  ::fsync(folder);
  ::unlinkat(folder, (name_ + kJournalEnd).c_str(), 0);
  return Done{};
}

}  // namespace sthd::host
