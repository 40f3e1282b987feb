// What handshake_bench times: every client by every key exchange method that we have in common with a private sshd.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/handshake_client.h"
#include "core/name_list.h"
#include "interop/sshd_fixture.h"

namespace plumb {

struct HandshakeCase {
  std::string method;
  std::string client;     ///< of `handshake_clients`
  uint64_t sent = 0;      ///< bytes of one handshake in TCP's payload, by the client
  uint64_t received = 0;  ///< and by the server
  Handshake run;
};

/// The server and all that its clients need.
class HandshakeBed {
 public:
  /// Why it could not be started here, as a sentence; empty if it can.
  static std::string unavailable(const std::string& plumb);

  /// Starts sshd and asks it what it offers. `plumb` is our program's path. The error is a sentence.
  static tl::expected<HandshakeBed, std::string> start(const std::string& plumb);

  /// Of our table, in its order, those that the server offers.
  const NameList& methods() const { return methods_; }

  /// One case for each client. Each makes one handshake already, through a relay that counts. The bed must outlive
  /// them.
  tl::expected<std::vector<HandshakeCase>, std::string> cases(const std::string& method) const;

 private:
  HandshakeBed(std::unique_ptr<SshdFixture> sshd, FixtureClient keys, std::string plumb)
      : sshd_(std::move(sshd)), keys_(std::move(keys)), plumb_(std::move(plumb)) {}

  tl::expected<Handshake, std::string> make(const HandshakeClient& client, const std::string& method,
                                            uint16_t port) const;

  std::unique_ptr<SshdFixture> sshd_;
  FixtureClient keys_;
  std::string plumb_;
  NameList methods_;
};

}  // namespace plumb
