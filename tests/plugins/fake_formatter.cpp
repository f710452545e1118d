// A plugin that is good, or bad in one way: register.cmake builds one real library for each case by
// defining what is wrong. Its constructor leaves a trace, so that a test can tell that it ran.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "sthd/abi.hpp"

#ifndef FAKE_NAME
#define FAKE_NAME FAKE_CASE
#endif
#ifndef FAKE_MAGIC
#define FAKE_MAGIC ::sthd::kPluginMagic
#endif
#ifndef FAKE_ABI_MINOR
#define FAKE_ABI_MINOR ::sthd::kAbiMinor
#endif
#ifndef FAKE_STRUCT_SIZE
#define FAKE_STRUCT_SIZE sizeof(::sthd::PluginDescriptor)
#endif

namespace {

/// Creates $STHD_TEST_MARKER followed by the case's name.
__attribute__((constructor)) void leave_trace() {
  const char* prefix = std::getenv("STHD_TEST_MARKER");
  if (prefix == nullptr) return;
  const int fd =
      ::open((std::string(prefix) + FAKE_CASE).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
}

class Fake final : public sthd::FormatterPlugin {
 public:
  Fake() {
#ifdef FAKE_THROWS_IN_CREATE
    throw std::runtime_error("the fake cannot start");
#endif
  }

 protected:
  [[nodiscard]] sthd::FormatterInfo describe() const override {
#ifdef FAKE_THROWS_IN_INFO
    throw std::runtime_error("the fake offers nothing");
#endif
    return {.extensions = {FAKE_CASE}, .streams = false};
  }
  [[nodiscard]] std::string format(const sthd::FormatInput& /*input*/) const override {
    return FAKE_CASE "\n";
  }
};

}  // namespace

#ifndef FAKE_WITHOUT_DESCRIPTOR
extern const sthd::PluginDescriptor sthd_plugin_descriptor;
const sthd::PluginDescriptor sthd_plugin_descriptor{
    .magic = FAKE_MAGIC,
    .abi_minor = FAKE_ABI_MINOR,
    .struct_size = FAKE_STRUCT_SIZE,
    .kind = sthd::PluginKind::formatter,
    .name = FAKE_NAME,
    .version = "1.2.3",
    .summary = "A fake",
    .create = &sthd::detail::create<sthd::Formatter, Fake>,
    .destroy = &sthd::detail::destroy<sthd::Formatter>};
BOOST_DLL_ALIAS_SECTIONED(sthd_plugin_descriptor, sthd_plugin, sthd1)
#endif

#ifdef FAKE_ALIAS_POINTS_NOWHERE
extern "C" __attribute__((visibility("default"))) const void* sthd_plugin;
const void* sthd_plugin = nullptr;
#endif
