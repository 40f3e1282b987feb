#include "bench/phases.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "bench/child_process.h"
#include "bench/pipe.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

/// What `client` says, as it comes.
class Listener {
 public:
  Listener(const TransferClient& client, Phases& phases) : client_(client), phases_(phases) {}

  void hear(std::string_view text, double at) {
    words_ += text;
    note(client_.connected, phases_.connected, at);
    note(client_.keyed, phases_.keyed, at);
    note(client_.logged_in, phases_.logged_in, at);
  }

  std::string last_line() const {
    const size_t end = words_.find_last_not_of("\r\n");
    return end == std::string::npos ? "" : words_.substr(words_.rfind('\n', end) + 1, end - words_.rfind('\n', end));
  }

 private:
  void note(const char* mark, std::optional<double>& when, double at) const {
    if (mark != nullptr && !when && words_.find(mark) != std::string::npos) when = at;
  }

  const TransferClient& client_;
  Phases& phases_;
  std::string words_;
};

}  // namespace

tl::expected<Phases, std::string> time_phases(const TransferClient& client, std::vector<std::string> argv) {
  Pipe output, errors;
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Clock::time_point begin = Clock::now();
  const auto pid = start_child(std::move(argv), {nothing, output.writer(), errors.writer()});
  close(nothing);
  if (!pid) return tl::unexpected(pid.error());
  output.close_writer();
  errors.close_writer();

  Phases phases;
  Listener listener(client, phases);
  std::array<pollfd, 2> open{{{output.reader(), POLLIN, 0}, {errors.reader(), POLLIN, 0}}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (poll(open.data(), open.size(), -1) < 0) continue;
    const double at = std::chrono::duration<double>(Clock::now() - begin).count();
    for (pollfd& one : open) {
      if (one.fd < 0 || one.revents == 0) continue;
      std::array<char, 4096> space;
      const ssize_t n = read(one.fd, space.data(), space.size());
      if (n > 0 && one.fd == output.reader() && phases.first_byte == 0) phases.first_byte = at;
      if (n > 0 && one.fd == errors.reader()) listener.hear({space.data(), static_cast<size_t>(n)}, at);
      if (n <= 0) one.fd = -1;
    }
  }
  int status = 0;
  waitpid(*pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && phases.first_byte > 0) return phases;
  return tl::unexpected(listener.last_line());
}

}  // namespace plumb
