// Our server in front of a peer's client.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "core/random.h"
#include "interop/echo_server.h"
#include "interop/key_pairs.h"
#include "interop/loopback.h"
#include "interop/meeting.h"
#include "interop/scratch_folder.h"
#include "keys/key_file.h"
#include "keys/public_line.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

template <class T>
using Expected = tl::expected<T, std::string>;

/// ssh-keygen's type, as `key_pair` takes it, for a host key algorithm.
std::string key_pair_type(const std::string& algorithm) {
  if (algorithm == "ssh-ed25519") return "ed25519";
  if (algorithm == "ecdsa-sha2-nistp256") return "ecdsa";
  if (algorithm == "ecdsa-sha2-nistp384") return "ecdsa384";
  if (algorithm == "ecdsa-sha2-nistp521") return "ecdsa521";
  return "rsa";
}

struct HostKey {
  std::unique_ptr<PrivateKey> key;
  std::string line;  // as in its .pub file
};

Expected<HostKey> read_host_key(const std::string& algorithm) {
  const auto path = key_pair("host", key_pair_type(algorithm));
  if (!path) return tl::unexpected(path.error());
  auto file = parse_key_file(text_of(*path));
  if (!file) return tl::unexpected("the host key that ssh-keygen made cannot be read: " + describe(file.error()));
  return HostKey{std::move(file->key), text_of(path->string() + ".pub")};
}

/// A folder for one run of a client, removed with the object.
class RunFolder {
 public:
  explicit RunFolder(fs::path path) : path_(std::move(path)) {}
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The program of one run; `run` lacks the user, its key and the folder.
Expected<ProgramRequest> client_program(const Peer& peer, PeerClientRun run, const fs::path& folder) {
  const auto key = key_pair("client", "ed25519");
  if (!key) return tl::unexpected(key.error());
  run.user = login_user();
  run.user_key = *key;
  run.folder = folder;
  run.command = "cat";
  return peer.client(run);
}

std::string stage_name(EchoServer::Outcome::Stage stage) {
  constexpr std::array<const char*, 5> kNames{"connect", "handshake", "auth", "exec", ""};
  return kNames[static_cast<size_t>(stage)];
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "nothing";
  const size_t start = text.rfind('\n', end);
  const size_t begin = start == std::string::npos ? 0 : start + 1;
  return text.substr(begin, end + 1 - begin);
}

Meeting without_client(std::string why) {
  Meeting meeting;
  meeting.stage = "connect";
  meeting.words = std::move(why);
  return meeting;
}

/// Serves one run of the client; fills `sent` with what it was fed.
Expected<Meeting> serve_client(const Peer& peer, const MatrixCase& test) {
  const auto host_key = read_host_key(test.host_key);
  if (!host_key) return tl::unexpected(host_key.error());
  const auto user_key = key_pair("client", "ed25519").map([](const fs::path& path) {
    return parse_public_file(text_of(path.string() + ".pub"));
  });
  if (!user_key) return tl::unexpected(user_key.error());
  if (!*user_key) return tl::unexpected(describe(user_key->error()));
  const auto made = make_scratch_folder("client");
  if (!made) return tl::unexpected(made.error());
  const RunFolder folder(*made);

  ConnectionConfig config;
  config.algorithms = only(test);
  config.host_keys = {host_key->key.get()};
  if (test.kind == MatrixCase::Kind::kRekeyByUs) config.rekey.bytes = kRekeyBytes;
  const auto server = EchoServer::make(config, (*user_key)->key);
  if (!server) return tl::unexpected(describe(server.error()));

  PeerClientRun run;
  run.port = (*server)->port();
  run.host_key = host_key->line;
  run.kex = test.kex;
  run.host_key_algorithm = test.host_key;
  run.cipher = test.cipher;
  run.mac = test.mac;
  if (test.kind == MatrixCase::Kind::kRekeyByPeer) run.rekey_limit = kRekeyLimit;
  auto program = client_program(peer, run, folder.path());
  if (!program) return tl::unexpected(program.error());
  program->input.resize(test.data_size());
  system_random().fill({reinterpret_cast<uint8_t*>(program->input.data()), program->input.size()});

  ProgramResult result;
  std::thread client([&] {
    result = run_program(*program);
    (*server)->give_up();
  });
  const EchoServer::Outcome outcome = (*server)->serve(std::chrono::seconds(60));
  client.join();

  Meeting meeting;
  meeting.stage = stage_name(outcome.stage);
  meeting.words = outcome.words;
  if (meeting.stage.empty() && result.exit_code != 0) {
    meeting.stage = "exec";
    meeting.words = "the client ended with status " + std::to_string(result.exit_code);
  }
  if (!meeting.stage.empty()) meeting.peer_words = last_line(result.error);
  meeting.agreed = outcome.agreed;
  meeting.key_exchanges = outcome.key_exchanges;
  meeting.bytes = result.output.size();
  meeting.intact = result.output == program->input;
  return meeting;
}

}  // namespace

Meeting meet_client(const Peer& peer, const MatrixCase& test) {
  auto meeting = serve_client(peer, test);
  return meeting ? *std::move(meeting) : without_client(meeting.error());
}

tl::expected<Offer, std::string> ask_client(const Peer& peer) {
  const auto listener = LoopbackListener::make();
  if (!listener) return tl::unexpected(listener.error());
  const auto host_key = read_host_key("ssh-ed25519");
  if (!host_key) return tl::unexpected(host_key.error());
  const auto made = make_scratch_folder("client");
  if (!made) return tl::unexpected(made.error());
  const RunFolder folder(*made);
  PeerClientRun run;
  run.port = listener->port();
  run.host_key = host_key->line;
  const auto program = client_program(peer, run, folder.path());
  if (!program) return tl::unexpected(program.error());

  constexpr int kPatience = 10'000;  // ms
  ProgramResult result;
  std::thread client([&] { result = run_program(*program); });
  pollfd polled{listener->fd(), POLLIN, 0};
  Expected<Offer> offer = tl::unexpected(std::string("it did not connect"));
  if (poll(&polled, 1, kPatience) == 1) {
    const int connection = accept4(listener->fd(), nullptr, nullptr, SOCK_CLOEXEC);
    offer = ask_peer(connection, false, std::chrono::milliseconds(kPatience));
    close(connection);
  }
  client.join();
  if (!offer) return tl::unexpected(offer.error() + "; the client: " + last_line(result.error));
  return offer;
}

}  // namespace plumb
