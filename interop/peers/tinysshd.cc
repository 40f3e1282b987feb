// TinySSH: a server alone, with AEAD and Ed25519 alone.
#include "interop/inetd_server.h"
#include "interop/peers/all.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

constexpr const char* kProgram = "/usr/sbin/tinysshd";

/// Runs one of its tools on `key_folder`; gives its output.
tl::expected<std::string, std::string> run_tool(const std::string& tool, const std::string& key_folder) {
  ProgramRequest request;
  request.argv = {kProgram + tool, key_folder};
  const ProgramResult result = run_program(request);
  if (result.exit_code != 0) return tl::unexpected("tinysshd" + tool + " failed: " + result.error);
  return result.output;
}

class TinysshdPeer final : public Peer {
 public:
  std::string_view name() const override { return "tinysshd"; }
  PeerRoles roles() const override { return {.server = true}; }

  std::string unavailable() const override {
    if (std::string why = missing_program(kProgram, "tinysshd"); !why.empty()) return why;
    return missing_private_home();
  }

  /// It tells its version to nobody but the package manager.
  std::string version() const override {
    if (!missing_program(kProgram, "tinysshd").empty()) return {};
    ProgramRequest request;
    request.argv = {"dpkg-query", "-W", "-f", "tinysshd ${Version}", "tinysshd"};
    const ProgramResult result = run_program(request);
    return result.exit_code == 0 ? result.output : "tinysshd";
  }

  tl::expected<std::unique_ptr<PrivateServer>, std::string> start_server(
      const PeerServerOptions& options) const override {
    const auto folder = make_scratch_folder("tinysshd");
    if (!folder) return tl::unexpected(folder.error());
    auto server = std::make_unique<InetdServer>(*folder);
    const std::string keys = (*folder / "keys").string();
    const auto public_key =
        run_tool("-makekey", keys).and_then([&](const std::string&) { return run_tool("-printkey", keys); });
    if (!public_key) return tl::unexpected(public_key.error());
    const auto user = user_credential(options.user_algorithm);
    if (!user) return tl::unexpected(user.error());
    const auto view = view_with_private_home(*folder, authorized_keys_line(*user));
    if (!view) return tl::unexpected(view.error());
    LaunchRequest program;
    program.argv = {kProgram, "-v", keys};
    program.view = *view;
    return server->start(program)
        .and_then(
            [&] { return write_private_file(server->known_hosts(), known_hosts_line(server->port(), *public_key)); })
        .map([&]() -> std::unique_ptr<PrivateServer> { return std::move(server); });
  }
};

}  // namespace

const Peer& tinysshd_peer() {
  static const TinysshdPeer peer;
  return peer;
}

}  // namespace plumb
