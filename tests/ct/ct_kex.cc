#include <array>
#include <string>

#include "core/check.h"
#include "kex/mlkem768.h"
#include "kex/sntrup761.h"
#include "tests/ct/ct_subjects.h"

namespace plumb::ct {
namespace {

/// Randomness that valgrind holds for secret.
class SecretRandom final : public RandomSource {
 public:
  void fill(MutBytes out) noexcept override {
    system_random().fill(out);
    ct_secret(out.data(), out.size());
  }
};

/// The honest ciphertext, and one that must be rejected without showing it.
template <class Key>
void decapsulate_both(const Key& key, std::vector<uint8_t> ciphertext) {
  (void)key.decapsulate(ciphertext);
  ciphertext[7] ^= 1;
  (void)key.decapsulate(ciphertext);
}

void check_mlkem(const KemKernels& kernels) {
  const MlkemPrivateKey key(secret_bytes(kMlkemSeedSize), kernels);
  const auto sent = mlkem_encapsulate(key.public_key(), secret_bytes(kMlkemMessageSize), kernels);
  PLUMB_CHECK(sent.has_value());
  decapsulate_both(key, sent->ciphertext);
}

void check_sntrup(const KemKernels& kernels) {
  SecretRandom random;
  const SntrupPrivateKey key(random, kernels);
  const auto sent = sntrup_encapsulate(key.public_key(), random, kernels);
  PLUMB_CHECK(sent.has_value());
  decapsulate_both(key, sent->ciphertext);
}

}  // namespace

void run_kex() {
  for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
    announce(to_string(kernels));
    announce("ML-KEM-768");
    check_mlkem(kernels);
    announce("sntrup761");
    check_sntrup(kernels);
  }
}

}  // namespace plumb::ct
