#include "kex/modp.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "kex/methods.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

const ModpGroup& group_of(std::string_view name) {
  if (name.find("14") != std::string_view::npos) return modp_group14();
  return name.find("16") != std::string_view::npos ? modp_group16() : modp_group18();
}

/// The mpint's body as a magnitude of p's size.
std::vector<uint8_t> padded(Bytes value, size_t size) {
  if (value.size() > size) value = value.subspan(1);
  std::vector<uint8_t> out(size - value.size());
  out.insert(out.end(), value.begin(), value.end());
  return out;
}

TEST(Modp, AgreesWithLibcryptosDh) {
  SeededRandom random;
  for (const char* name : {"group14", "group16", "group18"}) {
    const ModpGroup& group = group_of(name);
    SCOPED_TRACE(name);
    const SecretBytes a = group.draw(random), b = group.draw(random);
    EXPECT_EQ(a.size(), 64u);
    EXPECT_EQ(a.bytes()[0] >> 7, 1);
    const std::vector<uint8_t> public_a = group.public_value(a.bytes()), public_b = group.public_value(b.bytes());
    const SecretBytes shared = group.agree(a.bytes(), public_b).value();
    EXPECT_EQ(to_hex(shared.bytes()), to_hex(group.agree(b.bytes(), public_a).value().bytes()));
    EXPECT_EQ(to_hex(shared.bytes()),
              to_hex(libcrypto_dh(group.p(), group.g(), a.bytes(), padded(public_b, group.p().size()))));
  }
}

TEST(Modp, Sizes) {
  EXPECT_EQ(modp_group14().bits(), 2048u);
  EXPECT_EQ(modp_group16().bits(), 4096u);
  EXPECT_EQ(modp_group18().bits(), 8192u);
}

// RFC 4253 §8: values outside of [1, p-1], and 1 and p-1 with them, whose powers anybody knows.
TEST(Modp, C31ValuesAtTheEdges) {
  SeededRandom random;
  const ModpGroup& group = modp_group14();
  const SecretBytes secret = group.draw(random);
  std::vector<uint8_t> p(group.p().begin(), group.p().end());
  const auto verdict = [&](std::vector<uint8_t> value) {
    const auto result = group.agree(secret.bytes(), value);
    EXPECT_TRUE(result || result.error().code == ErrorCode::kProtocol);
    return result.has_value();
  };
  const auto near_p = [&](int distance) {
    std::vector<uint8_t> value = p;
    value.back() = static_cast<uint8_t>(value.back() + distance);  // p ends in ff…ff, so no carry below 255
    value.insert(value.begin(), 0);
    return value;
  };
  EXPECT_TRUE(verdict({2}));
  EXPECT_TRUE(verdict(near_p(-2)));
  EXPECT_FALSE(verdict({}));
  EXPECT_FALSE(verdict({1}));
  EXPECT_FALSE(verdict(near_p(-1)));
  EXPECT_FALSE(verdict(near_p(0)));
  EXPECT_FALSE(verdict(p)) << "negative as an mpint";
  EXPECT_FALSE(verdict({0}));
  EXPECT_FALSE(verdict({0, 2})) << "a needless zero";
  EXPECT_FALSE(verdict({0x80}));
  EXPECT_FALSE(verdict(std::vector<uint8_t>(300, 1)));
}

}  // namespace
}  // namespace plumb::testing
