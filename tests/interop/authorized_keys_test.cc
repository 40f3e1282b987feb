// Lines of authorized_keys and certificates, judged by sshd: it lets in whom we let in, and permits what we permit.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "interop/sshd_fixture.h"
#include "interop/subprocess.h"
#include "keys/authorized_keys.h"
#include "keys/public_line.h"
#include "tests/interop/suite_sshd.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// As sshd's log names them ("key options: …"), those of them that are flags.
std::string flags_of(const LoginPermissions& p) {
  std::string text;
  if (p.agent_forwarding) text += " agent-forwarding";
  if (p.command) text += " command";
  if (!p.touch_required) text += " no-touch-required";
  if (!p.permit_open.empty()) text += " permitopen";
  if (!p.permit_listen.empty()) text += " permitlisten";
  if (p.port_forwarding) text += " port-forwarding";
  if (p.pty) text += " pty";
  if (p.verify_required) text += " uv";
  if (p.tunnel) text += " tun";
  if (p.user_rc) text += " user-rc";
  if (p.x11_forwarding) text += " x11-forwarding";
  return text;
}

class SshdAuthorizes : public SuiteSshd<SshdAuthorizes> {
 public:
  static SshdOptions sshd_options() { return {}; }

 protected:
  void set_up() override {
    fs::copy_file(sshd_->client_key(), path("key"), fs::copy_options::overwrite_existing);
    fs::copy_file(sshd_->client_key().string() + ".pub", path("key.pub"), fs::copy_options::overwrite_existing);
    fs::permissions(path("key"), fs::perms::owner_read | fs::perms::owner_write);
    fs::remove(path("key-cert.pub"));
  }

  static std::string path(const std::string& name) { return (sshd_->folder() / name).string(); }
  static std::string key_line() {
    const std::string line = text_of(path("key.pub"));
    return line.substr(0, line.find('\n'));
  }
  static void keygen(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ssh-keygen");
    ProgramRequest request;
    request.argv = std::move(arguments);
    const ProgramResult result = run_program(request);
    ASSERT_EQ(result.exit_code, 0) << result.error;
  }

  /// Asks sshd and us about `file` for the key, or its certificate where there is one, and compares.
  static void expect_same_verdict(const std::string& file) {
    SCOPED_TRACE(file);
    std::ofstream(path("authorized_keys")) << file;
    const size_t mark = sshd_->log_mark();
    ProgramRequest request;
    request.argv = {"ssh", "-F", "none", "-p", std::to_string(sshd_->port()), "-i", path("key")};
    for (const std::string& option :
         {"UserKnownHostsFile=" + sshd_->known_hosts().string(), std::string("BatchMode=yes"),
          std::string("IdentitiesOnly=yes"), std::string("IdentityAgent=none")}) {
      request.argv.insert(request.argv.end(), {"-o", option});
    }
    request.argv.insert(request.argv.end(), {sshd_->destination(), "true"});
    const bool theirs = run_program(request).exit_code != 255;

    const bool certified = fs::exists(path("key-cert.pub"));
    const auto key = parse_public_file(text_of(path(certified ? "key-cert.pub" : "key.pub")));
    ASSERT_TRUE(key.has_value()) << key.error().text;
    const std::string user = sshd_->user();
    const LoginAttempt attempt{.user = user, .address = "127.0.0.1", .now = static_cast<UnixTime>(std::time(nullptr))};
    const auto ours = AuthorizedKeys::parse(file).find(key->key, attempt);
    EXPECT_EQ(ours.has_value(), theirs) << (ours ? "we let it in" : ours.error().text);
    if (!ours || !theirs || certified) return;
    const auto logged = sshd_->wait_for_log("key options:", mark);
    ASSERT_TRUE(logged.has_value());
    // 9.2 runs the word for an expiry into the one before it, and adds the number of a tunnel.
    const std::string flags =
        std::regex_replace(logged->substr(logged->find("key options:") + 12), std::regex("expires|=[0-9]+"), "");
    EXPECT_EQ(flags.substr(0, flags.find_last_not_of(" \r") + 1), flags_of(ours->permissions)) << *logged;
  }
};

TEST_F(SshdAuthorizes, LinesWithOptions) {
  const std::string key = key_line();
  for (const char* options : {"",
                              "restrict",
                              "restrict,pty",
                              "pty,restrict",
                              "no-pty,no-user-rc",
                              "No-Port-Forwarding",
                              "no-touch-required",
                              "command=\"exit 3\"",
                              "command=\"echo \\\"a, b\\\"\",no-pty",
                              "from=\"127.0.0.1\"",
                              "from=\"10.0.0.1\"",
                              "from=\"127.0.0.0/8\"",
                              "from=\"127.0.0.*,!127.0.0.1\"",
                              "from=\"127.0.0.1/8\"",
                              "from=\"!10.0.0.1\"",
                              "expiry-time=\"20990101Z\"",
                              "expiry-time=\"20200101\"",
                              "expiry-time=\"2020\"",
                              "permitopen=\"a:1\"",
                              "permitopen=\"a\"",
                              "permitlisten=\"80\"",
                              "permitlisten=\"a:*\",permitopen=\"[::1]:*\"",
                              "tunnel=\"any\"",
                              "tunnel=\"x\"",
                              "unknown",
                              "pty,",
                              "command=\"a\",command=\"b\"",
                              "principals=\"root\"",
                              "cert-authority",
                              "environment=\"A=b\"",
                              "environment=\"=b\"",
                              "no-restrict",
                              "verify-required"}) {
    const std::string option(options);
    expect_same_verdict(option + (option.empty() ? "" : " ") + key + "\n");
  }
  expect_same_verdict("# " + key + "\n");
  expect_same_verdict("from=\"10.0.0.1\" " + key + "\n" + "no-pty " + key + "\n");
  expect_same_verdict("\t " + key + "\r\n");
}

TEST_F(SshdAuthorizes, CertificatesOfAnAuthorityInTheFile) {
  keygen({"-q", "-t", "ed25519", "-N", "", "-f", path("authority")});
  std::string authority = text_of(path("authority.pub"));
  authority.erase(authority.find('\n'));
  const std::string user = sshd_->user();
  const std::vector<std::vector<std::string>> certificates = {
      {"-n", user},
      {"-n", "somebody-else"},
      {"-n", user, "-V", "20200101:20210101"},
      {"-n", user, "-O", "source-address=127.0.0.0/8"},
      {"-n", user, "-O", "source-address=10.0.0.0/8"},
      {"-n", user, "-O", "critical:unknown@example=x"},
      {"-n", user, "-O", "extension:unknown@example=x"},
      {"-n", user, "-O", "force-command=true"},
      {"-h", "-n", user},
  };
  for (const auto& more : certificates) {
    std::vector<std::string> sign = {"-q", "-s", path("authority"), "-I", "id"};
    sign.insert(sign.end(), more.begin(), more.end());
    sign.push_back(path("key.pub"));
    keygen(sign);
    for (const std::string options : {"cert-authority", "cert-authority,principals=\"somebody-else,x\"",
                                      "cert-authority,command=\"true\"", "cert-authority,command=\"false\"", "pty"}) {
      expect_same_verdict(options + " " + authority + "\n");
    }
  }
}

}  // namespace
}  // namespace plumb
