// Which algorithms are offered: a policy, and lists as ssh_config(5) writes them on top of it.
#pragma once

#include <string>
#include <string_view>

#include "core/name_list.h"
#include "session/config.h"

namespace plumb {

enum class Policy : uint8_t {
  kDefault,   ///< all that the tables hold but what they mark as legacy
  kAeadOnly,  ///< AEAD ciphers alone, and empty MAC lists: what a hardened server does
  kLegacy,    ///< all that the tables hold: aes-cbc and hmac-sha1 too, behind the others, for old servers
};

/// Lists in the form of ssh_config: names with commas, in the order of preference. A `+` in front appends them to the
/// policy's list, `^` puts them at its head, `-` takes those that match (with * and ?) out of it; without any of these
/// they replace it. Empty: the policy's.
struct AlgorithmWishes {
  std::string kex;
  std::string host_keys;
  std::string ciphers;  ///< of both directions
  std::string macs;     ///< of both directions
  std::string signatures;
};

/// `wish` applied to `base`. kUsage for a wished name that is not among `known`, and for a list that ends up empty.
Result<NameList> apply_wish(const NameList& base, const NameList& known, std::string_view wish);

/// Every list written out. kUsage as `apply_wish`, and under kAeadOnly for a cipher that needs a MAC and for any wish
/// about MACs: what contradicts the policy is refused here and not found out on the wire.
Result<Algorithms> make_algorithms(Policy policy, const AlgorithmWishes& wishes = {});

}  // namespace plumb
