#include "runner/record/lines.hpp"

#include <array>

#include "runner/record/codec.hpp"

namespace sthd::record {

namespace {

constexpr std::array<std::string_view, 5> kErrorCodes{"unavailable", "refused", "failed",
                                                      "cancelled", "internal"};

ErrorCode read_error_code(const Reader& json) {
  const std::string text = json.text();
  for (std::size_t i = 0; i < kErrorCodes.size(); ++i) {
    if (kErrorCodes[i] == text) return static_cast<ErrorCode>(i);
  }
  json.fail("is \"" + text + "\", which is none of its words");
}

int read_errno(const Reader& json) {
  const std::uint32_t value = json.u32();
  if (value > 4095) json.fail("is no errno");  // the kernel's MAX_ERRNO
  return static_cast<int>(value);
}

struct Encoder {
  Json operator()(const PhaseLine& line) const {
    return {{"line", "phase"}, {"phase", word(line.phase)}, {"loop", line.loop}};
  }
  Json operator()(const ProgressLine& line) const {
    return {{"line", "progress"},
            {"elapsed_ns", line.progress.elapsed_ns},
            {"ios", line.progress.ios},
            {"bytes", line.progress.bytes},
            {"p99_ns", null_if_unset(line.progress.p99_ns)}};
  }
  Json operator()(const RawLine& line) const { return {{"line", "raw"}, {"text", line.text}}; }
  Json operator()(const SamplesLine& line) const {
    return {{"line", "samples"}, {"op", word(line.op)}, {"samples", write_samples(line.samples)}};
  }
  Json operator()(const LoopLine& line) const {
    return {{"line", "loop"}, {"loop", write_loop(line.loop)}};
  }
  Json operator()(const TargetLine& line) const {
    return {{"line", "target"}, {"target", write_target(line.target)}};
  }
  Json operator()(const CapabilityLine& line) const {
    return {{"line", "capability"},
            {"version", line.capability.version},
            {"queue_depth_effective", line.capability.queue_depth_effective},
            {"workers", line.capability.workers},
            {"note", line.capability.note}};
  }
  Json operator()(const DirectLine& line) const {
    return {{"line", "direct"},
            {"works", line.works},
            {"real", null_if_unset(line.real)},
            {"reason", line.reason}};
  }
  Json operator()(const ErrorLine& line) const {
    return {{"line", "error"},
            {"code", kErrorCodes.at(static_cast<std::size_t>(line.error.code))},
            {"message", line.error.message},
            {"errno", line.error.system_errno}};
  }
  Json operator()(const DoneLine&) const { return {{"line", "done"}}; }
};

Line read_line(const Reader& json) {
  const std::string kind = json.at("line").text();
  if (kind == "phase") return PhaseLine{json.at("phase").one_of<Phase>(), json.at("loop").u32()};
  if (kind == "progress") {
    return ProgressLine{{json.at("elapsed_ns").u64(), json.at("ios").u64(), json.at("bytes").u64(),
                         json.maybe_u64("p99_ns")}};
  }
  if (kind == "raw") return RawLine{json.at("text").text()};
  if (kind == "samples") {
    return SamplesLine{json.at("op").one_of<Op>(), read_samples(json.at("samples"))};
  }
  if (kind == "loop") return LoopLine{read_loop(json.at("loop"))};
  if (kind == "target") return TargetLine{read_target(json.at("target"))};
  if (kind == "capability") {
    return CapabilityLine{{json.at("version").text(), json.at("queue_depth_effective").u32(),
                           json.at("workers").u32(), json.at("note").text()}};
  }
  if (kind == "direct") {
    return DirectLine{json.at("works").boolean(), json.maybe_boolean("real"),
                      json.at("reason").text()};
  }
  if (kind == "error") {
    return ErrorLine{{read_error_code(json.at("code")), json.at("message").text(),
                      read_errno(json.at("errno"))}};
  }
  if (kind == "done") return DoneLine{};
  json.at("line").fail("is \"" + kind + "\", which is no kind of line");
}

}  // namespace

std::string encode(const Line& line) { return print_line(std::visit(Encoder{}, line)); }

Outcome<Line> decode(std::string_view text) {
  try {
    const Json json = parse(text);
    return read_line(Reader(json));
  } catch (const std::exception& e) {
    return Error{ErrorCode::failed, std::string("a child's line cannot be read: ") + e.what(), 0};
  }
}

}  // namespace sthd::record
