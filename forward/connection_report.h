// The sentences that tell a person why a run failed and what to do about it.
#pragma once

#include <string>

#include "forward/client_connection.h"
#include "session/event.h"

namespace plumb {

/// The connection ended when it had come as far as `stage`. `transport` are the system's words on a socket that failed,
/// or empty.
std::string explain_end(const LoginRequest& request, ConnectionOutcome::Stage stage, const event::Closed& closed,
                        const std::string& transport);

/// Authentication was given up: `tried` says what was refused ("publickey (1 key)"), empty if there was nothing to try;
/// `offered` are the methods that the server takes.
std::string explain_refusal(const LoginRequest& request, const std::string& tried, const NameList& offered);

}  // namespace plumb
