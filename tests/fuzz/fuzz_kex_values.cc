// The peer's public value of every method, and the messages of group exchange. The first byte picks what the rest is: a
// client's or a server's value, KEX_DH_GEX_REQUEST, KEX_DH_GEX_GROUP, or a moduli file.
#include <array>
#include <cstdint>

#include "ciphers/drbg.h"
#include "ciphers/kernels.h"
#include "core/check.h"
#include "kex/exchange.h"

namespace {

using namespace plumb;

ChaChaDrbg fixed_random() { return {std::array<uint8_t, 32>{7}, host_kernels()}; }

/// The larger classical groups take too long for many runs, and check as the smallest does.
bool is_slow(std::string_view name) {
  return name == "diffie-hellman-group16-sha512" || name == "diffie-hellman-group18-sha512";
}

template <class T>
void expect_protocol_error_or_value(const Result<T>& result) {
  PLUMB_CHECK(result.has_value() || result.error().code == ErrorCode::kProtocol);
}

void take_value(uint8_t pick, Bytes value) {
  const KexMethod& method = kex_methods()[pick / 2 % kex_methods().size()];
  if (method.is_group_exchange() || is_slow(method.name)) return;
  ChaChaDrbg random = fixed_random();
  if (pick % 2 == 0) return expect_protocol_error_or_value(method.respond(value, random));
  expect_protocol_error_or_value(method.start(random)->finish(value));
}

void take_request(Bytes payload) {
  static const auto host_key = ed25519_from_seed(std::array<uint8_t, 32>{1});
  ChaChaDrbg random = fixed_random();
  ServerExchange server(*find_kex_method("diffie-hellman-group-exchange-sha256"), "ssh-ed25519", *host_key, random);
  const auto group = server.take_request(payload, Moduli());
  expect_protocol_error_or_value(group);
  PLUMB_CHECK(server.awaits_request() == !group.has_value());
}

void take_group(Bytes payload) {
  const Result<ModpGroup> group = parse_group(payload, kGroupSizes);
  expect_protocol_error_or_value(group);
  PLUMB_CHECK(!group || (group->bits() >= kGroupSizes.min && group->bits() <= kGroupSizes.max));
}

void take_moduli(Bytes text) {
  const Result<Moduli> moduli = Moduli::parse(text);
  if (!moduli) {
    PLUMB_CHECK(moduli.error().code == ErrorCode::kFormat);
    return;
  }
  ChaChaDrbg random = fixed_random();
  PLUMB_CHECK(moduli->choose(kGroupSizes, random).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes rest = Bytes(data, size).subspan(1);
  switch (data[0]) {
    case 0xff: take_request(rest); break;
    case 0xfe: take_group(rest); break;
    case 0xfd: take_moduli(rest); break;
    default: take_value(data[0], rest);
  }
  return 0;
}
