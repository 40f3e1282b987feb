// OpenSSH: the system's, and a newer one in a root of its own that tools/peers.sh makes.
#include <unistd.h>

#include <cstdlib>

#include "interop/key_pairs.h"
#include "interop/peers/all.h"
#include "interop/scratch_folder.h"
#include "interop/sshd_fixture.h"
#include "keys/signature.h"

namespace plumb {
namespace {

class OpensshPeer final : public Peer {
 public:
  OpensshPeer(std::string_view name, std::string root, std::string absent)
      : name_(name), root_(std::move(root)), absent_(std::move(absent)) {}

  std::string_view name() const override { return name_; }
  std::string version() const override { return absent_.empty() ? SshdFixture::version(root_) : std::string(); }
  PeerRoles roles() const override {
    return {.server = true, .server_rekeys = true, .client = true, .client_rekeys = true};
  }

  std::string unavailable() const override {
    if (!absent_.empty()) return absent_;
    return SshdFixture::unavailable(server_options({}));
  }

  tl::expected<std::unique_ptr<PrivateServer>, std::string> start_server(
      const PeerServerOptions& options) const override {
    return SshdFixture::start(server_options(options));
  }

  tl::expected<ProgramRequest, std::string> client(const PeerClientRun& run) const override {
    const auto known_hosts = run.folder / "known_hosts";
    const auto line = run.host_certified ? known_authority_line : known_hosts_line;
    const auto written = write_private_file(known_hosts, line(run.port, run.host_key));
    if (!written) return tl::unexpected(written.error());
    ProgramRequest request;
    request.argv = {"/usr/bin/ssh", "-F", "none", "-T", "-p", std::to_string(run.port), "-i", run.user_key.string()};
    const auto option = [&request](const std::string& keyword, const std::string& value) {
      if (!value.empty()) request.argv.insert(request.argv.end(), {"-o", keyword + "=" + value});
    };
    option("BatchMode", "yes");
    option("IdentitiesOnly", "yes");
    option("IdentityAgent", "none");
    option("StrictHostKeyChecking", "yes");
    option("UpdateHostKeys", "no");
    option("UserKnownHostsFile", known_hosts.string());
    option("GlobalKnownHostsFile", "/dev/null");
    option("KexAlgorithms", run.kex);
    option("HostKeyAlgorithms", run.host_key_algorithm);
    // ssh signs for a certificate with the plain key, and only if that one's algorithm is accepted as well.
    const SignatureAlgorithm* const user = find_signature_algorithm(run.user_algorithm);
    const bool certified = user != nullptr && user->is_certificate();
    option("PubkeyAcceptedAlgorithms", run.user_algorithm + (certified ? "," + std::string(user->signed_as) : ""));
    option("CertificateFile", run.user_certificate.string());
    option("Ciphers", run.cipher);
    option("MACs", run.mac);
    option("RekeyLimit", run.rekey_limit);
    request.argv.insert(request.argv.end(), {run.user + "@127.0.0.1", run.command});
    if (!root_.empty()) request.view = PrivateView{.binds = {}, .root = root_};
    return request;
  }

 private:
  SshdOptions server_options(const PeerServerOptions& options) const {
    SshdOptions sshd;
    sshd.all_host_keys = true;
    sshd.host_certificates = true;
    sshd.user_algorithm = options.user_algorithm;
    sshd.rekey_limit = options.rekey_limit;
    sshd.root = root_;
    return sshd;
  }

  std::string_view name_;
  std::string root_;
  std::string absent_;
};

/// Where tools/peers.sh puts Debian trixie.
std::string trixie() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string own = variable("PLUMB_TRIXIE"); !own.empty()) return own;
  const std::string cache = variable("XDG_CACHE_HOME");
  return (cache.empty() ? variable("HOME") + "/.cache" : cache) + "/plumbline/trixie";
}

}  // namespace

const Peer& openssh_peer() {
  static const OpensshPeer peer("openssh", "", "");
  return peer;
}

const Peer& openssh_10_peer() {
  static const std::string root = trixie();
  static const bool complete = access((root + "/complete").c_str(), F_OK) == 0;
  static const OpensshPeer peer("openssh-10", root,
                                complete ? "" : "OpenSSH 10 is not in " + root + " (run tools/peers.sh --trixie)");
  return peer;
}

}  // namespace plumb
