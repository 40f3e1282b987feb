// Runs all clients of all settings against each other, sample by sample.
#pragma once

#include <memory>
#include <vector>

#include "bench/bed.h"
#include "bench/ssh_run.h"
#include "bench/system_calls.h"

namespace plumb {

struct Setting {
  std::unique_ptr<Bed> bed;
  SshRun run;
};

/// Runs every row of every setting once, small: whether it works, whether all bytes arrive, how many system calls it
/// makes. A row that fails says why and is measured no more.
void try_rows(std::vector<Setting>& settings, const CallCounter& counter);

/// Adds one sample to each in every round, each round beginning with another one.
void sample_rows(std::vector<Setting>& settings, int rounds);

/// What our client and the server agree on under `cipher`: "aes256-ctr with hmac-sha2-256-etm@openssh.com". Empty if
/// they do not.
std::string agreed_cipher(const TransferPlace& place, const std::string& cipher);

/// How fast what `agreed_cipher` told is by itself.
std::optional<CipherRate> rate_of(const std::string& agreed);

}  // namespace plumb
