target_link_libraries(${target} PRIVATE nlohmann_json::nlohmann_json)
