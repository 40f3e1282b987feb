// User authentication, the server's side (RFC 4252, RFC 4256): reads requests, verifies signatures, asks the driver,
// and counts tries. Whether a name, key or password is good is the driver's to know.
//
//   SERVICE_REQUEST ──▶ listening ──▶ AuthAttempt ──▶ the driver's verdict ──▶ done
//                           ▲                               │
//                           └── refused, asked for more ────┘
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/secret.h"
#include "session/auth_messages.h"
#include "session/event.h"
#include "session/transport.h"

namespace plumb {

class AuthServer {
 public:
  /// Both must outlive the object.
  AuthServer(const ConnectionConfig& config, Transport& transport)
      : config_(config), transport_(transport), methods_(config.auth.methods) {}

  /// SERVICE_REQUEST, EXT_INFO or one of 50 to 79. Moves the transport's phase along. Views in an AuthAttempt live
  /// until it is answered. kAuth once there were too many tries.
  Result<std::optional<Event>> handle(Bytes payload);

  /// An AuthAttempt waits for its answer: nothing more may be read.
  bool verdict_due() const { return step_ == Step::kVerdict; }
  bool done() const { return step_ == Step::kDone; }

  // Answers; abort when none is due.
  void accept();
  void accept_partially(NameList methods);
  Result<void> refuse();  ///< kAuth once there were too many tries
  void ask_prompts(std::string_view name, std::string_view instruction, const std::vector<Prompt>& prompts);
  void ask_password_change(std::string_view prompt);

 private:
  enum class Step : uint8_t { kService, kListening, kVerdict, kPromptsSent, kDone };

  Result<std::optional<Event>> on_service_request(Bytes payload);
  Result<std::optional<Event>> on_request(Bytes payload);
  Result<std::optional<Event>> on_info_response(Bytes payload);
  Result<std::optional<attempt::Any>> read_attempt(const UserauthRequest& request);
  Result<std::optional<attempt::Any>> read_publickey();
  Result<std::optional<attempt::Any>> read_password(Bytes rest);
  bool takes_algorithm(std::string_view algorithm) const;
  Result<std::optional<Event>> turn_down();
  event::AuthAttempt ask(attempt::Any attempt);
  void send_banner();
  void answer();

  const ConnectionConfig& config_;
  Transport& transport_;
  Step step_ = Step::kService;
  NameList methods_;  // that may be tried now
  std::string user_;
  std::string service_;
  SecretBytes message_;  // the message whose views the driver holds
  std::optional<PublicKey> key_;
  std::string algorithm_;
  bool query_ = false;     // the attempt that waits is a KeyQuery
  bool password_ = false;  // ... is a Password or PasswordChange
  bool keyboard_ = false;  // ... belongs to keyboard-interactive
  bool free_ = false;      // ... does not count if it is refused
  uint32_t prompts_ = 0;   // that wait for answers
  uint32_t attempts_ = 0;
  unsigned refusals_ = 0;
  bool banner_sent_ = false;
};

}  // namespace plumb
