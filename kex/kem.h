// Every one-round-trip key exchange is a KEM: the client sends a public value, the server answers with one, both know a
// secret. DH, ECDH, X25519 and the hybrids differ in nothing else (the idea of OpenSSH's kexgen.c).
#pragma once

#include <memory>
#include <vector>

#include "core/bytes.h"
#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"

namespace plumb {

/// K, and how it enters the exchange hash and the key derivation.
struct SharedSecret {
  enum class Encoding : uint8_t {
    kMpint,   ///< DH, ECDH, X25519 (RFC 8731 §3.1): leading zeros stripped, zero byte before a set top bit
    kString,  ///< hybrids: a fixed-size string
  };
  SecretBytes value;
  Encoding encoding = Encoding::kMpint;

  /// K as it is hashed.
  SecretBytes encode() const;
};

/// The client's half: made for one exchange, used once.
class KemClient {
 public:
  virtual ~KemClient() = default;
  virtual Bytes public_value() const = 0;  ///< Q_C; lives as long as the object

  /// Checks the server's value (size, range, on the curve, no all-zero result) and derives K. kProtocol on a bad value.
  virtual Result<SharedSecret> finish(Bytes server_value) = 0;
};

struct KemResponse {
  std::vector<uint8_t> public_value;  ///< Q_S
  SharedSecret secret;
};

}  // namespace plumb
