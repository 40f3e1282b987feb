// User authentication, the client's side (RFC 4252): the service, publickey with its query first, password.
//
//   start ──▶ SERVICE_ACCEPT ──▶ AuthNeeded ──▶ publickey | password ──▶ Authenticated | AuthNeeded …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/secret.h"
#include "keys/private_key.h"
#include "session/event.h"
#include "session/transport.h"

namespace plumb {

class AuthClient {
 public:
  /// `transport` must outlive the object.
  explicit AuthClient(Transport& transport) : transport_(transport) {}

  /// Sends SERVICE_REQUEST; once, after the first key exchange.
  void start();

  /// SERVICE_ACCEPT, EXT_INFO or one of 50 to 79. Moves the transport's phase along. Views in the event live as long as
  /// `payload`.
  Result<std::optional<Event>> handle(Bytes payload);

  // Answers to AuthNeeded; abort when none is due.
  void publickey(std::string_view user, const PrivateKey& key);
  void password(std::string_view user, SecretBytes password);

 private:
  enum class Step : uint8_t { kIdle, kService, kNeeded, kQuery, kSigned, kPassword, kDone };

  Result<std::optional<Event>> on_service_accept(Bytes payload);
  Result<std::optional<Event>> on_failure(Bytes payload);
  Result<std::optional<Event>> on_success(Bytes payload);
  Result<std::optional<Event>> on_method_message(Bytes payload);
  std::optional<Event> sign(Bytes session_id);
  std::string_view choose_algorithm(std::string_view key_type) const;
  bool attempt_runs() const { return step_ == Step::kQuery || step_ == Step::kSigned || step_ == Step::kPassword; }
  Event refused();

  Transport& transport_;
  Step step_ = Step::kIdle;
  std::optional<NameList> server_sig_algs_;
  NameList methods_;  // from the last USERAUTH_FAILURE
  std::string user_;
  std::string algorithm_;
  const PrivateKey* key_ = nullptr;
};

}  // namespace plumb
