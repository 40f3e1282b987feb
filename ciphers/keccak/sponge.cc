#include "ciphers/keccak/sponge.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

/// The bits that tell the functions apart, and the first bit of the padding (FIPS 202 §6, §B.2).
uint8_t suffix(SpongeId id) { return id == SpongeId::kShake128 || id == SpongeId::kShake256 ? 0x1f : 0x06; }

void absorb_byte(uint64_t* state, size_t at, uint8_t byte) { state[at / 8] ^= uint64_t{byte} << (8 * (at % 8)); }

/// XORs `data` into the state from byte `at` on; both inside one block.
void absorb_bytes(uint64_t* state, size_t at, Bytes data) {
  size_t i = 0;
  for (; i < data.size() && (at + i) % 8 != 0; i++) absorb_byte(state, at + i, data[i]);
  for (; i + 8 <= data.size(); i += 8) state[(at + i) / 8] ^= load_le64(data.data() + i);
  for (; i < data.size(); i++) absorb_byte(state, at + i, data[i]);
}

}  // namespace

void sponge(const KeccakKernel& kernel, SpongeId id, std::initializer_list<Bytes> parts, MutBytes out) {
  PLUMB_CHECK(id != SpongeId::kSha3_256 || out.size() == 32);
  PLUMB_CHECK(id != SpongeId::kSha3_512 || out.size() == 64);
  const size_t rate = sponge_rate(id);
  std::array<uint64_t, kKeccakWords> state{};
  size_t at = 0;
  for (Bytes part : parts) {
    while (!part.empty()) {
      const Bytes taken = part.first(std::min(part.size(), rate - at));
      absorb_bytes(state.data(), at, taken);
      part = part.subspan(taken.size());
      at += taken.size();
      if (at < rate) break;
      kernel.permute(state.data());
      at = 0;
    }
  }
  absorb_byte(state.data(), at, suffix(id));
  absorb_byte(state.data(), rate - 1, 0x80);
  while (true) {
    kernel.permute(state.data());
    const size_t given = std::min(rate, out.size());
    std::memcpy(out.data(), state.data(), given);
    out = out.subspan(given);
    if (out.empty()) break;
  }
  wipe_object(state);
}

Shake4::Shake4(const KeccakKernel& kernel, SpongeId id, const std::array<Bytes, kKeccakLanes>& messages)
    : kernel_(kernel), rate_(sponge_rate(id)) {
  const size_t size = messages[0].size();
  PLUMB_CHECK(size < rate_ && suffix(id) == 0x1f);
  for (size_t i = 0; i < kKeccakLanes; i++) {
    PLUMB_CHECK(messages[i].size() == size);
    std::array<uint64_t, kKeccakWords> block{};
    absorb_bytes(block.data(), 0, messages[i]);
    absorb_byte(block.data(), size, suffix(id));
    absorb_byte(block.data(), rate_ - 1, 0x80);
    for (size_t w = 0; w < kKeccakWords; w++) states_[kKeccakLanes * w + i] = block[w];
    wipe_object(block);
  }
}

Shake4::~Shake4() { wipe_object(states_); }

void Shake4::squeeze_block(const std::array<uint8_t*, kKeccakLanes>& out) {
  kernel_.permute4(states_.data());
  for (size_t w = 0; w < rate_ / 8; w++) {
    for (size_t i = 0; i < kKeccakLanes; i++) store_le64(out[i] + 8 * w, states_[kKeccakLanes * w + i]);
  }
}

}  // namespace plumb
