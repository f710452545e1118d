add_dependencies(${target} sthd_backend_dd)
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
