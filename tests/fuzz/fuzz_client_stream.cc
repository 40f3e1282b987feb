// A whole client connection fed by a server that may say anything.
//
//   byte 0   top bit: raw mode; bit 6: without strict key exchange; bits 4-5: how far an honest server goes first;
//            bits 0-3: cipher of the table
//   byte 1   size of the pieces in which the client is fed, less one
//   rest     raw mode: the bytes of the wire from the identification on
//            scripted mode: steps, see `Session::step`; messages are sealed under the keys of the moment, so that what
//            lies behind the tag is reached
//
// Whatever comes, the client does not crash, stays within its bounds, and sends nothing during a key exchange that does
// not belong to it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "session/messages.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"

namespace plumb::testing {
namespace {

ScriptedServer::Options options(uint8_t choice) {
  ScriptedServer::Options options;
  options.strict = (choice & 0x40) == 0;
  const auto ciphers = cipher_specs();
  options.ciphers_c2s = options.ciphers_s2c = {std::string(ciphers[(choice & 0x0f) % ciphers.size()].name)};
  return options;
}

ConnectionConfig config() {
  ConnectionConfig config;
  config.rekey.bytes = 200000;
  config.rekey.time = std::chrono::hours(1);
  return config;
}

/// A client, an honest server that gets as far as it is told, and the rules that hold from then on.
class Session {
 public:
  Session(uint8_t choice, size_t piece) : server_(options(choice)), client_(config()), piece_(piece) {
    client_.intercept = [this](const Event& event) {
      if (const auto* opened = std::get_if<event::ChannelOpened>(&event)) open_.insert(opened->channel);
      if (const auto* closed = std::get_if<event::ChannelClosed>(&event)) open_.erase(closed->channel);
      return false;
    };
    const int goal = choice >> 4 & 3;
    if (goal == 1) server_.intercept = [](const Received& packet) { return packet.number() == msg::kUserauthRequest; };
    if (goal == 0) return;
    run();
    server_.intercept = nullptr;
    if (goal == 3) open();
    run();
  }

  void step(FuzzInput& input) {
    Connection& connection = client_.connection();
    switch (const uint8_t op = input.u8(); op % 16) {
      default: return send(input.take(input.u16()));
      case 0: return server_.send_kexinit();
      case 1: return run();
      case 2: return open();
      case 3:
        if (!open_.empty()) connection.request_exec(*open_.begin(), "command");
        return;
      case 4: return write(input.u16());
      case 5: return connection_on_first([&](ChannelId channel) { connection.send_eof(channel); });
      case 6: return connection_on_first([&](ChannelId channel) { connection.close(channel); });
      case 7:
        if (client_.authenticated()) connection.rekey();
        return;
      case 8: return client_.advance(std::chrono::seconds(input.u8()));
      case 9: return client_.connection().input_closed();
    }
  }

  void check() {
    run();
    require(client_.connection().output().size() <= 5u * 1024 * 1024);
    for (const std::string& fault : server_.faults()) require(fault.find("during a key exchange") == std::string::npos);
    const bool closed = client_.closed() != nullptr;
    if (closed) require(std::holds_alternative<event::Closed>(client_.connection().poll(client_.now())));
  }

 private:
  void run() { client_.run(server_, piece_); }
  void send(Bytes payload) {
    if (!payload.empty()) server_.send(payload);
  }
  void open() {
    if (client_.authenticated()) client_.connection().open_session();
  }
  template <class Act>
  void connection_on_first(Act act) {
    if (!open_.empty()) act(*open_.begin());
  }
  void write(size_t want) {
    connection_on_first([&](ChannelId channel) {
      const MutBytes space = client_.connection().begin_data(channel, want);
      require(space.size() <= want);
      std::fill(space.begin(), space.end(), 'w');
      if (!space.empty()) client_.connection().commit_data(channel, space.size());
    });
  }

  ScriptedServer server_;
  TestClient client_;
  std::set<ChannelId> open_;
  size_t piece_;
};

void fuzz_raw(FuzzInput input, size_t piece) {
  TestClient client;
  client.feed(input.rest(), piece);
  client.connection().input_closed();
  client.poll();
  require(client.closed() != nullptr);
}

void fuzz(Bytes bytes) {
  FuzzInput input(bytes);
  const uint8_t choice = input.u8();
  const size_t piece = size_t{1} + input.u8();
  if ((choice & 0x80) != 0) return fuzz_raw(input, piece);
  Session session(choice, piece);
  while (!input.empty()) session.step(input);
  session.check();
}

}  // namespace
}  // namespace plumb::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  plumb::testing::fuzz({data, size});
  return 0;
}
