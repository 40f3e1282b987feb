// HMAC from libcrypto's bare hash functions. The EVP layer allocates and dispatches several times per message, which
// costs more than the hash of a small packet; the bare states can be copied as plain memory. They are deprecated in
// OpenSSL 3 in favour of EVP, hence the next line.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "ciphers/mac/hmac.h"
#include "core/check.h"
#include "core/secret.h"

namespace plumb {
namespace {

struct Sha1 {
  using State = SHA_CTX;
  static constexpr HashId kId = HashId::kSha1;
  static constexpr size_t kBlock = SHA_CBLOCK, kSize = SHA_DIGEST_LENGTH;
  static constexpr auto init = SHA1_Init;
  static constexpr auto update = SHA1_Update;
  static constexpr auto finish = SHA1_Final;
};

struct Sha256 {
  using State = SHA256_CTX;
  static constexpr HashId kId = HashId::kSha256;
  static constexpr size_t kBlock = SHA256_CBLOCK, kSize = SHA256_DIGEST_LENGTH;
  static constexpr auto init = SHA256_Init;
  static constexpr auto update = SHA256_Update;
  static constexpr auto finish = SHA256_Final;
};

struct Sha384 {
  using State = SHA512_CTX;
  static constexpr HashId kId = HashId::kSha384;
  static constexpr size_t kBlock = SHA512_CBLOCK, kSize = SHA384_DIGEST_LENGTH;
  static constexpr auto init = SHA384_Init;
  static constexpr auto update = SHA384_Update;
  static constexpr auto finish = SHA384_Final;
};

struct Sha512 {
  using State = SHA512_CTX;
  static constexpr HashId kId = HashId::kSha512;
  static constexpr size_t kBlock = SHA512_CBLOCK, kSize = SHA512_DIGEST_LENGTH;
  static constexpr auto init = SHA512_Init;
  static constexpr auto update = SHA512_Update;
  static constexpr auto finish = SHA512_Final;
};

/// The states after the key block: what of a MAC does not depend on the message.
template <class Sha>
class KeyedHash {
 public:
  explicit KeyedHash(Bytes key) {
    SecretArray<Sha::kBlock> block;
    if (key.size() > Sha::kBlock) {
      hash(Sha::kId, key, block.bytes().first(Sha::kSize));
    } else {
      std::copy(key.begin(), key.end(), block.data());
    }
    start(inner_, block, 0x36);
    start(outer_, block, 0x36 ^ 0x5c);
  }

  KeyedHash(const KeyedHash&) = delete;
  KeyedHash& operator=(const KeyedHash&) = delete;

  ~KeyedHash() {
    wipe_object(inner_);
    wipe_object(outer_);
  }

  void compute(Bytes head, Bytes body, MutBytes mac) const noexcept {
    PLUMB_CHECK(mac.size() == Sha::kSize);
    State state = inner_;
    Sha::update(&state, head.data(), head.size());
    Sha::update(&state, body.data(), body.size());
    std::array<uint8_t, Sha::kSize> digest;
    Sha::finish(digest.data(), &state);
    state = outer_;
    Sha::update(&state, digest.data(), digest.size());
    Sha::finish(mac.data(), &state);
    wipe_object(state);
    wipe(digest);
  }

 private:
  using State = typename Sha::State;

  /// The state after the key block under `pad`; leaves the block XORed with the pad.
  static void start(State& state, SecretArray<Sha::kBlock>& block, uint8_t pad) {
    for (uint8_t& b : block.bytes()) b ^= pad;
    PLUMB_CHECK(Sha::init(&state) == 1);
    Sha::update(&state, block.data(), block.size());
  }

  State inner_, outer_;
};

}  // namespace

struct Hmac::Impl {
  Impl(HashId id, Bytes key) {
    switch (id) {
      case HashId::kSha1: keyed.emplace<KeyedHash<Sha1>>(key); return;
      case HashId::kSha256: keyed.emplace<KeyedHash<Sha256>>(key); return;
      case HashId::kSha384: keyed.emplace<KeyedHash<Sha384>>(key); return;
      case HashId::kSha512: keyed.emplace<KeyedHash<Sha512>>(key); return;
    }
    check_failed("a hash of the table", __FILE__, __LINE__);
  }

  std::variant<std::monostate, KeyedHash<Sha1>, KeyedHash<Sha256>, KeyedHash<Sha384>, KeyedHash<Sha512>> keyed;
};

Hmac::Hmac(HashId id, Bytes key) : impl_(std::make_unique<Impl>(id, key)) {}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

void Hmac::compute(Bytes head, Bytes body, MutBytes mac) noexcept {
  std::visit(
      [&](const auto& keyed) {
        if constexpr (!std::is_same_v<decltype(keyed), const std::monostate&>) keyed.compute(head, body, mac);
      },
      impl_->keyed);
}

}  // namespace plumb
