// A link of a given delay and rate in front of a server, on a thread of its own.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <tl/expected.hpp>

#include "net/delay_link.h"

namespace plumb {

class LinkThread {
 public:
  /// On a free port of 127.0.0.1. `host` is an address. The error is a sentence.
  static tl::expected<std::unique_ptr<LinkThread>, std::string> start(const std::string& host, uint16_t port,
                                                                      const LinkShape& shape);
  ~LinkThread();
  LinkThread(const LinkThread&) = delete;
  LinkThread& operator=(const LinkThread&) = delete;

  uint16_t port() const { return link_->endpoint().port(); }

 private:
  LinkThread() = default;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<DelayLink> link_;
  std::thread thread_;
};

}  // namespace plumb
