find_path(VALIJSON_INCLUDE_DIR valijson/schema.hpp REQUIRED)
target_include_directories(${target} SYSTEM PRIVATE ${VALIJSON_INCLUDE_DIR})
target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/named_report.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/big_report.cpp)
