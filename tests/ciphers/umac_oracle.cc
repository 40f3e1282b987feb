#include "tests/ciphers/umac_oracle.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "core/check.h"

namespace plumb::testing {
namespace {

__extension__ using Number = unsigned __int128;
using String = std::vector<uint8_t>;

constexpr Number kPrime36 = (Number{1} << 36) - 5;
constexpr Number kPrime64 = (Number{1} << 64) - 59;

String encipher(Bytes key, const String& block) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  String out(32);
  int written = 0;
  PLUMB_CHECK(EVP_EncryptInit_ex(context.get(), EVP_aes_128_ecb(), nullptr, key.data(), nullptr) == 1);
  PLUMB_CHECK(EVP_EncryptUpdate(context.get(), out.data(), &written, block.data(), 16) == 1 && written == 16);
  out.resize(16);
  return out;
}

Number str2uint(Bytes s) {
  Number n = 0;
  for (const uint8_t b : s) n = n << 8 | b;
  return n;
}

String uint2str(Number n, size_t size) {
  String s(size);
  for (size_t i = size; i-- > 0; n >>= 8) s[i] = static_cast<uint8_t>(n);
  return s;
}

String slice(const String& s, size_t from, size_t size) {
  return {s.begin() + static_cast<std::ptrdiff_t>(from), s.begin() + static_cast<std::ptrdiff_t>(from + size)};
}

String concat(String a, const String& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// §3.2.
String kdf(Bytes key, size_t index, size_t size) {
  String out;
  for (size_t i = 1; out.size() < size; i++)
    out = concat(out, encipher(key, concat(uint2str(index, 8), uint2str(i, 8))));
  out.resize(size);
  return out;
}

/// §3.3.
String pdf(Bytes key, Bytes nonce, size_t tag_size) {
  String block(nonce.begin(), nonce.end());
  size_t index = 0;
  if (tag_size == 8) {
    index = block.back() % 2;
    block.back() = static_cast<uint8_t>(block.back() - index);
  }
  block.resize(16);
  return slice(encipher(kdf(key, 0, 16), block), index * tag_size, tag_size);
}

/// §5.2.2, with the byte order of §5.2.1 turned as it reads.
Number nh(const String& key, const String& data) {
  const auto k = [&](size_t word) { return str2uint(Bytes(key).subspan(4 * word, 4)); };
  const auto m = [&](size_t word) {
    const uint8_t* s = data.data() + 4 * word;
    const uint8_t turned[] = {s[3], s[2], s[1], s[0]};
    return str2uint(turned);
  };
  const Number modulus32 = Number{1} << 32, modulus64 = Number{1} << 64;
  Number sum = 0;
  for (size_t at = 0; at < data.size() / 4; at += 8) {
    for (size_t i = at; i < at + 4; i++)
      sum = (sum + ((m(i) + k(i)) % modulus32) * ((m(i + 4) + k(i + 4)) % modulus32)) % modulus64;
  }
  return sum;
}

/// §5.2.1: eight bytes for every 1024.
String l1_hash(const String& key, Bytes message) {
  String out;
  do {
    const Bytes piece = message.first(std::min<size_t>(message.size(), 1024));
    message = message.subspan(piece.size());
    String padded(piece.begin(), piece.end());
    while (padded.empty() || padded.size() % 32 != 0) padded.push_back(0);
    out = concat(out, uint2str(nh(key, padded) + piece.size() * 8, 8));
  } while (!message.empty());
  return out;
}

/// (a * b) mod p, bit by bit; a, b < p < 2^127.
Number times(Number a, Number b, Number p) {
  Number product = 0;
  for (; b != 0; b >>= 1, a = 2 * a % p) {
    if (b % 2 == 1) product = (product + a) % p;
  }
  return product;
}

/// §5.3.
String l2_hash(const String& key, const String& hashed) {
  const Number k = str2uint(slice(key, 0, 8)) & Number{0x01ffffff01ffffff};
  const Number most = (Number{1} << 64) - (Number{1} << 32);
  Number y = 1;
  for (size_t at = 0; at < hashed.size(); at += 8) {
    const Number m = str2uint(slice(hashed, at, 8));
    if (m >= most) {
      y = (times(k, y, kPrime64) + kPrime64 - 1) % kPrime64;
      y = (times(k, y, kPrime64) + m - 59) % kPrime64;
    } else {
      y = (times(k, y, kPrime64) + m) % kPrime64;
    }
  }
  return uint2str(y, 16);
}

/// §5.4.
String l3_hash(const String& key1, const String& key2, const String& m) {
  Number y = 0;
  for (size_t i = 0; i < 8; i++) {
    y = (y + str2uint(slice(m, 2 * i, 2)) * (str2uint(slice(key1, 8 * i, 8)) % kPrime36)) % kPrime36;
  }
  return uint2str((y % (Number{1} << 32)) ^ str2uint(key2), 4);
}

/// §5.1.
String uhash(Bytes key, Bytes message, size_t tag_size) {
  const size_t iterations = tag_size / 4;
  const String key1 = kdf(key, 1, 1024 + (iterations - 1) * 16), key2 = kdf(key, 2, iterations * 24),
               key31 = kdf(key, 3, iterations * 64), key32 = kdf(key, 4, iterations * 4);
  String out;
  for (size_t i = 0; i < iterations; i++) {
    const String a = l1_hash(slice(key1, i * 16, 1024), message);
    const String b = message.size() <= 1024 ? concat(String(8), a) : l2_hash(slice(key2, i * 24, 24), a);
    out = concat(out, l3_hash(slice(key31, i * 64, 64), slice(key32, i * 4, 4), b));
  }
  return out;
}

}  // namespace

std::vector<uint8_t> umac_kdf_by_the_rfc(Bytes key, size_t index, size_t size) { return kdf(key, index, size); }

std::vector<uint8_t> umac_by_the_rfc(size_t tag_size, Bytes key, Bytes nonce, Bytes message) {
  String tag = uhash(key, message, tag_size);
  const String pad = pdf(key, nonce, tag_size);
  for (size_t i = 0; i < tag_size; i++) tag[i] ^= pad[i];
  return tag;
}

}  // namespace plumb::testing
