target_link_libraries(${target} PRIVATE sthd_host)
target_compile_definitions(${target} PRIVATE STHD_FAKE_DIR="${CMAKE_BINARY_DIR}/test-plugins")
# The fakes are defined later, in tests/plugins/register.cmake; dependencies are resolved at the end.
add_dependencies(${target} sthd_fakes)
