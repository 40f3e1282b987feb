// Name lists (RFC 4251 §5, §6): comma-separated algorithm names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace plumb {

using NameList = std::vector<std::string>;

/// "" is the empty list. Fails with kFormat on an empty name, a byte outside printable ASCII, or a list of more than
/// `kMaxNames` names. Names longer than the RFC's 64 characters are let through: peers do send them.
Result<NameList> parse_name_list(std::string_view text);

std::string join_name_list(const NameList& names);

bool contains_name(const NameList& names, std::string_view name);

/// The longest real proposals have some forty names; a KEXINIT of 35,000 bytes could hold 17,000.
inline constexpr size_t kMaxNames = 20000;

}  // namespace plumb
