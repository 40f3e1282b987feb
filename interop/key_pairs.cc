#include "interop/key_pairs.h"

#include <mutex>

#include "interop/scratch_folder.h"
#include "interop/subprocess.h"

namespace plumb {

tl::expected<std::filesystem::path, std::string> key_pair(const std::string& purpose, const std::string& type) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto folder = scratch_folder();
  if (!folder) return tl::unexpected(folder.error());
  const std::filesystem::path path = *folder / (purpose + "_" + type);
  if (std::filesystem::exists(path)) return path;
  ProgramRequest keygen;
  const bool other_curve = type == "ecdsa384" || type == "ecdsa521";
  keygen.argv = {"ssh-keygen", "-q", "-t", other_curve ? "ecdsa" : type, "-N", "", "-C", "", "-f", path.string()};
  if (type == "rsa") keygen.argv.insert(keygen.argv.end(), {"-b", "2048"});
  if (other_curve) keygen.argv.insert(keygen.argv.end(), {"-b", type.substr(5)});
  const ProgramResult result = run_program(keygen);
  if (result.exit_code != 0) return tl::unexpected("ssh-keygen failed: " + result.error);
  return path;
}

std::string missing_ssh_keygen() {
  static const bool there = [] {
    ProgramRequest keygen;
    keygen.argv = {"ssh-keygen", "-?"};
    return run_program(keygen).started;
  }();
  return there ? "" : "ssh-keygen is not installed (Debian: apt-get install openssh-client)";
}

}  // namespace plumb
