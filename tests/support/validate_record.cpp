#include <cstdio>
#include <exception>

#include "support/result_schema.hpp"

/// validate_record FILE…: says of each file that is no valid result.v1 why, and then exits 1.
int main(int argc, char* argv[]) {
  int code = 0;
  for (int i = 1; i < argc; ++i) {
    std::string fault;
    try {
      std::ifstream file(argv[i]);
      fault = sthd::test::result_schema_fault(nlohmann::json::parse(file));
    } catch (const std::exception& e) {
      fault = e.what();
    }
    if (fault.empty()) continue;
    std::fprintf(stderr, "%s: %s\n", argv[i], fault.c_str());
    code = 1;
  }
  return code;
}
