// Who logs in where and how: the options of a client command, its keys, known_hosts and terminal, made into a request.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forward/client_connection.h"
#include "tools/client_options.h"
#include "tools/host_key_check.h"
#include "tools/identity.h"
#include "tools/terminal.h"

namespace plumb {

class ClientLogin {
 public:
  /// Loads keys and known_hosts. The error is a sentence.
  static Checked<std::unique_ptr<ClientLogin>> open(ClientOptions options);

  /// This object must outlive the request.
  void fill(LoginRequest& request);

  /// The sentence for a run that failed.
  std::string explain(const ConnectionOutcome& outcome) const;

  const ClientOptions& options() const { return options_; }

 private:
  explicit ClientLogin(ClientOptions options) : options_(std::move(options)) {}

  ClientOptions options_;
  std::optional<Terminal> terminal_;
  Identities identities_;
  std::optional<HostKeyCheck> host_keys_;
};

}  // namespace plumb
