# cmake -D… -P consumer.cmake: see register.cmake.

# No path of this tree may be needed: SDK and template are copied apart from each other.
file(REMOVE_RECURSE ${WORK})
file(COPY ${SDK} DESTINATION ${WORK} PATTERN template EXCLUDE)
file(COPY ${SDK}/template/ DESTINATION ${WORK}/my-plugins)

function(must_succeed what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: exit ${result}\n${output}")
  endif()
endfunction()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
must_succeed("configuring the template" ${CMAKE_COMMAND} -S ${WORK}/my-plugins -B ${WORK}/build -G ${GENERATOR}
  -DSTHD_SDK_DIR=${WORK}/sdk -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
  "-DCMAKE_CXX_FLAGS=${flags} -O1")
must_succeed("building the template" ${CMAKE_COMMAND} --build ${WORK}/build)
set(ENV{STHD_TEST_CONSUMER} ${WORK}/build/plugins)
must_succeed("loading the template" ${LOADER} "[.consumer]")
