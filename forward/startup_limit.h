// How many connections may be without authentication at once (sshd's MaxStartups).
#pragma once

#include <cstddef>

#include "core/random.h"

namespace plumb {

struct StartupLimit {
  unsigned begin = 10;  ///< from so many on, some are refused at random
  unsigned rate = 30;   ///< percent of them that are refused at first, more the more there are
  unsigned full = 100;  ///< from so many on, all are refused

  /// Whether one more may come while `waiting` are there. As sshd's should_drop_connection.
  bool admits(size_t waiting, RandomSource& random) const;
};

}  // namespace plumb
