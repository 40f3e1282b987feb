// known_hosts files, judged by `ssh-keygen -F` (look up) and `ssh-keygen -H` (hash all names).
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "core/encoding.h"
#include "keys/known_hosts.h"
#include "keys/private_key.h"
#include "keys/public_line.h"
#include "tests/keys/ssh_keygen.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

struct Host {
  const char* name;
  uint16_t port;
};

class OpensshKnownHosts : public SshKeygen {
 protected:
  /// Numbers of the lines that ssh-keygen finds for this host, as it prints them: "# Host H found: line 3 REVOKED".
  std::set<size_t> lines_by_openssh(std::string_view file, const std::string& name) const {
    std::set<size_t> lines;
    std::istringstream output(keygen({"-F", name, "-f", path(file)}).output);
    for (std::string line; std::getline(output, line);) {
      const size_t at = line.find(" found: line ");
      if (line.starts_with("# Host ") && at != std::string::npos) lines.insert(std::stoul(line.substr(at + 13)));
    }
    return lines;
  }

  /// Those that ssh takes for the host where no other line is there: a bare name does for every port (sshconnect.c,
  /// check_host_key).
  std::set<size_t> lines_by_ssh(std::string_view file, const Host& host) const {
    std::set<size_t> lines = lines_by_openssh(file, known_hosts_name(host.name, host.port));
    lines.merge(lines_by_openssh(file, host.name));
    return lines;
  }
};

constexpr Host kHosts[] = {
    {"host.example", 22},
    {"HOST.Example", 22},
    {"host.example", 2222},
    {"host.example", 22222},
    {"a.example", 22},
    {"a.example", 2222},
    {"a.b.example", 22},
    {"example", 22},
    {"127.0.0.1", 22},
    {"127.0.0.1", 2222},
    {"127.0.0.10", 22},
    {"::1", 22},
    {"::1", 2222},
    {"fe80::1%eth0", 22},
    {"host1", 22},
    {"host12", 22},
    {"host", 22},
    {"other", 22},
    {"x", 443},
    {"10.0.0.255", 22},
    {"host.example.", 22},
};

/// The name part of lines; each gets a key of its own.
constexpr const char* kNames[] = {
    "host.example",
    "HOST.EXAMPLE",
    "host.example,127.0.0.1",
    "[host.example]:2222",
    "[HOST.example]:2222,[127.0.0.1]:2222",
    "[host.example]:22",
    "*.example",
    "*.EXAMPLE,!a.example",
    "!a.example,*.example",
    "!a.example",
    "*.example,!127.0.0.1",
    "*,!127.0.0.1",
    "[*.example]:2222",
    "[*]:*",
    "[*",
    "*",
    "**",
    "?*?",
    "host?",
    "host??",
    "::1",
    "[::1]:2222",
    "fe80::1%eth0",
    "10.0.0.*",
    "127.0.0.1?",
    ",host",
    "host,",
    ",",
    "other,,host1",
    "!",
    "!,*",
    "a.exam?le",
    "host.example.",
};

std::string key_text(uint32_t which) {
  std::vector<uint8_t> seed(32, 0);
  seed[0] = static_cast<uint8_t>(which);
  const auto key = ed25519_from_seed(seed);
  return "ssh-ed25519 " + to_base64(key->public_key().blob());
}

/// The same by our parser: each line as a file of its own.
std::set<size_t> lines_by_us(const std::string& text, const Host& host) {
  std::set<size_t> lines;
  std::istringstream input(text);
  size_t number = 0;
  for (std::string line; std::getline(input, line);) {
    number++;
    const KnownHosts one = KnownHosts::parse(line);
    if (one.line_of(host.name, host.port) == 1) lines.insert(number);
  }
  return lines;
}

TEST_F(OpensshKnownHosts, C46_PlainNamesPatternsAndPortsMatchTheSameLines) {
  std::string text;
  uint32_t which = 0;
  for (const char* names : kNames) text += std::string(names) + " " + key_text(which++) + " comment\n";
  write_file("hosts", text);
  size_t found = 0;
  for (const Host& host : kHosts) {
    const std::string name = known_hosts_name(host.name, host.port);
    const auto right = lines_by_openssh("hosts", name);
    const auto either = lines_by_ssh("hosts", host);
    EXPECT_EQ(lines_by_us(text, host), either) << name;
    found += right.size();
    const KnownHosts all = KnownHosts::parse(text);
    const auto& first = right.empty() ? either : right;
    EXPECT_EQ(all.line_of(host.name, host.port), first.empty() ? 0 : *first.begin()) << name;
    EXPECT_EQ(all.skipped_lines(), 0u);
  }
  EXPECT_GT(found, 50u);
}

TEST_F(OpensshKnownHosts, C46_HashedNamesMatchTheSameLines) {
  std::string text;
  uint32_t which = 0;
  for (const char* names : {"host.example", "[host.example]:2222", "127.0.0.1,::1", "other", "fe80::1%eth0"}) {
    text += std::string(names) + " " + key_text(which++) + "\n";
  }
  write_file("hosts", text);
  must_keygen({"-q", "-H", "-f", path("hosts")});
  const std::string hashed = read_file("hosts");
  ASSERT_EQ(hashed.find("example"), std::string::npos);
  size_t found = 0;
  for (const Host& host : kHosts) {
    const std::string name = known_hosts_name(host.name, host.port);
    const auto right = lines_by_ssh("hosts", host);
    EXPECT_EQ(lines_by_us(hashed, host), right) << name;
    found += right.size();
  }
  EXPECT_GE(found, 6u);
}

TEST_F(OpensshKnownHosts, C46_MarkersAreFoundOnTheSameLines) {
  const std::string text = "host.example " + key_text(1) + "\n@revoked *.example " + key_text(1) +
                           "\n@cert-authority *.example " + key_text(2) + "\na.example " + key_text(3) + "\n";
  write_file("hosts", text);
  EXPECT_EQ(lines_by_openssh("hosts", "host.example"), (std::set<size_t>{1, 2, 3}));
  const KnownHosts hosts = KnownHosts::parse(text);
  const auto key = [](uint32_t which) { return parse_public_line(key_text(which)).value().key; };
  EXPECT_EQ(hosts.find("host.example", 22, key(1)).line, 2u);
  EXPECT_EQ(hosts.check("host.example", 22, key(1)), HostVerdict::kRevoked);
  EXPECT_EQ(hosts.check("host.example", 22, key(2)), HostVerdict::kChanged);
  EXPECT_EQ(hosts.check("b.example", 22, key(2)), HostVerdict::kUnknown);
  EXPECT_EQ(hosts.check("a.example", 22, key(3)), HostVerdict::kMatch);
}

TEST_F(OpensshKnownHosts, SshKeygenFindsTheLinesThatWeWrite) {
  SeededRandom random;
  const PublicKey key = parse_public_line(key_text(7)).value().key;
  for (const Host& host : kHosts) {
    const std::string name = known_hosts_name(host.name, host.port);
    for (RandomSource* salt : {static_cast<RandomSource*>(nullptr), static_cast<RandomSource*>(&random)}) {
      write_file("hosts", known_hosts_line(host.name, host.port, key, salt));
      EXPECT_EQ(lines_by_openssh("hosts", name), std::set<size_t>{1}) << name;
      EXPECT_TRUE(lines_by_openssh("hosts", name + "x").empty()) << name;
      EXPECT_NE(must_keygen({"-l", "-f", path("hosts")}).find(key.fingerprint()), std::string::npos);
    }
  }
}

TEST_F(OpensshKnownHosts, C45_EveryKeyTypeOfTheHost) {
  make_key("ed25519", "ed25519", "c");
  make_key("ecdsa", "ecdsa", "c", {"-b", "256"});
  make_key("ecdsa384", "ecdsa", "c", {"-b", "384"});
  make_key("rsa", "rsa", "c", {"-b", "2048"});
  std::string text;
  for (const char* name : {"rsa", "ecdsa384", "ecdsa", "ed25519"}) {
    text += "[127.0.0.1]:2222 " + read_file(std::string(name) + ".pub");
  }
  write_file("hosts", text);
  EXPECT_EQ(lines_by_openssh("hosts", "[127.0.0.1]:2222").size(), 4u);
  const KnownHosts hosts = KnownHosts::parse(text);
  EXPECT_EQ(hosts.skipped_lines(), 0u);
  EXPECT_EQ(hosts.key_types("127.0.0.1", 2222),
            (std::vector<std::string>{"ssh-rsa", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp256", "ssh-ed25519"}));
  for (const char* name : {"rsa", "ecdsa", "ed25519"}) {
    EXPECT_EQ(hosts.check("127.0.0.1", 2222, public_key(name)), HostVerdict::kMatch) << name;
  }
}

}  // namespace
}  // namespace plumb::testing
