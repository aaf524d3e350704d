# add_room(core DEPS base): the static library of a room, from every .cpp below its folder but
# main.cpp and *_main.cpp. LIBS are foreign libraries, private unless after PUBLIC_LIBS. PCH names
# the precompiled header of its weight class. FAST: what the simulator steps tens of millions of times
# in the default tests is optimised as for a release even where the rest is not (sanitizers aside).
function(add_room name)
  cmake_parse_arguments(ROOM "FAST" "PCH" "DEPS;LIBS;PUBLIC_LIBS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "(^|/|_)main\\.cpp$")
  foreach(pattern ${ROOM_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ROOM_DEPS} ${ROOM_PUBLIC_LIBS} PRIVATE warnings ${ROOM_LIBS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  if(ROOM_FAST AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${name} PRIVATE ${release_options})
    set(ROOM_PCH pch_fast)  # g++ wants a header made with the same options
  elseif(NOT ROOM_PCH)
    set(ROOM_PCH pch_room)
  endif()
  if(WITH_PCH)
    target_precompile_headers(${name} REUSE_FROM ${ROOM_PCH})
  endif()
endfunction()

# add_program(dt-master master main.cpp): a program is its room's library plus one main file.
function(add_program name room main)
  add_executable(${name} ${main})
  target_link_libraries(${name} PRIVATE ${room} warnings ${ARGN})
  add_dependencies(programs ${name})
endfunction()

# add_room_test(core LABELS quick): one GoogleTest binary from tests/unit/<name>/**/*_test.cpp.
function(add_room_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "DEPS;LABELS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${name}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${name} ${TEST_DEPS} warnings GTest::gtest GTest::gtest_main)
  if(WITH_PCH)
    target_precompile_headers(${name}_test REUSE_FROM pch_test)
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT})
endfunction()

# add_python_test(tidy tests/tidy/tidy.py LABELS quick): a script that exits 0 when all is well.
function(add_python_test name script)
  cmake_parse_arguments(TEST "SERIAL" "TIMEOUT" "ARGS;LABELS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND python3 ${CMAKE_SOURCE_DIR}/${script} ${TEST_ARGS}
           WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
                       RUN_SERIAL ${TEST_SERIAL})
endfunction()
