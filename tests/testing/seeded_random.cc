#include "tests/testing/seeded_random.h"

#include <array>
#include <cstdlib>
#include <string>

#include "core/check.h"
#include "core/endian.h"

namespace plumb::testing {
namespace {

uint64_t choose_seed() {
  const char* given = std::getenv("PLUMB_SEED");
  if (given != nullptr) return std::strtoull(given, nullptr, 10);
  std::array<uint8_t, 8> drawn;
  system_random().fill(drawn);
  return load_le64(drawn.data());
}

std::array<uint8_t, 32> expand(uint64_t seed) {
  std::array<uint8_t, 32> bytes{};
  store_le64(bytes.data(), seed);
  return bytes;
}

}  // namespace

SeededRandom::SeededRandom() : SeededRandom(choose_seed()) {}

SeededRandom::SeededRandom(uint64_t seed)
    : seed_(seed),
      trace_(__FILE__, __LINE__, "PLUMB_SEED=" + std::to_string(seed)),
      drbg_(expand(seed), host_kernels()) {}

std::vector<uint8_t> SeededRandom::bytes(size_t size) {
  std::vector<uint8_t> out(size);
  fill(out);
  return out;
}

uint64_t SeededRandom::below(uint64_t bound) {
  PLUMB_CHECK(bound != 0);
  std::array<uint8_t, 8> drawn;
  fill(drawn);
  return load_le64(drawn.data()) % bound;
}

}  // namespace plumb::testing
