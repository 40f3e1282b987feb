// The thread that waits for a slow disk in place of the event loop.
//
// While the disk is quick, which with the kernel's cache is the rule, files are read and written by the event loop
// itself: nothing is copied and no thread is woken. When one call took long the thread does the following ones, until
// it has caught up and they are quick again.
#pragma once

#include <asio/io_context.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "core/clock.h"
#include "sftp/background.h"

namespace plumb {

class DiskThread final : public sftp::Background {
 public:
  /// `done_some` is called from the loop of `io` when work is done, after its own `done`.
  DiskThread(asio::io_context& io, std::function<void()> done_some);

  /// Waits for the work at hand; the rest is given up.
  ~DiskThread() override;

  bool wanted() const override { return slow_; }
  void run(size_t bytes, std::function<void()> work, std::function<void()> done) override;
  void wait() override;

  /// Around calls of the event loop that may wait for files. A call that took long waited for the disk only if this
  /// thread slept meanwhile; where the processor is busy with others it did not. The kernel is asked for that once a
  /// first call was suspicious.
  class Look {
   public:
    explicit Look(DiskThread& disk);
    ~Look();
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

   private:
    DiskThread& disk_;
    Time begun_;
    long sleeps_ = 0;
  };

  size_t bytes() const { return bytes_; }  ///< that wait

 private:
  /// An event loop that stands still for this long lets a socket of 1 Gbit/s run empty: its buffers hold 1 to 4 MiB.
  static constexpr Duration kSlow = std::chrono::milliseconds(10);

  struct Job {
    size_t bytes = 0;
    std::function<void()> work, done;
    Duration took{};
  };
  void work_on();
  void collect();

  asio::io_context& io_;
  std::function<void()> done_some_;
  bool suspicious_ = false;
  bool slow_ = false;
  size_t bytes_ = 0;
  size_t under_way_ = 0;  // jobs given and not collected
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_, over_;
  bool stopping_ = false;
  std::thread thread_;  // once there was a job
};

}  // namespace plumb
