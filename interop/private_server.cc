#include "interop/private_server.h"

#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include "interop/key_pairs.h"
#include "interop/loopback.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// A TCP port of 127.0.0.1 that was free a moment ago; 0 if there is none.
uint16_t free_port() {
  const auto listener = LoopbackListener::make();
  return listener ? listener->port() : uint16_t{0};
}

/// The last `count` lines of a log, for an error message.
std::string tail(const std::string& text, size_t count) {
  size_t start = text.size();
  for (size_t i = 0; i <= count && start != std::string::npos && start > 0; ++i) start = text.rfind('\n', start - 1);
  return text.substr(start == std::string::npos || start == 0 ? 0 : start + 1);
}

/// Calls `look` until it gives something; nullopt after `timeout`.
template <class Look>
auto wait_for(Milliseconds timeout, Look look) -> decltype(look()) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    if (auto found = look(); found || Clock::now() >= deadline) return found;
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

/// Calls `visit` with each line of `text` from `mark` on that matches; stops when it returns false.
void each_match(const std::string& text, const std::string& pattern, size_t mark,
                const std::function<bool(const std::string&)>& visit) {
  const std::regex expression(pattern);
  std::istringstream lines(text.substr(std::min(mark, text.size())));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (std::regex_search(line, expression) && !visit(line)) return;
  }
}

}  // namespace

PrivateServer::~PrivateServer() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PrivateServer::user() const { return login_user(); }

std::filesystem::path PrivateServer::client_key() const { return *key_pair("client", "ed25519"); }

std::filesystem::path PrivateServer::known_hosts_for(uint16_t port) const {
  if (port == port_) return known_hosts();
  const fs::path path = folder_ / ("known_hosts_" + std::to_string(port));
  std::ifstream in(known_hosts());
  std::ofstream out(path);
  for (std::string line; std::getline(in, line);)
    out << "[" << host() << "]:" << port << line.substr(line.find(' ')) << "\n";
  return path;
}

std::string PrivateServer::log() const { return text_of(log_file()); }

std::optional<std::string> PrivateServer::find_log(const std::string& pattern, size_t mark) const {
  std::optional<std::string> first;
  each_match(log(), pattern, mark, [&first](const std::string& line) {
    first = line;
    return false;
  });
  return first;
}

std::optional<std::string> PrivateServer::wait_for_log(const std::string& pattern, size_t mark,
                                                       std::chrono::milliseconds timeout) const {
  return wait_for(timeout, [&] { return find_log(pattern, mark); });
}

size_t PrivateServer::count_log(const std::string& pattern, size_t mark) const {
  size_t count = 0;
  each_match(log(), pattern, mark, [&count](const std::string&) {
    ++count;
    return true;
  });
  return count;
}

std::string PrivateServer::last_words() const { return tail(log(), 5); }

tl::expected<void, std::string> LaunchedServer::start(const ServerRecipe& recipe) {
  // Another process may take the port between our look and the server's bind: then once more with another one.
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    port_ = free_port();
    auto request = recipe.prepare(port_);
    if (!request) return tl::unexpected(request.error());
    request->log = log_file().string();
    const size_t mark = log_mark();
    const auto pid = launch(*request);
    if (!pid) return tl::unexpected(pid.error());
    pid_ = *pid;
    bool running = true;
    const bool listens = wait_for(Milliseconds(20000), [&] {
      running = running && waitpid(pid_, nullptr, WNOHANG) == 0;
      return find_log(recipe.listens, mark).has_value() || !running;
    });
    if (running && listens) return {};
    if (!running) pid_ = -1;
    if (running) return tl::unexpected(recipe.name + " did not start to listen: " + last_words());
    if (attempt == kAttempts || !find_log("Address already in use", mark)) {
      return tl::unexpected(recipe.name + " did not start: " + last_words());
    }
  }
}

LaunchedServer::~LaunchedServer() {
  if (pid_ > 0) kill_launched(pid_);
}

std::string login_user() {
  const passwd* const entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : "";
}

tl::expected<PrivateView, std::string> view_with_private_home(const fs::path& folder,
                                                              const std::string& authorized_keys) {
  const passwd* const entry = getpwuid(geteuid());
  const fs::path home = folder / "home";
  std::error_code error;
  fs::create_directories(home / ".ssh", error);
  if (error || entry == nullptr) return tl::unexpected("cannot make a home folder in " + folder.string());
  // Servers refuse keys that others could have written.
  chmod(home.c_str(), 0700);
  chmod((home / ".ssh").c_str(), 0700);
  const auto written = write_private_file(home / ".ssh/authorized_keys", authorized_keys);
  if (!written) return tl::unexpected(written.error());
  return PrivateView{.binds = {{home.string(), entry->pw_dir}}, .root = ""};
}

std::string known_hosts_line(uint16_t port, const std::string& public_key) {
  return "[127.0.0.1]:" + std::to_string(port) + " " + public_key;
}

std::string known_authority_line(uint16_t port, const std::string& public_key) {
  return "@cert-authority " + known_hosts_line(port, public_key);
}

}  // namespace plumb
