#include "forward/file_threads.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "forward/signal_block.h"

namespace plumb {
namespace {

constexpr std::chrono::milliseconds kPatience(500);

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
