// A post-quantum KEM beside X25519: who wants K must break both. mlkem768x25519-sha256
// (draft-ietf-sshm-mlkem-hybrid-kex) and sntrup761x25519-sha512 (draft-ietf-sshm-ntruprime-ssh) differ in the KEM
// alone.
#pragma once

#include <memory>

#include "core/random.h"
#include "kex/kem.h"

namespace plumb {

// Client's value: encapsulation key || X25519 point; server's: ciphertext || X25519 point. K is the method's hash of
// both secrets, the KEM's first, and enters H as a string.
std::unique_ptr<KemClient> start_mlkem768x25519(RandomSource& random);
Result<KemResponse> respond_mlkem768x25519(Bytes client_value, RandomSource& random);

std::unique_ptr<KemClient> start_sntrup761x25519(RandomSource& random);
Result<KemResponse> respond_sntrup761x25519(Bytes client_value, RandomSource& random);

}  // namespace plumb
