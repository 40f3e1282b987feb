// What the wire tests share: `plumb exec` as a program against a private sshd, and payloads whose hash is known.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "interop/sshd_fixture.h"
#include "interop/subprocess.h"
#include "packet/cipher_suite.h"

namespace plumb {

/// A cipher with the MAC that goes with it; `mac` is null with an AEAD.
struct WirePair {
  const CipherSpec* cipher;
  const MacSpec* mac;

  /// For old servers: offered only where it is asked for.
  bool legacy() const { return cipher->legacy || (mac != nullptr && mac->legacy); }

  std::string cipher_name() const { return std::string(cipher->name); }
  std::string mac_name() const { return mac != nullptr ? std::string(mac->name) : std::string(); }
};

/// Every pair of the tables.
std::vector<WirePair> all_pairs();

/// One pair of each construction: chacha, GCM, CTR with MAC-then-encrypt, CTR with encrypt-then-MAC.
std::vector<WirePair> one_pair_of_each_kind();

/// A name that GoogleTest accepts: "aes128ctr_hmacsha2256etm".
std::string test_name(const WirePair& pair);

/// How GoogleTest shows a pair beside the name of a test.
void PrintTo(const WirePair& pair, std::ostream* out);

/// sshd restricted to exactly this pair.
SshdOptions only(const WirePair& pair);

/// A file of repeatable noise, removed with the object.
class Payload {
 public:
  Payload(const std::filesystem::path& folder, size_t size);
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  const std::filesystem::path& path() const { return path_; }
  size_t size() const { return size_; }
  const std::string& sha256() const { return sha256_; }

 private:
  std::filesystem::path path_;
  size_t size_;
  std::string sha256_;
};

std::string sha256_of_file(const std::filesystem::path& path);

/// One run of `plumb exec`.
struct ExecRun {
  std::vector<std::string> options{};  ///< before the destination: {"-c", "aes128-ctr"}
  std::string command{};
  std::filesystem::path input{};  ///< empty: no input
  uint16_t port = 0;              ///< 0: the server's own; else that of a relay before it
  std::map<std::string, std::string> environment{};
  std::chrono::milliseconds timeout = std::chrono::seconds(100);
};

struct ExecRunResult {
  ProgramResult program;
  size_t output_size = 0;
  std::string output_sha256;
};

/// Runs it with the server's client key and known hosts; the output goes through a file in the server's folder.
ExecRunResult run_plumb_exec(const SshdFixture& sshd, const ExecRun& run);

/// Skips the test if no private sshd can be started, else starts one and fails the test if it does not come up.
#define PLUMB_START_SSHD(name, options)                                                             \
  if (const std::string why = SshdFixture::unavailable(options); !why.empty()) GTEST_SKIP() << why; \
  const auto name##_or_error = SshdFixture::start(options);                                         \
  ASSERT_TRUE(name##_or_error) << name##_or_error.error();                                          \
  const SshdFixture& name = **name##_or_error

}  // namespace plumb
