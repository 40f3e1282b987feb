// Which keys are too weak to be believed, where a site wants another bound than ours.
#pragma once

namespace plumb {

struct KeyLimits {
  /// Smallest RSA modulus. NIST SP 800-131A allows no less than 2048; OpenSSH's RequiredRSASize is 1024, and below that
  /// nothing is accepted whatever stands here.
  unsigned min_rsa_bits = 2048;
};

inline constexpr unsigned kLeastRsaBits = 1024;
inline constexpr unsigned kMostRsaBits = 16384;  ///< libcrypto computes with no more

}  // namespace plumb
