#include "tests/forward/file_session.h"

namespace plumb::testing {
namespace {

constexpr const char* kFunctions = R"sh(
tree() {
  (cd "$1" && find . -printf '%y %m %T@ %p\n' | sed 's/\.[0-9]* / /' | sort -k4
   find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}
noise() {
  head -c "$1" /dev/zero | openssl enc -aes-128-ctr -K 00 -iv "$(printf '%032x' "$1")" > "$2" 2> /dev/null
}
)sh";

}  // namespace

ProgramResult run_file_script(const PrivateServer& server, const std::string& script,
                              std::chrono::milliseconds timeout) {
  ProgramRequest request;
  const std::string folder = server.folder().string();
  std::string prelude = std::string(kFunctions) + "P=" + std::to_string(server.port()) + "\n";
  prelude += "KEY=" + server.client_key().string() + "\n";
  prelude += "O='-i " + server.client_key().string() + " -o UserKnownHostsFile=" + server.known_hosts().string() +
             " -o BatchMode=yes -o IdentityAgent=none'\n";
  prelude += "p() { local what=$1; shift; " + std::string(PLUMB_PROGRAM) + " $what -P $P $O \"$@\"; }\n";
  prelude += "batch() { p sftp \"$@\" " + server.destination() + "; }\n";
  prelude += "AT=" + server.destination() + ":" + folder + "\n";
  request.argv = {"bash", "-c", "cd " + folder + "\n" + prelude + script};
  request.timeout = timeout;
  return run_program(request);
}

}  // namespace plumb::testing
