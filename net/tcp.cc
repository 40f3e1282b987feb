#include "net/tcp.h"

#include <netinet/tcp.h>

namespace plumb {
namespace {

#ifdef TCP_QUICKACK
/// Asio's form of a socket option (SettableSocketOption).
struct QuickAck {
  int on = 1;
  template <class Protocol>
  int level(const Protocol&) const {
    return IPPROTO_TCP;
  }
  template <class Protocol>
  int name(const Protocol&) const {
    return TCP_QUICKACK;
  }
  template <class Protocol>
  const void* data(const Protocol&) const {
    return &on;
  }
  template <class Protocol>
  size_t size(const Protocol&) const {
    return sizeof on;
  }
};
#endif

tl::unexpected<Error> refused(const char* text, const asio::error_code& error) {
  return fail(ErrorCode::kSystem, text, error.value());
}

}  // namespace

Result<void> prepare_for_ssh(Tcp::socket& socket) {
  asio::error_code error;
  socket.non_blocking(true, error);
  if (error) return refused("the socket cannot be made non-blocking", error);
  socket.set_option(Tcp::no_delay(true), error);
  if (error) return refused("TCP_NODELAY cannot be set", error);
  socket.set_option(asio::socket_base::keep_alive(true), error);
  if (error) return refused("SO_KEEPALIVE cannot be set", error);
  return {};
}

void acknowledge_now([[maybe_unused]] Tcp::socket& socket) {
#ifdef TCP_QUICKACK
  asio::error_code ignored;
  socket.set_option(QuickAck{}, ignored);
#endif
}

Result<Tcp::acceptor> listen(Runtime& runtime, const std::string& address, uint16_t port) {
  asio::error_code error;
  const asio::ip::address parsed = asio::ip::make_address(address, error);
  if (error) return fail(ErrorCode::kUsage, "the address to listen on must be numeric");
  const Tcp::endpoint endpoint(parsed, port);
  Tcp::acceptor acceptor(runtime.io());
  acceptor.open(endpoint.protocol(), error);
  if (error) return refused("no socket can be opened", error);
  acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (error) return refused("SO_REUSEADDR cannot be set", error);
  acceptor.bind(endpoint, error);
  if (error) return refused("the address cannot be listened on", error);
  acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refused("the address cannot be listened on", error);
  return acceptor;
}

}  // namespace plumb
