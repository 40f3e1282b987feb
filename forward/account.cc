#include "forward/account.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace plumb {

Result<Account> Account::own() {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> text(4096);
  int error;
  while ((error = getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found)) == ERANGE)
    text.resize(2 * text.size());
  if (error != 0) return fail(ErrorCode::kSystem, "the user database cannot be read", error);
  if (found == nullptr)
    return fail(ErrorCode::kSystem, "the user that this process runs as is not in the user database");
  const std::string shell = entry.pw_shell;
  return Account{entry.pw_name, entry.pw_dir, shell.empty() ? "/bin/sh" : shell, entry.pw_uid};
}

}  // namespace plumb
