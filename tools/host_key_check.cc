#include "tools/host_key_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "tools/file_text.h"
#include "tools/host_key_update.h"
#include "tools/terminal.h"

namespace plumb {
namespace {

std::string key_name(const PublicKey& key) { return fmt::format("{} key {}", key.type(), key.fingerprint()); }

/// Asks until the answer is one; "yes" or the fingerprint itself accepts.
bool accepted_at(Terminal& terminal, const std::string& host, const PublicKey& key) {
  std::string answer = terminal.ask(
      fmt::format("The host {} is not known. It shows the {}.\nConnect, and remember it (yes/no/fingerprint)? ", host,
                  key_name(key)));
  while (answer != "yes" && answer != key.fingerprint()) {
    if (answer == "no" || answer.empty()) return false;
    answer = terminal.ask("Please type 'yes', 'no' or the fingerprint: ");
  }
  return true;
}

}  // namespace

Checked<HostKeyCheck> HostKeyCheck::load(const ClientOptions& options) {
  const std::string& path = options.known_hosts_file;
  const Result<SecretBytes> text = read_file(path);
  if (text) return HostKeyCheck(options, KnownHosts::parse(as_text(text->bytes())));
  if (text.error().os_error == ENOENT) return HostKeyCheck(options, KnownHosts::parse(""));
  return tl::unexpected(fmt::format("{}: {}; it is needed to check the host's key", path, describe(text.error())));
}

NameList HostKeyCheck::algorithms() const {
  NameList names;
  for (std::string_view name : known_.preferred_algorithms(options_->host, options_->port)) names.emplace_back(name);
  return names;
}

void HostKeyCheck::attach_to(LoginRequest& request) {
  request.host_key = [this](const PublicKey& key) { return check(key); };
  if (options_->update_host_keys)
    request.other_host_keys = [this](const std::vector<PublicKey>& others) { learn(others); };
}

Result<void> HostKeyCheck::check(const PublicKey& key) {
  checked_ = key;
  const std::string name = known_hosts_name(options_->host, options_->port);
  const std::string& file = options_->known_hosts_file;
  if (const Result<PublicKey> within = PublicKey::parse(key.blob(), options_->key_limits); !within)
    return refuse("the host key is too weak",
                  fmt::format("{} shows the {}: {}", name, key_name(key), describe(within.error())));
  const HostFinding finding =
      known_.find(options_->host, options_->port, key, static_cast<UnixTime>(std::time(nullptr)));
  switch (finding.verdict) {
    case HostVerdict::kMatch: return {};
    case HostVerdict::kUnknown: return check_unknown(key);
    case HostVerdict::kRevoked:
      return refuse("the host key is revoked",
                    fmt::format("HOST KEY REVOKED: {} shows the {}, which {} marks as @revoked; do not "
                                "connect before its administrator has given it a new key",
                                name, key_name(key), file));
    case HostVerdict::kBadCertificate:
      return refuse(
          "the host certificate is not good",
          fmt::format("the certificate of {} is signed by the authority of {} line {}, but {}; ask the host's "
                      "administrator for a new one",
                      name, file, finding.line, finding.fault));
    case HostVerdict::kChanged: break;
  }
  return refuse("the host key has changed",
                fmt::format("HOST KEY CHANGED: {0} shows the {1}, but {2} line {3} names another; it has changed, or "
                            "somebody is listening in; if you know that the host has a new key, forget the old "
                            "one with: ssh-keygen -f {2} -R '{0}'",
                            name, key_name(key), file, finding.line));
}

void HostKeyCheck::learn(const std::vector<PublicKey>& others) const {
  std::vector<PublicKey> held = others;
  held.push_back(checked_->plain());
  const Result<std::vector<std::string>> changes = update_known_hosts(*options_, held);
  if (!changes)
    return fmt::print(stderr, "plumb: could not bring {} up to date: {}\n", options_->known_hosts_file,
                      describe(changes.error()));
  for (const std::string& change : *changes)
    fmt::print(stderr, "plumb: {} in {}\n", change, options_->known_hosts_file);
}

Result<void> HostKeyCheck::check_unknown(const PublicKey& key) {
  const std::string name = known_hosts_name(options_->host, options_->port);
  if (options_->unknown_host_key == UnknownHostKey::kAccept) {
    add(key);
    return {};
  }
  std::optional<Terminal> terminal;
  if (options_->unknown_host_key == UnknownHostKey::kAsk && !options_->batch) terminal = Terminal::open();
  if (!terminal) {
    return refuse(
        "the host key is not known",
        fmt::format("the host {} is not known: it shows the {}, which is not in {}; compare the fingerprint with "
                    "the host's own, then connect once with -o StrictHostKeyChecking=accept-new",
                    name, key_name(key), options_->known_hosts_file));
  }
  if (!accepted_at(*terminal, name, key))
    return refuse("the host key is not known",
                  fmt::format("the host {} is not known, and its key was not accepted", name));
  add(key);
  return {};
}

/// Adds the line and says so. A file that cannot be written costs no more than being asked again.
void HostKeyCheck::add(const PublicKey& key) const {
  namespace fs = std::filesystem;
  const std::string& path = options_->known_hosts_file;
  const std::string line =
      known_hosts_line(options_->host, options_->port, key, options_->hash_known_hosts ? &system_random() : nullptr);
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) mkdir(folder.c_str(), 0700);  // ~/.ssh on a first use; a failure shows when the file is opened
  const Result<void> added = append_line(path, line);
  const std::string what = fmt::format("the {} of {}", key_name(key), known_hosts_name(options_->host, options_->port));
  if (added)
    fmt::print(stderr, "plumb: added {} to {}\n", what, path);
  else
    fmt::print(stderr, "plumb: accepted {}, but could not add it to {}: {}\n", what, path, describe(added.error()));
}

tl::unexpected<Error> HostKeyCheck::refuse(const char* why, std::string sentence) {
  refusal_ = std::move(sentence);
  return fail(ErrorCode::kHostKey, why);
}

}  // namespace plumb
