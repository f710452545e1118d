# libFuzzer targets: cmake -DSTHD_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++, then for example
#   bin/profile_fuzz CORPUS tests/fixtures/profiles/hostile tests/fixtures/profiles/valid profiles
option(STHD_FUZZ "Build the fuzz targets (clang only)" OFF)
if(STHD_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(sthd_profile PRIVATE -fsanitize=fuzzer-no-link)
  add_executable(profile_fuzz ${CMAKE_CURRENT_LIST_DIR}/profile_fuzz.cpp)
  target_link_libraries(profile_fuzz PRIVATE sthd_options sthd_profile)
  target_compile_options(profile_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(profile_fuzz PRIVATE -fsanitize=fuzzer)
endif()
