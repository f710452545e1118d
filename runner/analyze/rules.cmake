# Every source here but these is a rule. The table of them is generated: a new rule is a new file.
file(GLOB rules CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(FILTER rules EXCLUDE REGEX "/(analyze|effects|effect_text|expectations|judge|layers|needs|remedies)\\.cpp$")
set(declarations "")
set(entries "")
foreach(rule ${rules})
  get_filename_component(rule ${rule} NAME_WE)
  string(APPEND declarations "std::vector<Finding> ${rule}(const Report& report);\nCheck ${rule}_check();\n")
  string(APPEND entries "  {&rules::${rule}, &rules::${rule}_check},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/analyze/sthd_rules.inc @ONLY CONTENT
"// Generated from the files of runner/analyze.
namespace sthd::analyze {
namespace rules {
@declarations@}  // namespace rules
struct Rule {
  std::vector<Finding> (*judge)(const Report&);
  Check (*check)();
};
constexpr Rule kRules[] = {
@entries@};
}  // namespace sthd::analyze
")
target_include_directories(sthd_analyze PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/analyze)
