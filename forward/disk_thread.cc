#include "forward/disk_thread.h"

#include <sys/resource.h>

#include <algorithm>
#include <asio/post.hpp>

#include "forward/signal_block.h"

namespace plumb {
namespace {

/// How often this thread has waited for something.
long sleeps_so_far() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

}  // namespace

DiskThread::Look::Look(DiskThread& disk) : disk_(disk), begun_(std::chrono::steady_clock::now()) {
  if (disk_.suspicious_) sleeps_ = sleeps_so_far();
}

DiskThread::Look::~Look() {
  if (std::chrono::steady_clock::now() - begun_ < kSlow) return;
  if (disk_.suspicious_ && sleeps_so_far() != sleeps_) disk_.slow_ = true;
  disk_.suspicious_ = true;
}

DiskThread::DiskThread(asio::io_context& io, std::function<void()> done_some)
    : io_(io), done_some_(std::move(done_some)) {}

DiskThread::~DiskThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void DiskThread::run(size_t bytes, std::function<void()> work, std::function<void()> done) {
  bytes_ += bytes;
  under_way_++;
  const std::lock_guard lock(mutex_);
  jobs_.push_back({bytes, std::move(work), std::move(done)});
  changed_.notify_all();
  if (thread_.joinable()) return;
  const SignalBlock no_signals;
  thread_ = std::thread([this] { work_on(); });
}

void DiskThread::work_on() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    const Time begun = std::chrono::steady_clock::now();
    job.work();
    job.took = std::chrono::steady_clock::now() - begun;
    lock.lock();
    over_.push_back(std::move(job));
    changed_.notify_all();
    if (over_.size() > 1) continue;  // asked for already
    asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_)] {
      if (!alive.expired()) collect();
    });
  }
}

void DiskThread::collect() {
  std::deque<Job> over;
  {
    const std::lock_guard lock(mutex_);
    over.swap(over_);
  }
  if (over.empty()) return;  // `wait` had them
  Duration longest{0};
  for (Job& job : over) {
    bytes_ -= job.bytes;
    under_way_--;
    longest = std::max(longest, job.took);
    if (job.done) job.done();
  }
  if (under_way_ == 0 && longest < kSlow) slow_ = false;
  done_some_();
}

void DiskThread::wait() {
  while (under_way_ > 0) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !over_.empty(); });
    }
    collect();
  }
}

}  // namespace plumb
