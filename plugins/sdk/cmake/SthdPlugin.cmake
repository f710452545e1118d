# sthd_add_plugin(<backend|formatter> <folder>): builds the folder's source files into <folder's name>.so, with the
# marker section that the host reads before it loads anything.

set(STHD_SDK_DIR ${CMAKE_CURRENT_LIST_DIR}/..)

function(sthd_add_plugin kind folder)
  get_filename_component(name ${folder} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(target sthd_${kind}_${name})
  add_library(${target} MODULE ${sources} ${STHD_SDK_DIR}/src/marker.c)
  target_link_libraries(${target} PRIVATE sthd_options sthd_kit)
  if(DEFINED STHD_SANITIZE AND STHD_SANITIZE MATCHES "address")
    set(family_suffix ".asan")
  elseif(DEFINED STHD_SANITIZE AND STHD_SANITIZE MATCHES "thread")
    set(family_suffix ".tsan")
  endif()
  file(STRINGS ${STHD_SDK_DIR}/include/sthd/abi.hpp minor_line REGEX "kAbiMinor = [0-9]+")
  string(REGEX MATCH "[0-9]+;?$" minor "${minor_line}")
  string(REPLACE ";" "" minor "${minor}")
  set_source_files_properties(${STHD_SDK_DIR}/src/marker.c TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE C)
  target_compile_definitions(${target} PRIVATE STHD_PLUGIN_VERSION="${PROJECT_VERSION}"
    STHD_PLUGIN_MARKER="sthd1.${kind}.${name}.${minor}.libstdc++-cxx11${family_suffix}")
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${STHD_PLUGIN_DIR})
  # A plugin that others may write is refused; umask 002 must not make ours such.
  add_custom_command(TARGET ${target} POST_BUILD COMMAND chmod go-w $<TARGET_FILE:${target}> ${STHD_PLUGIN_DIR})
  if(EXISTS ${folder}/requires.cmake)
    include(${folder}/requires.cmake)
  endif()
  set_property(GLOBAL APPEND PROPERTY STHD_PLUGIN_TARGETS ${target})
endfunction()
