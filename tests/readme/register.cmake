# One test for each ```sh block of README.md; they use the release build that ./speedtest-hd makes.
if(STHD_BUILD_NAME STREQUAL "release")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md)
  file(STRINGS ${CMAKE_SOURCE_DIR}/README.md blocks REGEX "^```sh$")
  list(LENGTH blocks count)
  foreach(number RANGE 1 ${count})
    add_test(NAME "readme: block ${number}"
      COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/run-block.sh ${CMAKE_SOURCE_DIR} ${number})
    # They measure: not beside other tests.
    set_tests_properties("readme: block ${number}" PROPERTIES RUN_SERIAL ON TIMEOUT 300)
  endforeach()
endif()
