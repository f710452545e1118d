add_dependencies(${target} sthd_backend_fio-exec)
target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
