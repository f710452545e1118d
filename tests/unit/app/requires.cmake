target_sources(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/../record/random_report.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/reports.cpp)
