// What OpenSSH's log says about the client in front of it: which line means that the client got how far, and where its
// mistake must be. The table reads from the deepest check to the shallowest, because a client that fails at one check
// has passed those before it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

struct Diagnosis {
  std::string_view words;    ///< what sshd logs, for people
  std::string_view pattern;  ///< the same as an ECMAScript expression
  std::string_view layer;  ///< "identification", "negotiation", "kex", "keys", "framing", "mac", "cipher", "auth", …
  std::string_view means;  ///< how far the client got, and where to look
};

std::span<const Diagnosis> diagnoses();

struct Finding {
  const Diagnosis* diagnosis;
  std::string line;  ///< of the log, without its end of line
};

/// The line of `log` that says most about why the connection ended. Lines of level DEBUG help but are not needed.
std::optional<Finding> diagnose(std::string_view log);

}  // namespace plumb
