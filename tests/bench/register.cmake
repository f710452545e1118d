# What the benchmarks compute and print; they themselves are run by hand (./run-bench).
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME "bench: figures" COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/bench_test.py)
endif()
