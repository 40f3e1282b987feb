// IP addresses against lists of them, as `from=` of authorized_keys and `source-address` of certificates write them.
#pragma once

#include <string_view>

#include "core/result.h"

namespace plumb {

/// Whether the numeric `address` is in a comma-separated list of addresses and CIDR blocks
/// ("10.0.0.0/8,2001:db8::/32"). kFormat if an entry is anything else, or has bits set beyond its mask. An IPv4 address
/// in IPv6 form counts as IPv4.
Result<bool> match_address_list(std::string_view address, std::string_view list);

/// The same for `from=`, whose entries may also be patterns with * and ? for the address or for `host` (the peer's name
/// if it was looked up, else empty), and may be negated by !: one negated match refuses whatever else matches.
Result<bool> match_from_list(std::string_view host, std::string_view address, std::string_view list);

}  // namespace plumb
