#include "bench/link_thread.h"

#include "net/tcp.h"

namespace plumb {

tl::expected<std::unique_ptr<LinkThread>, std::string> LinkThread::start(const std::string& host, uint16_t port,
                                                                         const LinkShape& shape) {
  auto made = std::unique_ptr<LinkThread>(new LinkThread);
  auto runtime = Runtime::create();
  if (!runtime) return tl::unexpected(describe(runtime.error()));
  made->runtime_ = *std::move(runtime);
  auto acceptor = listen(*made->runtime_, "127.0.0.1", 0);
  if (!acceptor) return tl::unexpected(describe(acceptor.error()));
  const Tcp::endpoint there(asio::ip::make_address(host), port);
  made->link_ = DelayLink::start(*made->runtime_, *std::move(acceptor), there, shape);
  made->thread_ = std::thread([runtime = made->runtime_.get()] { runtime->io().run(); });
  return made;
}

LinkThread::~LinkThread() {
  if (runtime_) runtime_->io().stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace plumb
