# Fake plugins as real libraries: ${CMAKE_BINARY_DIR}/test-plugins/<case>/<case>.so, each good or bad in one way.

set(STHD_FAKE_DIR ${CMAKE_BINARY_DIR}/test-plugins)
set(fake_folder ${CMAKE_CURRENT_LIST_DIR})
set(sdk_folder ${CMAKE_SOURCE_DIR}/plugins/sdk)
add_custom_target(sthd_fakes)

# sthd_fake(<case> [KIND backend] [MARKER text | NO_MARKER] [OTHER_FLAGS flags…] [DEFINE definitions…])
function(sthd_fake case)
  cmake_parse_arguments(fake "NO_MARKER" "KIND;MARKER" "OTHER_FLAGS;DEFINE" ${ARGN})
  if(NOT fake_KIND)
    set(fake_KIND formatter)
  endif()
  set(target sthd_fake_${case})
  add_library(${target} MODULE ${fake_folder}/fake_${fake_KIND}.cpp)
  if(NOT fake_NO_MARKER)
    target_sources(${target} PRIVATE ${sdk_folder}/cmake/marker.cpp)
  endif()
  if(DEFINED fake_OTHER_FLAGS)
    target_compile_definitions(${target} PRIVATE BOOST_DLL_USE_STD_FS)
    target_compile_options(${target} PRIVATE ${fake_OTHER_FLAGS})
    target_link_options(${target} PRIVATE ${fake_OTHER_FLAGS})
  else()
    target_link_libraries(${target} PRIVATE sthd_options)
  endif()
  target_include_directories(${target} PRIVATE ${sdk_folder}/include)
  target_compile_definitions(${target} PRIVATE FAKE_CASE="${case}" STHD_PLUGIN_VERSION="1.2.3"
    STHD_PLUGIN_KIND="${fake_KIND}" STHD_PLUGIN_NAME="${case}" ${fake_DEFINE})
  if(fake_MARKER)
    target_compile_definitions(${target} PRIVATE STHD_PLUGIN_MARKER="${fake_MARKER}")
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${case}
    LIBRARY_OUTPUT_DIRECTORY ${STHD_FAKE_DIR}/${case})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND chmod go-w $<TARGET_FILE:${target}> ${STHD_FAKE_DIR}/${case})
  add_dependencies(sthd_fakes ${target})
endfunction()

sthd_fake(good)
sthd_fake(good-backend KIND backend)
# What a packager does: unused sections collected, symbols stripped.
sthd_fake(good-stripped)
target_compile_options(sthd_fake_good-stripped PRIVATE -ffunction-sections -fdata-sections)
target_link_options(sthd_fake_good-stripped PRIVATE -Wl,--gc-sections)
add_custom_command(TARGET sthd_fake_good-stripped POST_BUILD
  COMMAND ${CMAKE_STRIP} -s $<TARGET_FILE:sthd_fake_good-stripped>)

# Gate 1.
sthd_fake(no-marker NO_MARKER)
sthd_fake(wrong-minor MARKER "sthd1.formatter.wrong-minor.7.libstdc++-cxx11")
sthd_fake(wrong-major MARKER "sthd2.formatter.wrong-major.0.libstdc++-cxx11")
sthd_fake(wrong-family MARKER "sthd1.formatter.wrong-family.0.libc++")
sthd_fake(wrong-kind MARKER "sthd1.decoder.wrong-kind.0.libstdc++-cxx11")
sthd_fake(dotted-name MARKER "sthd1.formatter.../evil.0.libstdc++-cxx11")
# Truly built the other way: a host without AddressSanitizer that loads it would end at once.
if(STHD_SANITIZE)
  sthd_fake(other-sanitizer OTHER_FLAGS -O1)
else()
  sthd_fake(other-sanitizer OTHER_FLAGS -fsanitize=address)
endif()

# Gate 2.
sthd_fake(no-descriptor DEFINE FAKE_WITHOUT_DESCRIPTOR)
sthd_fake(no-address DEFINE FAKE_WITHOUT_DESCRIPTOR FAKE_ALIAS_POINTS_NOWHERE)
sthd_fake(bad-magic DEFINE FAKE_MAGIC=0x1122334455667788)
sthd_fake(other-minor DEFINE FAKE_ABI_MINOR=7)
sthd_fake(wrong-size DEFINE FAKE_STRUCT_SIZE=64)
sthd_fake(other-name DEFINE FAKE_NAME="good")
sthd_fake(undefined-symbol)
target_sources(sthd_fake_undefined-symbol PRIVATE ${fake_folder}/undefined_symbol.cpp)

# Gate 3.
sthd_fake(throws-in-create DEFINE FAKE_THROWS_IN_CREATE)
sthd_fake(throws-in-info DEFINE FAKE_THROWS_IN_INFO)
