#include "tools/progress_meter.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "forward/untrusted_text.h"
#include "tools/remote_path.h"

namespace plumb {
namespace {

std::string in_units(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    unit++;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string to_go(double seconds) {
  if (!std::isfinite(seconds) || seconds > 359'999) return "--:--";
  const auto whole = static_cast<unsigned>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{:02}:{:02}", whole / 60, whole % 60);
}

size_t columns_of(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressMeter::ProgressMeter(bool wanted)
    : shown_(wanted && isatty(STDERR_FILENO) == 1), began_(std::chrono::steady_clock::now()), last_(began_) {}

void ProgressMeter::show(const sftp::TreeProgress& progress) {
  if (!shown_) return;
  const Time now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - last_).count();
  if (seconds > 0) {
    const double rate = static_cast<double>(progress.bytes - std::min(last_bytes_, progress.bytes)) / seconds;
    // The rate of the last seconds: each look counts by how long it was.
    const double share = rate_ == 0 ? 1 : 1 - std::exp(-seconds / 2);
    rate_ += share * (rate - rate_);
  }
  last_ = now;
  last_bytes_ = progress.bytes;
  fmt::print(stderr, "\r{}\x1b[K", progress_line(progress, rate_, columns_of(STDERR_FILENO) - 1));
  line_there_ = true;
}

void ProgressMeter::clear() {
  if (line_there_) fmt::print(stderr, "\r\x1b[K");
  line_there_ = false;
}

std::string progress_line(const sftp::TreeProgress& progress, double rate, size_t columns) {
  const auto known = static_cast<double>(progress.known), bytes = static_cast<double>(progress.bytes);
  const std::string share = known > 0 ? fmt::format("{:3.0f}%", std::min(100.0, 100 * bytes / known)) : " --%";
  const std::string figures = fmt::format("  {}  {:>9}  {:>11}  {}", share, in_units(bytes), in_units(rate) + "/s",
                                          to_go(std::max(0.0, known - bytes) / rate));
  std::string name = on_one_line(last_name(progress.current));
  if (progress.files > 0) name = fmt::format("{} done, {}", progress.files, name);
  const size_t space = columns > figures.size() ? columns - figures.size() : 0;
  name.resize(std::min(name.size(), space));
  return (name + figures).substr(0, columns);
}

}  // namespace plumb
