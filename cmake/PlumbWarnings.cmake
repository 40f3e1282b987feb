# Warnings for every target of the project; errors, since a warning nobody must fix is noise. Not under the sanitizers: what
# they put into the code makes gcc see faults that are not there (its manual, on -fsanitize).
option(PLUMB_WERROR "Treat warnings as errors" ON)
add_library(plumb_warnings INTERFACE)
target_compile_options(plumb_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wcast-align -Wformat=2 -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough $<$<BOOL:${PLUMB_WERROR}>:-Werror>)

# gcc 12 invents overflows where std::vector and std::string grow or are searched at -O3, and uninitialised strings inside
# an empty std::optional (gcc PR105329, PR105651, PR105562). AddressSanitizer and valgrind find the real ones.
target_compile_options(plumb_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
