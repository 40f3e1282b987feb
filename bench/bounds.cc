#include "bench/bounds.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <sstream>
#include <thread>

#include "bench/child_process.h"
#include "interop/scratch_folder.h"
#include "interop/subprocess.h"

namespace plumb {
namespace {

constexpr uint64_t kPushedMib = 1024;
constexpr int kEchoes = 1000;
constexpr auto kPatience = std::chrono::seconds(20);

TransferCommand ours(const TransferPlace& place, const std::string& cipher, std::string (*command)(uint64_t),
                     std::vector<std::string> slow) {
  const Workload workload{"bound", ClientJob::Task::kExec, command, false, false, nullptr};
  TransferPlace there = place;
  there.slow = std::move(slow);
  return transfer_clients().front().command(there, cipher, workload, kPushedMib, false);
}

std::string zeros(uint64_t mib) { return fmt::format("dd if=/dev/zero bs=1048576 count={} 2>/dev/null", mib); }
std::string cat(uint64_t) { return "cat"; }
std::string asleep(uint64_t) { return "exec sleep 600"; }

/// A program of ours whose standard input and output are files or pipes; ended with the object.
class Client {
 public:
  Client(std::vector<std::string> argv, const std::filesystem::path& input, int output) {
    const int from = open(input.c_str(), O_RDONLY | O_CLOEXEC), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_ = start_child(std::move(argv), {from, output, nothing}).value_or(-1);
    close(from);
    close(nothing);
  }
  ~Client() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// A line of /proc/PID/status in bytes; 0 once it is gone.
  uint64_t status(const std::string& name) const {
    std::istringstream text(text_of(fmt::format("/proc/{}/status", pid_)));
    for (std::string word; text >> word;) {
      uint64_t kib = 0;
      if (word == name + ":" && text >> kib) return kib * 1024;
    }
    return 0;
  }

  /// Bytes that it has read or written by now, of files and sockets.
  uint64_t moved() const {
    std::istringstream text(text_of(fmt::format("/proc/{}/io", pid_)));
    uint64_t sum = 0, count = 0;
    for (std::string word; text >> word && text >> count;) {
      if (word == "rchar:" || word == "wchar:") sum += count;
    }
    return sum;
  }

 private:
  pid_t pid_ = -1;
};

/// Its peak once it moves nothing any more.
tl::expected<uint64_t, std::string> settled_peak(const Client& client) {
  constexpr auto kLook = std::chrono::milliseconds(100);
  constexpr int kStill = 10;
  uint64_t before = 0;
  int still = 0;
  for (auto waited = std::chrono::milliseconds(0); still < kStill; waited += kLook) {
    if (waited > kPatience) return tl::unexpected(std::string("it did not come to rest"));
    std::this_thread::sleep_for(kLook);
    const uint64_t now = client.moved();
    if (client.status("VmHWM") == 0) return tl::unexpected(std::string("the client ended although nobody read"));
    still = now == before && now > 0 ? still + 1 : 0;
    before = now;
  }
  return client.status("VmHWM");
}

}  // namespace

double EchoTimes::percentile(double part) const {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(static_cast<double>(sorted.size()) * part))];
}

tl::expected<EchoTimes, std::string> echoes_beside_bulk(const TransferPlace& place, const std::string& cipher) {
  auto argv = ours(place, cipher, cat, {"--echoes", std::to_string(kEchoes), "--beside", "cat /dev/zero"});
  if (!argv) return tl::unexpected(argv.error());
  ProgramRequest request;
  request.argv = *std::move(argv);
  const ProgramResult done = run_program(request);
  if (done.exit_code != 0) return tl::unexpected(done.error.empty() ? "it took too long" : done.error);
  EchoTimes times;
  std::istringstream text(done.output);
  for (double seconds = 0; text >> seconds;) times.seconds.push_back(seconds);
  if (times.seconds.size() != kEchoes) return tl::unexpected(std::string("not all echoes came"));
  return times;
}

tl::expected<uint64_t, std::string> memory_of_stopped(const TransferPlace& place, const std::string& cipher,
                                                      StoppedReader where) {
  std::array<int, 2> unread{};
  if (pipe2(unread.data(), O_CLOEXEC) != 0) return tl::unexpected(std::string("no pipe: ") + std::strerror(errno));
  const auto peak_of = [&](std::string (*command)(uint64_t),
                           const std::filesystem::path& input) -> tl::expected<uint64_t, std::string> {
    auto argv = ours(place, cipher, command, {});
    if (!argv) return tl::unexpected(argv.error());
    const Client client(*std::move(argv), input, unread[1]);
    return settled_peak(client);
  };
  const auto idle = peak_of(asleep, "/dev/null");
  const auto full = where == StoppedReader::kHere ? peak_of(zeros, "/dev/null") : peak_of(asleep, "/dev/zero");
  close(unread[0]);
  close(unread[1]);
  if (!idle) return idle;
  if (!full) return full;
  return std::max(*full, *idle) - *idle;
}

Bounds measure_bounds(const TransferPlace& place, const std::string& cipher) {
  return {cipher, echoes_beside_bulk(place, cipher), memory_of_stopped(place, cipher, StoppedReader::kHere),
          memory_of_stopped(place, cipher, StoppedReader::kThere)};
}

}  // namespace plumb
