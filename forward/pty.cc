#include "forward/pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "channels/terminal_modes.h"
#include "forward/terminal_flags.h"

namespace plumb {
namespace {

winsize window_of(uint32_t columns, uint32_t rows, uint32_t width, uint32_t height) {
  const auto fit = [](uint32_t n) { return static_cast<unsigned short>(n > 0xffff ? 0xffff : n); };
  return {.ws_row = fit(rows), .ws_col = fit(columns), .ws_xpixel = fit(width), .ws_ypixel = fit(height)};
}

}  // namespace

Result<Pty> Pty::open(const request::Pty& asked) {
  const Result<std::vector<TerminalMode>> modes = parse_terminal_modes(asked.modes);
  if (!modes) return tl::unexpected(modes.error());

  Pty pty;
  pty.master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 64> path{};
  if (pty.master_ < 0 || grantpt(pty.master_) != 0 || unlockpt(pty.master_) != 0 ||
      ptsname_r(pty.master_, path.data(), path.size()) != 0)
    return fail(ErrorCode::kSystem, "no terminal can be had", errno);
  pty.path_ = path.data();
  pty.slave_ = ::open(path.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (pty.slave_ < 0) return fail(ErrorCode::kSystem, "the terminal cannot be opened", errno);

  termios settings{};
  if (tcgetattr(pty.slave_, &settings) == 0) {
    for (const TerminalMode& mode : *modes) apply_terminal_mode(mode, settings);
    tcsetattr(pty.slave_, TCSANOW, &settings);
  }
  const winsize size = window_of(asked.columns, asked.rows, asked.width, asked.height);
  ioctl(pty.master_, TIOCSWINSZ, &size);
  return pty;
}

Pty::Pty(Pty&& other) noexcept
    : master_(std::exchange(other.master_, -1)),
      slave_(std::exchange(other.slave_, -1)),
      path_(std::move(other.path_)) {}

Pty::~Pty() {
  release_slave();
  if (master_ >= 0) close(master_);
}

Result<int> Pty::open_master() const {
  const int fd = fcntl(master_, F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return fail(ErrorCode::kSystem, "no file descriptor can be had", errno);
  return fd;
}

void Pty::release_slave() {
  if (slave_ >= 0) close(slave_);
  slave_ = -1;
}

void Pty::resize(const request::WindowChange& size) const {
  const winsize window = window_of(size.columns, size.rows, size.width, size.height);
  ioctl(master_, TIOCSWINSZ, &window);
}

void Pty::send_break() const { tcsendbreak(master_, 0); }

}  // namespace plumb
