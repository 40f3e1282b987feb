// A client of ours at the end of a wire, driven to the reply that a test waits for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "sftp/client.h"
#include "sftp/download.h"
#include "sftp/server.h"
#include "sftp/upload.h"

namespace plumb::sftp::testing {

/// The other end: bytes to it, bytes from it.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void send(Bytes bytes) = 0;
  virtual size_t receive(MutBytes space) = 0;  ///< waits for some; 0 if no more will come
};

/// A server of ours, fed and drained in pieces.
class MemoryWire final : public Wire {
 public:
  explicit MemoryWire(Files& files, size_t piece = 32768, ServerOptions options = {})
      : server_(files, options), piece_(piece) {}

  void send(Bytes bytes) override { sent_.insert(sent_.end(), bytes.begin(), bytes.end()); }

  size_t receive(MutBytes space) override {
    space = space.first(std::min(space.size(), piece_));
    while (true) {
      const Result<size_t> taken = server_.input(Bytes(sent_).first(std::min(sent_.size(), piece_)));
      if (!taken) return 0;
      sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(*taken));
      if (const size_t n = server_.output(space); n != 0) return n;
      if (*taken == 0 && !server_.wants_output()) return 0;
    }
  }

 private:
  Server server_;
  size_t piece_;
  std::vector<uint8_t> sent_;
};

class TestSession {
 public:
  explicit TestSession(Wire& wire, size_t space = 32768) : wire_(wire), space_(space), in_(65536) {
    while (!client.ready() && step([](const Reply&) {})) {
    }
    EXPECT_TRUE(client.ready());
  }

  /// The reply to one request; its views live until the next call.
  Reply ask(const Result<RequestId>& id) {
    EXPECT_TRUE(id.has_value()) << (id ? "" : id.error().text);
    if (!id) return {};
    std::optional<Reply> found;
    while (!found && step([&](const Reply& reply) {
      if (reply.id == *id) found = reply;
    })) {
    }
    EXPECT_TRUE(found.has_value()) << "no reply";
    return found.value_or(Reply{});
  }

  /// As `ask`, of a kind; fails the test if it is another.
  template <class T>
  T ask_for(const Result<RequestId>& id) {
    Reply reply = ask(id);
    if (T* what = std::get_if<T>(&reply.what)) return std::move(*what);
    const auto* status = std::get_if<reply::Status>(&reply.what);
    ADD_FAILURE() << "another reply: " << (status != nullptr ? status_text(status->code) : "not a status");
    return {};
  }

  StatusCode status_of(const Result<RequestId>& id) {
    const Reply reply = ask(id);
    const auto* status = std::get_if<reply::Status>(&reply.what);
    EXPECT_NE(status, nullptr);
    return status == nullptr ? StatusCode::kNoConnection : status->code;
  }

  FileHandle open(std::string_view path, uint32_t pflags) {
    return ask_for<reply::FileOpened>(client.open(path, pflags)).handle;
  }

  template <class T>
  TransferResult run(T& transfer) {
    transfer.run(now());
    upload_ = dynamic_cast<Upload*>(&transfer);
    while (!transfer.finished() && step([&](const Reply& reply) { transfer.on_reply(reply, now()); })) {
    }
    upload_ = nullptr;
    EXPECT_TRUE(transfer.finished());
    return transfer.result();
  }

  /// One exchange, whatever comes of it.
  void pump_once() {
    step([](const Reply&) {});
  }

  static Time now() { return std::chrono::steady_clock::now(); }

  Client client;
  std::optional<Error> error;

 private:
  /// Sends what there is and takes one piece of what comes; false if nothing more will. Stops at each reply, since its
  /// views live no longer than to the next.
  template <class OnReply>
  bool step(OnReply on_reply) {
    if (!rest_.empty()) return take(on_reply);
    std::vector<uint8_t> space(space_);
    while (true) {
      size_t n = client.output(space);
      if (n == 0 && upload_ != nullptr) n = upload_->output(space, now());
      if (n == 0 && !client.wants_output()) break;
      wire_.send(Bytes(space).first(n));
    }
    if (upload_ != nullptr && upload_->finished()) return true;
    const size_t n = wire_.receive(in_);
    if (n == 0) return false;
    rest_ = Bytes(in_).first(n);
    return take(on_reply);
  }

  template <class OnReply>
  bool take(OnReply on_reply) {
    const Result<std::optional<Reply>> reply = client.next(rest_);
    if (!reply) {
      error = reply.error();
      return false;
    }
    if (*reply) on_reply(**reply);
    return true;
  }

  Wire& wire_;
  size_t space_;
  std::vector<uint8_t> in_;
  Bytes rest_;
  Upload* upload_ = nullptr;
};

/// A file in memory that is nobody else's: the local end of a transfer.
class LocalBytes : public File {
 public:
  std::vector<uint8_t> bytes;
  uint64_t fail_at = UINT64_MAX;  ///< reading or writing there fails

  Result<size_t> read_at(uint64_t offset, MutBytes space) override {
    if (offset <= fail_at && fail_at < offset + space.size()) return os_error(5, "a disk fault for the test");
    if (offset >= bytes.size()) return size_t{0};
    const size_t n = std::min<size_t>(space.size(), bytes.size() - offset);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), n, space.begin());
    return n;
  }
  Result<void> write_at(uint64_t offset, Bytes data) override {
    if (offset <= fail_at && fail_at < offset + data.size()) return os_error(28, "a full disk for the test");
    if (bytes.size() < offset + data.size()) bytes.resize(offset + data.size());
    std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return {};
  }
  Result<Attrs> stat() override { return Attrs{.flags = kHasSize, .size = bytes.size()}; }
  Result<void> set_attrs(const Attrs&) override { return {}; }
  Result<StatvfsReply> statvfs() override { return StatvfsReply{}; }
  Result<void> sync() override { return {}; }
};

}  // namespace plumb::sftp::testing
