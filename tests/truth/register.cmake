# The quickest of the staged lies; all of them are for a person with time: python3 tests/truth/truth.py
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speedtest-hd)
  add_test(NAME "truth: the quickest lies"
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/truth.py --quick --runs 1)
  # It measures the disk that the system tests measure: one at a time.
  set_tests_properties("truth: the quickest lies" PROPERTIES
    ENVIRONMENT "STHD_BINARY=$<TARGET_FILE:speedtest-hd>;STHD_TEST_DIR=${CMAKE_BINARY_DIR}/tests/work"
    SKIP_RETURN_CODE 77 TIMEOUT 300 RESOURCE_LOCK target)
endif()
