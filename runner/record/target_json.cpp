#include <array>

#include "runner/record/codec.hpp"

namespace sthd::record {

namespace {

constexpr std::array<std::string_view, 3> kKinds{"directory", "file", "block_device"};

TargetKind read_kind(const Reader& json) {
  const std::string text = json.text();
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == text) return static_cast<TargetKind>(i);
  }
  json.fail("is \"" + text + "\", which is none of its words");
}

}  // namespace

Json write_target(const Target& target) {
  return {{"path", target.path},
          {"resolved_path", target.resolved_path},
          {"kind", kKinds.at(static_cast<std::size_t>(target.kind))},
          {"filesystem", null_if_empty(target.filesystem)},
          {"filesystem_version", null_if_empty(target.filesystem_version)},
          {"mount_point", null_if_empty(target.mount_point)},
          {"mount_options", null_if_empty(target.mount_options)},
          {"source", null_if_empty(target.source)},
          {"device", null_if_empty(target.device)},
          {"total_bytes", null_if_unset(target.total_bytes)},
          {"available_bytes", null_if_unset(target.available_bytes)},
          {"direct_memory_alignment_bytes", null_if_zero(target.direct_memory_alignment)},
          {"direct_offset_alignment_bytes", null_if_zero(target.direct_offset_alignment)},
          {"direct_reported", target.direct_reported}};
}

Target read_target(const Reader& json) {
  Target target;
  target.path = json.at("path").text();
  target.resolved_path = json.at("resolved_path").text();
  target.kind = read_kind(json.at("kind"));
  target.filesystem = json.text_or_empty("filesystem");
  target.filesystem_version = json.text_or_empty("filesystem_version");
  target.mount_point = json.text_or_empty("mount_point");
  target.mount_options = json.text_or_empty("mount_options");
  target.source = json.text_or_empty("source");
  target.device = json.text_or_empty("device");
  target.total_bytes = json.maybe_u64("total_bytes");
  target.available_bytes = json.maybe_u64("available_bytes");
  target.direct_memory_alignment = json.u32_or_zero("direct_memory_alignment_bytes");
  target.direct_offset_alignment = json.u32_or_zero("direct_offset_alignment_bytes");
  target.direct_reported = json.at("direct_reported").boolean();
  return target;
}

}  // namespace sthd::record
