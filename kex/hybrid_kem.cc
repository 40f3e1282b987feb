#include "kex/hybrid_kem.h"

#include <optional>
#include <utility>

#include "ciphers/mac/hash.h"
#include "core/check.h"
#include "kex/curve25519.h"
#include "kex/mlkem768.h"
#include "kex/sntrup761.h"

namespace plumb {
namespace {

struct Mlkem768 {
  using PrivateKey = MlkemPrivateKey;
  static constexpr size_t kPublicSize = kMlkemPublicSize;
  static constexpr size_t kCiphertextSize = kMlkemCiphertextSize;
  static constexpr HashId kHash = HashId::kSha256;

  static PrivateKey generate(RandomSource& random) {
    SecretArray<kMlkemSeedSize> seed;
    random.fill(seed.bytes());
    return PrivateKey(seed.bytes(), host_kem_kernels());
  }
  static Result<MlkemEncapsulation> encapsulate(Bytes public_key, RandomSource& random) {
    SecretArray<kMlkemMessageSize> message;
    random.fill(message.bytes());
    return mlkem_encapsulate(public_key, message.bytes(), host_kem_kernels());
  }
};

struct Sntrup761 {
  using PrivateKey = SntrupPrivateKey;
  static constexpr size_t kPublicSize = kSntrupPublicSize;
  static constexpr size_t kCiphertextSize = kSntrupCiphertextSize;
  static constexpr HashId kHash = HashId::kSha512;

  static PrivateKey generate(RandomSource& random) { return PrivateKey(random, host_kem_kernels()); }
  static Result<SntrupEncapsulation> encapsulate(Bytes public_key, RandomSource& random) {
    return sntrup_encapsulate(public_key, random, host_kem_kernels());
  }
};

std::vector<uint8_t> joined(Bytes first, Bytes second) {
  std::vector<uint8_t> both(first.begin(), first.end());
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

SharedSecret combine(HashId hash, Bytes kem_secret, Bytes x25519_secret) {
  SecretBytes k(hash_size(hash));
  Hash state(hash);
  state.update(kem_secret);
  state.update(x25519_secret);
  state.finish(k.bytes());
  return {std::move(k), SharedSecret::Encoding::kString};
}

template <class Kem>
class HybridClient final : public KemClient {
 public:
  explicit HybridClient(RandomSource& random)
      : kem_(Kem::generate(random)),
        x25519_(x25519_draw(random)),
        public_(joined(kem_->public_key(), x25519_public(x25519_.bytes()))) {}

  Bytes public_value() const override { return public_; }

  Result<SharedSecret> finish(Bytes server_value) override {
    PLUMB_CHECK(kem_.has_value());  // a private value serves one exchange
    const typename Kem::PrivateKey kem = *std::move(kem_);
    kem_.reset();
    if (server_value.size() != Kem::kCiphertextSize + kX25519Size) {
      return fail(ErrorCode::kProtocol, "the server's hybrid value does not have the size of its method");
    }
    const Result<SecretBytes> classical = x25519(x25519_.bytes(), server_value.last(kX25519Size));
    if (!classical) return tl::unexpected(classical.error());
    const SecretBytes quantum = kem.decapsulate(server_value.first(Kem::kCiphertextSize));
    return combine(Kem::kHash, quantum.bytes(), classical->bytes());
  }

 private:
  std::optional<typename Kem::PrivateKey> kem_;
  SecretBytes x25519_;
  std::vector<uint8_t> public_;
};

template <class Kem>
Result<KemResponse> respond(Bytes client_value, RandomSource& random) {
  if (client_value.size() != Kem::kPublicSize + kX25519Size) {
    return fail(ErrorCode::kProtocol, "the client's hybrid value does not have the size of its method");
  }
  const auto quantum = Kem::encapsulate(client_value.first(Kem::kPublicSize), random);
  if (!quantum) return tl::unexpected(quantum.error());
  const SecretBytes own = x25519_draw(random);
  const Result<SecretBytes> classical = x25519(own.bytes(), client_value.last(kX25519Size));
  if (!classical) return tl::unexpected(classical.error());
  return KemResponse{joined(quantum->ciphertext, x25519_public(own.bytes())),
                     combine(Kem::kHash, quantum->secret.bytes(), classical->bytes())};
}

}  // namespace

std::unique_ptr<KemClient> start_mlkem768x25519(RandomSource& random) {
  return std::make_unique<HybridClient<Mlkem768>>(random);
}
Result<KemResponse> respond_mlkem768x25519(Bytes client_value, RandomSource& random) {
  return respond<Mlkem768>(client_value, random);
}

std::unique_ptr<KemClient> start_sntrup761x25519(RandomSource& random) {
  return std::make_unique<HybridClient<Sntrup761>>(random);
}
Result<KemResponse> respond_sntrup761x25519(Bytes client_value, RandomSource& random) {
  return respond<Sntrup761>(client_value, random);
}

}  // namespace plumb
