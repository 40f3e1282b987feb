// The packet reader under every cipher × MAC of the table and under "none".
//
//   byte 0   which suite; its top bit picks the mode
//   byte 1   size of the pieces in which the wire is fed, less one
//   rest     raw mode: the bytes of the wire
//            structured mode: instructions for packets that are sealed under the reader's own keys, so that the tag
//            verifies and the checks behind it are reached. What is right is worked out here, apart from the reader.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/packet/foreign_cipher.h"

namespace plumb::testing {
namespace {

/// A reader, its buffer, and the rules that hold whatever comes in.
class Subject {
 public:
  explicit Subject(size_t piece) : piece_(piece) {}

  PacketReader reader;

  /// Feeds `wire` in pieces and tells `on_packet` what comes out.
  template <class OnPacket>
  void feed(Bytes wire, OnPacket on_packet) {
    while (!wire.empty() && !failed_) {
      const Bytes piece = wire.first(std::min(piece_, wire.size()));
      wire = wire.subspan(piece.size());
      append(in_, piece);
      while (const auto opened = next()) on_packet(*opened);
    }
  }

  bool failed() const { return failed_; }

 private:
  std::optional<Opened> next() {
    const uint32_t sequence = reader.sequence();
    const auto outcome = reader.next(in_);
    if (!outcome) {
      failed_ = true;
      require(!reader.fault_detail().empty());
      const auto again = reader.next(in_);
      require(!again.has_value() && again.error().text == outcome.error().text);
      return std::nullopt;
    }
    if (!*outcome) return std::nullopt;
    const Opened& opened = **outcome;
    require(opened.sequence == sequence && reader.sequence() == sequence + 1);
    require(!opened.payload.empty() && opened.wire_size <= in_.size());
    require(opened.payload.data() == in_.data().data() + 5);
    require(5 + opened.payload.size() + 4 <= opened.wire_size);
    return opened;
  }

  size_t piece_;
  Buffer in_{2 * kMaxWireSize};
  bool failed_ = false;
};

struct RawPacket {
  std::vector<uint8_t> bytes;
  bool legal;    ///< must be opened
  bool damaged;  ///< the length field lies, or a bit will be flipped
};

RawPacket make_packet(FuzzInput& input, const Framing& framing) {
  constexpr uint8_t kLie = 1;
  constexpr uint8_t kWhole = 2;
  const uint8_t how = input.u8();
  uint32_t true_length = 1 + input.u16() % 700;
  if ((how & kWhole) != 0) {
    const uint32_t counted = framing.length_is_aad ? true_length : true_length + 4;
    true_length += (framing.block - counted % framing.block) % framing.block;
  }
  const uint8_t padding = input.u8();
  const uint32_t length = (how & kLie) != 0 ? input.u32() : true_length;
  const uint32_t padded = framing.length_is_aad ? length : length + 4;
  RawPacket packet;
  packet.bytes = raw_packet(length, padding, some_bytes(true_length - 1, true_length));
  packet.damaged = length != true_length;
  packet.legal =
      !packet.damaged && length >= 5 && padded % framing.block == 0 && padding >= 4 && padding + 2u <= length;
  return packet;
}

void run_structured(const Suite& suite, Subject& subject, FuzzInput& input) {
  const std::unique_ptr<Sealer> sealer = make_foreign_sealer(suite, suite_keys(suite));
  subject.reader.set_opener(suite.opener(suite_keys(suite)));
  const Framing framing = sealer->framing();
  std::deque<std::vector<uint8_t>> expected;
  uint32_t sequence = 0;
  bool all_legal = true;
  while (!input.empty() && !subject.failed() && all_legal) {
    const RawPacket packet = make_packet(input, framing);
    std::vector<uint8_t> wire = sealed_by(*sealer, sequence++, packet.bytes);
    const uint32_t flip = input.u16();
    const bool flipped = flip % 4 == 1;
    if (flipped) wire[(flip >> 5) % wire.size()] ^= static_cast<uint8_t>(1 << (flip >> 2) % 8);
    all_legal = packet.legal && !flipped;
    if (all_legal) {
      const size_t payload = packet.bytes.size() - 5 - packet.bytes[4];
      expected.emplace_back(packet.bytes.begin() + 5, packet.bytes.begin() + 5 + payload);
    }
    subject.feed(wire, [&](const Opened& opened) {
      require(!expected.empty());
      require(std::ranges::equal(opened.payload, expected.front()));
      expected.pop_front();
    });
    require(expected.empty());
    // A packet that is whole on the wire, and whose fields are wrong, is refused at once, or where the longest would
    // end; one that is shorter than its own first block, once that has come.
    if (packet.legal || packet.damaged || flipped || wire.size() < framing.head) continue;
    if (suite.hides_faults()) subject.feed(std::vector<uint8_t>(kMaxWireSize), [](const Opened&) { require(false); });
    require(subject.failed());
  }
}

void run_raw(const std::vector<Suite>& suites, size_t choice, Subject& subject, Bytes wire) {
  const bool encrypted = choice < suites.size();
  if (encrypted) subject.reader.set_opener(suites[choice].opener(suite_keys(suites[choice])));
  subject.feed(wire, [&](const Opened&) { require(!encrypted); });
}

}  // namespace
}  // namespace plumb::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb::testing;
  static const std::vector<Suite> suites = all_suites();
  FuzzInput input({data, size});
  const uint8_t choice = input.u8();
  Subject subject(size_t{1} + input.u8());
  if (choice >= 0x80) {
    run_structured(suites[choice % suites.size()], subject, input);
  } else {
    run_raw(suites, choice % (suites.size() + 1), subject, input.rest());
  }
  return 0;
}
