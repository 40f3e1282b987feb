#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace plumb {

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace plumb
