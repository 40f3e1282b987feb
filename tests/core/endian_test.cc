#include "core/endian.h"

#include <gtest/gtest.h>

#include <array>

#include "core/encoding.h"

namespace plumb {
namespace {

TEST(Endian, LoadsAtAnyAlignment) {
  const std::array<uint8_t, 9> bytes = {0xff, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
  EXPECT_EQ(load_be16(&bytes[1]), 0x0123);
  EXPECT_EQ(load_be32(&bytes[1]), 0x01234567u);
  EXPECT_EQ(load_be64(&bytes[1]), 0x0123456789abcdefu);
  EXPECT_EQ(load_le32(&bytes[1]), 0x67452301u);
  EXPECT_EQ(load_le64(&bytes[1]), 0xefcdab8967452301u);
}

TEST(Endian, StoresWhatItLoads) {
  std::array<uint8_t, 9> bytes{};
  store_be16(&bytes[1], 0x0123);
  EXPECT_EQ(to_hex(bytes), "000123000000000000");
  store_be32(&bytes[1], 0x01234567);
  EXPECT_EQ(to_hex(bytes), "000123456700000000");
  store_be64(&bytes[1], 0x0123456789abcdef);
  EXPECT_EQ(to_hex(bytes), "000123456789abcdef");
  store_le32(&bytes[1], 0x01234567);
  EXPECT_EQ(to_hex(bytes), "006745230189abcdef");
  store_le64(&bytes[1], 0x0123456789abcdef);
  EXPECT_EQ(to_hex(bytes), "00efcdab8967452301");
}

}  // namespace
}  // namespace plumb
