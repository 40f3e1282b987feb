// What ct_check can run. Each subject marks its secrets, works on them, and says which of its outputs are public.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/ct.h"
#include "core/random.h"

namespace plumb::ct {

struct Subject {
  std::string_view name;
  void (*run)();
};

void run_core();
void run_ciphers();
void run_packets();
void run_kex();

/// Each leaks on purpose, in one way.
void run_leaky_branch();
void run_leaky_index();

/// `size` random bytes that valgrind holds for secret.
inline std::vector<uint8_t> secret_bytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  system_random().fill(bytes);
  ct_secret(bytes.data(), bytes.size());
  return bytes;
}

inline void make_public(Bytes bytes) { ct_public(bytes.data(), bytes.size()); }

/// On stderr, beside valgrind's own words, so that a report can be told from its neighbours.
inline void announce(std::string_view what) {
  std::fprintf(stderr, "  %.*s\n", static_cast<int>(what.size()), what.data());
}

}  // namespace plumb::ct
