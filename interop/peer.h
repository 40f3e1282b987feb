// THE table of peers: SSH implementations of others, as servers that our client meets and as clients that our server
// meets. A new one is a file in interop/peers and a line in peer.cc; the matrix, its tests and `--help` walk the table.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "interop/credentials.h"
#include "interop/private_server.h"
#include "interop/subprocess.h"

namespace plumb {

struct PeerRoles {
  bool server = false;
  bool server_rekeys = false;  ///< it can be made to start key exchanges as a server
  bool client = false;
  bool client_rekeys = false;
};

/// Empty strings leave the peer's own defaults.
struct PeerServerOptions {
  std::string rekey_limit;  ///< bytes after which it starts a key exchange: "64K"

  /// The one signature algorithm that it takes of users; where it cannot be told, it knows that credential alone.
  std::string user_algorithm = "ssh-ed25519";
};

/// One run of the peer's client against a server on 127.0.0.1. What a client cannot be told is left to its defaults.
struct PeerClientRun {
  uint16_t port = 0;
  std::string user;
  std::string command;
  std::filesystem::path user_key;          ///< unencrypted, openssh-key-v1
  std::filesystem::path user_certificate;  ///< of that key; empty: none
  std::string host_key;                    ///< the server's, as a line of a .pub file
  bool host_certified = false;             ///< it shows a certificate: `host_key` is its authority's
  std::filesystem::path folder;            ///< for files of its own: empty, and this run's alone
  std::string kex, host_key_algorithm, user_algorithm, cipher, mac;
  std::string rekey_limit;
};

class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string_view name() const = 0;  ///< "dropbear"

  /// What it calls itself, with its version. Empty if it is absent.
  virtual std::string version() const = 0;

  /// Why it cannot be met here, as a sentence that says which package or command to run; empty if it can.
  virtual std::string unavailable() const = 0;

  virtual PeerRoles roles() const = 0;

  /// Starts a private server that lets `user_credential(options.user_algorithm)` in. For peers with that role. The
  /// error is a sentence for people.
  virtual tl::expected<std::unique_ptr<PrivateServer>, std::string> start_server(
      const PeerServerOptions& options) const;

  /// Writes what its client needs into the run's folder and says how it is started. For peers with that role.
  virtual tl::expected<ProgramRequest, std::string> client(const PeerClientRun& run) const;
};

std::span<const Peer* const> peers();

/// nullptr if unknown.
const Peer* find_peer(std::string_view name);

/// "openssh, openssh-10, …"
std::string peer_names();

/// Why the program at `path` cannot be run, and which package holds it; empty if it can.
std::string missing_program(const std::string& path, const std::string& package);

/// Why a server that looks for keys in the user's home alone cannot be private here; empty if it can.
std::string missing_private_home();

}  // namespace plumb
