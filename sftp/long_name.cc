#include "sftp/long_name.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>

namespace plumb::sftp {
namespace {

constexpr int64_t kHalfYear = 365 * 24 * 60 * 60 / 2;

/// "drwxr-xr-x", as strmode(3) has it.
std::string mode_text(uint32_t mode) {
  static constexpr struct {
    uint32_t type;
    char letter;
  } kTypes[] = {{kTypeRegular, '-'}, {kTypeDirectory, 'd'}, {kTypeLink, 'l'}, {0020000, 'c'},
                {0060000, 'b'},      {0010000, 'p'},        {0140000, 's'}};
  std::string text(1, '?');
  for (const auto& known : kTypes) {
    if ((mode & kTypeMask) == known.type) text[0] = known.letter;
  }
  static constexpr struct {
    unsigned shift;
    uint32_t special;
    char letter;
  } kClasses[] = {{6, 04000, 's'}, {3, 02000, 's'}, {0, 01000, 't'}};
  for (const auto& c : kClasses) {
    const uint32_t bits = mode >> c.shift;
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    const bool runs = (bits & 1) != 0;
    if ((mode & c.special) != 0)
      text += runs ? c.letter : static_cast<char>(c.letter - 'a' + 'A');
    else
      text += runs ? 'x' : '-';
  }
  return text;
}

std::string date_text(int64_t seconds, int64_t now) {
  const time_t when = seconds;
  std::tm parts{};
  if (localtime_r(&when, &parts) == nullptr) return {};
  char text[32];
  const bool recent = now >= seconds && now - seconds < kHalfYear;
  const size_t size = recent ? std::strftime(text, sizeof text, "%b %e %H:%M", &parts)
                             : std::strftime(text, sizeof text, "%b %e  %Y", &parts);
  return std::string(text, size);
}

}  // namespace

std::string long_name(std::string_view name, const Attrs& attrs, const LongNameFacts& facts) {
  char text[160];
  const int size = std::snprintf(text, sizeof text, "%s  %3" PRIu64 " %-8.32s %-8.32s %8" PRIu64 " %s ",
                                 mode_text(attrs.permissions).c_str(), facts.links, facts.user.c_str(),
                                 facts.group.c_str(), attrs.size, date_text(attrs.mtime, facts.now).c_str());
  return std::string(text, static_cast<size_t>(size)).append(name);
}

}  // namespace plumb::sftp
