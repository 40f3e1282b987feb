// A server that lets in as the real one (forward/server) never does: by questions, or by a key and then a password.
// Nothing runs on it: whatever command is asked for ends with status 3 at once.
#pragma once

#include <memory>
#include <thread>

#include "forward/connection_pump.h"

namespace plumb::testing {

enum class PromptingRule : uint8_t {
  kTwoQuestions,     ///< keyboard-interactive; "secret" is the answer to both
  kKeyThenPassword,  ///< any key, and then the password "secret"
};

class PromptingServer final : private PumpOwner {
 public:
  /// Serves one client on a free port of 127.0.0.1, on a thread of its own.
  explicit PromptingServer(PromptingRule rule);

  /// Waits for the client to hang up.
  ~PromptingServer() override;
  PromptingServer(const PromptingServer&) = delete;
  PromptingServer& operator=(const PromptingServer&) = delete;

  uint16_t port() const { return port_; }
  const PublicKey& host_key() const { return host_key_->public_key(); }

 private:
  void on_event(const Event& event) override;
  void on_turn() override {}
  void on_finished() override {}
  void judge(const attempt::Any& attempt);

  std::unique_ptr<PrivateKey> host_key_;
  std::unique_ptr<Runtime> runtime_;
  Connection connection_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace plumb::testing
