# plumb_precompile(TARGET header…)
# plumb_precompile(TARGET REUSE_FROM other)
#
# Large headers of others, parsed once for a target instead of once for each of its files: they take most of the time of
# a build. A file still includes what it uses. A compiler cache cannot see through precompiled headers, so there are
# none under one.
function(plumb_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# The parts of Asio that the rooms with I/O use.
set(PLUMB_ASIO_HEADERS <memory> <string> <vector> <functional> <optional> <variant> <asio/io_context.hpp> <asio/ip/tcp.hpp>
  <asio/posix/stream_descriptor.hpp> <asio/post.hpp> <asio/signal_set.hpp> <asio/steady_timer.hpp>)

# plumb_program_code()
#
# For a room whose code reads flags, starts peers and prints: -O1, since command-line, JSON and process code costs a third
# of a build at -O3 and spends no time that anyone measures. Its targets share no precompiled header with rooms built
# otherwise: gcc 12 crashes on one.
macro(plumb_program_code)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-O1>)
endmacro()
