target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp)
target_link_libraries(${target} PRIVATE sthd_host sthd_record)
get_property(plugins GLOBAL PROPERTY STHD_PLUGIN_TARGETS)
add_dependencies(${target} ${plugins})
