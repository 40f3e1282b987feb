// THE table of faults: mistakes that SSH implementations really made, each planted in ours on purpose, to hear what a
// real OpenSSH says of it. Whoever meets that answer in the field then knows where to look (docs/interop.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "session/hooks.h"

namespace plumb {

/// What the judge must say.
struct Answer {
  std::string_view words{};    ///< for people: "Bad packet length N"
  std::string_view pattern{};  ///< the same as an ECMAScript expression for one line
};

struct Fault {
  enum class Judge : uint8_t {
    kServerLog,  ///< OpenSSH says what is wrong
    kOurselves,  ///< OpenSSH is content; our own side notices
  };

  std::string_view name;       ///< "keys-swapped"
  std::string_view summary{};  ///< what is done wrongly, one line
  std::string_view layer{};    ///< "cipher", "framing", "mac", "keys", "kex"
  std::string_view cipher{};   ///< forced on both sides
  std::string_view mac{};      ///< forced on both sides; empty with an AEAD
  ProtocolHooks hooks{};
  Judge judge = Judge::kServerLog;
  Answer expected{};
  std::string_view shows{};   ///< when it can be seen: "first packet", "1 exchange in 2"
  std::string_view source{};  ///< where it was reported

  /// What the answer says is partly chance (a length decrypted to noise is within bounds once in 16,384 times): so
  /// often it is tried before the verdict.
  unsigned attempts = 1;
  /// Zero, or the volume after which our side renews the keys, for faults that show only in some exchanges.
  uint64_t rekey_bytes = 0;
  /// With `rekey_bytes`: exchanges within which it must have shown.
  uint64_t max_exchanges = 0;
};

std::span<const Fault> faults();

/// nullptr if there is none of that name.
const Fault* find_fault(std::string_view name);

}  // namespace plumb
