#include "interop/peer.h"

#include <unistd.h>

#include "core/check.h"
#include "interop/peers/all.h"

namespace plumb {

tl::expected<std::unique_ptr<PrivateServer>, std::string> Peer::start_server(const PeerServerOptions&) const {
  PLUMB_CHECK(!"a peer without a server");
  return tl::unexpected(std::string());
}

tl::expected<ProgramRequest, std::string> Peer::client(const PeerClientRun&) const {
  PLUMB_CHECK(!"a peer without a client");
  return tl::unexpected(std::string());
}

std::span<const Peer* const> peers() {
  static const Peer* const table[] = {&openssh_peer(), &openssh_10_peer(), &dropbear_peer(), &tinysshd_peer(),
                                      &putty_peer()};
  return table;
}

const Peer* find_peer(std::string_view name) {
  for (const Peer* peer : peers()) {
    if (peer->name() == name) return peer;
  }
  return nullptr;
}

std::string peer_names() {
  std::string names;
  for (const Peer* peer : peers()) names += (names.empty() ? "" : ", ") + std::string(peer->name());
  return names;
}

std::string missing_program(const std::string& path, const std::string& package) {
  if (access(path.c_str(), X_OK) == 0) return {};
  return path + " is not installed (Debian: tools/peers.sh, or apt-get install " + package + ")";
}

std::string missing_private_home() {
  if (login_user().empty()) return "the user that runs this has no entry in /etc/passwd, so it cannot log in";
  if (geteuid() == 0 && can_make_namespaces()) return {};
  return "it takes keys from the home folder alone, and a private one needs root and mount namespaces (CAP_SYS_ADMIN)";
}

}  // namespace plumb
