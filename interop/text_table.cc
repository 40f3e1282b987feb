#include "interop/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace plumb {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 16;

/// Lines of at most `width` characters, broken at blanks where there are some. UTF-8 sequences count as one.
std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t bytes = 0;
    size_t last_blank = 0;
    for (size_t shown = 0; bytes < text.size(); ++bytes) {
      if ((text[bytes] & 0xc0) != 0x80 && shown++ == width) break;
      if (text[bytes] == ' ') last_blank = bytes;
    }
    const bool whole = bytes == text.size();
    const size_t end = whole ? bytes : (last_blank > 0 ? last_blank : bytes);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return lines;
}

size_t shown_width(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

size_t terminal_width(int fd) {
  winsize size{};
  if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const int told = columns != nullptr ? std::atoi(columns) : 0;
  return told > 0 ? static_cast<size_t>(told) : 100;
}

TextTable::TextTable(const std::vector<Column>& columns, size_t total_width) {
  size_t used = kGap * (columns.size() - 1);
  size_t shares = 0;
  for (const Column& column : columns) {
    used += column.width;
    shares += column.share;
  }
  const size_t left = total_width > used ? total_width - used : 0;
  for (const Column& column : columns) {
    widths_.push_back(column.share == 0 ? column.width : std::max(kNarrowest, left * column.share / shares));
  }
}

std::string TextTable::row(const std::vector<std::string>& cells, const std::string& color) const {
  std::vector<std::vector<std::string>> columns;
  size_t height = 1;
  for (size_t i = 0; i < widths_.size(); ++i) {
    columns.push_back(wrap(i < cells.size() ? cells[i] : "", widths_[i]));
    height = std::max(height, columns.back().size());
  }
  std::string text;
  for (size_t y = 0; y < height; ++y) {
    std::string line;
    size_t owed = 0;  // blanks before the next cell, not written at the end of a line
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = y < columns[i].size() ? columns[i][y] : "";
      if (!cell.empty()) {
        line.append(owed, ' ');
        owed = 0;
        line += i == 0 && !color.empty() ? "\033[" + color + "m" + cell + "\033[0m" : cell;
      }
      owed += widths_[i] - std::min(widths_[i], shown_width(cell)) + kGap;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace plumb
