// Tables for a terminal: columns aligned, long cells wrapped at blanks, nothing beyond the width.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plumb {

/// Columns of the terminal on `fd`; $COLUMNS if it says so; 100 if `fd` is no terminal.
size_t terminal_width(int fd);

class TextTable {
 public:
  /// Widths of all columns but the flexible ones; 0 marks a flexible column, which shares what `total_width` leaves.
  TextTable(std::vector<size_t> widths, size_t total_width);

  /// One row as text with a final newline. `color` is an SGR sequence for the first cell ("32"), empty for none.
  std::string row(const std::vector<std::string>& cells, const std::string& color = "") const;

 private:
  std::vector<size_t> widths_;
};

}  // namespace plumb
