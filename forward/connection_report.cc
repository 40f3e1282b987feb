#include "forward/connection_report.h"

#include "forward/untrusted_text.h"

namespace plumb {
namespace {

std::string place(const LoginRequest& request) { return request.host + " port " + std::to_string(request.port); }

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

/// What to do, where the error does not say it itself.
std::string_view advice(ConnectionOutcome::Stage stage, const event::Closed& closed) {
  if (std::string_view(closed.error.text).ends_with('?')) return "";
  switch (closed.error.code) {
    case ErrorCode::kNoCommon: return "; name an algorithm that the server offers, or allow ours in its configuration";
    case ErrorCode::kIntegrity: return "; the data was changed on the way, or one side computes its keys wrongly";
    case ErrorCode::kHostKey: return "; do not connect until you know why";
    case ErrorCode::kProtocol:
    case ErrorCode::kLimit: return "; the server's log may say more";
    case ErrorCode::kTimeout:
      return stage == ConnectionOutcome::Stage::kHandshake ? "; check the port, or allow more time to connect" : "";
    default: return "";
  }
}

}  // namespace

std::string explain_end(const LoginRequest& request, ConnectionOutcome::Stage stage, const event::Closed& closed,
                        const std::string& transport) {
  const std::string detail = on_one_line(closed.description);
  if (closed.by_peer && closed.reason != 0)
    return place(request) + " ended the connection: " + (detail.empty() ? "it gave no reason" : detail);
  std::string sentence = place(request) + ": " + closed.error.text + in_brackets(detail);
  if (closed.by_peer && !transport.empty()) sentence += ": " + transport;
  return sentence.append(advice(stage, closed));
}

std::string explain_refusal(const LoginRequest& request, const std::string& tried, const NameList& offered) {
  const std::string who = request.user + " at " + place(request);
  const std::string takes = offered.empty() ? "" : "; the server takes " + on_one_line(join_name_list(offered));
  if (tried.empty())
    return who + " cannot be authenticated: there is no key and no password to offer" + takes + "; name a private key";
  return who + " was refused with " + tried + takes +
         "; check the user name, and that the key is in the user's authorized_keys there";
}

}  // namespace plumb
