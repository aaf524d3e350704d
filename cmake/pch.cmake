# Precompiled headers, one per weight class, made once and reused by every target of the class. They
# list foreign headers only, never ours, so they are made once. Sources include what they use all
# the same: WITH_PCH=OFF (the default outside ./dev) builds the same targets.
option(WITH_PCH "Use precompiled headers (g++; ccache needs the settings of CMakePresets.json)" OFF)

function(add_pch name)
  cmake_parse_arguments(PCH "PROGRAM" "" "LIBS;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "// Holds a precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE warnings ${PCH_LIBS})
  target_precompile_headers(${name} PRIVATE ${PCH_HEADERS})
  if(PCH_PROGRAM)  # g++ takes a header for a program only if it was made as for a program
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIE)
  endif()
endfunction()

set(pch_standard <algorithm> <functional> <map> <memory> <optional> <set> <string> <variant> <vector>)
if(WITH_PCH)
  add_compile_options(-pthread)  # gRPC's users have it, and g++ wants equal flags of all
  add_pch(pch_room HEADERS ${pch_standard})
  add_pch(pch_fast HEADERS ${pch_standard})
  target_compile_options(pch_fast PRIVATE ${release_options})
endif()
if(WITH_PCH AND WITH_TESTS)
  add_pch(pch_test PROGRAM LIBS GTest::gtest HEADERS <gtest/gtest.h> ${pch_standard})
endif()
