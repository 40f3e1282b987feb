#include "tools/host_key_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/known_hosts.h"
#include "tools/file_text.h"

namespace plumb {

Result<std::vector<std::string>> update_known_hosts(const ClientOptions& options, const std::vector<PublicKey>& held) {
  const Result<SecretBytes> file = read_file(options.known_hosts_file);
  if (!file) return tl::unexpected(file.error());
  const std::string_view text = as_text(file->bytes());
  std::optional<HostKeyUpdate> update = KnownHosts::parse(text).plan_update(options.host, options.port, held);
  if (!update) return {};
  std::erase_if(update->add, [&](const PublicKey& key) { return !PublicKey::parse(key.blob(), options.key_limits); });
  if (update->empty()) return {};

  RandomSource* const salt = options.hash_known_hosts ? &system_random() : nullptr;
  const Result<void> written =
      replace_file(options.known_hosts_file, apply_update(text, *update, options.host, options.port, salt));
  if (!written) return tl::unexpected(written.error());

  const std::string host = known_hosts_name(options.host, options.port);
  std::vector<std::string> changes;
  for (const PublicKey& key : update->add)
    changes.push_back(fmt::format("added the {} key {} of {}", key.type(), key.fingerprint(), host));
  for (const size_t line : update->remove)
    changes.push_back(fmt::format("removed line {}, a key that {} holds no more,", line, host));
  return changes;
}

}  // namespace plumb
