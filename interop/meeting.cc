#include "interop/meeting.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/random.h"
#include "interop/diagnose.h"
#include "keys/signature.h"

namespace plumb {
namespace {

/// A file in memory: input that can be read from its start, output that can be read back.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("case", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  bool fill(Bytes content) {
    return write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
           lseek(fd_, 0, SEEK_SET) == 0;
  }

  /// Up to `limit` bytes from the start.
  std::vector<uint8_t> content(size_t limit) const {
    std::vector<uint8_t> bytes(limit);
    const ssize_t n = pread(fd_, bytes.data(), bytes.size(), 0);
    bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return bytes;
  }

 private:
  int fd_;
};

std::string stage_name(ExecOutcome::Stage stage) {
  constexpr std::array<const char*, 5> kNames{"connect", "handshake", "auth", "exec", ""};
  return kNames[static_cast<size_t>(stage)];
}

/// What the server said from `mark` on about a client that failed.
std::string server_words(const PrivateServer& server, size_t mark) {
  const std::string log = server.log().substr(mark);
  if (const auto finding = diagnose(log)) return finding->line;
  const size_t end = log.find_last_not_of("\r\n");
  if (end == std::string::npos) return "nothing";
  const size_t start = log.rfind('\n', end);
  return log.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? 0 : start));
}

}  // namespace

Meeting unmet(std::string why) {
  Meeting meeting;
  meeting.stage = "connect";
  meeting.words = std::move(why);
  return meeting;
}

Algorithms only(const MatrixCase& test) {
  Algorithms algorithms;
  algorithms.kex = {test.kex};
  algorithms.host_keys = {test.host_key};
  algorithms.ciphers_c2s = algorithms.ciphers_s2c = {test.cipher};
  algorithms.no_macs = test.mac.empty();
  if (!test.mac.empty()) algorithms.macs_c2s = algorithms.macs_s2c = {test.mac};
  if (!test.user_key.empty()) algorithms.signatures = {std::string(find_signature_algorithm(test.user_key)->signed_as)};
  return algorithms;
}

Judgement judge(const MatrixCase& test, const Meeting& meeting) {
  if (!meeting.stage.empty()) return {meeting.stage, meeting.words};
  const auto differs = [](const std::string& agreed, const std::string& wanted) -> Judgement {
    return {"negotiation", "agreed on \"" + agreed + "\" where \"" + wanted + "\" alone was offered"};
  };
  if (!meeting.agreed) return differs("", test.kex);
  const Negotiated& agreement = *meeting.agreed;
  const std::string kex(agreement.kex->name), user_key = meeting.user_key.value_or(test.user_key);
  const std::pair<const std::string&, const std::string&> pairs[] = {{kex, test.kex},
                                                                     {agreement.host_key, test.host_key},
                                                                     {agreement.c2s.cipher, test.cipher},
                                                                     {agreement.s2c.cipher, test.cipher},
                                                                     {agreement.c2s.mac, test.mac},
                                                                     {agreement.s2c.mac, test.mac},
                                                                     {user_key, test.user_key}};
  for (const auto& [agreed, wanted] : pairs) {
    if (agreed != wanted) return differs(agreed, wanted);
  }
  if (!meeting.intact) {
    return {"data", std::to_string(meeting.bytes) + " of " + std::to_string(test.data_size()) +
                        " bytes came back, and not as they were sent"};
  }
  if (test.rekeys() && meeting.key_exchanges < kRekeyExchanges) {
    return {"rekey", std::to_string(meeting.key_exchanges) + " key exchanges where at least " +
                         std::to_string(kRekeyExchanges) + " were due"};
  }
  return {};
}

Meeting meet_server(const PrivateServer& server, const FixtureClient& client, const MatrixCase& test) {
  std::vector<uint8_t> sent(test.data_size());
  system_random().fill(sent);
  MemoryFile input, output;
  if (!input.fill(sent)) return unmet("no memory for the data");
  const size_t mark = server.log_mark();
  ExecRequest request = client.request("cat");
  request.input_fd = input.fd();
  request.output_fd = output.fd();
  request.config.algorithms = only(test);
  if (test.kind == MatrixCase::Kind::kRekeyByUs) request.config.rekey.bytes = kRekeyBytes;
  const ExecOutcome outcome = run_exec(request);

  Meeting meeting;
  meeting.stage = stage_name(outcome.stage);
  meeting.words = outcome.error_detail;
  if (meeting.stage.empty() && !(outcome.exited && outcome.exit_status == 0)) {
    meeting.stage = "exec";
    meeting.words = "the command did not end with status 0";
  }
  if (!meeting.stage.empty()) meeting.peer_words = server_words(server, mark);
  meeting.agreed = outcome.agreed;
  meeting.key_exchanges = outcome.key_exchanges;
  meeting.bytes = outcome.bytes_in;
  meeting.intact = output.content(sent.size() + 1) == sent;
  return meeting;
}

}  // namespace plumb
