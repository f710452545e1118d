target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/named_report.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/staged_reports.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/comparisons.cpp)
target_link_libraries(${target} PRIVATE sthd_host sthd_record sthd_compare)
get_property(plugins GLOBAL PROPERTY STHD_PLUGIN_TARGETS)
add_dependencies(${target} ${plugins})
