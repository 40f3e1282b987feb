// chacha_probe: does chacha20-poly1305 work with this server, and if not, is it the cipher? It forces that cipher and
// then aes256-ctr, which nearly every server has, and says ok, HUNG or FAILED for each.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/message_ids.h"
#include "forward/exec_client.h"
#include "interop/trace_observer.h"
#include "tools/client_options.h"
#include "tools/host_key_check.h"
#include "tools/identity.h"
#include "tools/program.h"
#include "tools/terminal.h"

namespace plumb {
namespace {

constexpr const char* kCiphers[] = {"chacha20-poly1305@openssh.com", "aes256-ctr"};
constexpr uint64_t kReplySize = 256 * 1024;
/// The first proves that the command ran to its end, the second brings a reply of many packets.
constexpr const char* kCountCommand = "dd if=/dev/zero bs=1k count=256 2>/dev/null | wc -c";
constexpr const char* kBulkCommand = "dd if=/dev/zero bs=1k count=256 2>/dev/null";

struct Options {
  ClientArguments client;
  unsigned timeout_seconds = 20;
  bool trace = false;
  std::string json;
};

enum class Verdict : uint8_t { kOk, kHung, kFailed };

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return "ok";
    case Verdict::kHung: return "HUNG";
    case Verdict::kFailed: return "FAILED";
  }
  return "";
}

struct CipherResult {
  std::string cipher;
  Verdict verdict = Verdict::kFailed;
  std::string reason;
  double seconds = 0;
  uint64_t reply_packets = 0;  ///< CHANNEL_DATA packets of the bulk reply
  bool about_cipher = true;    ///< false: it did not come to the cipher (no connection, host key or login refused)
};

/// Counts data packets, and prints everything under --trace.
class ProbeObserver final : public TraceObserver {
 public:
  explicit ProbeObserver(bool trace) : trace_(trace) {}
  uint64_t data_packets = 0;

  void packet_sent(uint32_t sequence, Bytes payload) override {
    if (trace_) TraceObserver::packet_sent(sequence, payload);
  }
  void packet_received(uint32_t sequence, Bytes payload) override {
    if (!payload.empty() && payload[0] == msg::kChannelData) ++data_packets;
    if (trace_) TraceObserver::packet_received(sequence, payload);
  }
  void keys_changed(bool sending, std::string_view cipher, std::string_view mac) override {
    if (trace_) TraceObserver::keys_changed(sending, cipher, mac);
  }
  void note(std::string_view text) override {
    if (trace_) TraceObserver::note(text);
  }

 private:
  bool trace_;
};

/// What a command wrote, kept in memory.
class Capture {
 public:
  Capture() : fd_(memfd_create("reply", MFD_CLOEXEC)) {}
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { close(fd_); }
  int fd() const { return fd_; }
  std::string text() const {
    std::string all;
    char chunk[4096];
    for (off_t at = 0; at <= static_cast<off_t>(kReplySize);) {
      const ssize_t n = pread(fd_, chunk, sizeof chunk, at);
      if (n <= 0) break;
      all.append(chunk, static_cast<size_t>(n));
      at += n;
    }
    return all;
  }

 private:
  int fd_;
};

/// Everything that both ciphers share.
struct Session {
  const Options& options;
  const ClientOptions& client;
  const Identities& identities;
  HostKeyCheck& host_keys;
  std::optional<SecretBytes> password;  ///< asked for once, used for every connection
};

const char* stage_name(ExecOutcome::Stage stage) {
  switch (stage) {
    case ExecOutcome::Stage::kConnect: return "while connecting";
    case ExecOutcome::Stage::kHandshake: return "in the key exchange";
    case ExecOutcome::Stage::kAuth: return "in authentication";
    case ExecOutcome::Stage::kSession: return "while the command ran";
    case ExecOutcome::Stage::kDone: return "at the end";
  }
  return "";
}

ExecRequest make_request(Session& session, const char* cipher, const char* command, Duration timeout) {
  ExecRequest request;
  request.host = session.client.host;
  request.port = session.client.port;
  request.user = session.client.user;
  request.command = command;
  for (const auto& key : session.identities.keys) request.keys.push_back(key.get());
  session.host_keys.attach_to(request);
  if (session.client.use_password && !session.client.batch) {
    request.password = [&session] {
      if (!session.password) {
        auto terminal = Terminal::open();
        const std::string prompt = fmt::format("{}@{}'s password: ", session.client.user, session.client.host);
        session.password = terminal ? terminal->ask_secret(prompt) : SecretBytes();
      }
      return session.password->clone();
    };
  }
  request.connect_timeout = session.client.connect_timeout;
  request.total_timeout = timeout;
  request.config.algorithms = session.client.algorithms;
  request.config.algorithms.ciphers_c2s = request.config.algorithms.ciphers_s2c = {cipher};
  if (request.config.algorithms.host_keys.empty()) request.config.algorithms.host_keys = session.host_keys.algorithms();
  return request;
}

/// Sets verdict and reason from a run that did not end well; returns whether it did.
bool ended_well(const Session& session, const ExecOutcome& outcome, CipherResult& result) {
  using Stage = ExecOutcome::Stage;
  if (outcome.stage == Stage::kDone && outcome.exited && outcome.exit_status == 0) return true;
  if (outcome.stage == Stage::kDone) {
    result.reason = outcome.exited ? fmt::format("the command ended with exit code {}", outcome.exit_status)
                                   : "the command ended without an exit code";
    return false;
  }
  const bool refused = !session.host_keys.refusal().empty();
  result.about_cipher = outcome.stage != Stage::kConnect && !refused && outcome.error.code != ErrorCode::kAuth;
  if (outcome.error.code == ErrorCode::kTimeout && result.about_cipher) {
    result.verdict = Verdict::kHung;
    result.reason =
        fmt::format("no answer {}; {} bytes of the reply had come", stage_name(outcome.stage), outcome.bytes_in);
    return false;
  }
  result.reason = refused ? session.host_keys.refusal() : outcome.error_detail;
  return false;
}

/// Both commands under one cipher, within one time limit.
CipherResult probe(Session& session, const char* cipher) {
  using Clock = std::chrono::steady_clock;
  CipherResult result;
  result.cipher = cipher;
  const auto start = Clock::now();
  const Duration limit = std::chrono::seconds(session.options.timeout_seconds);
  ProbeObserver observer(session.options.trace);
  const auto run = [&](const char* command, int output_fd) {
    const Duration left = std::max<Duration>(limit - (Clock::now() - start), std::chrono::milliseconds(1));
    ExecRequest request = make_request(session, cipher, command, left);
    request.config.observer = &observer;
    request.output_fd = output_fd;
    const ExecOutcome outcome = run_exec(request);
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return outcome;
  };

  const Capture count;
  if (!ended_well(session, run(kCountCommand, count.fd()), result)) return result;
  const std::string counted = count.text();
  if (std::strtoull(counted.c_str(), nullptr, 10) != kReplySize) {
    result.reason = fmt::format("\"{}\" answered \"{}\" instead of {}", kCountCommand, counted, kReplySize);
    return result;
  }
  const Capture bulk;
  observer.data_packets = 0;
  const ExecOutcome outcome = run(kBulkCommand, bulk.fd());
  result.reply_packets = observer.data_packets;
  if (!ended_well(session, outcome, result)) return result;
  if (bulk.text() != std::string(kReplySize, '\0')) {
    result.reason =
        fmt::format("a reply of {} zero bytes came back as {} bytes, or not as zeros", kReplySize, outcome.bytes_in);
    return result;
  }
  result.verdict = Verdict::kOk;
  result.reason = fmt::format("{} bytes in {} packets", kReplySize, result.reply_packets);
  return result;
}

ExitCode exit_code_for(const std::vector<CipherResult>& results) {
  ExitCode code = ExitCode::kOk;
  for (const CipherResult& result : results) {
    if (!result.about_cipher) return ExitCode::kPeer;
    if (result.verdict != Verdict::kOk) code = ExitCode::kCheckFailed;
  }
  return code;
}

int run(const Options& options) {
  const Checked<ClientOptions> client = read_client_options(options.client);
  if (!client) return complain(ExitCode::kUsage, client.error());
  const Checked<Identities> identities = load_identities(*client);
  if (!identities) return complain(ExitCode::kEnvironment, identities.error());
  Checked<HostKeyCheck> host_keys = HostKeyCheck::load(*client);
  if (!host_keys) return complain(ExitCode::kEnvironment, host_keys.error());
  Session session{options, *client, *identities, *host_keys, std::nullopt};

  FILE* const out = options.json == "-" ? stderr : stdout;
  const bool color = use_color(fileno(out));
  std::vector<CipherResult> results;
  for (const char* cipher : kCiphers) {
    results.push_back(probe(session, cipher));
    const CipherResult& result = results.back();
    const bool ok = result.verdict == Verdict::kOk;
    fmt::print(out, "{:<30} {}{:<6}{} {:5.1f} s  {}\n", cipher, !color ? "" : (ok ? "\033[32m" : "\033[31m"),
               name_of(result.verdict), color ? "\033[0m" : "", result.seconds, result.reason);
    std::fflush(out);
    if (!result.about_cipher) break;
  }
  const ExitCode code = exit_code_for(results);
  if (options.json.empty()) return exit_code(code);

  nlohmann::json report = begin_report("chacha_probe", 1);
  report["host"] = client->host;
  report["port"] = client->port;
  for (const CipherResult& result : results) {
    report["ciphers"].push_back({{"cipher", result.cipher},
                                 {"verdict", name_of(result.verdict)},
                                 {"reason", result.reason},
                                 {"seconds", result.seconds},
                                 {"reply_packets", result.reply_packets}});
  }
  const Result<void> written = write_json(options.json, report);
  return written ? exit_code(code) : complain(ExitCode::kEnvironment, options.json + ": " + describe(written.error()));
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  CLI::App app("Says whether chacha20-poly1305@openssh.com works with a server, and whether aes256-ctr does.",
               "chacha_probe");
  plumb::Options options;
  app.add_option("-i", options.client.identity_files, "Private key; may be given again")
      ->type_name("KEY")
      ->allow_extra_args(false);
  app.add_option("-p", options.client.port, "Port of the server")->type_name("PORT");
  app.add_option("-o", options.client.settings, "A setting named as in ssh_config(5), as plumb exec takes them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--timeout", options.timeout_seconds, "Seconds for each cipher")
      ->check(CLI::Range(1, 3600))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_flag("--trace", options.trace, "Print what the transport does, on standard error");
  app.add_option("--json", options.json, "Write the verdicts and the environment to this file, - for stdout")
      ->type_name("FILE");
  app.add_option("destination", options.client.destination, "[user@]host[:port]")->required();
  plumb::add_standard_options(
      app,
      "  chacha_probe alice@example.org\n"
      "  chacha_probe -i ~/.ssh/id_ed25519 -p 2222 root@10.0.0.5\n"
      "  chacha_probe --trace alice@example.org 2> trace.txt\n"
      "Exit code: 0 both ok, 1 one of them HUNG or FAILED, 2 usage, 3 a key or file is missing,\n"
      "4 the host cannot be reached, its key is not trusted, or it refuses the login.");
  if (const auto code = plumb::parse_command_line(app, argc, argv)) return *code;
  return plumb::run(options);
}
