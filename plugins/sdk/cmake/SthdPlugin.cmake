# sthd_add_plugin(<backend|formatter> <folder>): builds the folder's source files into <folder's name>.so, with the
# marker section that the host reads before it loads anything. A requires.cmake in the folder may use ${target}.
#
# Works in speedtest-hd's own tree and in any other project that includes this file from a copy of the SDK:
#
#   include(/path/to/sdk/cmake/SthdPlugin.cmake)
#   sthd_add_plugin(formatter my-format)
#
# The result lies in STHD_PLUGIN_DIR (default: plugins/ of the build tree).
include_guard(GLOBAL)

# Outside of speedtest-hd's own tree the SDK is built from its sources, with the project's own flags.
if(NOT TARGET sthd_sdk)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  if(NOT CMAKE_CXX_STANDARD)
    set(CMAKE_CXX_STANDARD 20)
  endif()
  find_package(fmt REQUIRED)
  find_package(Threads REQUIRED)
  if(NOT TARGET sthd_options)
    add_library(sthd_options INTERFACE)
    target_compile_definitions(sthd_options INTERFACE BOOST_DLL_USE_STD_FS _FILE_OFFSET_BITS=64 _GNU_SOURCE)
  endif()
  add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/.. ${CMAKE_BINARY_DIR}/sthd-sdk EXCLUDE_FROM_ALL)
endif()

function(sthd_add_plugin kind folder)
  get_filename_component(folder ${folder} ABSOLUTE)
  get_filename_component(name ${folder} NAME)
  string(LENGTH "${name}" length)
  if(NOT kind MATCHES "^(backend|formatter)$")
    message(FATAL_ERROR "sthd_add_plugin: \"${kind}\" is no kind of plugin; it is \"backend\" or \"formatter\".")
  elseif(NOT name MATCHES "^[a-z0-9-]+$" OR length GREATER 32)
    message(FATAL_ERROR "sthd_add_plugin: \"${name}\" is no plugin's name; rename the folder to 1-32 of a-z, 0-9 and -.")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(NOT sources)
    message(FATAL_ERROR "sthd_add_plugin: ${folder} has no *.cpp; put the plugin's source file there.")
  endif()
  set(target sthd_${kind}_${name})
  add_library(${target} MODULE ${sources} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/marker.cpp)
  target_link_libraries(${target} PRIVATE sthd_options sthd_kit)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set(version ${PROJECT_VERSION})
  if(NOT version)
    set(version 0)
  endif()
  target_compile_definitions(${target} PRIVATE STHD_PLUGIN_VERSION="${version}" STHD_PLUGIN_KIND="${kind}"
    STHD_PLUGIN_NAME="${name}")
  set(output ${STHD_PLUGIN_DIR})
  if(NOT output)
    set(output ${CMAKE_BINARY_DIR}/plugins)
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${output} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # A plugin that others may write is refused; umask 002 must not make ours such.
  add_custom_command(TARGET ${target} POST_BUILD COMMAND chmod go-w $<TARGET_FILE:${target}> ${output})
  if(EXISTS ${folder}/requires.cmake)
    include(${folder}/requires.cmake)
  endif()
  set_property(GLOBAL APPEND PROPERTY STHD_PLUGIN_TARGETS ${target})
endfunction()
