// User authentication, the client's side (RFC 4252, RFC 4256): the service, and one method after another.
//
//   start ──▶ SERVICE_ACCEPT ──▶ AuthNeeded ──▶ none | publickey | password | keyboard-interactive
//                                    ▲                        │
//                                    └───────── refused ──────┴──▶ Authenticated
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/secret.h"
#include "keys/private_key.h"
#include "session/auth_messages.h"
#include "session/event.h"
#include "session/transport.h"

namespace plumb {

class AuthClient {
 public:
  /// `signatures`: what a key signs under that has a choice; empty: all. Both must outlive the object.
  AuthClient(Transport& transport, const NameList& signatures) : transport_(transport), signatures_(signatures) {}

  /// Sends SERVICE_REQUEST; once, after the first key exchange.
  void start();

  /// SERVICE_ACCEPT, EXT_INFO or one of 50 to 79. Moves the transport's phase along. Views in the event live as long as
  /// `payload`.
  Result<std::optional<Event>> handle(Bytes payload);

  // Answers to AuthNeeded, PasswordChangeNeeded and KeyboardPrompts; abort when none is due.
  void none(std::string_view user);
  void publickey(std::string_view user, const PrivateKey& key);
  void password(std::string_view user, SecretBytes password);
  void change_password(SecretBytes old_password, SecretBytes new_password);  ///< after PasswordChangeNeeded alone
  void keyboard(std::string_view user);
  void answer_prompts(std::vector<SecretBytes> answers);  ///< after KeyboardPrompts alone

 private:
  enum class Step : uint8_t {
    kIdle,
    kService,
    kNeeded,          ///< the driver's turn: any method
    kChangeNeeded,    ///< the same, or another password
    kPromptsWaiting,  ///< the same, or answers
    kNone,            ///< the server's turn
    kQuery,
    kSigned,
    kPassword,
    kKeyboard,
    kDone,
  };

  Result<std::optional<Event>> on_service_accept(Bytes payload);
  Result<std::optional<Event>> on_ext_info(Bytes payload);
  Result<std::optional<Event>> on_failure(Bytes payload);
  Result<std::optional<Event>> on_success(Bytes payload);
  Result<std::optional<Event>> on_method_message(Bytes payload);
  Result<std::optional<Event>> on_pk_ok(Bytes payload);
  Result<std::optional<Event>> on_change_request(Bytes payload);
  Result<std::optional<Event>> on_info_request(Bytes payload);
  std::optional<Event> sign();
  UserauthPublickey publickey_request(bool has_signature) const;
  std::string_view choose_algorithm(std::string_view key_type) const;
  void begin_attempt(std::string_view user, Step step);
  bool drivers_turn() const {
    return step_ == Step::kNeeded || step_ == Step::kChangeNeeded || step_ == Step::kPromptsWaiting;
  }
  bool servers_turn() const { return step_ >= Step::kNone && step_ <= Step::kKeyboard; }
  Event refused();

  Transport& transport_;
  const NameList& signatures_;
  Step step_ = Step::kIdle;
  std::optional<NameList> server_sig_algs_;
  bool hostbound_ = false;  // the server takes that form of publickey
  NameList methods_;        // from the last USERAUTH_FAILURE
  std::string user_;
  std::string algorithm_;
  const PrivateKey* key_ = nullptr;
  size_t prompts_ = 0;  // that wait for answers
};

}  // namespace plumb
