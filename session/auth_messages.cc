#include "session/auth_messages.h"

namespace plumb {

bool holds_password(Bytes payload) {
  if (payload[0] == msg::kUserauthInfoResponse) return true;
  if (payload[0] != msg::kUserauthRequest) return false;
  const Result<UserauthRequest> request = parse_message<UserauthRequest>(payload);
  return !request || request->method == "password";
}

}  // namespace plumb
