#include "kex/dh_kem.h"

#include <utility>

#include "core/check.h"

namespace plumb {
namespace {

class DhClient final : public KemClient {
 public:
  DhClient(const DhGroup& group, RandomSource& random)
      : group_(group), secret_(group.draw(random)), public_(group.public_value(secret_.bytes())) {}

  Bytes public_value() const override { return public_; }

  Result<SharedSecret> finish(Bytes server_value) override {
    PLUMB_CHECK(!secret_.empty());  // a private value serves one exchange
    const SecretBytes secret = std::exchange(secret_, SecretBytes());
    Result<SecretBytes> shared = group_.agree(secret.bytes(), server_value);
    if (!shared) return tl::unexpected(shared.error());
    return SharedSecret{*std::move(shared)};
  }

 private:
  const DhGroup& group_;
  SecretBytes secret_;
  std::vector<uint8_t> public_;
};

}  // namespace

std::unique_ptr<KemClient> start_dh(const DhGroup& group, RandomSource& random) {
  return std::make_unique<DhClient>(group, random);
}

Result<KemResponse> respond_dh(const DhGroup& group, Bytes client_value, RandomSource& random) {
  const SecretBytes secret = group.draw(random);
  Result<SecretBytes> shared = group.agree(secret.bytes(), client_value);
  if (!shared) return tl::unexpected(shared.error());
  return KemResponse{group.public_value(secret.bytes()), SharedSecret{*std::move(shared)}};
}

}  // namespace plumb
