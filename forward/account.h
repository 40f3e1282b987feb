// The user whose shell and files a server serves: the one that it runs as.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/result.h"

namespace plumb {

struct Account {
  std::string name;
  std::string home;
  std::string shell;  ///< a path
  uid_t id;

  /// Of this process. kSystem if the system's user database does not know it.
  static Result<Account> own();
};

}  // namespace plumb
