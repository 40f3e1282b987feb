// The line of `ls -l` for one file, as OpenSSH's server writes it into NAME replies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sftp/attrs.h"

namespace plumb::sftp {

struct LongNameFacts {
  uint64_t links = 1;
  std::string user, group;  ///< names, or numbers in digits
  int64_t now = 0;          ///< seconds since 1970: a file of the last half year shows its time, others their year
};

/// "-rw-r--r--    1 root     root          286 Jan 31  2024 motd". Local time.
std::string long_name(std::string_view name, const Attrs& attrs, const LongNameFacts& facts);

}  // namespace plumb::sftp
