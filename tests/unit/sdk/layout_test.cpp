#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "sthd/abi.hpp"
#include "sthd/formatter.hpp"
#include "support/catch.hpp"

namespace sthd {
namespace {

/// "Name size: offset of each member;" of the structs that host and plugin share.
class Layout {
 public:
  template <class T, class... M>
  Layout& add(std::string_view name, M T::*... members) {
    static const T object{};
    text_ += fmt::format("{} {}:", name, sizeof(T));
    (add_offset(object, members), ...);
    text_ += "\n";
    return *this;
  }
  template <class E>
  Layout& add_enum(std::string_view name) {
    text_ += fmt::format("{} {} enumerators in {} bytes\n", name, kEnumTexts<E>.size(), sizeof(E));
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  template <class T, class M>
  void add_offset(const T& object, M T::*member) {
    const auto* base = reinterpret_cast<const char*>(&object);
    const auto* at = reinterpret_cast<const char*>(&(object.*member));
    text_ += fmt::format(" {}", at - base);
  }
  std::string text_;
};

void add_job_structs(Layout& layout) {
  using W = Workload;
  layout
      .add("Workload", &W::op, &W::pattern, &W::block_size, &W::queue_depth, &W::threads, &W::sync,
           &W::direct, &W::cache, &W::end_fsync, &W::runtime_ns, &W::ramp_ns, &W::loops, &W::repeat,
           &W::order, &W::score, &W::interval_ns, &W::condition, &W::ios, &W::bytes, &W::size,
           &W::region, &W::layout, &W::buffer, &W::read_percent, &W::rate_iops, &W::distribution,
           &W::zipf_theta, &W::poll, &W::sqpoll, &W::sample_ns, &W::engines, &W::backends,
           &W::engine_named, &W::backend_named)
      .add("Job", &Job::id, &Job::template_id, &Job::label, &Job::checks, &Job::workload)
      .add_enum<Op>("Op")
      .add_enum<Pattern>("Pattern")
      .add_enum<SyncMode>("SyncMode")
      .add_enum<DirectMode>("DirectMode")
      .add_enum<CacheMode>("CacheMode")
      .add_enum<Region>("Region")
      .add_enum<sthd::Layout>("Layout")
      .add_enum<BufferKind>("BufferKind")
      .add_enum<Distribution>("Distribution")
      .add_enum<Condition>("Condition")
      .add_enum<Order>("Order")
      .add_enum<Score>("Score");
}

void add_result_structs(Layout& layout) {
  using T = Target;
  using R = Resolution;
  layout
      .add("Target", &T::path, &T::resolved_path, &T::kind, &T::filesystem, &T::mount_point,
           &T::mount_options, &T::source, &T::filesystem_version, &T::device, &T::total_bytes,
           &T::available_bytes, &T::direct_memory_alignment, &T::direct_offset_alignment,
           &T::direct_reported)
      .add("Attempt", &Attempt::what, &Attempt::refused)
      .add("Resolution", &R::backend, &R::engine, &R::backend_version, &R::direct_effective,
           &R::direct_reason, &R::queue_depth_effective, &R::workers, &R::note, &R::reason,
           &R::tried)
      .add("Capability", &Capability::version, &Capability::queue_depth_effective,
           &Capability::workers, &Capability::note)
      .add<LatencyHistogram>("LatencyHistogram")
      .add("Sample", &Sample::at_ns, &Sample::ios, &Sample::bytes, &Sample::max_ns, &Sample::lat)
      .add("OpResult", &OpResult::bytes, &OpResult::ios, &OpResult::elapsed_ns, &OpResult::lat,
           &OpResult::slat, &OpResult::clat, &OpResult::sync, &OpResult::response,
           &OpResult::samples)
      .add("ThreadResult", &ThreadResult::thread, &ThreadResult::op, &ThreadResult::bytes,
           &ThreadResult::ios, &ThreadResult::elapsed_ns, &ThreadResult::first_ns)
      .add("CacheState", &CacheState::asked, &CacheState::reached_by, &CacheState::verified)
      .add("CpuUse", &CpuUse::user_ns, &CpuUse::system_ns, &CpuUse::voluntary_switches,
           &CpuUse::involuntary_switches)
      .add("LoopResult", &LoopResult::repeat, &LoopResult::read, &LoopResult::write,
           &LoopResult::per_thread, &LoopResult::cache, &LoopResult::cpu, &LoopResult::end_fsync_ns,
           &LoopResult::submit_ns, &LoopResult::kernel_workers, &LoopResult::counters,
           &LoopResult::notes)
      .add("Layer", &Layer::name, &Layer::mean_ns)
      .add("Verdict", &Verdict::cache_class, &Verdict::durability, &Verdict::validity,
           &Verdict::layers)
      .add("ResultRecord", &ResultRecord::job, &ResultRecord::status, &ResultRecord::reason,
           &ResultRecord::resolution, &ResultRecord::loops, &ResultRecord::verdict,
           &ResultRecord::fio_command)
      .add_enum<Status>("Status")
      .add_enum<CacheClass>("CacheClass")
      .add_enum<Durability>("Durability")
      .add_enum<Validity>("Validity");
}

void add_report_structs(Layout& layout) {
  using R = Report;
  using E = Environment;
  layout.add("Fact", &Fact::name, &Fact::value, &Fact::unknown_because)
      .add("Evidence", &Evidence::name, &Evidence::value)
      .add("Finding", &Finding::code, &Finding::severity, &Finding::job, &Finding::op,
           &Finding::evidence, &Finding::mark, &Finding::text, &Finding::remedy)
      .add("Column", &Column::id, &Column::title, &Column::metric, &Column::op, &Column::unit,
           &Column::precision)
      .add("ProfileFile", &ProfileFile::path, &ProfileFile::sha256, &ProfileFile::text)
      .add("ProfileInfo", &ProfileInfo::name, &ProfileInfo::title, &ProfileInfo::files,
           &ProfileInfo::expanded_sha256, &ProfileInfo::overrides)
      .add("ToolInfo", &ToolInfo::name, &ToolInfo::version, &ToolInfo::build)
      .add("Environment", &E::hostname, &E::kernel, &E::distribution, &E::cpu_model, &E::cpus,
           &E::memory_bytes)
      .add("PlanInfo", &PlanInfo::jobs, &PlanInfo::estimated_seconds, &PlanInfo::space_bytes,
           &PlanInfo::written_bytes)
      .add("Report", &R::tool, &R::run_id, &R::started_utc, &R::argv, &R::profile, &R::columns,
           &R::expectations, &R::environment, &R::target, &R::facts, &R::plan, &R::records,
           &R::findings, &R::judgements, &R::elapsed_ns)
      .add("ExpectedRange", &ExpectedRange::metric, &ExpectedRange::low, &ExpectedRange::high,
           &ExpectedRange::spec)
      .add("FactPattern", &FactPattern::name, &FactPattern::glob)
      .add("Expectation", &Expectation::id, &Expectation::kind, &Expectation::jobs,
           &Expectation::only_if, &Expectation::source, &Expectation::remedy, &Expectation::ranges)
      .add("Judgement", &Judgement::expectation, &Judgement::job, &Judgement::op, &Judgement::range,
           &Judgement::value, &Judgement::verdict, &Judgement::reason)
      .add_enum<Severity>("Severity")
      .add_enum<ExpectKind>("ExpectKind")
      .add_enum<Expected>("Expected");
}

void add_comparison_structs(Layout& layout) {
  using C = Comparison;
  using R = ComparedRow;
  layout.add("Side", &Side::label, &Side::run_id, &Side::started_utc)
      .add("Difference", &Difference::what, &Difference::values)
      .add("Ratio", &Ratio::ratio, &Ratio::low, &Ratio::high, &Ratio::change)
      .add("ComparedRow", &R::job, &R::label, &R::op, &R::metric, &R::title, &R::unit,
           &R::precision, &R::values, &R::ratios)
      .add("NotCompared", &NotCompared::label, &NotCompared::reason)
      .add("StageTable", &StageTable::label_title, &StageTable::titles, &StageTable::rows,
           &StageTable::sentence)
      .add("StageTable::Row", &StageTable::Row::label, &StageTable::Row::cells)
      .add("LimitResult", &LimitResult::limit, &LimitResult::verdict, &LimitResult::text)
      .add("Comparison", &C::sides, &C::differences, &C::rows, &C::not_compared, &C::stages,
           &C::limits)
      .add("Plot", &Plot::title, &Plot::path)
      .add_enum<Change>("Change")
      .add_enum<LimitVerdict>("LimitVerdict");
}

void add_interface_structs(Layout& layout) {
  using D = PluginDescriptor;
  layout.add("Error", &Error::code, &Error::message, &Error::system_errno)
      .add("Progress", &Progress::elapsed_ns, &Progress::ios, &Progress::bytes, &Progress::p99_ns)
      .add("BackendInfo", &BackendInfo::engines, &BackendInfo::native)
      .add("FormatterInfo", &FormatterInfo::extensions, &FormatterInfo::streams,
           &FormatterInfo::compares, &FormatterInfo::several)
      .add("PluginDescriptor", &D::magic, &D::abi_major, &D::abi_minor, &D::struct_size, &D::kind,
           &D::family, &D::name, &D::version, &D::summary, &D::create, &D::destroy)
      .add_enum<Phase>("Phase");
}

std::string layout_now() {
  Layout layout;
  add_job_structs(layout);
  add_result_structs(layout);
  add_report_structs(layout);
  add_comparison_structs(layout);
  add_interface_structs(layout);
  return layout.text();
}

/// What each published minor looks like (x86-64 and aarch64, libstdc++). A new layout gets a new
/// entry and a new STHD_ABI_MINOR; an entry never changes once released.
const std::map<std::uint32_t, std::string_view>& published() {
  static const std::map<std::uint32_t, std::string_view> layouts{
      {0,
       R"(Workload 224: 0 4 8 16 20 24 28 32 36 40 48 56 60 64 68 72 80 88 96 104 112 116 120 124 128 136 144 152 153 160 168 192 216 217
Job 352: 0 32 64 96 128
Op 3 enumerators in 4 bytes
Pattern 2 enumerators in 4 bytes
SyncMode 5 enumerators in 4 bytes
DirectMode 3 enumerators in 4 bytes
CacheMode 3 enumerators in 4 bytes
Region 4 enumerators in 4 bytes
Layout 2 enumerators in 4 bytes
BufferKind 2 enumerators in 4 bytes
Distribution 2 enumerators in 4 bytes
Condition 4 enumerators in 4 bytes
Order 2 enumerators in 4 bytes
Score 2 enumerators in 4 bytes
Target 312: 0 32 64 72 104 136 168 200 232 264 280 296 300 304
Attempt 64: 0 32
Resolution 232: 0 32 64 96 104 136 140 144 176 208
Capability 72: 0 32 36 40
LatencyHistogram 56:
Sample 64: 0 8 16 24 40
OpResult 360: 0 8 16 24 80 144 208 272 336
ThreadResult 48: 0 4 8 16 24 32
CacheState 48: 0 8 40
CpuUse 48: 0 8 16 32
LoopResult 960: 0 8 376 744 768 816 872 888 904 912 936
Layer 40: 0 32
Verdict 40: 0 4 8 16
ResultRecord 728: 0 352 360 400 632 656 696
Status 4 enumerators in 4 bytes
CacheClass 4 enumerators in 4 bytes
Durability 3 enumerators in 4 bytes
Validity 3 enumerators in 4 bytes
Fact 104: 0 32 72
Evidence 72: 0 32
Finding 200: 0 32 40 72 80 104 136 168
Column 144: 0 32 64 96 104 136
ProfileFile 96: 0 32 64
ProfileInfo 144: 0 32 64 88 120
ToolInfo 96: 0 32 64
Environment 152: 0 32 64 96 128 136
PlanInfo 72: 0 24 40 56
Report 1024: 0 96 128 160 184 328 352 376 528 840 864 936 960 984 1008
ExpectedRange 80: 0 32 48 64
FactPattern 64: 0 32
Expectation 176: 0 32 40 64 88 120 152
Judgement 208: 0 32 64 72 152 168 176
Severity 3 enumerators in 4 bytes
ExpectKind 3 enumerators in 4 bytes
Expected 4 enumerators in 4 bytes
Side 96: 0 32 64
Difference 56: 0 32
Ratio 56: 0 16 32 48
ComparedRow 224: 0 32 64 72 104 136 168 176 200
NotCompared 64: 0 32
StageTable 112: 0 32 56 80
StageTable::Row 56: 0 32
LimitResult 72: 0 32 40
Comparison 240: 0 24 48 72 96 216
Plot 64: 0 32
Change 4 enumerators in 4 bytes
LimitVerdict 4 enumerators in 4 bytes
Error 48: 0 8 40
Progress 40: 0 8 16 24
BackendInfo 32: 0 24
FormatterInfo 32: 0 24 25 26
PluginDescriptor 72: 0 8 12 16 20 24 32 40 48 56 64
Phase 5 enumerators in 4 bytes
)"}};
  return layouts;
}

}  // namespace

TEST_CASE("A struct of the plugin interface changes only with the ABI's minor version",
          "[sdk][abi]") {
  const auto found = published().find(kAbiMinor);
  REQUIRE(found != published().end());
  CHECK(layout_now() == found->second);
}

}  // namespace sthd
