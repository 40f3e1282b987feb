// PuTTY: the client `plink`. It takes preferences from a saved session alone, and there no MACs and no single methods;
// what is agreed is left to what our server offers.
#include "interop/peers/all.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

constexpr const char* kClient = "/usr/bin/plink";

class PuttyPeer final : public Peer {
 public:
  std::string_view name() const override { return "putty"; }
  PeerRoles roles() const override { return {.client = true, .client_rekeys = true}; }
  std::string unavailable() const override { return missing_program(kClient, "putty-tools"); }

  std::string version() const override {
    if (!unavailable().empty()) return {};
    ProgramRequest request;
    request.argv = {kClient, "-V"};
    const std::string said = run_program(request).output;
    return said.substr(0, said.find('\n'));
  }

  tl::expected<ProgramRequest, std::string> client(const PeerClientRun& run) const override {
    const auto key = run.folder / "key.ppk";
    ProgramRequest convert;
    convert.argv = {"/usr/bin/puttygen", run.user_key.string(), "-O", "private", "-o", key.string()};
    const ProgramResult converted = run_program(convert);
    if (converted.exit_code != 0) return tl::unexpected("puttygen failed: " + converted.error);
    if (!run.rekey_limit.empty()) {
      // The session whose values all others begin with.
      std::error_code ignored;
      std::filesystem::create_directories(run.folder / ".putty/sessions", ignored);
      const auto written =
          write_private_file(run.folder / ".putty/sessions/Default%20Settings", "RekeyBytes=" + run.rekey_limit + "\n");
      if (!written) return tl::unexpected(written.error());
    }
    ProgramRequest request;
    request.argv = {kClient,
                    "-batch",
                    "-ssh",
                    "-T",
                    "-noagent",
                    "-no-antispoof",
                    "-P",
                    std::to_string(run.port),
                    "-i",
                    key.string(),
                    "-hostkey",
                    host_key_blob(run.host_key),
                    run.user + "@127.0.0.1",
                    run.command};
    request.environment = {{"HOME", run.folder.string()}};
    return request;
  }

 private:
  /// plink takes a key as its blob in base64: the second word of a line.
  static std::string host_key_blob(const std::string& line) {
    const size_t start = line.find(' ') + 1;
    return line.substr(start, line.find_first_of(" \n", start) - start);
  }
};

}  // namespace

const Peer& putty_peer() {
  static const PuttyPeer peer;
  return peer;
}

}  // namespace plumb
