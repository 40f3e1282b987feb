// What a server shows before anything is trusted: string key blob, string signature blob, then the message.
#include <cstdint>

#include "core/check.h"
#include "core/wire.h"
#include "keys/public_key.h"
#include "keys/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  Reader reader({data, size});
  const Bytes blob = reader.string();
  const Bytes signature = reader.string();
  const Bytes message = reader.rest();
  const auto key = PublicKey::parse(blob);
  if (!key) return 0;
  PLUMB_CHECK(!algorithms_of_key_type(key->type()).empty());
  PLUMB_CHECK(key->fingerprint().size() == 50);
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    const bool good = key->verify(algorithm.name, message, signature).has_value();
    PLUMB_CHECK(!good || algorithm.key_type == key->type());
  }
  return 0;
}
