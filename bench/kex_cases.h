// What kex_bench times: the steps of each key exchange method, and libcrypto's functions that do the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace plumb {

/// One step of one method by one implementation. `run` does it once, on inputs made before.
struct KexCase {
  std::string method;          ///< a name of the table, or of the KEM alone
  std::string step;            ///< "start", "respond", "start+finish"; of a KEM "keygen", "encaps", "decaps"
  std::string implementation;  ///< "plumbline", "plumbline avx2", "libcrypto"
  size_t bytes;                ///< of what the step sends
  std::function<void()> run;
};

/// Our methods through the table, each KEM with every kernel, and libcrypto where it has the function. Abort if two
/// sides do not agree on K: no rate for a wrong answer.
std::vector<KexCase> kex_cases();

}  // namespace plumb
