#include "tools/identity.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "keys/certificate.h"
#include "keys/public_line.h"
#include "tools/file_text.h"
#include "tools/ssh_agent.h"

namespace plumb {
namespace {

using Key = std::shared_ptr<const PrivateKey>;
using AgentKeys = std::vector<std::shared_ptr<const AgentKey>>;

constexpr const char* kUsualFiles[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};

/// The public key or certificate in a file; nullopt if it does not exist.
Checked<std::optional<PublicKey>> load_public(const std::string& path) {
  const Result<SecretBytes> text = read_file(path);
  if (!text && text.error().os_error == ENOENT) return std::nullopt;
  if (!text) return tl::unexpected(fmt::format("{} cannot be read: {}", path, describe(text.error())));
  Result<PublicLine> line = parse_public_file(as_text(text->bytes()));
  if (!line) return tl::unexpected(fmt::format("{}: {}", path, describe(line.error())));
  return std::move(line->key);
}

/// An encrypted file is asked for its passphrase only when its key is to sign, or at once if nothing says which key it
/// is.
Checked<Key> load_private(const std::string& path, const AskPassphrase& ask) {
  if (const Checked<void> mode = check_key_file_mode(path); !mode) return tl::unexpected(mode.error());
  Result<SecretBytes> text = read_file(path);
  if (!text) return tl::unexpected(fmt::format("the key file {} cannot be read: {}", path, describe(text.error())));
  const auto named = [&](const Error& error) { return tl::unexpected(fmt::format("{}: {}", path, describe(error))); };
  Result<KeyFileOutline> outline = outline_key_file(as_text(text->bytes()));
  if (!outline) return named(outline.error());
  if (!outline->encrypted) {
    Result<KeyFile> file = parse_key_file(as_text(text->bytes()));
    if (!file) return named(file.error());
    return Key(std::move(file->key));
  }
  if (!outline->public_key) {
    Checked<std::optional<PublicKey>> beside = load_public(path + ".pub");
    if (!beside) return tl::unexpected(beside.error());
    if (!*beside) {
      return tl::unexpected(fmt::format(
          "{0} is encrypted and does not say which key it holds; write it down with: ssh-keygen -y -f {0} > "
          "{0}.pub",
          path));
    }
    outline->public_key = *std::move(*beside);
  }
  return Key(std::make_shared<LockedKey>(path, *std::move(text), *std::move(outline->public_key), ask));
}

Key find_in_agent(const AgentKeys& agent, const PublicKey& key) {
  const auto found = std::find_if(agent.begin(), agent.end(), [&](const auto& k) { return k->public_key() == key; });
  return found == agent.end() ? nullptr : *found;
}

/// The socket of the agent to ask; empty for none.
std::string agent_socket(const ClientOptions& options) {
  std::string name = options.identity_agent.value_or("SSH_AUTH_SOCK");
  if (name == "none") return "";
  if (name == "SSH_AUTH_SOCK") name = "$SSH_AUTH_SOCK";
  if (!name.starts_with('$')) return expand_home(name);
  const char* path = std::getenv(name.c_str() + 1);
  return path == nullptr ? "" : path;
}

/// Collects the keys and puts them in order.
class IdentityList {
 public:
  explicit IdentityList(AgentKeys agent) : agent_(std::move(agent)) {}

  Checked<void> add_file(const std::string& path, const AskPassphrase& ask) {
    Checked<std::optional<PublicKey>> beside = load_public(path + ".pub");
    // A malformed .pub is no reason to refuse the key beside it.
    const Key held = beside && *beside ? find_in_agent(agent_, **beside) : nullptr;
    if (held != nullptr) {
      from_agent_.push_back(held);
    } else {
      Checked<Key> loaded = load_private(path, ask);
      if (!loaded) return tl::unexpected(loaded.error());
      const Key same = find_in_agent(agent_, (*loaded)->public_key());
      const bool locked = dynamic_cast<const LockedKey*>(loaded->get()) != nullptr;
      if (same != nullptr)
        from_agent_.push_back(same);
      else if (locked && !ask)
        note_ = fmt::format("{} is encrypted, and there is nobody to ask for its passphrase", path);
      else
        from_files_.push_back(*loaded);
    }
    const Checked<std::optional<PublicKey>> certificate = load_public(path + "-cert.pub");
    if (!certificate) return tl::unexpected(certificate.error());
    if (*certificate) add_certificate(**certificate);
    return {};
  }

  /// Whether a key for it was found.
  bool add_certificate(const PublicKey& certificate) {
    if (find_in_agent(agent_, certificate) != nullptr)
      return certified_.push_back(find_in_agent(agent_, certificate)), true;
    for (const auto* list : {&from_agent_, &from_files_}) {
      for (const Key& key : *list) {
        auto made = CertifiedKey::make(key, certificate);
        if (made) return certified_.push_back(Key(*std::move(made))), true;
      }
    }
    return false;
  }

  /// Why a key is not among them; or empty.
  const std::string& note() const { return note_; }

  std::vector<Key> take(bool with_all_of_the_agent) {
    std::vector<Key> all = std::move(certified_);
    const auto add = [&all](const Key& key) {
      const bool known =
          std::any_of(all.begin(), all.end(), [&](const Key& k) { return k->public_key() == key->public_key(); });
      if (!known) all.push_back(key);
    };
    for (const Key& key : from_agent_) add(key);
    if (with_all_of_the_agent) {
      for (const auto& key : agent_) add(key);
    }
    for (const Key& key : from_files_) add(key);
    return all;
  }

 private:
  AgentKeys agent_;
  std::vector<Key> certified_, from_agent_, from_files_;
  std::string note_;
};

}  // namespace

Checked<void> check_key_file_mode(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return tl::unexpected(
        fmt::format("the key file {} cannot be read: {}", path, std::generic_category().message(errno)));
  }
  // As ssh: a file of somebody else's is judged by whether it can be read at all.
  if (status.st_uid != getuid() || (status.st_mode & 077) == 0) return {};
  return tl::unexpected(
      fmt::format("the key file {0} is open to other users (mode {1:04o}); close it with: chmod 600 {0}", path,
                  status.st_mode & 07777));
}

Checked<Identities> load_identities(const ClientOptions& options, const AskPassphrase& ask) {
  Identities identities;
  if (!options.use_keys) return identities;
  AgentKeys agent;
  if (const std::string socket = agent_socket(options); !socket.empty()) {
    Result<AgentKeys> held = agent_keys(socket);
    if (held) agent = *std::move(held);
    if (!held) identities.note = fmt::format("the agent at {}: {}", socket, describe(held.error()));
  }
  IdentityList list(std::move(agent));
  for (const std::string& path : options.identity_files) {
    if (const Checked<void> added = list.add_file(path, ask); !added) return tl::unexpected(added.error());
  }
  if (options.identity_files.empty()) {
    for (const char* usual : kUsualFiles) {
      const std::string path = expand_home(usual);
      if (access(path.c_str(), F_OK) != 0) continue;
      if (const Checked<void> added = list.add_file(path, ask); !added) identities.note = added.error();
    }
  }
  for (const std::string& path : options.certificate_files) {
    const Checked<std::optional<PublicKey>> certificate = load_public(path);
    if (!certificate) return tl::unexpected(certificate.error());
    if (!*certificate) return tl::unexpected(fmt::format("the certificate file {} does not exist", path));
    if ((*certificate)->certificate() == nullptr)
      return tl::unexpected(fmt::format("{} holds a plain key, not a certificate", path));
    if (!list.add_certificate(**certificate))
      return tl::unexpected(fmt::format("no private key for the certificate {} was found; name it with -i", path));
  }
  if (!list.note().empty()) identities.note = list.note();
  identities.keys = list.take(!options.identities_only);
  std::erase_if(identities.keys, [&](const Key& key) {
    const Result<PublicKey> within = PublicKey::parse(key->public_key().blob(), options.key_limits);
    if (!within) identities.note = fmt::format("{}: {}", key->public_key().fingerprint(), describe(within.error()));
    return !within;
  });
  return identities;
}

}  // namespace plumb
