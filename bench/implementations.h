// THE table of what cipher_bench compares: our kernels, and the libraries that do the same work. A rival is one
// baseline_<library>.cc file and one line here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packet/cipher_suite.h"

namespace plumb {

/// One way to seal and open the packets of one cipher.
struct Implementation {
  std::string name;  ///< "plumbline avx2", "libcrypto"
  bool ours;
  KernelSet kernels;  ///< ours only
  std::unique_ptr<Sealer> (*make_sealer)(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);
  std::unique_ptr<Opener> (*make_opener)(const CipherSpec&, const MacSpec*, const DirectionKeys&, const KernelSet&);
};

/// All that can do `cipher` with `mac` (null for an AEAD) on this CPU: ours first, one per kernel that makes a
/// difference, best first; then the rivals.
std::vector<Implementation> implementations_of(const CipherSpec& cipher, const MacSpec* mac);

}  // namespace plumb
