#include "tests/packet/suites.h"

#include <algorithm>
#include <cctype>

#include "core/endian.h"

namespace plumb::testing {

std::unique_ptr<Sealer> Suite::sealer(const DirectionKeys& keys) const {
  return make_sealer(*cipher, mac, keys, host_kernels());
}

std::unique_ptr<Opener> Suite::opener(const DirectionKeys& keys) const {
  return make_opener(*cipher, mac, keys, host_kernels());
}

std::vector<Suite> all_suites() {
  std::vector<Suite> suites;
  for (const CipherSpec& cipher : cipher_specs()) {
    if (cipher.aead) {
      suites.push_back({&cipher, nullptr});
      continue;
    }
    for (const MacSpec& mac : mac_specs()) suites.push_back({&cipher, &mac});
  }
  return suites;
}

std::string suite_name(const Suite& suite) {
  std::string name(suite.cipher->name.substr(0, suite.cipher->name.find('@')));
  if (suite.mac != nullptr) name.append("_").append(suite.mac->name.substr(0, suite.mac->name.find('@')));
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void PrintTo(const Suite& suite, std::ostream* out) { *out << suite_name(suite); }

std::string suite_param_name(const ::testing::TestParamInfo<Suite>& info) { return suite_name(info.param); }

DirectionKeys suite_keys(const Suite& suite, uint8_t salt) {
  DirectionKeys keys;
  keys.iv = SecretBytes(some_bytes(suite.cipher->iv_size, 1000u + salt));
  keys.key = SecretBytes(some_bytes(suite.cipher->key_size, 2000u + salt));
  if (suite.mac != nullptr) keys.mac_key = SecretBytes(some_bytes(suite.mac->key_size, 3000u + salt));
  return keys;
}

std::vector<uint8_t> some_bytes(size_t n, uint32_t salt) {
  std::vector<uint8_t> bytes(n);
  uint32_t state = salt * 2654435761u + 12345;
  for (uint8_t& b : bytes) {
    state = state * 1664525u + 1013904223u;
    b = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

void CountingRandom::fill(MutBytes out) noexcept {
  for (uint8_t& b : out) {
    if (++next_ == 0) next_ = 1;
    b = next_;
  }
}

std::vector<uint8_t> to_vector(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

void append(Buffer& buffer, Bytes bytes) {
  const MutBytes space = buffer.space(bytes.size());
  ASSERT_GE(space.size(), bytes.size());
  std::ranges::copy(bytes, space.begin());
  buffer.commit(bytes.size());
}

void append_what_hides_faults(Buffer& buffer, const Suite& suite) {
  if (suite.hides_faults()) append(buffer, std::vector<uint8_t>(kMaxWireSize));
}

void write_packet(PacketWriter& writer, Buffer& out, Bytes payload) {
  const MutBytes space = writer.begin(out, payload.size());
  ASSERT_EQ(space.size(), payload.size());
  std::ranges::copy(payload, space.begin());
  writer.commit(out, payload.size());
  writer.flush(out);
}

std::vector<uint8_t> raw_packet(uint32_t length, uint8_t padding_length, Bytes body) {
  std::vector<uint8_t> packet(5 + body.size());
  store_be32(packet.data(), length);
  packet[4] = padding_length;
  std::ranges::copy(body, packet.begin() + 5);
  return packet;
}

Link::Link(const Suite& suite, uint32_t first_sequence) : writer(padding, first_sequence), reader(first_sequence) {
  const DirectionKeys keys = suite_keys(suite);
  writer.set_sealer(suite.sealer(keys));
  reader.set_opener(suite.opener(keys));
}

std::vector<uint8_t> Link::receive() {
  const auto opened = reader.next(wire);
  if (!opened) {
    ADD_FAILURE() << opened.error().text << " " << reader.fault_detail();
    return {};
  }
  if (!*opened) {
    ADD_FAILURE() << "the reader wants more bytes";
    return {};
  }
  return to_vector((*opened)->payload);
}

}  // namespace plumb::testing
