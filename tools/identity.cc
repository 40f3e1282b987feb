#include "tools/identity.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "keys/key_file.h"
#include "tools/file_text.h"

namespace plumb {
namespace {

Checked<std::unique_ptr<PrivateKey>> load_key(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return tl::unexpected(
        fmt::format("the key file {} cannot be read: {}", path, std::generic_category().message(errno)));
  }
  // As ssh: a file of somebody else's is judged by whether it can be read at all.
  if (status.st_uid == getuid() && (status.st_mode & 077) != 0) {
    return tl::unexpected(
        fmt::format("the key file {0} is open to other users (mode {1:04o}); close it with: chmod 600 {0}", path,
                    status.st_mode & 07777));
  }
  const Result<SecretBytes> text = read_file(path);
  if (!text) return tl::unexpected(fmt::format("the key file {} cannot be read: {}", path, describe(text.error())));
  Result<KeyFile> parsed = parse_key_file(as_text(text->bytes()));
  if (!parsed) return tl::unexpected(fmt::format("{}: {}", path, describe(parsed.error())));
  return std::move(parsed->key);
}

}  // namespace

Checked<Identities> load_identities(const ClientOptions& options) {
  Identities identities;
  if (!options.use_keys) return identities;
  for (const std::string& path : options.identity_files) {
    Checked<std::unique_ptr<PrivateKey>> key = load_key(path);
    if (!key) return tl::unexpected(key.error());
    identities.keys.push_back(*std::move(key));
  }
  const std::string usual = expand_home("~/.ssh/id_ed25519");
  if (!options.identity_files.empty() || access(usual.c_str(), F_OK) != 0) return identities;
  Checked<std::unique_ptr<PrivateKey>> key = load_key(usual);
  if (key)
    identities.keys.push_back(*std::move(key));
  else
    identities.note = key.error();
  return identities;
}

}  // namespace plumb
