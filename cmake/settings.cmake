# Language, warnings, linker and ccache for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # tests link rooms of other folders
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Debug)
endif()
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
set(release_options -O2 -Wno-stringop-overread)  # of g++ 12, at -O2: a false alarm
string(JOIN " " CMAKE_CXX_FLAGS_RELEASE -g1 ${release_options})

# Warnings are errors in our own code; generated code and foreign headers are not ours.
add_library(warnings INTERFACE)
# A designated initializer that leaves members at their defaults is our way to build data. The others
# are false alarms of g++ 12: uninitialised members in every moved std::variant, and overruns in
# std::string once it is inlined.
target_compile_options(warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
                       -Wno-missing-field-initializers -Wno-maybe-uninitialized -Wno-array-bounds
                       -Wno-restrict -Wno-stringop-overflow)
target_include_directories(warnings INTERFACE ${CMAKE_SOURCE_DIR})

# Everything a person runs; ./dev demo builds these without the tests. add_program() fills it.
add_custom_target(programs)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
foreach(linker mold lld)
  find_program(LINKER_${linker} NAMES ${linker} ld.${linker})
  if(LINKER_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()
