# System tests: Python files that run the built program. Exit code 77: this machine lacks what they need.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speedtest-hd)
  add_executable(deny_syscalls ${CMAKE_SOURCE_DIR}/tests/support/deny_syscalls.c)
  set_target_properties(deny_syscalls PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

  # Real records by the schema that is published.
  find_path(VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED)
  add_executable(validate_record ${CMAKE_SOURCE_DIR}/tests/support/validate_record.cpp)
  target_link_libraries(validate_record PRIVATE sthd_options nlohmann_json::nlohmann_json)
  target_include_directories(validate_record PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_include_directories(validate_record SYSTEM PRIVATE ${VALIJSON_INCLUDE_DIR})
  target_compile_definitions(validate_record PRIVATE STHD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(validate_record PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    string(REPLACE "_test" "" name ${name})
    add_test(NAME "system: ${name}" COMMAND Python3::Interpreter -B ${script})
    set_tests_properties("system: ${name}" PROPERTIES
      ENVIRONMENT "STHD_BINARY=$<TARGET_FILE:speedtest-hd>;STHD_TEST_DIR=${CMAKE_BINARY_DIR}/tests/work;STHD_DENY_SYSCALLS=$<TARGET_FILE:deny_syscalls>;STHD_VALIDATE_RECORD=$<TARGET_FILE:validate_record>"
      SKIP_RETURN_CODE 77 TIMEOUT 600)
    # What depends on the disk's time shares it with little else; it goes first. A clean-up is timed: alone.
    if(name MATCHES "^(analyze|axis|compare|expect|html|rooms|schema|share|spreadsheet|writeup)$")
      set_tests_properties("system: ${name}" PROPERTIES COST 50)
    else()
      set_tests_properties("system: ${name}" PROPERTIES COST 100 RESOURCE_LOCK target)
    endif()
    if(name STREQUAL "kill")
      set_tests_properties("system: ${name}" PROPERTIES PROCESSORS 2)
    endif()
  endforeach()
endif()
