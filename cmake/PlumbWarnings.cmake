# Warnings for every target of the project; errors in all presets, since a warning nobody must fix is noise.
add_library(plumb_warnings INTERFACE)
target_compile_options(plumb_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wcast-align -Wformat=2 -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
