// authorized_keys: the first line of the input says whom to look for (a public key or certificate), the rest is the
// file. It is asked from three addresses.
#include <cstdint>
#include <string>

#include "core/check.h"
#include "keys/address_match.h"
#include "keys/authorized_keys.h"
#include "keys/public_line.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const std::string_view input = as_text({data, size});
  const size_t end = input.find('\n');
  const auto line = parse_public_line(input.substr(0, end));
  const std::string_view file = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  const AuthorizedKeys keys = AuthorizedKeys::parse(file);
  PLUMB_CHECK(keys.void_lines() <= file.size());
  for (const char* address : {"192.0.2.7", "2001:db8::1", "not an address"}) {
    (void)match_from_list("a.example", address, file);
    (void)match_address_list(address, file);
    if (!line) continue;
    const LoginAttempt attempt{.user = "alice", .address = address, .host = "a.example", .now = 1'700'000'000};
    const auto found = keys.find(line->key, attempt);
    PLUMB_CHECK(found.has_value() || *found.error().text != '\0');
    if (!found) continue;
    PLUMB_CHECK(found->line > 0);
    const LoginPermissions& p = found->permissions;
    PLUMB_CHECK(p.port_forwarding || !p.may_open("h", 1));
  }
  return 0;
}
