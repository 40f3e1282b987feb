#include "forward/login.h"

#include <algorithm>
#include <cstdlib>

namespace plumb {
namespace {

constexpr const char* kUserPath = "/usr/local/bin:/usr/bin:/bin:/usr/games";
constexpr const char* kRootPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

void set(Environment& variables, std::string_view name, std::string value) {
  const auto found = std::ranges::find(variables, name, &Environment::value_type::first);
  if (found != variables.end())
    found->second = std::move(value);
  else
    variables.emplace_back(name, std::move(value));
}

}  // namespace

std::vector<std::string> login_environment(const Login& login, const SessionEnvironment& session) {
  const Account& account = login.account;
  Environment variables;
  for (const auto& [name, value] : session.sent) set(variables, name, value);
  set(variables, "PATH", account.id == 0 ? kRootPath : kUserPath);
  for (const auto& [name, value] : login.permissions.environment) set(variables, name, value);
  set(variables, "USER", account.name);
  set(variables, "LOGNAME", account.name);
  set(variables, "HOME", account.home);
  set(variables, "SHELL", account.shell);
  set(variables, "MAIL", "/var/mail/" + account.name);
  if (const char* zone = std::getenv("TZ")) set(variables, "TZ", zone);
  const std::string client = login.client_address + " " + std::to_string(login.client_port);
  const std::string server_port = std::to_string(login.server_port);
  set(variables, "SSH_CLIENT", client + " " + server_port);
  set(variables, "SSH_CONNECTION", client + " " + login.server_address + " " + server_port);
  if (!session.terminal.empty()) set(variables, "SSH_TTY", session.terminal);
  if (!session.term.empty()) set(variables, "TERM", session.term);
  if (!session.original_command.empty()) set(variables, "SSH_ORIGINAL_COMMAND", session.original_command);
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace plumb
