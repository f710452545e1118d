// What a plugin looks like whose library is not installed.
extern "C" void sthd_test_function_that_nobody_defines();
extern "C" void sthd_test_caller() { sthd_test_function_that_nobody_defines(); }
