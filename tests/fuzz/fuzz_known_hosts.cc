// known_hosts: the first line of the input is a host as a user might name it, the rest is a file. Whatever the file
// says, the line that we would append for that host is one line and makes its key known.
#include <array>
#include <cstdint>
#include <string>

#include "core/check.h"
#include "keys/known_hosts.h"
#include "keys/private_key.h"

namespace {

using namespace plumb;

const PublicKey& host_key() {
  static const auto key = ed25519_from_seed(std::array<uint8_t, 32>{1, 2, 3});
  return key->public_key();
}

void look_up(std::string_view host, uint16_t port, std::string_view text) {
  const KnownHosts hosts = KnownHosts::parse(text);
  const HostFinding finding = hosts.find(host, port, host_key());
  PLUMB_CHECK((finding.verdict == HostVerdict::kUnknown) == (finding.line == 0));
  PLUMB_CHECK(hosts.key_types(host, port).empty() || hosts.line_of(host, port) != 0);

  const std::string line = known_hosts_line(host, port, host_key());
  PLUMB_CHECK(line.find('\n') == line.size() - 1);
  PLUMB_CHECK(KnownHosts::parse(line).check(host, port, host_key()) == HostVerdict::kMatch);
  const KnownHosts after = KnownHosts::parse(std::string(text) + "\n" + line);
  const HostVerdict verdict = after.check(host, port, host_key());
  PLUMB_CHECK(verdict == HostVerdict::kMatch || verdict == HostVerdict::kRevoked);
  PLUMB_CHECK((verdict == HostVerdict::kRevoked) == (finding.verdict == HostVerdict::kRevoked));
  PLUMB_CHECK(after.skipped_lines() == hosts.skipped_lines());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input = as_text({data, size});
  const size_t end = input.find('\n');
  const std::string_view host = input.substr(0, end);
  const std::string_view text = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  look_up(host, 22, text);
  look_up(host, 2222, text);
  return 0;
}
