# plumb_room(NAME [DEPENDS room…] [LINK target…] [THIRD_PARTY header-prefix…] SOURCES file…)
#
# Declares one room of the house: a static library plumb_NAME (alias plumb::NAME) that sees the rooms it DEPENDS on, and
# a CTest `layers.NAME` that compares every include in the room with that list. THIRD_PARTY names header prefixes that
# any file of the room may include; headers that only `*_openssl.cc`, `*_sodium.cc` or `*_<isa>.cc` files may include
# need no mention, since the suffix is the permission (tools/check_layers.py).
function(plumb_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINK;THIRD_PARTY;SOURCES" ${ARGN})
  set(target plumb_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  add_library(plumb::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE plumb_warnings)
  foreach(lower ${ROOM_DEPENDS})
    target_link_libraries(${target} PUBLIC plumb::${lower})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LINK})
  plumb_check_layers(${name} DEPENDS ${ROOM_DEPENDS} THIRD_PARTY ${ROOM_THIRD_PARTY})
endfunction()

# The include check alone, for rooms that are programs rather than a library.
function(plumb_check_layers name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;THIRD_PARTY" ${ARGN})
  if(NOT PLUMB_DEVELOPER)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME layers.${name}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py --root ${PROJECT_SOURCE_DIR} --room ${name}
      --rooms ${ROOM_DEPENDS} --third-party ${ROOM_THIRD_PARTY})
  set_tests_properties(layers.${name} PROPERTIES LABELS layers)
endfunction()
