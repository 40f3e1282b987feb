// libcrypto as a rival in key exchange: its key generation and derivation through EVP.
#pragma once

#include <string_view>
#include <vector>

#include "bench/kex_cases.h"

namespace plumb {

/// Adds libcrypto's "start" and "start+finish" of the method, nothing where it has no such function.
void add_libcrypto_kex(std::vector<KexCase>& cases, std::string_view method);

}  // namespace plumb
