# For ./dev bundle, which copies this file and nlohmann-json's headers side by side: machines with
# GPUs may have no Debian packages.
if(NOT TARGET nlohmann_json::nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${CMAKE_CURRENT_LIST_DIR})
endif()
