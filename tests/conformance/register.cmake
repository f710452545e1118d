# System tests: Python files that run the built program. Exit code 77: this machine lacks what they need.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speedtest-hd)
  add_executable(deny_syscalls ${CMAKE_SOURCE_DIR}/tests/support/deny_syscalls.c)
  set_target_properties(deny_syscalls PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    string(REPLACE "_test" "" name ${name})
    add_test(NAME "system: ${name}" COMMAND Python3::Interpreter -B ${script})
    set_tests_properties("system: ${name}" PROPERTIES
      ENVIRONMENT "STHD_BINARY=$<TARGET_FILE:speedtest-hd>;STHD_TEST_DIR=${CMAKE_BINARY_DIR}/tests/work;STHD_DENY_SYSCALLS=$<TARGET_FILE:deny_syscalls>"
      SKIP_RETURN_CODE 77 TIMEOUT 600)
    if(NOT name MATCHES "^(analyze|rooms)$")  # the others measure the same disk: one at a time
      set_tests_properties("system: ${name}" PROPERTIES RESOURCE_LOCK target)
    endif()
  endforeach()
endif()
