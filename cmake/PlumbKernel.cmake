# plumb_kernel(ROOM_TARGET FILE file [FLAGS flag…])
#
# Adds one CPU-specific translation unit to a room, with its own instruction-set flags, always at -O3, and registers a
# CTest `kernel.<file>` that runs nm on its object: exactly one global symbol and no weak one. Without that check an
# ordinary inline function compiled here for AVX-512 could be the copy that the linker keeps for everybody.
# Under PLUMB_PORTABLE the file is left out and the room is told by the macro PLUMB_PORTABLE.
function(plumb_kernel target)
  cmake_parse_arguments(KERNEL "" "FILE" "FLAGS" ${ARGN})
  if(PLUMB_PORTABLE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_definitions(${target} PRIVATE PLUMB_PORTABLE)
    return()
  endif()
  get_filename_component(stem ${KERNEL_FILE} NAME_WE)
  add_library(plumb_kernel_${stem} OBJECT ${KERNEL_FILE})
  target_include_directories(plumb_kernel_${stem} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(plumb_kernel_${stem} PRIVATE -O3 -fno-exceptions ${KERNEL_FLAGS})
  target_link_libraries(plumb_kernel_${stem} PRIVATE plumb_warnings)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:plumb_kernel_${stem}>)
  if(PLUMB_DEVELOPER)
    add_test(NAME kernel.${stem}
      COMMAND ${PROJECT_SOURCE_DIR}/tools/check_kernel_symbols.sh $<TARGET_OBJECTS:plumb_kernel_${stem}>)
    set_tests_properties(kernel.${stem} PROPERTIES LABELS kernel)
  endif()
endfunction()
