#include "core/secret.h"

#include <cstring>

namespace plumb {

void wipe(MutBytes bytes) noexcept {
  if (bytes.empty()) return;
  std::memset(bytes.data(), 0, bytes.size());
  asm volatile("" : : "r"(bytes.data()) : "memory");  // the stores are observable, so they stay
}

}  // namespace plumb
