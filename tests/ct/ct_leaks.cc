// Functions that are not constant-time, to see that the checker says so.
#include <array>
#include <cstdint>

#include "tests/ct/ct_subjects.h"

namespace plumb::ct {
namespace {

volatile uint8_t sink;

/// Compares as memcmp does: the time tells how many bytes are right.
bool early_exit_equal(Bytes a, Bytes b) {
  for (size_t i = 0; i < a.size(); i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

void run_leaky_branch() {
  const auto expected = secret_bytes(16);
  const std::array<uint8_t, 16> guess = {};
  if (early_exit_equal(expected, guess)) sink = 1;
}

void run_leaky_index() {
  std::array<uint8_t, 256> table;
  for (size_t i = 0; i < table.size(); i++) table[i] = static_cast<uint8_t>(7 * i);
  const auto key = secret_bytes(1);
  sink = table[key[0]];  // as a table-driven S-box does
}

}  // namespace plumb::ct
