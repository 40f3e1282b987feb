// Authentication as the driver sees it: what a client is asked, and what a server must judge (RFC 4252, RFC 4256).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/bytes.h"
#include "core/name_list.h"
#include "core/secret.h"
#include "keys/public_key.h"

namespace plumb {

/// One question of keyboard-interactive.
struct Prompt {
  std::string_view text;
  bool echo = false;  ///< what is typed may be shown
};

/// Ways in which a client tries to get in.
namespace attempt {

/// Nothing but the name: most clients begin so, to learn the methods (RFC 4252 §5.2). A refusal of the first does not
/// count against AuthRules::max_tries.
struct None {};

/// Would this key do? `accept_auth` lets nobody in: it asks for the signature.
struct KeyQuery {
  const PublicKey* key;
  std::string_view algorithm;
};

/// A key whose signature over this session was verified. Whether the key is the user's is the driver's to say, once
/// more: a client may sign without asking first.
struct SignedKey {
  const PublicKey* key;
  std::string_view algorithm;
  Verified verified;
};

/// Wiped before the next `poll`.
struct Password {
  std::string_view password;
};

/// The answer to `ask_password_change`. Wiped before the next `poll`.
struct PasswordChange {
  std::string_view old_password, new_password;
};

/// Answered with `ask_prompts`, or with a verdict.
struct KeyboardStart {
  std::string_view submethods;  ///< a hint, often empty
};

/// The answers to the last `ask_prompts`, as many as it had prompts. Wiped before the next `poll`.
struct KeyboardAnswers {
  std::vector<std::string_view> answers;
};

using Any = std::variant<None, KeyQuery, SignedKey, Password, PasswordChange, KeyboardStart, KeyboardAnswers>;

}  // namespace attempt

namespace event {

/// USERAUTH_BANNER. Untrusted text: strip control characters before showing it.
struct Banner {
  std::string_view text;
};

/// The connection may authenticate now, with one of `methods` where the server has said so (empty before the first
/// attempt: `authenticate_none` finds them out). Answer with one of the `authenticate_…`, or `disconnect`.
struct AuthNeeded {
  NameList methods;
  bool after_failure;    ///< the last attempt was refused
  bool partial_success;  ///< it was accepted, but more is wanted
};

/// The password has expired and the server wants a new one. Answer with `change_password`, or as AuthNeeded.
struct PasswordChangeNeeded {
  std::string_view prompt;  ///< untrusted
};

/// Questions of the server. Answer with `answer_prompts`, with as many answers as there are prompts: there may be none,
/// and then name and instruction are all that is to be shown. Untrusted texts.
struct KeyboardPrompts {
  std::string_view name, instruction;
  std::vector<Prompt> prompts;
};

/// A client is in.
struct Authenticated {};

/// A server: a client tries to get in. Until it is answered with `accept_auth`, `accept_auth_partially`, `refuse_auth`,
/// `ask_prompts` or `ask_password_change`, now or later, every `poll` gives Idle and nothing more is read.
///
/// Whether a user exists must not show: refuse the unknown ones as late, and with the same questions, as the others.
struct AuthAttempt {
  std::string_view user;
  attempt::Any attempt;
};

}  // namespace event
}  // namespace plumb
