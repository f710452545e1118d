# What the author of a plugin does: a copy of the SDK, the template, a build of its own, and a host that loads the
# result.
add_test(NAME "consumer: the template builds outside of this tree and loads"
  COMMAND ${CMAKE_COMMAND}
    -DSDK=${CMAKE_SOURCE_DIR}/plugins/sdk
    -DWORK=${CMAKE_BINARY_DIR}/consumer
    -DLOADER=$<TARGET_FILE:test_plugin_host>
    -DGENERATOR=${CMAKE_GENERATOR}
    -DCOMPILER=${CMAKE_CXX_COMPILER}
    -DLAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
    -DSANITIZE=${STHD_SANITIZE}
    -P ${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
set_tests_properties("consumer: the template builds outside of this tree and loads" PROPERTIES TIMEOUT 900)
