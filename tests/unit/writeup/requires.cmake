target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp)
target_link_libraries(${target} PRIVATE sthd_host)
add_dependencies(${target} sthd_formatter_markdown sthd_formatter_case-study sthd_formatter_junit)
