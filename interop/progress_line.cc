#include "interop/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace plumb {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::begin(std::string what) {
  clear();
  what_ = std::move(what);
  begun_ = last_ = Clock::now();
}

void ProgressLine::update(uint64_t done, uint64_t total) {
  const auto now = Clock::now();
  if (!terminal_ || now - begun_ < std::chrono::seconds(2) || now - last_ < std::chrono::milliseconds(250)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const double rate = static_cast<double>(done) / seconds;
  const double left = static_cast<double>(total - std::min(done, total)) / std::max(rate, 1e-9);
  fmt::print(stderr, "\r\033[K{}: {} of at most {}, {:.0f}/s, at most {:.0f} s left", what_, done, total, rate, left);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace plumb
