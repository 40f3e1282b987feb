// Tables for a terminal: columns aligned, long cells wrapped at blanks, nothing beyond the width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plumb {

/// Columns of the terminal on `fd`; $COLUMNS if it says so; 100 if `fd` is no terminal.
size_t terminal_width(int fd);

/// A column of fixed `width`, or one that takes its `share` of what the fixed ones leave.
struct Column {
  size_t width = 0;
  size_t share = 0;
};
constexpr Column fixed(size_t width) { return {.width = width, .share = 0}; }
constexpr Column flexible(size_t share) { return {.width = 0, .share = share}; }

class TextTable {
 public:
  TextTable(const std::vector<Column>& columns, size_t total_width);

  /// One row as text with a final newline. `color` is an SGR sequence for the first cell ("32"), empty for none.
  std::string row(const std::vector<std::string>& cells, const std::string& color = "") const;

 private:
  std::vector<size_t> widths_;
};

}  // namespace plumb
