#include "ciphers/mac/umac.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"

namespace plumb {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr size_t kAesBlock = 16;
constexpr size_t kNhBlock = 1024;  // bytes of message to one word of the polynomial
constexpr size_t kNhStep = 32;     // NH pads to this

// The uses of the key derivation (RFC 4418 §3.2).
enum class Use : uint8_t { kPad = 0, kNh = 1, kPoly = 2, kProduct = 3, kMask = 4 };

/// KDF: AES of the use and a counter from 1 on, eight bytes each, which is AES-CTR of zeros.
void derive(Bytes key, const KernelSet& kernels, Use use, MutBytes out) {
  uint8_t start[kAesBlock] = {};
  start[7] = static_cast<uint8_t>(use);
  start[15] = 1;
  std::ranges::fill(out, uint8_t{0});
  AesCtr(key, start, kernels).crypt(out);
}

SecretArray<kAesBlock> pad_key(Bytes key, const KernelSet& kernels) {
  SecretArray<kAesBlock> derived;
  derive(key, kernels, Use::kPad, derived.bytes());
  return derived;
}

constexpr uint64_t kP64 = 0xffffffffffffffc5;  // 2^64 - 59
constexpr uint64_t kP36 = 0x0000000ffffffffb;  // 2^36 - 5
constexpr uint64_t kLow36 = 0x0000000fffffffff;
constexpr uint64_t kPolyKey = 0x01ffffff01ffffff;  // the bits that a key of the polynomial may have

uint64_t low(Wide v) { return static_cast<uint64_t>(v); }
uint64_t high(Wide v) { return static_cast<uint64_t>(v >> 64); }

// Sums and comparisons of secrets go by the halves of a wide number, which compilers have not made branches of.

/// All ones if a ≥ b, else zero.
uint64_t mask_if_not_below(uint64_t a, uint64_t b) { return ct_barrier(high(static_cast<Wide>(a) - b)) ^ ~uint64_t{0}; }

uint64_t select(uint64_t mask, uint64_t if_ones, uint64_t if_zero) { return (if_ones & mask) | (if_zero & ~mask); }

/// y·key + word modulo 2^64 - 59, not reduced to the end. word ≤ 2^64 - 60, so that no carry comes of adding a carry.
uint64_t poly_step(uint64_t y, uint64_t key, uint64_t word) {
  const Wide product = static_cast<Wide>(y) * key;  // key < 2^57
  const Wide folded = static_cast<Wide>(high(product)) * 59 + low(product);
  const uint64_t reduced = low(folded) + ct_barrier(high(folded)) * 59;
  const Wide sum = static_cast<Wide>(reduced) + word;
  return low(sum) + ct_barrier(high(sum)) * 59;
}

/// The next word of the polynomial (RFC 4418 §5.3, POLY): those from 2^64 - 2^32 on, which might not be below the
/// modulus, come less 59 behind a marker. Both ways are gone, whichever the word needs.
uint64_t poly_absorb(uint64_t y, uint64_t key, uint64_t word) {
  const uint64_t large = mask_if_not_below(word, 0xffffffff00000000);
  const uint64_t marked = poly_step(y, key, kP64 - 1);
  return poly_step(select(large, marked, y), key, word - (59 & large));
}

uint64_t poly_reduce(uint64_t y) { return y - (kP64 & mask_if_not_below(y, kP64)); }

/// L3-HASH without its mask: of 16 bytes the first eight are always zero here.
uint32_t inner_product(const uint64_t (&key)[4], uint64_t word) {
  uint64_t sum = 0;  // < 2^54
  for (int i = 0; i < 4; i++) sum += key[i] * (word >> (48 - 16 * i) & 0xffff);
  const uint64_t folded = (sum & kLow36) + 5 * (sum >> 36);
  return static_cast<uint32_t>(folded - (kP36 & mask_if_not_below(folded, kP36)));
}

/// Adds NH of `size` bytes, a multiple of kNhStep, to the sums of the streams. `key` is that of their first bytes.
template <size_t kStreams>
void nh(const uint32_t* key, const uint8_t* data, size_t size, uint64_t (&sums)[kStreams]) {
  for (; size != 0; size -= kNhStep, data += kNhStep, key += kNhStep / 4) {
    for (size_t i = 0; i < 4; i++) {
      const uint32_t left = load_le32(data + 4 * i), right = load_le32(data + 4 * i + 16);
      for (size_t stream = 0; stream < kStreams; stream++) {
        const uint32_t* k = key + 4 * stream + i;
        sums[stream] += static_cast<uint64_t>(left + k[0]) * static_cast<uint32_t>(right + k[4]);
      }
    }
  }
}

/// L1-HASH of up to kNhBlock bytes.
template <size_t kStreams>
void nh_block(const UmacKey& key, Bytes block, uint64_t (&sums)[kStreams]) {
  std::ranges::fill(sums, block.size() * 8);
  const size_t whole = block.size() / kNhStep * kNhStep;
  nh(key.nh, block.data(), whole, sums);
  if (whole == block.size() && whole != 0) return;
  uint8_t last[kNhStep] = {};
  const Bytes rest = block.subspan(whole);
  if (!rest.empty()) std::memcpy(last, rest.data(), rest.size());
  nh(key.nh + whole / 4, last, sizeof last, sums);
  wipe(last);
}

/// UHASH.
template <size_t kStreams>
void hash_message(const UmacKey& key, Bytes message, uint8_t* out) {
  uint64_t words[kStreams];
  if (message.size() <= kNhBlock) {
    nh_block(key, message, words);
  } else {
    uint64_t y[kStreams];
    std::ranges::fill(y, uint64_t{1});
    while (!message.empty()) {
      const Bytes block = message.first(std::min(message.size(), kNhBlock));
      nh_block(key, block, words);
      for (size_t i = 0; i < kStreams; i++) y[i] = poly_absorb(y[i], key.poly[i], words[i]);
      message = message.subspan(block.size());
    }
    for (size_t i = 0; i < kStreams; i++) words[i] = poly_reduce(y[i]);
    wipe_object(y);
  }
  for (size_t i = 0; i < kStreams; i++) store_be32(out + 4 * i, inner_product(key.product[i], words[i]) ^ key.mask[i]);
  wipe_object(words);
}

}  // namespace

Umac::Umac(size_t tag_size, Bytes key, const KernelSet& kernels)
    : tag_size_(tag_size), key_{}, pad_(pad_key(key, kernels).bytes(), SecretArray<kAesBlock>().bytes(), kernels) {
  constexpr size_t kStreams = UmacKey::kMaxStreams;
  PLUMB_CHECK(tag_size == 8 || tag_size == 16);
  PLUMB_CHECK(key.size() == kKeySize);

  // Keys of fewer streams begin those of more.
  SecretArray<sizeof key_.nh> nh_bytes;
  derive(key, kernels, Use::kNh, nh_bytes.bytes());
  for (size_t i = 0; i < std::size(key_.nh); i++) key_.nh[i] = load_be32(nh_bytes.data() + 4 * i);

  SecretArray<24 * kStreams> poly_bytes;  // 16 of 24 are for longer messages
  derive(key, kernels, Use::kPoly, poly_bytes.bytes());
  for (size_t i = 0; i < kStreams; i++) key_.poly[i] = load_be64(poly_bytes.data() + 24 * i) & kPolyKey;

  SecretArray<64 * kStreams> product_bytes;  // the first 32 of 64 would meet zeros
  derive(key, kernels, Use::kProduct, product_bytes.bytes());
  for (size_t i = 0; i < kStreams; i++) {
    for (size_t j = 0; j < 4; j++) {
      const uint64_t word = load_be64(product_bytes.data() + 64 * i + 32 + 8 * j);
      const uint64_t folded = (word & kLow36) + 5 * (word >> 36);
      key_.product[i][j] = folded - (kP36 & mask_if_not_below(folded, kP36));
    }
  }

  SecretArray<4 * kStreams> mask_bytes;
  derive(key, kernels, Use::kMask, mask_bytes.bytes());
  for (size_t i = 0; i < kStreams; i++) key_.mask[i] = load_be32(mask_bytes.data() + 4 * i);
}

Umac::~Umac() { wipe_object(key_); }

void Umac::compute(Bytes nonce, Bytes message, MutBytes tag) noexcept {
  PLUMB_CHECK(nonce.size() == kNonceSize);
  PLUMB_CHECK(message.size() <= kMaxMessage);
  PLUMB_CHECK(tag.size() == tag_size_);
  if (tag_size_ == 8) hash_message<2>(key_, message, tag.data());
  if (tag_size_ == 16) hash_message<4>(key_, message, tag.data());
  mask_with_nonce(nonce, tag);
}

/// PDF (RFC 4418 §3.3): two tags of 8 bytes share a block of AES, chosen by the last bit of the nonce.
void Umac::mask_with_nonce(Bytes nonce, MutBytes tag) noexcept {
  SecretArray<kAesBlock> pad;
  uint8_t* const counter = pad_.counter();
  std::memcpy(counter, nonce.data(), kNonceSize);
  std::memset(counter + kNonceSize, 0, kAesBlock - kNonceSize);
  size_t offset = 0;
  if (tag_size_ == 8) {
    offset = 8 * (counter[kNonceSize - 1] & 1);
    counter[kNonceSize - 1] &= 0xfe;
  }
  pad_.crypt(pad.bytes());
  for (size_t i = 0; i < tag.size(); i++) tag[i] ^= pad.bytes()[offset + i];
}

}  // namespace plumb
