// Group exchange (RFC 4419, with the sizes of RFC 8270): server and client agree on the group before they use it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "kex/modp.h"

namespace plumb {

/// Sizes of p in bits, as the client sends them.
struct GroupSizes {
  uint32_t min, preferred, max;
};

/// What we ask for, and the bounds of what we give. Below 2048 bits: RFC 8270 §2; above 8192 no group has a name and
/// every computation costs the better part of a second. 3072 bits are as strong as AES-128 (NIST SP 800-57 part 1
/// §5.6.1).
inline constexpr GroupSizes kGroupSizes{2048, 3072, 8192};

/// The groups that a server may give. Without a moduli file they are those of RFC 3526.
class Moduli {
 public:
  Moduli() = default;

  /// The text of a moduli(5) file. Lines whose modulus is no tested safe prime of 2048 to 8192 bits are passed over;
  /// kFormat if a line does not have its seven fields.
  static Result<Moduli> parse(Bytes text);

  size_t size() const { return groups_.size(); }

  /// A group within the sizes: of those that have the preferred size or the next larger one (or else the largest there
  /// is), one at random. kProtocol if the sizes contradict each other or no group fits.
  Result<ModpGroup> choose(const GroupSizes& sizes, RandomSource& random) const;

 private:
  std::vector<ModpGroup> groups_;
};

/// A group and the sizes that the client asked for: both enter H.
struct ExchangedGroup {
  GroupSizes sizes;
  ModpGroup group;

  /// min || n || max || p || g as H covers them (RFC 4419 §3).
  std::vector<uint8_t> hashed() const;
};

/// The client's side of KEX_DH_GEX_GROUP. kProtocol if p is even or not of the sizes asked for, or g is not in [2,
/// p-2].
Result<ModpGroup> parse_group(Bytes payload, const GroupSizes& asked);

}  // namespace plumb
