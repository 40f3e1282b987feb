#include "net/delay_link.h"

#include <algorithm>
#include <array>
#include <asio/steady_timer.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "net/tcp.h"

namespace plumb {
namespace {

// A piece is as much as the link carries in a millisecond, within these.
constexpr size_t kSmallestPiece = 1500;
constexpr size_t kLargestPiece = 64 * 1024;
// What may be under way where no rate says how much a delay holds.
constexpr size_t kUnlimited = 64 * 1024 * 1024;
constexpr size_t kMaxConnections = 256;

size_t piece_size(const LinkShape& shape) {
  if (shape.rate == 0) return kLargestPiece;
  return std::clamp<size_t>(shape.rate / 1000, kSmallestPiece, kLargestPiece);
}

size_t capacity(const LinkShape& shape) {
  if (shape.rate == 0) return kUnlimited;
  const double travelling = static_cast<double>(shape.rate) * std::chrono::duration<double>(shape.delay).count();
  return static_cast<size_t>(std::min(travelling, double{kUnlimited})) + shape.queue;
}

/// Two sockets that belong together, and whether they still work.
struct Pair {
  Pair(Tcp::socket accepted, asio::io_context& io) : client(std::move(accepted)), server(io) {}

  void cut() {
    asio::error_code ignored;
    client.close(ignored);
    server.close(ignored);
    broken = true;
  }

  Tcp::socket client, server;
  bool broken = false;
};

/// One way through a pair. Kept alive by its handlers.
class Direction : public std::enable_shared_from_this<Direction> {
 public:
  Direction(std::shared_ptr<Pair> pair, Tcp::socket& from, Tcp::socket& to, const LinkShape& shape)
      : pair_(std::move(pair)),
        from_(from),
        to_(to),
        shape_(shape),
        capacity_(capacity(shape)),
        timer_(from.get_executor()),
        space_(piece_size(shape)) {}

  void start() { read(); }

 private:
  /// Bytes with the time at which they come out of the link; none: the end.
  struct Piece {
    Time due;
    std::vector<uint8_t> bytes;
    size_t written = 0;
  };

  void read() {
    if (reading_ || ended_ || pair_->broken || under_way_ >= capacity_) return;
    reading_ = true;
    from_.async_read_some(asio::buffer(space_), [self = shared_from_this()](const asio::error_code& error, size_t n) {
      self->reading_ = false;
      self->on_read(error, n);
    });
  }

  void on_read(const asio::error_code& error, size_t n) {
    if (pair_->broken) return;
    if (error && error != asio::error::eof) return pair_->cut();
    ended_ = static_cast<bool>(error);
    const Time now = Runtime::now();
    free_at_ = std::max(free_at_, now);
    if (shape_.rate > 0) free_at_ += Duration(static_cast<int64_t>(n * uint64_t{1'000'000'000} / shape_.rate));
    pieces_.push_back({free_at_ + shape_.delay, {space_.begin(), space_.begin() + static_cast<std::ptrdiff_t>(n)}});
    under_way_ += n;
    write();
    read();
  }

  void write() {
    if (writing_ || pieces_.empty() || pair_->broken) return;
    writing_ = true;
    Piece& piece = pieces_.front();
    if (piece.due > Runtime::now()) return wait(piece.due);
    if (piece.bytes.empty()) return end();
    to_.async_write_some(asio::buffer(piece.bytes.data() + piece.written, piece.bytes.size() - piece.written),
                         [self = shared_from_this()](const asio::error_code& error, size_t n) {
                           self->writing_ = false;
                           self->on_written(error, n);
                         });
  }

  void wait(Time due) {
    timer_.expires_at(due);
    timer_.async_wait([self = shared_from_this()](const asio::error_code&) {
      self->writing_ = false;
      self->write();
    });
  }

  void on_written(const asio::error_code& error, size_t n) {
    if (pair_->broken) return;
    if (error) return pair_->cut();
    Piece& piece = pieces_.front();
    piece.written += n;
    under_way_ -= n;
    if (piece.written == piece.bytes.size()) pieces_.pop_front();
    write();
    read();
  }

  void end() {
    pieces_.clear();
    asio::error_code ignored;
    to_.shutdown(Tcp::socket::shutdown_send, ignored);
  }

  std::shared_ptr<Pair> pair_;
  Tcp::socket& from_;
  Tcp::socket& to_;
  LinkShape shape_;
  size_t capacity_;
  asio::steady_timer timer_;
  std::vector<uint8_t> space_;
  std::deque<Piece> pieces_;
  size_t under_way_ = 0;
  Time free_at_{};  // when the link can take the next byte
  bool reading_ = false, writing_ = false, ended_ = false;
};

class Link : public DelayLink {
 public:
  Link(Runtime& runtime, Tcp::acceptor acceptor, Tcp::endpoint target, const LinkShape& shape)
      : io_(runtime.io()), acceptor_(std::move(acceptor)), target_(std::move(target)), shape_(shape) {
    accept();
  }

  ~Link() override {
    *alive_ = false;
    cut();
  }

  Tcp::endpoint endpoint() const override {
    asio::error_code ignored;
    return acceptor_.local_endpoint(ignored);
  }

  void cut() override {
    for (const std::weak_ptr<Pair>& pair : pairs_) {
      if (const std::shared_ptr<Pair> running = pair.lock()) running->cut();
    }
    pairs_.clear();
  }

 private:
  void accept() {
    acceptor_.async_accept([this, alive = alive_](const asio::error_code& error, Tcp::socket socket) {
      if (!*alive || error == asio::error::operation_aborted) return;
      if (!error) join(std::move(socket));
      accept();
    });
  }

  void join(Tcp::socket accepted) {
    std::erase_if(pairs_, [](const std::weak_ptr<Pair>& pair) { return pair.expired(); });
    if (pairs_.size() >= kMaxConnections) return;  // closes it
    const auto pair = std::make_shared<Pair>(std::move(accepted), io_);
    pairs_.push_back(pair);
    pair->server.async_connect(target_, [pair, shape = shape_](const asio::error_code& error) {
      if (error || pair->broken) return pair->cut();
      if (!prepare_for_ssh(pair->client) || !prepare_for_ssh(pair->server)) return pair->cut();
      std::make_shared<Direction>(pair, pair->client, pair->server, shape)->start();
      std::make_shared<Direction>(pair, pair->server, pair->client, shape)->start();
    });
  }

  asio::io_context& io_;
  Tcp::acceptor acceptor_;
  Tcp::endpoint target_;
  LinkShape shape_;
  std::vector<std::weak_ptr<Pair>> pairs_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<DelayLink> DelayLink::start(Runtime& runtime, Tcp::acceptor acceptor, Tcp::endpoint target,
                                            const LinkShape& shape) {
  return std::make_unique<Link>(runtime, std::move(acceptor), std::move(target), shape);
}

}  // namespace plumb
