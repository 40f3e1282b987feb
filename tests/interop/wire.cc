#include "tests/interop/wire.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <fstream>

#include "ciphers/drbg.h"
#include "ciphers/mac/hash.h"
#include "core/encoding.h"

namespace plumb {
namespace {

std::string finish_hex(Hash& hash) {
  std::array<uint8_t, 32> digest;
  hash.finish(digest);
  return to_hex(digest);
}

std::string fresh_name(const char* kind) {
  static std::atomic<unsigned> count{0};
  return std::string(kind) + "-" + std::to_string(++count);
}

}  // namespace

std::vector<WirePair> all_pairs() {
  std::vector<WirePair> pairs;
  for (const CipherSpec& cipher : cipher_specs()) {
    if (cipher.aead) pairs.push_back({&cipher, nullptr});
    if (cipher.aead) continue;
    for (const MacSpec& mac : mac_specs()) pairs.push_back({&cipher, &mac});
  }
  return pairs;
}

std::vector<WirePair> one_pair_of_each_kind() {
  return {{find_cipher("chacha20-poly1305@openssh.com"), nullptr},
          {find_cipher("aes256-gcm@openssh.com"), nullptr},
          {find_cipher("aes256-ctr"), find_mac("hmac-sha2-256")},
          {find_cipher("aes128-ctr"), find_mac("hmac-sha2-512-etm@openssh.com")}};
}

std::string test_name(const WirePair& pair) {
  const auto plain = [](std::string name) {
    name = name.substr(0, name.find('@'));
    std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
    return name;
  };
  return pair.mac != nullptr ? plain(pair.cipher_name()) + "_" + plain(pair.mac_name()) : plain(pair.cipher_name());
}

void PrintTo(const WirePair& pair, std::ostream* out) { *out << test_name(pair); }

SshdOptions only(const WirePair& pair) {
  SshdOptions options;
  options.ciphers = pair.cipher_name();
  options.macs = pair.mac_name();
  options.log_level = "DEBUG1";
  return options;
}

Payload::Payload(const std::filesystem::path& folder, size_t size)
    : path_(folder / fresh_name("payload")), size_(size) {
  const std::array<uint8_t, 32> seed{0x70, 0x6c, 0x75, 0x6d, 0x62};
  ChaChaDrbg noise(seed, host_kernels());
  std::ofstream file(path_, std::ios::binary);
  Hash hash(HashId::kSha256);
  std::vector<uint8_t> chunk(1 << 20);
  for (size_t left = size; left > 0;) {
    const MutBytes part = MutBytes(chunk).first(std::min(left, chunk.size()));
    noise.fill(part);
    hash.update(part);
    file.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
    left -= part.size();
  }
  sha256_ = finish_hex(hash);
}

Payload::~Payload() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Hash hash(HashId::kSha256);
  std::vector<char> chunk(1 << 20);
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    hash.update({reinterpret_cast<const uint8_t*>(chunk.data()), static_cast<size_t>(file.gcount())});
  }
  return finish_hex(hash);
}

ExecRunResult run_plumb_exec(const SshdFixture& sshd, const ExecRun& run) {
  const uint16_t port = run.port != 0 ? run.port : sshd.port();
  const std::filesystem::path output = sshd.folder() / fresh_name("output");
  ProgramRequest request;
  request.argv = {PLUMB_PROGRAM, "exec",
                  "-i",          sshd.client_key().string(),
                  "-p",          std::to_string(port),
                  "-o",          "UserKnownHostsFile=" + sshd.known_hosts_for(port).string()};
  request.argv.insert(request.argv.end(), run.options.begin(), run.options.end());
  request.argv.insert(request.argv.end(), {sshd.destination(), run.command});
  request.environment = run.environment;
  request.timeout = run.timeout;
  if (!run.input.empty()) request.input_fd = open(run.input.c_str(), O_RDONLY | O_CLOEXEC);
  request.output_fd = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

  ExecRunResult result;
  result.program = run_program(request);
  if (request.input_fd >= 0) close(request.input_fd);
  close(request.output_fd);
  result.output_size = std::filesystem::file_size(output);
  result.output_sha256 = sha256_of_file(output);
  std::filesystem::remove(output);
  return result;
}

}  // namespace plumb
