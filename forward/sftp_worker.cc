#include "forward/sftp_worker.h"

#include <algorithm>
#include <asio/post.hpp>
#include <cstring>

#include "core/check.h"

namespace plumb {
namespace {

/// Credit goes back after at most so much: a slow disk would starve the client of it otherwise.
constexpr size_t kSlice = 256 * 1024;

}  // namespace

// The session bears a small overrun of the window; twice its size is beyond what can arrive.
SftpWorker::SftpWorker(asio::io_context& io, Setup setup, std::function<void()> wake)
    : io_(io), setup_(std::move(setup)), wake_(std::move(wake)), inbox_(2 * setup_.window) {}

Result<std::shared_ptr<SftpWorker>> SftpWorker::start(asio::io_context& io, FileThreads& threads, Setup setup,
                                                      std::function<void()> wake) {
  std::shared_ptr<SftpWorker> worker(new SftpWorker(io, std::move(setup), std::move(wake)));
  if (const Result<void> started = threads.start([worker] { worker->run(); }); !started)
    return tl::unexpected(started.error());
  return worker;
}

// ---- The event loop's side

void SftpWorker::give(Bytes data) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || end_) {
    credit_ += data.size();
    return;
  }
  const MutBytes space = inbox_.space(data.size());
  PLUMB_CHECK(space.size() >= data.size());
  if (!data.empty()) std::memcpy(space.data(), data.data(), data.size());
  inbox_.commit(data.size());
  work_.notify_one();
}

void SftpWorker::end_input() {
  const std::lock_guard lock(mutex_);
  input_ended_ = true;
  work_.notify_one();
}

size_t SftpWorker::take_credit() {
  const std::lock_guard lock(mutex_);
  return std::exchange(credit_, 0);
}

size_t SftpWorker::ready() {
  const std::lock_guard lock(mutex_);
  return full_ == 0 ? 0 : blocks_[first_].end - blocks_[first_].begin;
}

size_t SftpWorker::take(MutBytes space) {
  const size_t n = std::min(space.size(), ready());
  if (n == 0) return 0;
  Block& block = blocks_[first_];
  std::memcpy(space.data(), block.bytes.get() + block.begin, n);
  block.begin += n;
  if (block.begin < block.end) return n;
  const std::lock_guard lock(mutex_);
  first_ = (first_ + 1) % kBlocks;
  full_--;
  work_.notify_one();
  return n;
}

std::optional<SftpEnd> SftpWorker::end() {
  const std::lock_guard lock(mutex_);
  return full_ == 0 ? end_ : std::nullopt;
}

void SftpWorker::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  work_.notify_one();
}

// ---- The thread's side

/// The event loop looks again soon. Any number of calls ask for one look.
void SftpWorker::tell(const std::lock_guard<std::mutex>&) {
  if (stopped_ || told_) return;
  told_ = true;
  asio::post(io_, [self = shared_from_this()] {
    {
      const std::lock_guard lock(self->mutex_);
      self->told_ = false;
      if (self->stopped_) return;
    }
    self->wake_();
  });
}

void SftpWorker::run() {
  const Result<void> served = serve();
  const std::lock_guard lock(mutex_);
  end_ = served ? SftpEnd{} : SftpEnd{served.error()};
  // What nobody answers any more is dealt with as well.
  credit_ += inbox_.size();
  inbox_.consume(inbox_.size());
  tell(lock);
}

Result<void> SftpWorker::serve() {
  const auto files = setup_.open_files();
  if (!files) return tl::unexpected(files.error());
  sftp::Server server(**files, setup_.server);
  Buffer input(inbox_.limit());
  while (await_input(input)) {
    while (!input.empty()) {
      const Result<size_t> taken = server.input(input.data().first(std::min(input.size(), kSlice)));
      if (!taken) return tl::unexpected(taken.error());
      input.consume(*taken);
      if (!give_credit(*taken)) return {};
      const Result<bool> answered = answer(server);
      if (!answered) return tl::unexpected(answered.error());
      if (!*answered) return {};
    }
  }
  return {};
}

/// All that is to be answered so far. False if nobody wants it any more.
Result<bool> SftpWorker::answer(sftp::Server& server) {
  while (server.wants_output()) {
    const MutBytes block = await_block();
    if (block.empty()) return false;
    if (const size_t n = server.output(block); n != 0) fill_block(n);
    if (server.failure()) return tl::unexpected(*server.failure());
  }
  return true;
}

/// Swaps the empty `input` for what came meanwhile. False once nothing comes any more.
bool SftpWorker::await_input(Buffer& input) {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] { return stopped_ || input_ended_ || !inbox_.empty(); });
  if (stopped_ || inbox_.empty()) return false;
  std::swap(inbox_, input);
  return true;
}

/// A block to fill; empty if nobody wants it any more.
MutBytes SftpWorker::await_block() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] { return stopped_ || full_ < kBlocks; });
  if (stopped_) return {};
  Block& block = blocks_[(first_ + full_) % kBlocks];
  if (block.bytes == nullptr) block.bytes.reset(new uint8_t[kBlockSize]);
  return {block.bytes.get(), kBlockSize};
}

void SftpWorker::fill_block(size_t n) {
  const std::lock_guard lock(mutex_);
  Block& block = blocks_[(first_ + full_) % kBlocks];
  block.begin = 0;
  block.end = n;
  full_++;
  tell(lock);
}

/// False if nobody wants it any more.
bool SftpWorker::give_credit(size_t n) {
  const std::lock_guard lock(mutex_);
  credit_ += n;
  if (n != 0) tell(lock);
  return !stopped_;
}

}  // namespace plumb
