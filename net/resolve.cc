#include "net/resolve.h"

#include <algorithm>
#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace plumb {
namespace {

/// What the look-up thread leaves behind. Shared, since either side may be the last to look at it.
struct LookUp {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  asio::error_code error;
  std::vector<Tcp::endpoint> endpoints;
};

void look_up(const std::shared_ptr<LookUp>& shared, const std::string& host, uint16_t port) {
  asio::io_context io;
  Tcp::resolver resolver(io);
  asio::error_code error;
  // Without address_configured: it hides 127.0.0.1 from a machine that has no other address.
  const auto found = resolver.resolve(host, std::to_string(port), Tcp::resolver::numeric_service, error);
  std::vector<Tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  const std::lock_guard lock(shared->mutex);
  shared->endpoints = std::move(endpoints);
  shared->error = error;
  shared->done = true;
  shared->finished.notify_one();
}

const char* reason(const asio::error_code& error) {
  if (error == asio::error::host_not_found || error == asio::error::no_data) return "no host has this name";
  if (error == asio::error::host_not_found_try_again) return "no name server answers";
  return "the host name cannot be resolved";
}

/// Both families in turn, each in its order, beginning with the family of the first.
std::vector<Tcp::endpoint> take_turns(const std::vector<Tcp::endpoint>& preferred) {
  std::vector<Tcp::endpoint> first, second, mixed;
  for (const Tcp::endpoint& e : preferred) (e.protocol() == preferred.front().protocol() ? first : second).push_back(e);
  for (size_t i = 0; i < std::max(first.size(), second.size()); i++) {
    if (i < first.size()) mixed.push_back(first[i]);
    if (i < second.size()) mixed.push_back(second[i]);
  }
  return mixed;
}

}  // namespace

Result<std::vector<Tcp::endpoint>> resolve(const std::string& host, uint16_t port, Time deadline) {
  // The resolver would take no name for this machine itself.
  if (host.empty()) return fail(ErrorCode::kUsage, "the host name is empty");
  asio::error_code not_numeric;
  const asio::ip::address address = asio::ip::make_address(host, not_numeric);
  if (!not_numeric) return std::vector{Tcp::endpoint(address, port)};

  const auto shared = std::make_shared<LookUp>();
  try {
    std::thread(look_up, shared, host, port).detach();
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kSystem, "no thread can be started to look the host name up", error.code().value());
  }
  std::unique_lock lock(shared->mutex);
  const bool in_time = shared->finished.wait_until(lock, deadline, [&] { return shared->done; });
  if (!in_time) return fail(ErrorCode::kTimeout, "no name server answered in time");
  if (shared->error) return fail(ErrorCode::kSystem, reason(shared->error));
  if (shared->endpoints.empty()) return fail(ErrorCode::kSystem, "the host name has no address");
  return take_turns(shared->endpoints);
}

std::string to_string(const Tcp::endpoint& endpoint) {
  return endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
}

}  // namespace plumb
