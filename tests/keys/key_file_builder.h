// Key files put together field by field, after PROTOCOL.key of openssh-portable, so that tests can get any field wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"

namespace plumb::testing {

struct KeyFileFields {
  std::string magic = std::string("openssh-key-v1\0", 15);
  std::string cipher = "none";
  std::string kdf = "none";
  std::string kdf_options;
  uint32_t count = 1;
  std::vector<uint8_t> public_blob;
  uint32_t check1 = 0x01020304;
  uint32_t check2 = 0x01020304;
  std::string type = "ssh-ed25519";
  std::vector<uint8_t> public_half;
  std::vector<uint8_t> secret;
  std::string comment = "comment";
  std::optional<std::vector<uint8_t>> padding;  ///< unset: what the format asks for
  std::vector<uint8_t> tail;                    ///< behind the private section
};

/// The fields of a good file for the ed25519 key of `seed`.
KeyFileFields good_fields(Bytes seed);

std::vector<uint8_t> encode(const KeyFileFields& fields);

struct ArmourShape {
  size_t width = 70;  ///< characters of base64 in a line
  std::string line_end = "\n";
  bool final_line_end = true;
};

std::string armour(Bytes body, const ArmourShape& shape = {});

}  // namespace plumb::testing
