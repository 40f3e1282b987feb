#include "forward/startup_limit.h"

#include "core/endian.h"

namespace plumb {

bool StartupLimit::admits(size_t waiting, RandomSource& random) const {
  if (waiting < begin) return true;
  if (waiting >= full) return false;
  const size_t refused = rate + (100 - rate) * (waiting - begin) / (full - begin);
  uint8_t bytes[4];
  random.fill(bytes);
  return load_be32(bytes) % 100 >= refused;
}

}  // namespace plumb
