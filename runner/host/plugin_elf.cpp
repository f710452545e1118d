#include "runner/host/plugin_elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
// Before Boost's header, which uses std::vector without including it.
#include <boost/dll/library_info.hpp>
#include <cstring>
#include <exception>
#include <optional>

#include "sthd/units.hpp"

namespace sthd::host {
namespace {

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);

// Far above any real plugin (a debug build with sanitizers: tens of MB, about 50 sections).
constexpr std::uint64_t kMaxFile = 512 * kMiB;
constexpr std::uint64_t kMaxSections = 4096;
constexpr std::uint64_t kMaxNames = kMiB;
constexpr const char* kRemedy = "build or copy it again";

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr Elf64_Half kMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr Elf64_Half kMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr Elf64_Half kMachine = EM_S390;
#elif defined(__arm__)
constexpr Elf64_Half kMachine = EM_ARM;
#elif defined(__i386__)
constexpr Elf64_Half kMachine = EM_386;
#else
constexpr Elf64_Half kMachine = EM_NONE;  // not checked
#endif

class Reader {
 public:
  explicit Reader(const PluginFile& file)
      : fd_(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)),
        size_(file.size) {}
  ~Reader() {
    if (fd_ >= 0) ::close(fd_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }
  template <class T>
  [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
    T value{};
    if (!holds(offset, sizeof value)) return std::nullopt;
    const ssize_t got = ::pread(fd_, &value, sizeof value, static_cast<off_t>(offset));
    if (got != static_cast<ssize_t>(sizeof value)) return std::nullopt;
    return value;
  }

 private:
  int fd_;
  std::uint64_t size_;
};

Error refused(std::string clause) { return Error{ErrorCode::refused, std::move(clause), 0}; }

Error corrupt(const std::string& what) {
  return refused(fmt::format("its {}, so it is damaged: {}", what, kRemedy));
}

std::optional<Error> judge_header(const Header& header) {
  constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr unsigned char kData =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  const bool same = header.e_ident[EI_CLASS] == kClass && header.e_ident[EI_DATA] == kData &&
                    (kMachine == EM_NONE || header.e_machine == kMachine);
  if (!same) {
    return refused(
        fmt::format("it was built for another machine (ELF class {}, data {}, machine "
                    "{}; wanted {}, {}, {}): build it on this one",
                    header.e_ident[EI_CLASS], header.e_ident[EI_DATA], header.e_machine, kClass,
                    kData, kMachine));
  }
  if (header.e_type != ET_DYN) {
    return refused(
        fmt::format("it is an ELF file of type {}, and a plugin is a shared library "
                    "(type {}): build it with sthd_add_plugin",
                    header.e_type, ET_DYN));
  }
  if (header.e_shoff == 0 || header.e_shnum == 0) {
    return refused(
        "it has no section table, and the marker section says what a plugin is: strip it with "
        "\"strip -s\" at most");
  }
  if (header.e_shentsize != sizeof(Section)) {
    return corrupt(fmt::format("section table has entries of {} bytes (wanted {})",
                               header.e_shentsize, sizeof(Section)));
  }
  if (header.e_shnum > kMaxSections || header.e_shstrndx >= header.e_shnum) {
    return corrupt(
        fmt::format("section table has {} entries and its names in number {} (wanted at "
                    "most {}, and names in one of them)",
                    header.e_shnum, header.e_shstrndx, kMaxSections));
  }
  return std::nullopt;
}

/// Everything that Boost.DLL takes on trust.
std::optional<Error> judge_tables(const PluginFile& file) {
  const Reader reader(file);
  if (!reader.is_open()) {
    auto error = system_error("it cannot be opened", errno, ErrorCode::refused);
    error.message += ": check its permissions";
    return error;
  }
  if (file.size > kMaxFile) {
    return refused(
        fmt::format("it has {} bytes, and a plugin at most {}: strip its debug "
                    "information",
                    file.size, kMaxFile));
  }
  const auto header = reader.read<Header>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return refused(
        fmt::format("it does not begin with an ELF header, and a plugin is an ELF "
                    "library: {}",
                    kRemedy));
  }
  if (auto error = judge_header(*header)) return error;
  if (!reader.holds(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Section))) {
    return corrupt(
        fmt::format("section table (offset {}, {} entries) reaches past the end of the "
                    "file ({} bytes)",
                    header->e_shoff, header->e_shnum, file.size));
  }
  const auto names =
      reader.read<Section>(header->e_shoff + std::uint64_t{header->e_shstrndx} * sizeof(Section));
  if (!names || names->sh_type != SHT_STRTAB || names->sh_size == 0 || names->sh_size > kMaxNames ||
      !reader.holds(names->sh_offset, names->sh_size)) {
    return corrupt("table of section names does not lie within the file");
  }
  if (reader.read<char>(names->sh_offset + names->sh_size - 1) != '\0') {
    return corrupt("table of section names does not end");
  }
  return std::nullopt;
}

}  // namespace

Outcome<std::vector<std::string>> section_names(const PluginFile& file) {
  if (auto error = judge_tables(file)) return *error;
  try {
    return boost::dll::library_info(file.path).sections();
  } catch (const std::exception& e) {
    return refused(fmt::format("its sections cannot be read ({}): {}", e.what(), kRemedy));
  }
}

}  // namespace sthd::host
