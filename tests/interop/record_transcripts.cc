// Records tests/transcripts anew: our seeded client meets the installed sshd, our seeded server the installed ssh.
//
//   record_transcripts FOLDER    one file for each case, as tests/session/transcript.h lists them
//
// Each is replayed once before it is written. Exit codes: 0 all recorded, 1 one failed, 2 usage, 3 no OpenSSH here.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>

#include "core/check.h"
#include "interop/loopback.h"
#include "interop/scratch_folder.h"
#include "interop/sshd_fixture.h"
#include "interop/subprocess.h"
#include "tests/session/transcript.h"

namespace plumb::testing {
namespace {

namespace fs = std::filesystem;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) { PLUMB_CHECK(fd >= 0); }
  ~Socket() { ::close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool readable(int fd) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 10000) == 1;
}

/// Both sides of a connection to its end, or to ten silent seconds of the peer.
Transcript record(TestEnd& end, const Socket& socket) {
  Transcript transcript;
  for (;;) {
    end.poll();
    const std::vector<uint8_t> up = end.take_output();
    transcript.add(true, up);
    if (::send(socket.fd(), up.data(), up.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(up.size())) break;
    if (end.closed() != nullptr || !readable(socket.fd())) break;
    std::vector<uint8_t> down(1 << 16);
    const ssize_t n = ::recv(socket.fd(), down.data(), down.size(), 0);
    if (n <= 0) break;
    down.resize(static_cast<size_t>(n));
    transcript.add(false, down);
    end.feed(down);
  }
  transcript.peer = end.connection().peer_identification();
  transcript.events = end.events();
  return transcript;
}

std::string with_sshd(const TranscriptCase& which, Transcript& transcript) {
  SshdOptions options;
  options.kex = which.kex;
  options.ciphers = which.cipher;
  options.macs = which.mac;
  options.host_key_algorithms = "ssh-ed25519";
  const auto sshd = SshdFixture::start(options);
  if (!sshd) return sshd.error();
  std::ofstream((*sshd)->folder() / "authorized_keys") << transcript_client_key() << "\n";
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((*sshd)->port());
  if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return "no connection";
  const std::unique_ptr<TestEnd> end = transcript_end(which, (*sshd)->user());
  transcript = record(*end, socket);
  transcript.user = (*sshd)->user();
  return {};
}

std::string with_ssh(const TranscriptCase& which, const fs::path& key, Transcript& transcript) {
  const auto listener = LoopbackListener::make();
  if (!listener) return listener.error();
  ProgramRequest ssh;
  ssh.argv = {"ssh", "-F", "none", "-p", std::to_string(listener->port()), "-i", key.string()};
  for (const std::string& line :
       {"KexAlgorithms=" + which.kex, "Ciphers=" + which.cipher, "MACs=" + which.mac,
        std::string("HostKeyAlgorithms=ssh-ed25519"), std::string("StrictHostKeyChecking=no"),
        std::string("UserKnownHostsFile=/dev/null"), std::string("GlobalKnownHostsFile=/dev/null"),
        std::string("IdentitiesOnly=yes"), std::string("IdentityAgent=none")}) {
    ssh.argv.emplace_back("-o");
    ssh.argv.push_back(line);
  }
  ssh.argv.insert(ssh.argv.end(), {"user@127.0.0.1", "cat"});
  ssh.input.assign(300, 'x');
  ssh.timeout = std::chrono::seconds(20);
  std::future<ProgramResult> client = std::async(std::launch::async, [&ssh] { return run_program(ssh); });
  if (readable(listener->fd())) {
    const Socket socket(::accept4(listener->fd(), nullptr, nullptr, SOCK_CLOEXEC));
    transcript = record(*transcript_end(which, ""), socket);
  }
  transcript.user = "user";
  const ProgramResult result = client.get();
  return result.exit_code == 0 && result.output == ssh.input ? "" : "ssh: " + result.error;
}

/// Whether the peer's bytes in one go give what was recorded.
bool replays(const TranscriptCase& which, const Transcript& transcript) {
  const std::unique_ptr<TestEnd> end = transcript_end(which, transcript.user);
  end->poll();
  end->feed(transcript.sent(false));
  return end->events() == transcript.events && end->take_output() == transcript.sent(true);
}

int record_all(const fs::path& folder) {
  if (const std::string why = SshdFixture::unavailable(); !why.empty()) {
    std::fprintf(stderr, "record_transcripts: %s\n", why.c_str());
    return 3;
  }
  const auto scratch = make_scratch_folder("transcripts");
  PLUMB_CHECK(scratch.has_value());
  const fs::path key = *scratch / "key";
  ProgramRequest keygen;
  keygen.argv = {"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key.string()};
  PLUMB_CHECK(run_program(keygen).exit_code == 0);
  int failed = 0;
  for (const TranscriptCase& which : transcript_cases()) {
    Transcript transcript;
    std::string why = which.role == Role::kClient ? with_sshd(which, transcript) : with_ssh(which, key, transcript);
    const bool whole = transcript.events.size() > 5 && transcript.events.back().starts_with("Closed");
    if (why.empty() && !whole) why = "it broke off: " + (transcript.events.empty() ? "" : transcript.events.back());
    if (why.empty() && !replays(which, transcript)) why = "its replay differs";
    if (!why.empty()) {
      std::fprintf(stderr, "record_transcripts: %s: %s\n", which.file().c_str(), why.c_str());
      failed++;
      continue;
    }
    const char* roles = which.role == Role::kClient ? "our client, its server" : "our server, its client";
    fs::create_directories((folder / which.file()).parent_path());
    std::ofstream(folder / which.file()) << write_transcript(
        transcript, which.kex + ", " + which.cipher + ", " + which.mac + ": " + roles);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plumb::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: record_transcripts FOLDER\n", stderr);
    return 2;
  }
  return plumb::testing::record_all(argv[1]);
}
