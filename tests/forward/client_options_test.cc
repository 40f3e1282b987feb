// Command lines: what they mean, and the sentence for those that mean nothing.
#include "tools/client_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/setting.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ClientOptions read(const ClientArguments& arguments) {
  const Checked<ClientOptions> options = read_client_options(arguments);
  EXPECT_TRUE(options) << options.error();
  return options.value_or(ClientOptions{});
}

std::string mistake(const ClientArguments& arguments) {
  const Checked<ClientOptions> options = read_client_options(arguments);
  return options ? "" : options.error();
}

ClientArguments to(const std::string& destination) {
  ClientArguments arguments;
  arguments.destination = destination;
  return arguments;
}

ClientArguments with_setting(const std::string& setting) {
  ClientArguments arguments = to("host");
  arguments.settings = {setting};
  return arguments;
}

TEST(ClientOptions, C84Destinations) {
  struct Case {
    const char* text;
    const char* user;
    const char* host;
    uint16_t port;
  };
  for (const Case& c :
       {Case{"a@host", "a", "host", 22}, Case{"a@host:2222", "a", "host", 2222}, Case{"a@b@host", "a@b", "host", 22},
        Case{"a@::1", "a", "::1", 22}, Case{"a@[::1]", "a", "::1", 22}, Case{"a@[::1]:2222", "a", "::1", 2222}}) {
    const ClientOptions options = read(to(c.text));
    EXPECT_EQ(options.user, c.user) << c.text;
    EXPECT_EQ(options.host, c.host) << c.text;
    EXPECT_EQ(options.port, c.port) << c.text;
  }
  EXPECT_FALSE(read(to("host")).user.empty());
  for (const char* text : {"a@", "a@[::1", "a@[::1]x", "a@-host", "@"})
    EXPECT_THAT(mistake(to(text)), HasSubstr("is not a destination")) << text;
  for (const char* text : {"a@host:", "a@host:0", "a@host:65536", "a@host:x", "a@[::1]:"})
    EXPECT_THAT(mistake(to(text)), HasSubstr("is not a port")) << text;
  EXPECT_THAT(mistake(to("")), HasSubstr("there is no destination"));
}

TEST(ClientOptions, PortsMayNotDisagree) {
  ClientArguments arguments = to("host:22");
  arguments.port = "2222";
  EXPECT_THAT(mistake(arguments), HasSubstr("name two ports"));
  arguments.destination = "host:2222";
  EXPECT_EQ(read(arguments).port, 2222);
  arguments = with_setting("Port=2022");
  EXPECT_EQ(read(arguments).port, 2022);
  arguments.port = "2023";
  EXPECT_EQ(read(arguments).port, 2023);
}

TEST(ClientOptions, ListsCountForBothDirectionsAndKnowOnlyOurNames) {
  ClientArguments arguments = to("host");
  arguments.ciphers = "aes128-ctr,aes256-gcm@openssh.com";
  arguments.macs = "hmac-sha2-256";
  arguments.kex = "ecdh-sha2-nistp256";
  const Algorithms lists = read(arguments).algorithms;
  EXPECT_THAT(lists.ciphers_c2s, ElementsAre("aes128-ctr", "aes256-gcm@openssh.com"));
  EXPECT_EQ(lists.ciphers_s2c, lists.ciphers_c2s);
  EXPECT_THAT(lists.macs_c2s, ElementsAre("hmac-sha2-256"));
  EXPECT_EQ(lists.macs_s2c, lists.macs_c2s);
  EXPECT_THAT(lists.kex, ElementsAre("ecdh-sha2-nistp256"));
  for (const char* bad : {"rot13", "", "aes128-ctr,", "aes128-ctr,rot13", "aes128-ctr aes256-ctr"}) {
    arguments.ciphers = bad;
    EXPECT_THAT(mistake(arguments), HasSubstr("-c: ")) << bad;
  }
  arguments.ciphers = "rot13";
  EXPECT_THAT(mistake(arguments),
              HasSubstr("there is no cipher 'rot13' here; known are chacha20-poly1305@openssh.com"));
}

TEST(ClientOptions, SettingsInEveryForm) {
  for (const char* text : {"ConnectTimeout=7", "connecttimeout 7", "CONNECTTIMEOUT = 7"})
    EXPECT_EQ(read(with_setting(text)).connect_timeout, std::chrono::seconds(7)) << text;
  EXPECT_EQ(read(with_setting("User=eve")).user, "eve");
  EXPECT_FALSE(read(with_setting("PubkeyAuthentication=no")).use_keys);
  EXPECT_FALSE(read(with_setting("PasswordAuthentication=no")).use_password);
  EXPECT_TRUE(read(with_setting("BatchMode=yes")).batch);
  EXPECT_TRUE(read(with_setting("HashKnownHosts=yes")).hash_known_hosts);
  EXPECT_TRUE(read(with_setting("UpdateHostKeys=yes")).update_host_keys);
  EXPECT_FALSE(read(to("host")).update_host_keys);
  EXPECT_EQ(read(with_setting("RequiredRSASize=4096")).key_limits.min_rsa_bits, 4096u);
  EXPECT_EQ(read(to("host")).key_limits.min_rsa_bits, 2048u);
  EXPECT_EQ(read(with_setting("UserKnownHostsFile=/x")).known_hosts_file, "/x");
  EXPECT_THAT(read(with_setting("IdentityFile=/k")).identity_files, ElementsAre("/k"));
  EXPECT_THAT(read(with_setting("HostKeyAlgorithms=rsa-sha2-512")).algorithms.host_keys, ElementsAre("rsa-sha2-512"));
  EXPECT_EQ(read(with_setting("StrictHostKeyChecking=accept-new")).unknown_host_key, UnknownHostKey::kAccept);
  EXPECT_EQ(read(to("host")).unknown_host_key, UnknownHostKey::kAsk);
}

TEST(ClientOptions, RekeyLimits) {
  const RekeyLimits small = read(with_setting("RekeyLimit=256K")).rekey;
  EXPECT_EQ(small.bytes, 256u * 1024);
  EXPECT_EQ(small.time, Duration::zero());
  const RekeyLimits both = read(with_setting("RekeyLimit 1G 1h30m")).rekey;
  EXPECT_EQ(both.bytes, uint64_t{1} << 30);
  EXPECT_EQ(both.time, std::chrono::minutes(90));
  EXPECT_EQ(read(with_setting("RekeyLimit=default none")).rekey.bytes, 0u);
  EXPECT_EQ(read(with_setting("RekeyLimit=default 45")).rekey.time, std::chrono::seconds(45));
  for (const char* bad :
       {"RekeyLimit=1X", "RekeyLimit=K", "RekeyLimit=15", "RekeyLimit=-1", "RekeyLimit=1G 1y",
        "RekeyLimit=99999999999999999999", "RekeyLimit=18014398509481984K", "RekeyLimit=1G 99999999999"})
    EXPECT_THAT(mistake(with_setting(bad)), HasSubstr("-o RekeyLimit: ")) << bad;
}

TEST(ClientOptions, OtherSettingsAreRefusedByName) {
  EXPECT_THAT(mistake(with_setting("Compression=yes")),
              HasSubstr("-o Compression: there is no such option here; there are BatchMode, CertificateFile"));
  EXPECT_THAT(mistake(with_setting("BatchMode")), HasSubstr("needs a value"));
  EXPECT_THAT(mistake(with_setting("BatchMode=maybe")), HasSubstr("takes yes or no"));
  EXPECT_THAT(mistake(with_setting("StrictHostKeyChecking=no")), HasSubstr("no host key is ever accepted silently"));
  EXPECT_THAT(mistake(with_setting("ConnectTimeout=0")), HasSubstr("at least 1"));
  EXPECT_THAT(mistake(with_setting("UpdateHostKeys=ask")), HasSubstr("takes yes or no"));
  for (const char* bits : {"1024", "2047", "16385", "-1", "many"})
    EXPECT_THAT(mistake(with_setting(std::string("RequiredRSASize=") + bits)), HasSubstr("from 2048 to 16384")) << bits;
}

}  // namespace
}  // namespace plumb
