// SHA-1 and SHA-2, by libcrypto: for exchange hashes, key derivation and fingerprints.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/bytes.h"

namespace plumb {

enum class HashId : uint8_t { kSha1, kSha256, kSha384, kSha512 };

inline constexpr size_t kMaxHashSize = 64;

/// Digest size in bytes: 20, 32, 48 or 64.
size_t hash_size(HashId id);

/// An incremental hash. `finish` may be called once.
class Hash {
 public:
  explicit Hash(HashId id);
  Hash(Hash&&) noexcept;
  Hash& operator=(Hash&&) noexcept;
  ~Hash();

  void update(Bytes data);
  void finish(MutBytes digest);  ///< exactly `hash_size(id)` bytes

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One-shot form.
void hash(HashId id, Bytes data, MutBytes digest);

}  // namespace plumb
