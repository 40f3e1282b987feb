// What cipher_bench times: one suite, one operation, one size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/implementations.h"
#include "core/result.h"

namespace plumb {

enum class Operation : uint8_t {
  kSeal,
  kOpen,
  kRoundTrip,  ///< seal, then open, in one buffer
  kWrite,      ///< through PacketWriter
  kRead,       ///< through PacketReader, the copy into its buffer included
};

inline constexpr Operation kOperations[] = {Operation::kSeal, Operation::kOpen, Operation::kRoundTrip,
                                            Operation::kWrite, Operation::kRead};

std::string_view operation_name(Operation operation);  ///< "seal", "open", "seal+open", "write", "read"

struct CipherCase {
  const Suite* suite;  ///< outlives the case
  Operation operation;
  size_t bytes;     ///< the padded part of the packet, a multiple of 16
  size_t at_once;   ///< packets in one call; 1 is `seal` and `open`, more is `seal_many` and `verify_ahead`
  bool look_ahead;  ///< false: no packet's sequence number follows the last one's, so nothing can be made ahead

  std::string label() const;  ///< "seal", "open, 3 at once", "seal, no look-ahead"
};

/// Whether the suite can do that at all: a primitive is only sealed, several packets can be opened in one call only
/// where the length stands outside, and the sequence numbers of writer and reader do follow each other.
bool possible(const CipherCase& which);

/// Seals packets of `bytes` with every implementation, which must all give the same, and opens them with every one:
/// kIntegrity naming the two in `*detail` if they disagree. A rate of a wrong answer is worth nothing.
Result<void> check_agreement(const Suite& suite, size_t bytes, std::string* detail);

struct Sample {
  double ns_per_packet;
  double ghz;        ///< the core's clock beside it, 0 if unknown
  bool interrupted;  ///< the system took the core away in the middle, every time it was tried
};

/// One implementation at one case, ready to be timed: batches of packets that stay in the first-level cache, in place.
/// Packets to open are sealed afresh outside the measured time, since every cipher's state moves on.
class CaseRunner {
 public:
  CaseRunner(const CipherCase& which, const Implementation& implementation);
  ~CaseRunner();
  CaseRunner(CaseRunner&&) noexcept;

  /// About `seconds` of work. Taken again if the system gave the core to somebody else meanwhile. Nothing if a packet
  /// did not open.
  std::optional<Sample> sample(double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
