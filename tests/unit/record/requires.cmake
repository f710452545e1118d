find_path(VALIJSON_INCLUDE_DIR valijson/schema.hpp REQUIRED)
target_include_directories(${target} SYSTEM PRIVATE ${VALIJSON_INCLUDE_DIR})
