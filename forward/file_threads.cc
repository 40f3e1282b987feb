#include "forward/file_threads.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>

namespace plumb {
namespace {

constexpr std::chrono::milliseconds kPatience(500);

/// While it lives, no signal comes to this thread, nor to those that it starts: SIGPIPE and SIGXFSZ would end the whole
/// process for one file, and all others have somebody who waits for them.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

struct FileThreads::Count {
  std::mutex mutex;
  std::condition_variable changed;
  size_t running = 0;

  void add(int n) {
    const std::lock_guard lock(mutex);
    running += static_cast<size_t>(n);
    changed.notify_all();
  }
};

FileThreads::FileThreads() : count_(std::make_shared<Count>()) {}

FileThreads::~FileThreads() {
  std::unique_lock lock(count_->mutex);
  count_->changed.wait_for(lock, kPatience, [this] { return count_->running == 0; });
}

Result<void> FileThreads::start(std::function<void()> work) {
  const SignalBlock no_signals;
  count_->add(1);
  try {
    std::thread([count = count_, work = std::move(work)]() mutable {
      work();
      work = nullptr;  // what it holds goes before it is counted out
      count->add(-1);
    }).detach();
  } catch (const std::system_error& error) {
    count_->add(-1);
    return fail(ErrorCode::kSystem, "no thread can be started", error.code().value());
  }
  return {};
}

}  // namespace plumb
