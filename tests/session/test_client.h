// A client's end in a test, against a ScriptedServer or a TestServer.
#pragma once

#include "tests/session/scripted_server.h"
#include "tests/session/test_end.h"

namespace plumb::testing {

class TestClient final : public TestEnd {
 public:
  /// Everything that has no value of its own is answered: the host key is accepted, authentication is by an ed25519
  /// key as "user", data is consumed at once.
  explicit TestClient(ConnectionConfig config = {}, uint64_t seed = 2);

  /// Exchanges bytes until both are quiet.
  void run(ScriptedServer& server, size_t chunk = SIZE_MAX);

  bool authenticated() const { return saw("Authenticated"); }

  std::unique_ptr<PrivateKey> key;  ///< for authentication

 private:
  void answer(const Event& event) override;
};

}  // namespace plumb::testing
