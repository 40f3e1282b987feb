#include "tools/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace plumb {
namespace {

constexpr size_t kLongestLine = 1024;

volatile sig_atomic_t caught_signal = 0;

/// Until it goes, the signals that end or stop a program are caught, and come during `may_read` alone: one that came
/// between a look at `caught_signal` and a read would leave the read waiting for ever.
class SignalCatch {
 public:
  SignalCatch() {
    caught_signal = 0;
    struct sigaction catching {};
    catching.sa_handler = [](int signal) { caught_signal = signal; };
    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal : kSignals) sigaddset(&caught, signal);
    pthread_sigmask(SIG_BLOCK, &caught, &mask_);
    for (size_t i = 0; i < kSignals.size(); i++) sigaction(kSignals[i], &catching, &before_[i]);
  }
  ~SignalCatch() {
    for (size_t i = 0; i < kSignals.size(); i++) sigaction(kSignals[i], &before_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);  // one that waits does now what it does
  }
  SignalCatch(const SignalCatch&) = delete;
  SignalCatch& operator=(const SignalCatch&) = delete;

  /// Waits for input. False if a signal came first.
  bool may_read(int fd) const {
    pollfd input{fd, POLLIN, 0};
    return ppoll(&input, 1, nullptr, &mask_) >= 0;
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
  std::array<struct sigaction, kSignals.size()> before_;
  sigset_t mask_{};
};

/// Up to the end of the line, the end of the input or a signal.
SecretBytes read_line(int fd, const SignalCatch* catching) {
  SecretBytes buffer(kLongestLine);
  size_t size = 0;
  char c = 0;
  while (size < kLongestLine && (catching == nullptr || catching->may_read(fd)) && read(fd, &c, 1) == 1 && c != '\n')
    buffer.bytes()[size++] = static_cast<uint8_t>(c);
  return SecretBytes(buffer.bytes().first(size));
}

void write_text(int fd, const std::string& text) {
  // A prompt that cannot be shown is no reason not to read the answer.
  if (write(fd, text.data(), text.size()) < 0) return;
}

}  // namespace

std::optional<Terminal> Terminal::open() {
  const int fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return std::nullopt;
  return Terminal(fd);
}

Terminal::Terminal(Terminal&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Terminal& Terminal::operator=(Terminal&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Terminal::~Terminal() {
  if (fd_ >= 0) close(fd_);
}

std::string Terminal::ask(const std::string& prompt) {
  write_text(fd_, prompt);
  const SecretBytes line = read_line(fd_, nullptr);
  return std::string(as_text(line.bytes()));
}

SecretBytes Terminal::ask_secret(const std::string& prompt) {
  for (;;) {
    SecretBytes line;
    int signal = 0;
    {
      const SignalCatch catching;
      termios shown{};
      tcgetattr(fd_, &shown);
      termios hidden = shown;
      hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
      tcsetattr(fd_, TCSAFLUSH, &hidden);
      write_text(fd_, prompt);
      line = read_line(fd_, &catching);
      tcsetattr(fd_, TCSAFLUSH, &shown);
      write_text(fd_, "\n");
      signal = caught_signal;
    }
    if (signal == 0) return line;
    raise(signal);  // as it would have been; after a stop we are back here
  }
}

}  // namespace plumb
