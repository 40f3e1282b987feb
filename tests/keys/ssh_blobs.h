// SSH key and signature blobs, put together field by field so that tests can get any of them wrong.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace plumb::testing {

std::vector<uint8_t> ed25519_blob(Bytes a, std::string_view type = "ssh-ed25519");
std::vector<uint8_t> ecdsa_blob(Bytes point, std::string_view curve = "nistp256",
                                std::string_view type = "ecdsa-sha2-nistp256");
std::vector<uint8_t> rsa_blob(Bytes exponent, Bytes modulus);

/// string algorithm, string inner
std::vector<uint8_t> signature_blob(std::string_view algorithm, Bytes inner);

/// mpint r, mpint s: the inner signature of ECDSA.
std::vector<uint8_t> ecdsa_inner(Bytes r, Bytes s);

std::vector<uint8_t> concat(std::initializer_list<Bytes> parts);

/// Hex that is right by construction; aborts otherwise.
std::vector<uint8_t> hex(std::string_view text);

}  // namespace plumb::testing
