// Values of settings, as ssh_config(5) and sshd_config(5) write them. The errors are sentences without their subject:
// "takes yes or no".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/name_list.h"
#include "keys/key_limits.h"
#include "session/config.h"
#include "tools/checked.h"

namespace plumb {

/// Digits only; nullopt if there are none, others, or too many.
std::optional<uint64_t> read_number(std::string_view text);

/// "256K", "1G"; ssh_config(5), RekeyLimit.
std::optional<uint64_t> read_size(std::string_view text);

/// "90", "1h30m"; sshd_config(5), TIME FORMATS.
std::optional<Duration> read_time(std::string_view text);

Checked<void> set_flag(const std::string& value, bool& flag);

/// RequiredRSASize: bits, from the least that we believe at all.
Checked<KeyLimits> read_rsa_size(const std::string& value);

/// "default none", "1G 1h"
Checked<RekeyLimits> read_rekey_limit(const std::string& value);

/// A comma-separated list of algorithms, each of which `known` must hold; `what` names them in the error: "cipher".
Checked<NameList> read_names(const std::string& list, const NameList& known, const std::string& what);

NameList known_ciphers();
NameList known_macs();
NameList known_kex_methods();
NameList known_signatures();           ///< of plain keys
NameList known_host_key_algorithms();  ///< and of certificates

/// 1 to 65535.
Checked<uint16_t> read_port(const std::string& text);

/// `target` is set unless the value could not be read.
template <class T>
Checked<void> store(const Checked<T>& read, T& target) {
  if (!read) return tl::unexpected(read.error());
  target = *read;
  return {};
}

/// One list for both directions.
inline Checked<void> set_both(const Checked<NameList>& read, NameList& c2s, NameList& s2c) {
  if (!read) return tl::unexpected(read.error());
  c2s = s2c = *read;
  return {};
}

}  // namespace plumb
