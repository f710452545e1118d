target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp)
target_link_libraries(${target} PRIVATE sthd_host sthd_record)
add_dependencies(${target} sthd_formatter_html)
