// Client and server in memory, with somebody between them who changes the bytes.
//
//   byte 0   bits 0-3: cipher of the table; bits 5-7: size of the pieces
//   rest     steps, see `Session::step`
//
// Whatever is done to the bytes, nobody crashes, what arrives on a channel is a beginning of what was sent, and nobody
// grows past its bounds.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/fuzz_input.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

ConnectionConfig config(uint8_t choice) {
  ConnectionConfig config;
  const auto ciphers = cipher_specs();
  config.algorithms.ciphers_c2s =
      config.algorithms.ciphers_s2c = {std::string(ciphers[(choice & 0x0f) % ciphers.size()].name)};
  config.algorithms.kex = {"curve25519-sha256"};
  config.rekey.bytes = 100000;
  config.keepalive = {.interval = std::chrono::seconds(60), .count = 2};
  return config;
}

class Session {
 public:
  Session(uint8_t choice, size_t piece) : server_(config(choice)), client_(config(choice)), piece_(piece) {
    client_.intercept = [this](const Event& event) {
      if (std::holds_alternative<event::Authenticated>(event)) client_.connection().open_session();
      if (std::holds_alternative<event::ChannelOpened>(event)) open_ = true;
      if (std::holds_alternative<event::ChannelClosed>(event)) open_ = false;
      return false;
    };
  }

  void step(FuzzInput& input) {
    switch (input.u8() % 10) {
      case 0: return turn();
      case 1: return change(up_, input);
      case 2: return change(down_, input);
      case 3: return write(input.u16());
      case 4:
        if (client_.authenticated()) client_.connection().rekey();
        return;
      case 5:
        if (client_.authenticated()) server_.connection().rekey();
        return;
      case 6: return client_.advance(std::chrono::seconds(input.u8()));
      case 7: return server_.advance(std::chrono::seconds(input.u8()));
      case 8:
        if (open_) client_.connection().send_eof(0);
        return;
      default:
        for (int i = 0; i < 20; i++) turn();
    }
  }

  void check() {
    const std::vector<uint8_t>& got = client_.received();
    require(got.size() <= sent_.size() && std::equal(got.begin(), got.end(), sent_.begin()));
    require(client_.connection().output().size() <= 5u * 1024 * 1024);
    require(server_.connection().output().size() <= 5u * 1024 * 1024);
  }

 private:
  static void append(std::vector<uint8_t>& to, const std::vector<uint8_t>& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  }

  void turn() {
    client_.poll();
    append(up_, client_.take_output());
    server_.poll();
    server_.feed(up_, piece_);
    up_.clear();
    server_.pump();
    append(down_, server_.take_output());
    client_.feed(down_, piece_);
    down_.clear();
    append(up_, client_.take_output());
    append(down_, server_.take_output());
    check();
  }

  static void change(std::vector<uint8_t>& bytes, FuzzInput& input) {
    const uint8_t how = input.u8();
    const size_t place = input.u16();
    if (bytes.empty()) return;
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place % bytes.size());
    switch (how % 4) {
      case 0: *at = static_cast<uint8_t>(*at ^ (1u << (how >> 5))); return;
      case 1: bytes.erase(at, std::min(bytes.end(), at + 1 + (how >> 2))); return;
      case 2: bytes.insert(at, how); return;
      default: append(bytes, std::vector<uint8_t>(at, bytes.end()));
    }
  }

  void write(size_t want) {
    if (!open_) return;
    const MutBytes space = client_.connection().begin_data(0, want);
    for (uint8_t& b : space) sent_.push_back(b = static_cast<uint8_t>(sent_.size() * 7));
    if (!space.empty()) client_.connection().commit_data(0, space.size());
  }

  TestServer server_;
  TestClient client_;
  std::vector<uint8_t> up_, down_, sent_;
  bool open_ = false;
  size_t piece_;
};

}  // namespace
}  // namespace plumb::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb::testing;
  if (size > 400) return 0;
  FuzzInput input({data, size});
  const uint8_t choice = input.u8();
  Session session(choice, (choice >> 5) == 0 ? SIZE_MAX : size_t{1} << (choice >> 5) * 2);
  while (!input.empty()) session.step(input);
  session.check();
  return 0;
}
