// THE table of what cipher_bench compares: our kernels, and the libraries that do the same work. A rival is one
// baseline_<library>.cc file and one line here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packet/cipher_suite.h"

namespace plumb {

/// One way to do the work of a suite, its keys already in it. All of one suite have the same keys.
struct Implementation {
  std::string name;  ///< "plumbline avx2", "libcrypto"
  bool ours;
  std::function<std::unique_ptr<Sealer>()> make_sealer;
  std::function<std::unique_ptr<Opener>()> make_opener;  ///< empty for a raw primitive
};

/// A cipher as it is negotiated, with its MAC unless it is an AEAD; or a raw primitive. With all that can do it on this
/// CPU: ours first, one per kernel that makes a difference, best first; then the rivals.
struct Suite {
  std::string cipher;  ///< "aes128-ctr", "raw aes128-ctr"
  std::string mac;     ///< empty for an AEAD and for a primitive
  bool length_known;   ///< the length stands outside, so that several packets can be opened in one call
  std::vector<Implementation> implementations;

  std::string name() const;  ///< "aes128-ctr + hmac-sha2-256"
  bool primitive() const { return !implementations.front().make_opener; }
};

/// Every cipher of the table with every MAC that goes with it.
std::vector<Suite> packet_suites();

/// The stream ciphers and authenticators that packets are made of (bench/primitives.h), each through one call per
/// packet without padding, length or framing.
std::vector<Suite> primitive_suites();

/// A library that is compared, and which one it is here.
struct RivalVersion {
  std::string name;
  std::string version;  ///< "1.3.0"; empty if this program was built without it
  std::string package;  ///< Debian's, to get it
};

std::vector<RivalVersion> rival_versions();

}  // namespace plumb
