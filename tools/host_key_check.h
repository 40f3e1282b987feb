// Whether a host key is the host's: known_hosts, and the person at the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forward/client_connection.h"
#include "keys/known_hosts.h"
#include "tools/client_options.h"

namespace plumb {

class HostKeyCheck {
 public:
  /// Reads the known_hosts file of `options`; one that does not exist is empty. The error is a sentence.
  static Checked<HostKeyCheck> load(const ClientOptions& options);

  /// Host key algorithms to offer: those of the keys that the file holds for this host first, so that the server shows
  /// one that can be checked (C45), then all others.
  NameList algorithms() const;

  /// Makes `request` ask `check`, and under UpdateHostKeys `learn` too. This object must outlive it.
  void attach_to(LoginRequest& request);

  /// The verdict on a key that the server has proved to hold. May ask at the terminal, may add a line to the file.
  Result<void> check(const PublicKey& key);

  /// The host has proved to hold these keys besides the one that was checked, and no others: what the file says of it
  /// is brought up to date, and every change said.
  void learn(const std::vector<PublicKey>& others) const;

  /// Why the key was refused and what to do; empty if it was not.
  const std::string& refusal() const { return refusal_; }

 private:
  HostKeyCheck(const ClientOptions& options, KnownHosts known) : options_(&options), known_(std::move(known)) {}

  Result<void> check_unknown(const PublicKey& key);
  void add(const PublicKey& key) const;
  tl::unexpected<Error> refuse(const char* why, std::string sentence);

  const ClientOptions* options_;
  KnownHosts known_;
  std::optional<PublicKey> checked_;
  std::string refusal_;
};

}  // namespace plumb
