// The hand-over between an event loop and the threads that wait for disks.
#include "forward/sftp_worker.h"

#include <gtest/gtest.h>

#include <asio/executor_work_guard.hpp>
#include <chrono>
#include <future>
#include <thread>

#include "core/endian.h"
#include "sftp/memory_files.h"
#include "sftp/messages.h"

namespace plumb {
namespace {

using namespace std::chrono_literals;

constexpr size_t kWindow = 2 * 1024 * 1024;

/// A disk that answers `stat` of "stuck" once it is let go.
class SlowFiles final : public sftp::MemoryFiles {
 public:
  explicit SlowFiles(std::shared_future<void> let_go) : let_go_(std::move(let_go)) {}
  Result<sftp::Attrs> stat(std::string_view path) override {
    if (path == "stuck") let_go_.wait();
    return MemoryFiles::stat(path);
  }

 private:
  std::shared_future<void> let_go_;
};

template <class M>
std::vector<uint8_t> packet_of(const M& message) {
  std::vector<uint8_t> packet;
  sftp::append_packet(message, packet);
  return packet;
}

Bytes head(const std::vector<uint8_t>& bytes, size_t n) { return Bytes(bytes).first(n); }
Bytes tail(const std::vector<uint8_t>& bytes, size_t n) { return Bytes(bytes).subspan(n); }

class SftpWorkers : public ::testing::Test {
 protected:
  std::shared_ptr<SftpWorker> start(size_t window = kWindow) {
    auto worker = SftpWorker::start(
        io_, threads_,
        {.open_files = []() -> Result<std::unique_ptr<sftp::Files>> { return std::make_unique<sftp::MemoryFiles>(); },
         .server = {},
         .window = window},
        [this] { wakes_++; });
    EXPECT_TRUE(worker);
    return *worker;
  }

  /// Runs the loop until `done`, ten seconds at most.
  template <class Done>
  bool run_until(Done done) {
    for (int i = 0; i < 1000; i++) {
      if (done()) return true;
      io_.restart();
      io_.run_for(10ms);
    }
    return false;
  }

  /// The next packet of replies, without its length field; empty if none comes.
  std::vector<uint8_t> reply(SftpWorker& worker) {
    std::vector<uint8_t> packet;
    const auto fill = [&](size_t size) {
      while (packet.size() < size) {
        if (!run_until([&] { return worker.ready() != 0; })) return false;
        const size_t before = packet.size();
        packet.resize(size);
        packet.resize(before + worker.take(MutBytes(packet).subspan(before)));
      }
      return true;
    };
    if (!fill(4) || !fill(4 + load_be32(packet.data()))) return {};
    packet.erase(packet.begin(), packet.begin() + 4);
    return packet;
  }

  void greet(SftpWorker& worker) {
    worker.give(packet_of(sftp::Init{}));
    EXPECT_TRUE(sftp::parse<sftp::Version>(reply(worker)));
  }

  uint32_t status(SftpWorker& worker) {
    const std::vector<uint8_t> packet = reply(worker);
    const auto m = sftp::parse<sftp::Status>(packet);
    return m ? m->code : UINT32_MAX;
  }

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> open_{io_.get_executor()};  // runs without work as well
  FileThreads threads_;
  size_t wakes_ = 0;
};

TEST_F(SftpWorkers, AnswersAndEndsWithTheInput) {
  const auto worker = start();
  greet(*worker);
  const auto asked = packet_of(sftp::Mkdir{{7, "folder", {}}});
  worker->give(asked);
  EXPECT_FALSE(worker->end());
  worker->end_input();
  ASSERT_TRUE(run_until([&] { return worker->ready() != 0; }));
  EXPECT_EQ(status(*worker), 0u);
  ASSERT_TRUE(run_until([&] { return worker->end().has_value(); }));
  EXPECT_FALSE(worker->end()->error);
  EXPECT_EQ(worker->take_credit(), packet_of(sftp::Init{}).size() + asked.size());
  EXPECT_TRUE(run_until([&] { return wakes_ > 0; }));
  worker->stop();
}

TEST_F(SftpWorkers, C70HalvesOfTwoChannelsDoNotMix) {
  const auto a = start(), b = start();
  greet(*a);
  greet(*b);
  const auto for_a = packet_of(sftp::Mkdir{{1, "a", {}}});
  const auto for_b = packet_of(sftp::Rmdir{{2, "not there"}});
  a->give(head(for_a, 9));
  b->give(head(for_b, 9));
  a->give(tail(for_a, 9));
  b->give(tail(for_b, 9));
  EXPECT_EQ(status(*a), 0u);
  EXPECT_EQ(status(*b), static_cast<uint32_t>(sftp::StatusCode::kNoSuchFile));
  a->stop();
  b->stop();
}

TEST_F(SftpWorkers, C71BadLengthsEndOneChannelAlone) {
  const auto other = start();
  greet(*other);
  const std::vector<std::vector<uint8_t>> wrong = {
      {0, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 1, 5}, {0, 0, 0, 4, 3, 0, 0, 0}};
  for (const auto& bytes : wrong) {
    const auto worker = start();
    if (bytes != wrong[2]) greet(*worker);
    worker->give(bytes);
    ASSERT_TRUE(run_until([&] { return worker->end().has_value(); }));
    EXPECT_TRUE(worker->end()->error);
    worker->take_credit();
    worker->give(bytes);
    EXPECT_EQ(worker->take_credit(), bytes.size());  // thrown away
    worker->stop();
  }
  other->give(packet_of(sftp::Mkdir{{1, "a", {}}}));
  EXPECT_EQ(status(*other), 0u);
  other->stop();
}

TEST_F(SftpWorkers, ADiskThatHangsHoldsUpNobodyElse) {
  std::promise<void> disk;
  const std::shared_future<void> let_go = disk.get_future().share();
  bool stopped = false;
  const auto stuck = *SftpWorker::start(
      io_, threads_,
      {.open_files = [let_go]() -> Result<std::unique_ptr<sftp::Files>> { return std::make_unique<SlowFiles>(let_go); },
       .server = {},
       .window = kWindow},
      [&] { EXPECT_FALSE(stopped) << "a worker that was stopped woke the loop"; });
  greet(*stuck);
  stuck->give(packet_of(sftp::Stat{{1, "stuck"}}));
  const auto other = start();
  greet(*other);
  other->give(packet_of(sftp::Mkdir{{1, "a", {}}}));
  EXPECT_EQ(status(*other), 0u);
  EXPECT_EQ(stuck->ready(), 0u);
  stuck->stop();  // at once, though its thread cannot come yet
  stopped = true;
  disk.set_value();
  other->stop();
  io_.restart();
  io_.run_for(50ms);  // a wake-up that was under way would arrive now
}

TEST_F(SftpWorkers, FilesThatCannotBeOpenedAreTheEnd) {
  const auto worker = *SftpWorker::start(
      io_, threads_,
      {.open_files = []() -> Result<std::unique_ptr<sftp::Files>> { return sftp::os_error(ENOENT, "no such folder"); },
       .server = {},
       .window = kWindow},
      [] {});
  worker->give(packet_of(sftp::Init{}));
  ASSERT_TRUE(run_until([&] { return worker->end().has_value(); }));
  EXPECT_EQ(worker->end()->error->os_error, ENOENT);
  EXPECT_TRUE(run_until([&] { return worker->take_credit() == packet_of(sftp::Init{}).size(); }));
  worker->stop();
}

TEST_F(SftpWorkers, RepliesThatNobodyTakesHoldBackCredit) {
  const auto worker = start();
  greet(*worker);
  worker->give(packet_of(
      sftp::Open{.id = 1, .path = "f", .pflags = sftp::kOpenRead | sftp::kOpenWrite | sftp::kOpenCreate, .attrs = {}}));
  const std::vector<uint8_t> opened = reply(*worker);
  const std::vector<uint8_t> handle(opened.begin() + 9, opened.end());
  const std::vector<uint8_t> payload(sftp::kMaxPayload, 'x');
  std::vector<uint8_t> write;
  sftp::append_packet(sftp::Write{.id = 2, .handle = handle, .offset = 0, .length = sftp::kMaxPayload}, write);
  store_be32(write.data(), static_cast<uint32_t>(write.size() - 4 + payload.size()));
  worker->give(write);
  worker->give(payload);
  EXPECT_EQ(status(*worker), 0u);
  const auto read = packet_of(sftp::Read{.id = 3, .handle = handle, .offset = 0, .length = sftp::kMaxPayload});
  size_t given = 0, taken = 0;
  worker->take_credit();
  while (given + read.size() <= kWindow / 16) {
    worker->give(read);
    given += read.size();
  }
  // Only what fits the blocks and the server's own list is taken; the rest waits in the window.
  run_until([&] {
    const size_t more = worker->take_credit();
    taken += more;
    return more == 0 && worker->ready() != 0;
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_LT(taken + worker->take_credit(), given);
  for (size_t i = 0; i < 200; i++) {
    const std::vector<uint8_t> data = reply(*worker);
    ASSERT_EQ(data.size(), 9 + payload.size()) << i;
    ASSERT_EQ(data.back(), 'x');
  }
  worker->stop();
}

// For ThreadSanitizer: all moments in which somebody may give up.
TEST_F(SftpWorkers, MayBeStoppedAtAnyMoment) {
  const auto request = packet_of(sftp::Stat{{1, "nothing"}});
  for (int i = 0; i < 300; i++) {
    const auto worker = start();
    worker->give(packet_of(sftp::Init{}));
    for (int k = 0; k < i % 40; k++) worker->give(request);
    if (i % 3 == 0) worker->end_input();
    if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    std::vector<uint8_t> space(50);
    worker->take(space);
    worker->stop();
    io_.restart();
    io_.poll();
  }
}

}  // namespace
}  // namespace plumb
