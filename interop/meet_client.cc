// Our server in front of a peer's client.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "core/random.h"
#include "interop/credentials.h"
#include "interop/loopback.h"
#include "interop/meeting.h"
#include "interop/own_server.h"
#include "interop/scratch_folder.h"
#include "keys/public_line.h"
#include "keys/signature.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

template <class T>
using Expected = tl::expected<T, std::string>;

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

/// The program of one run for a host and a user; `run` lacks what follows from them.
Expected<ProgramRequest> client_program(const Peer& peer, PeerClientRun run, const Credential& host,
                                        const Credential& user) {
  run.host_key = host.trusted;
  run.host_certified = host.certified();
  run.user = login_user();
  run.user_key = user.key;
  run.user_certificate = user.certificate;
  run.command = "cat";
  return peer.client(run);
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "nothing";
  const size_t start = text.rfind('\n', end);
  const size_t begin = start == std::string::npos ? 0 : start + 1;
  return text.substr(begin, end + 1 - begin);
}

/// Our server for one case.
Expected<std::unique_ptr<OwnServer>> start_server(const MatrixCase& test, const Credential& host,
                                                  const Credential& user) {
  auto host_key = load_credential(host);
  if (!host_key) return tl::unexpected(host_key.error());
  auto trusted = parse_public_file(user.trusted);
  if (!trusted) return tl::unexpected(describe(trusted.error()));
  auto options = OwnServer::options();
  if (!options) return tl::unexpected(options.error());
  options->host_keys = {*std::move(host_key)};
  (user.certified() ? options->access.authorities : options->access.keys) = {std::move(trusted->key)};
  options->connection.algorithms = only(test);
  if (test.kind == MatrixCase::Kind::kRekeyByUs) options->connection.rekey.bytes = kRekeyBytes;
  return OwnServer::start(*std::move(options));
}

/// How far a client came, and how it went on.
Meeting meeting_of(const ConnectionRecord& record) {
  constexpr std::string_view kPublickey = "publickey ";
  Meeting meeting;
  meeting.agreed = record.agreed;
  meeting.key_exchanges = record.key_exchanges;
  if (record.let_in_by.starts_with(kPublickey)) meeting.user_key = record.let_in_by.substr(kPublickey.size());
  if (!meeting.user_key) meeting.stage = meeting.agreed ? "auth" : "handshake";
  if (!meeting.user_key) meeting.words = record.end;
  return meeting;
}

/// Serves one run of the client.
Expected<Meeting> serve_client(const Peer& peer, const MatrixCase& test) {
  const auto host = host_credential(test.host_key);
  if (!host) return tl::unexpected(host.error());
  const auto user = user_credential(test.user_key);
  if (!user) return tl::unexpected(user.error());
  const auto server = start_server(test, *host, *user);
  if (!server) return tl::unexpected(server.error());
  const auto made = make_scratch_folder("client");
  if (!made) return tl::unexpected(made.error());
  const RunFolder folder(*made);

  PeerClientRun run;
  run.port = (*server)->port();
  run.folder = folder.path();
  run.kex = test.kex;
  run.host_key_algorithm = test.host_key;
  run.user_algorithm = test.user_key;
  run.cipher = test.cipher;
  run.mac = test.mac;
  if (test.kind == MatrixCase::Kind::kRekeyByPeer) run.rekey_limit = kRekeyLimit;
  auto program = client_program(peer, run, *host, *user);
  if (!program) return tl::unexpected(program.error());
  program->input.resize(test.data_size());
  system_random().fill({reinterpret_cast<uint8_t*>(program->input.data()), program->input.size()});
  const ProgramResult result = run_program(*program);
  const std::vector<ConnectionRecord> records = (*server)->stop();

  Meeting meeting = records.empty() ? unmet("no client connected") : meeting_of(records.front());
  if (meeting.stage.empty() && result.exit_code != 0) {
    meeting.stage = "exec";
    meeting.words = "the client ended with status " + std::to_string(result.exit_code);
  }
  if (!meeting.stage.empty()) meeting.peer_words = last_line(result.error);
  meeting.bytes = result.output.size();
  meeting.intact = result.output == program->input;
  return meeting;
}

}  // namespace

Meeting meet_client(const Peer& peer, const MatrixCase& test) {
  auto meeting = serve_client(peer, test);
  return meeting ? *std::move(meeting) : unmet(meeting.error());
}

tl::expected<Offer, std::string> ask_client(const Peer& peer) {
  const auto listener = LoopbackListener::make();
  if (!listener) return tl::unexpected(listener.error());
  // Some offer certificates' algorithms to hosts alone whose authority they know.
  const auto host = host_credential(certificate_algorithms().front().name);
  if (!host) return tl::unexpected(host.error());
  const auto user = user_credential(signature_algorithms().front().name);
  if (!user) return tl::unexpected(user.error());
  const auto made = make_scratch_folder("client");
  if (!made) return tl::unexpected(made.error());
  const RunFolder folder(*made);
  PeerClientRun run;
  run.port = listener->port();
  run.folder = folder.path();
  const auto program = client_program(peer, run, *host, *user);
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
