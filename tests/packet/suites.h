// The apparatus of the packet tests: every cipher × MAC of the table, with fixed keys, and bytes that repeat.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/random.h"
#include "packet/cipher_suite.h"
#include "packet/packet_reader.h"
#include "packet/packet_writer.h"

namespace plumb::testing {

/// One pair that can be negotiated. `mac` is null for AEAD ciphers.
struct Suite {
  const CipherSpec* cipher;
  const MacSpec* mac;

  std::unique_ptr<Sealer> sealer(const DirectionKeys& keys) const;
  std::unique_ptr<Opener> opener(const DirectionKeys& keys) const;

  bool is(std::string_view cipher_name) const { return cipher->name == cipher_name; }
  bool is_gcm() const { return cipher->aead && cipher->block == 16; }
  bool is_mte() const { return mac != nullptr && !mac->etm; }
  bool hides_faults() const { return is_mte() && cipher->name.ends_with("-cbc"); }
};

/// Every AEAD cipher of the table, and every other cipher with every MAC.
std::vector<Suite> all_suites();

/// "aes128_ctr_hmac_sha2_256", as GoogleTest wants it.
std::string suite_name(const Suite& suite);
void PrintTo(const Suite& suite, std::ostream* out);  ///< how GoogleTest shows one beside the name of a test
std::string suite_param_name(const ::testing::TestParamInfo<Suite>& info);

/// Keys of the sizes that the table asks for. Another `salt`, other keys.
DirectionKeys suite_keys(const Suite& suite, uint8_t salt = 0);

/// `n` bytes without a visible pattern; another `salt`, other bytes.
std::vector<uint8_t> some_bytes(size_t n, uint32_t salt = 0);

/// A source of padding that repeats itself: 1, 2, 3, … 255, 1, …
class CountingRandom final : public RandomSource {
 public:
  void fill(MutBytes out) noexcept override;

 private:
  uint8_t next_ = 0;
};

std::vector<uint8_t> to_vector(Bytes bytes);
void append(Buffer& buffer, Bytes bytes);

/// Where a fault is hidden, what must arrive before it is told: the longest packet.
void append_what_hides_faults(Buffer& buffer, const Suite& suite);

/// Frames and seals `payload` at the end of `out`.
void write_packet(PacketWriter& writer, Buffer& out, Bytes payload);

/// A packet of the wire form length | padding_length | body, whose fields need not make sense. `body` holds payload and
/// padding.
std::vector<uint8_t> raw_packet(uint32_t length, uint8_t padding_length, Bytes body);

/// One direction: what the writer seals lands in `wire`, from which the reader opens.
struct Link {
  explicit Link(const Suite& suite, uint32_t first_sequence = 0);

  void send(Bytes payload) { write_packet(writer, wire, payload); }

  /// The next payload, copied; nothing, with a test failure, if there is none.
  std::vector<uint8_t> receive();

  CountingRandom padding;
  Buffer wire{8 << 20};
  PacketWriter writer;
  PacketReader reader;
};

}  // namespace plumb::testing
