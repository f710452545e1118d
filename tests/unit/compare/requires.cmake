target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/staged_reports.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/comparisons.cpp)
