// PuTTY: the client `plink`. It takes preferences from a saved session alone, and there no MACs and no single methods;
// what is agreed is left to what our server offers.
// It offers certificates' algorithms only where it knows an authority.
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
    if (!run.user_certificate.empty())
      convert.argv.insert(convert.argv.end(), {"--certificate", run.user_certificate.string()});
    const ProgramResult converted = run_program(convert);
    if (converted.exit_code != 0) return tl::unexpected("puttygen failed: " + converted.error);
    // The session whose values all others begin with, and the authorities of hosts.
    const std::string session = run.rekey_limit.empty() ? "" : "RekeyBytes=" + run.rekey_limit + "\n";
    const std::string authority = "PublicKey=" + key_blob(run.host_key) +
                                  "\nValidity=127.0.0.1\nPermitRSASHA1=0\nPermitRSASHA256=1\nPermitRSASHA512=1\n";
    auto written = write_setting(run, "sessions", "Default%20Settings", session);
    if (written && run.host_certified) written = write_setting(run, "sshhostcas", "matrix", authority);
    if (!written) return tl::unexpected(written.error());
    ProgramRequest request;
    request.argv = {kClient, "-batch",    "-ssh", "-T", "-noagent", "-no-antispoof", "-P", std::to_string(run.port),
                    "-i",    key.string()};
    if (!run.host_certified) request.argv.insert(request.argv.end(), {"-hostkey", key_blob(run.host_key)});
    request.argv.insert(request.argv.end(), {run.user + "@127.0.0.1", run.command});
    request.environment = {{"HOME", run.folder.string()}};
    return request;
  }

 private:
  static tl::expected<void, std::string> write_setting(const PeerClientRun& run, const std::string& kind,
                                                       const std::string& name, const std::string& text) {
    std::error_code ignored;  // then the file cannot be written either
    std::filesystem::create_directories(run.folder / ".putty" / kind, ignored);
    return write_private_file(run.folder / ".putty" / kind / name, text);
  }

  /// plink takes a key as its blob in base64: the second word of a line.
  static std::string key_blob(const std::string& line) {
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
