// The ECDSA keys of RFC 5656 over the three NIST curves, by libcrypto.
#pragma once

#include "keys/stored_keys.h"
#include "keys/verifiers.h"

namespace plumb {

struct EcdsaParameters {
  const char* curve;       ///< "nistp256", as in the key blob
  const char* group;       ///< libcrypto's name for it
  const char* type;        ///< "ecdsa-sha2-nistp256"
  const char* digest;      ///< of the curve's size (RFC 5656 §6.2.1)
  size_t field_size;       ///< bytes of a coordinate, of r and of s
  const char* wrong_form;  ///< the sentence for a key of another form or size
};

const EcdsaParameters& parameters_of(EcdsaCurve curve);

/// mpint r, mpint s: SSH's form of the DER signature that libcrypto makes.
std::vector<uint8_t> ecdsa_inner_of_der(Bytes der);

template <EcdsaCurve curve>
Result<std::unique_ptr<StoredKey>> read_ecdsa(Reader& reader);

template <EcdsaCurve curve>
std::unique_ptr<StoredKey> make_ecdsa(RandomSource& random, unsigned bits);

}  // namespace plumb
