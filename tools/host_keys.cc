#include "tools/host_keys.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "keys/key_file.h"
#include "tools/client_options.h"
#include "tools/file_text.h"
#include "tools/identity.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

Checked<void> make_host_key(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  std::string text = write_key_file(*generate_ed25519(system_random()), "host key of plumb serve", system_random());
  const Result<void> written = write_new_file(path, text);
  wipe({reinterpret_cast<uint8_t*>(text.data()), text.size()});
  // Another server may have been quicker: its key will do.
  if (written || written.error().os_error == EEXIST) return {};
  return tl::unexpected(
      fmt::format("a host key cannot be stored as {}: {}; name one with --host-key", path, describe(written.error())));
}

Checked<std::shared_ptr<const PrivateKey>> load_host_key(const std::string& path, const KeyLimits& limits) {
  if (const Checked<void> mode = check_key_file_mode(path); !mode) return tl::unexpected(mode.error());
  const Result<SecretBytes> text = read_file(path);
  if (!text) return tl::unexpected(fmt::format("the key file {} cannot be read: {}", path, describe(text.error())));
  Result<KeyFile> file = parse_key_file(as_text(text->bytes()));
  if (!file) return tl::unexpected(fmt::format("{}: {}", path, describe(file.error())));
  const Result<PublicKey> within = PublicKey::parse(file->key->public_key().blob(), limits);
  if (!within) return tl::unexpected(fmt::format("{}: {}", path, describe(within.error())));
  return std::shared_ptr<const PrivateKey>(std::move(file->key));
}

}  // namespace

std::string own_host_key_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const std::string folder = config != nullptr && *config == '/' ? config : expand_home("~/.config");
  return folder + "/plumbline/host_ed25519";
}

Checked<std::vector<std::shared_ptr<const PrivateKey>>> load_host_keys(const std::vector<std::string>& files,
                                                                       const KeyLimits& limits) {
  std::vector<std::string> paths = files;
  if (paths.empty()) {
    paths.push_back(own_host_key_file());
    if (access(paths.front().c_str(), F_OK) != 0) {
      if (const Checked<void> made = make_host_key(paths.front()); !made) return tl::unexpected(made.error());
    }
  }
  std::vector<std::shared_ptr<const PrivateKey>> keys;
  for (const std::string& path : paths) {
    Checked<std::shared_ptr<const PrivateKey>> key = load_host_key(expand_home(path), limits);
    if (!key) return tl::unexpected(key.error());
    keys.push_back(*std::move(key));
  }
  return keys;
}

}  // namespace plumb
