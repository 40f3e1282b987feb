// Dropbear: the server `dropbear` and the client `dbclient`. Neither can be told which key exchange method or host key
// to take, and neither starts a key exchange before 1 GB.
#include "interop/peers/all.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kServer = "/usr/sbin/dropbear";
constexpr const char* kClient = "/usr/bin/dbclient";

tl::expected<std::string, std::string> run_tool(std::vector<std::string> argv) {
  ProgramRequest request;
  request.argv = std::move(argv);
  const ProgramResult result = run_program(request);
  if (result.exit_code != 0) return tl::unexpected(request.argv[0] + " failed: " + result.error);
  return result.output;
}

/// Makes a host key of this type and size; gives its line as ssh-keygen writes it.
tl::expected<std::string, std::string> make_host_key(const fs::path& file, const char* type, const char* bits) {
  const auto said = run_tool({"/usr/bin/dropbearkey", "-t", type, "-s", bits, "-f", file.string()});
  if (!said) return said;
  const size_t start = said->find("portion is:\n");
  if (start == std::string::npos) return tl::unexpected("dropbearkey printed no public key: " + *said);
  const std::string line = said->substr(start + std::string_view("portion is:\n").size());
  return line.substr(0, line.find('\n') + 1);
}

/// As many as it takes (MAX_HOSTKEYS).
constexpr struct HostKey {
  const char* type;
  const char* bits;
} kHostKeys[] = {{"ed25519", "256"}, {"ecdsa", "256"}, {"ecdsa", "521"}, {"rsa", "2048"}};

class DropbearPeer final : public Peer {
 public:
  std::string_view name() const override { return "dropbear"; }
  PeerRoles roles() const override { return {.server = true, .client = true}; }

  std::string unavailable() const override {
    if (std::string why = missing_program(kServer, "dropbear-bin"); !why.empty()) return why;
    return missing_private_home();
  }

  std::string version() const override {
    if (!missing_program(kServer, "dropbear-bin").empty()) return {};
    ProgramRequest request;
    request.argv = {kServer, "-V"};
    const ProgramResult result = run_program(request);
    return result.error.substr(0, result.error.find('\n'));
  }

  tl::expected<std::unique_ptr<PrivateServer>, std::string> start_server(
      const PeerServerOptions& options) const override {
    const auto folder = make_scratch_folder("dropbear");
    if (!folder) return tl::unexpected(folder.error());
    auto server = std::make_unique<LaunchedServer>(*folder);
    const auto user = user_credential(options.user_algorithm);
    if (!user) return tl::unexpected(user.error());
    const auto view = view_with_private_home(*folder, authorized_keys_line(*user));
    if (!view) return tl::unexpected(view.error());
    std::vector<std::string> argv{kServer, "-F", "-E", "-m", "-s", "-z", "-P", (*folder / "pid").string()};
    std::vector<std::string> public_keys;
    for (const HostKey& key : kHostKeys) {
      const fs::path file = *folder / (std::string(key.type) + key.bits);
      const auto public_key = make_host_key(file, key.type, key.bits);
      if (!public_key) return tl::unexpected(public_key.error());
      public_keys.push_back(*public_key);
      argv.insert(argv.end(), {"-r", file.string()});
    }
    const auto prepare = [&](uint16_t port) -> tl::expected<LaunchRequest, std::string> {
      std::string known_hosts;
      for (const std::string& key : public_keys) known_hosts += known_hosts_line(port, key);
      LaunchRequest request;
      request.argv = argv;
      request.argv.insert(request.argv.end(), {"-p", "127.0.0.1:" + std::to_string(port)});
      request.view = *view;
      return write_private_file(server->known_hosts(), known_hosts).map([&] { return request; });
    };
    const auto started = server->start({"dropbear", prepare, "Not backgrounding"});
    if (!started) return tl::unexpected(started.error());
    return server;
  }

  tl::expected<ProgramRequest, std::string> client(const PeerClientRun& run) const override {
    const fs::path key = run.folder / "key";
    const auto converted =
        run_tool({"/usr/bin/dropbearconvert", "openssh", "dropbear", run.user_key.string(), key.string()});
    if (!converted) return tl::unexpected(converted.error());
    std::error_code ignored;
    fs::create_directory(run.folder / ".ssh", ignored);
    const auto written = write_private_file(run.folder / ".ssh/known_hosts", "127.0.0.1 " + run.host_key);
    if (!written) return tl::unexpected(written.error());
    ProgramRequest request;
    // -K 1, since it may sleep through the end of its only channel (docs/interop.md, "dbclient that stays").
    request.argv = {kClient, "-T", "-K", "1", "-p", std::to_string(run.port), "-i", key.string()};
    if (!run.cipher.empty()) request.argv.insert(request.argv.end(), {"-c", run.cipher});
    if (!run.mac.empty()) request.argv.insert(request.argv.end(), {"-m", run.mac});
    request.argv.insert(request.argv.end(), {run.user + "@127.0.0.1", run.command});
    request.environment = {{"HOME", run.folder.string()}};
    return request;
  }
};

}  // namespace

const Peer& dropbear_peer() {
  static const DropbearPeer peer;
  return peer;
}

}  // namespace plumb
