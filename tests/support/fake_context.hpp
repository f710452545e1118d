#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sthd/abi.hpp"
#include "sthd/backend.hpp"

namespace sthd::test {

/// A private directory, gone with its content at the end of the test.
class TempDir {
 public:
  TempDir() : path_((std::filesystem::temp_directory_path() / "sthd-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file below it.
  void put(const std::string& name, std::string_view content) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << content;
  }

 private:
  std::string path_;
};

/// A whole file as text.
inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// PATH of this process replaced for the life of a test.
class PathOverride {
 public:
  explicit PathOverride(const std::string& path) : before_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~PathOverride() { ::setenv("PATH", before_.c_str(), 1); }
  PathOverride(const PathOverride&) = delete;
  PathOverride& operator=(const PathOverride&) = delete;

 private:
  std::string before_;
};

/// A work file of random bytes, as the keeper lays it out.
class WorkFile {
 public:
  explicit WorkFile(std::uint64_t bytes, int flags = 0) : path_(dir_.path() + "/work.bench") {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
    for (auto& word : words) word = random();
    dir_.put("work.bench", {reinterpret_cast<const char*>(words.data()), bytes});
    fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | flags);
    if (fd_ < 0) throw std::runtime_error("open " + path_);
  }
  ~WorkFile() { ::close(fd_); }
  WorkFile(const WorkFile&) = delete;
  WorkFile& operator=(const WorkFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::string proc_path() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_);
  }
  [[nodiscard]] std::string content() const { return slurp(path_); }

 private:
  TempDir dir_;
  std::string path_;
  int fd_ = -1;
};

/// A RunContext over a WorkFile that remembers what it was told.
class FakeContext final : public RunContext {
 public:
  FakeContext(const WorkFile& file, std::string engine) : fd_(file.fd()), path_(file.proc_path()) {
    resolution_.engine = std::move(engine);
    resolution_.direct_effective = (::fcntl(fd_, F_GETFL) & O_DIRECT) != 0;
  }
  int fd() const noexcept override { return fd_; }
  std::string_view path() const noexcept override { return path_; }
  const Target& target() const noexcept override { return target_; }
  const Resolution& resolution() const noexcept override { return resolution_; }
  std::string_view scratch() const noexcept override {
    return has_scratch ? std::string_view(scratch_.path()) : std::string_view{};
  }
  int io_log() const noexcept override { return -1; }
  void phase(Phase phase) noexcept override { phases.push_back(phase); }
  void sample(const Progress& progress) noexcept override { samples.push_back(progress); }
  void raw(std::string_view text) noexcept override { said += text; }
  bool cancelled() const noexcept override { return cancel && cancel(); }

  std::function<bool()> cancel;
  bool has_scratch = true;
  std::vector<Phase> phases;
  std::vector<Progress> samples;
  std::string said;

 private:
  int fd_;
  std::string path_;
  Target target_;
  Resolution resolution_;
  TempDir scratch_;
};

/// One backend of this build, loaded without the host's gates.
class LoadedBackend {
 public:
  explicit LoadedBackend(const std::string& name) {
    const std::string file = std::string(STHD_PLUGIN_DIR) + "/" + name + ".so";
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(::dlerror());
    // Boost's alias is a pointer to what it names.
    const auto* alias = static_cast<const void* const*>(::dlsym(library, "sthd_plugin"));
    if (alias == nullptr) throw std::runtime_error(::dlerror());
    descriptor_ = static_cast<const PluginDescriptor*>(*alias);
    char message[256] = "";
    backend_ = static_cast<Backend*>(descriptor_->create(message, sizeof message));
    if (backend_ == nullptr) throw std::runtime_error(message);
  }
  ~LoadedBackend() { descriptor_->destroy(backend_); }
  LoadedBackend(const LoadedBackend&) = delete;
  LoadedBackend& operator=(const LoadedBackend&) = delete;
  Backend* operator->() const { return backend_; }

 private:
  const PluginDescriptor* descriptor_ = nullptr;
  Backend* backend_ = nullptr;
};

/// Backend::probe on a WorkFile, asked as the runner asks.
inline Outcome<Capability> probe(const LoadedBackend& backend, const Workload& workload,
                                 const WorkFile& file, const std::string& engine,
                                 bool named = false) {
  const Target target;
  Job job;
  job.workload = workload;
  const ProbeRequest request{.target = target,
                             .job = job,
                             .engine = engine,
                             .named = named,
                             .direct = (::fcntl(file.fd(), F_GETFL) & O_DIRECT) != 0,
                             .fd = file.fd(),
                             .path = file.proc_path()};
  return backend->probe(request);
}

}  // namespace sthd::test
