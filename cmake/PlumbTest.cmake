# Tests are compiled many times and run for milliseconds: -O1 and one precompiled copy of the frameworks' headers. Under
# sanitizers gcc takes twice as long to optimize a test as the test saves, so those presets set -O0.
set(PLUMB_TEST_OPTIMIZATION -O1 CACHE STRING "Optimization of tests, but in Debug builds")
function(plumb_test_compilation target)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${PLUMB_TEST_OPTIMIZATION}>)
  if(target STREQUAL plumb_testing)
    plumb_precompile(${target}
      <gmock/gmock.h> <gtest/gtest.h> <algorithm> <filesystem> <map> <memory> <optional> <string> <vector>)
  else()
    plumb_precompile(${target} REUSE_FROM plumb_testing)
  endif()
endfunction()

# The tests that need no server, for presets that build no more.
add_custom_target(unit_tests)

# plumb_test(NAME SOURCES file… [LINK target…] [LABELS label…] [TIMEOUT seconds])
#
# Builds one GoogleTest program and registers each of its tests with CTest. Tests that call GTEST_SKIP show as skipped;
# the program itself fails when it executed no test at all (tests/testing/main.cc).
function(plumb_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  include(GoogleTest)
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE plumb_testing ${TEST_LINK} plumb_warnings)
  plumb_test_compilation(${name})
  if(NOT interop IN_LIST TEST_LABELS)
    add_dependencies(unit_tests ${name})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${TEST_TIMEOUT})

  # gtest_discover_tests loses all but the first of several labels, so they are set behind its list of tests.
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
  file(WRITE ${labels} "if(${name}_TESTS)\n  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${TEST_LABELS}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
endfunction()
