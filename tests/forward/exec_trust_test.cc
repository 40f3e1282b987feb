// Who is believed: host keys, known_hosts, key files, refused authentication. One clear sentence each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "interop/key_pairs.h"
#include "tests/interop/suite_sshd.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class ExecTrust : public SuiteSshd<ExecTrust> {
 public:
  static SshdOptions sshd_options() {
    SshdOptions options;
    options.all_host_keys = true;
    options.log_level = "INFO";  // below it sshd writes its own messages to the command's error output
    return options;
  }

 protected:
  void set_up() override { fs::remove(hosts_file()); }

  static fs::path hosts_file() { return sshd_->folder() / "test_hosts"; }
  static std::string name() { return "[127.0.0.1]:" + std::to_string(sshd_->port()); }

  /// Runs `echo in` with the test's known_hosts file; `more` comes before the destination.
  static ProgramResult run(const std::vector<std::string>& more,
                           const std::string& destination = sshd_->destination()) {
    ProgramRequest request;
    request.argv = {PLUMB_PROGRAM, "exec",
                    "-p",          std::to_string(sshd_->port()),
                    "-o",          "UserKnownHostsFile=" + hosts_file().string(),
                    "-o",          "BatchMode=yes"};
    const bool names_key = std::ranges::count(more, "-i") > 0;
    if (!names_key) request.argv.insert(request.argv.end(), {"-i", sshd_->client_key().string()});
    request.argv.insert(request.argv.end(), more.begin(), more.end());
    request.argv.insert(request.argv.end(), {destination, "echo in"});
    request.environment["HOME"] = sshd_->folder().string();
    return run_program(request);
  }

  static void write_hosts(const std::string& text) { std::ofstream(hosts_file()) << text; }
  static std::string text_of(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  /// The key of `type` that the server has, as a known_hosts line has it: "ssh-ed25519 AAAA…".
  static std::string server_key(const std::string& type) {
    std::istringstream lines(text_of(sshd_->known_hosts()));
    for (std::string host, key_type, blob; lines >> host >> key_type >> blob;) {
      if (key_type == type) return key_type + " " + blob;
    }
    return {};
  }

  static void expect_one_sentence(const ProgramResult& result) {
    EXPECT_EQ(result.exit_code, 255) << result.error;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error, StartsWith("plumb: "));
    EXPECT_EQ(std::ranges::count(result.error, '\n'), 1) << result.error;
  }
};

int exit_code_of(std::vector<std::string> argv) {
  ProgramRequest request;
  request.argv = std::move(argv);
  return run_program(request).exit_code;
}

constexpr const char* kForeignKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";

TEST_F(ExecTrust, UnknownHostIsRefusedWithItsFingerprintAndWhatToDo) {
  for (const char* checking : {"ask", "yes"}) {
    const ProgramResult result = run({"-o", std::string("StrictHostKeyChecking=") + checking});
    expect_one_sentence(result);
    EXPECT_THAT(result.error, HasSubstr("the host " + name() + " is not known: it shows the ssh-ed25519 key SHA256:"));
    EXPECT_THAT(result.error, HasSubstr("StrictHostKeyChecking=accept-new"));
  }
  EXPECT_FALSE(fs::exists(hosts_file()));
}

TEST_F(ExecTrust, AcceptNewAddsTheLineAndSaysSo) {
  write_hosts("# no line feed at the end");
  const ProgramResult first = run({"-o", "StrictHostKeyChecking=accept-new"});
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_EQ(first.output, "in\n");
  EXPECT_THAT(first.error, StartsWith("plumb: added the ssh-ed25519 key SHA256:"));
  EXPECT_EQ(text_of(hosts_file()), "# no line feed at the end\n" + name() + " " + server_key("ssh-ed25519") + "\n");
  const ProgramResult second = run({"-o", "StrictHostKeyChecking=accept-new"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.error, "");
}

TEST_F(ExecTrust, HashKnownHostsHidesTheName) {
  EXPECT_EQ(run({"-o", "StrictHostKeyChecking=accept-new", "-o", "HashKnownHosts=yes"}).exit_code, 0);
  EXPECT_THAT(text_of(hosts_file()), StartsWith("|1|"));
  EXPECT_EQ(text_of(hosts_file()).find("127.0.0.1"), std::string::npos);
  EXPECT_EQ(run({}).exit_code, 0);
  // ssh-keygen agrees that this line is this host's.
  EXPECT_EQ(exit_code_of({"ssh-keygen", "-F", name(), "-f", hosts_file().string()}), 0);
}

TEST_F(ExecTrust, ChangedKeyIsRefusedWhateverIsAskedFor) {
  write_hosts("# comment\n" + name() + " " + kForeignKey + "\n");
  for (const char* checking : {"accept-new", "ask", "yes"}) {
    const ProgramResult result = run({"-o", std::string("StrictHostKeyChecking=") + checking});
    expect_one_sentence(result);
    EXPECT_THAT(result.error, HasSubstr("HOST KEY CHANGED"));
    EXPECT_THAT(result.error, HasSubstr(hosts_file().string() + " line 2"));
    EXPECT_THAT(result.error, HasSubstr("ssh-keygen -f " + hosts_file().string() + " -R '" + name() + "'"));
  }
  // What the sentence says to do works.
  EXPECT_EQ(exit_code_of({"ssh-keygen", "-f", hosts_file().string(), "-R", name()}), 0);
  EXPECT_EQ(run({"-o", "StrictHostKeyChecking=accept-new"}).exit_code, 0);
}

TEST_F(ExecTrust, C45KnownTypeIsNegotiated) {
  for (const char* type : {"ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"}) {
    ASSERT_NE(server_key(type), "") << type;
    write_hosts("other.example " + std::string(kForeignKey) + "\n" + name() + " " + server_key(type) + "\n");
    const ProgramResult result = run({});
    EXPECT_EQ(result.exit_code, 0) << type << ": " << result.error;
  }
}

TEST_F(ExecTrust, C46LookUpIsByHostAndPort) {
  write_hosts("127.0.0.1 " + server_key("ssh-ed25519") + "\n");
  EXPECT_EQ(run({}).exit_code, 0) << "as ssh does, where no line names the port";
  write_hosts("127.0.0.1 " + std::string(kForeignKey) + "\n");
  EXPECT_THAT(run({}).error, HasSubstr("is not known")) << "the key of port 22 is no change of this one's";
  write_hosts("127.0.0.1 " + std::string(kForeignKey) + "\n" + name() + " " + server_key("ssh-ed25519") + "\n");
  EXPECT_EQ(run({}).exit_code, 0) << "another port's key is no change of this one's";
  write_hosts(name() + " " + server_key("ssh-ed25519") + "\n@revoked " + name() + " " + server_key("ssh-ed25519") +
              "\n");
  const ProgramResult revoked = run({});
  expect_one_sentence(revoked);
  EXPECT_THAT(revoked.error, HasSubstr("REVOKED"));
}

/// The lines of a known_hosts file without their comments, in order.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string host, type, blob;
    words >> host >> type >> blob;
    all.push_back(host + " " + type + " " + blob);
  }
  std::ranges::sort(all);
  return all;
}

TEST_F(ExecTrust, UpdateHostKeysLearnsAndForgetsAsSshDoes) {
  const auto gone = key_pair("gone", "ecdsa");
  ASSERT_TRUE(gone) << gone.error();
  const std::string before = "other.example " + std::string(kForeignKey) + "\n" + name() + " " +
                             server_key("ssh-ed25519") + "\n" + name() + " " + text_of(gone->string() + ".pub");
  write_hosts(before);
  const ProgramResult rival = [] {
    ProgramRequest request;
    request.argv = {"ssh", "-F", "none", "-p", std::to_string(sshd_->port()), "-i", sshd_->client_key().string()};
    for (const std::string& option : {std::string("BatchMode=yes"), std::string("UpdateHostKeys=yes"),
                                      "UserKnownHostsFile=" + hosts_file().string()})
      request.argv.insert(request.argv.end(), {"-o", option});
    request.argv.insert(request.argv.end(), {sshd_->destination(), "true"});
    return run_program(request);
  }();
  ASSERT_EQ(rival.exit_code, 0) << rival.error;
  const std::string wanted = text_of(hosts_file());

  write_hosts(before);
  const ProgramResult result = run({"-o", "UpdateHostKeys=yes"});
  EXPECT_EQ(result.output, "in\n") << result.error;
  EXPECT_EQ(lines_of(text_of(hosts_file())), lines_of(wanted));
  EXPECT_EQ(text_of(hosts_file().string() + ".old"), before);
  EXPECT_THAT(result.error, HasSubstr("plumb: added the ssh-rsa key SHA256:"));
  EXPECT_THAT(result.error, HasSubstr("plumb: removed line 3, a key that " + name() + " holds no more"));
  for (const char* type : {"ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"})
    EXPECT_THAT(text_of(hosts_file()), HasSubstr(name() + " " + server_key(type) + "\n"));
  EXPECT_EQ(run({"-o", "UpdateHostKeys=yes"}).error, "") << "nothing is left to be learned";
  EXPECT_EQ(run({"-o", "HostKeyAlgorithms=rsa-sha2-512"}).output, "in\n") << "what was learned is believed";
}

TEST_F(ExecTrust, UpdateHostKeysLeavesAloneWhatSpeaksOfOtherHostsToo) {
  const std::string known = server_key("ssh-ed25519") + "\n";
  for (const std::string& text : {name() + " " + known + "@cert-authority " + name() + " " + kForeignKey + "\n",
                                  "127.0.0.1 " + known, name() + ",alias " + known, "[127.0.0.*]:* " + known}) {
    write_hosts(text);
    fs::remove(hosts_file().string() + ".old");
    const ProgramResult result = run({"-o", "UpdateHostKeys=yes"});
    EXPECT_EQ(result.output, "in\n") << text << result.error;
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(text_of(hosts_file()), text);
    EXPECT_FALSE(fs::exists(hosts_file().string() + ".old"));
  }
  write_hosts(name() + " " + known);
  EXPECT_EQ(run({}).error, "");
  EXPECT_EQ(text_of(hosts_file()), name() + " " + known) << "nobody asked for it";
}

TEST_F(ExecTrust, UpdateHostKeysKeepsTheFilesModeAndItsLink) {
  const fs::path real = sshd_->folder() / "real_hosts";
  std::ofstream(real) << name() << " " << server_key("ssh-ed25519") << "\n";
  fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink(real, hosts_file());
  EXPECT_EQ(run({"-o", "UpdateHostKeys=yes", "-o", "HashKnownHosts=yes"}).output, "in\n");
  EXPECT_TRUE(fs::is_symlink(hosts_file()));
  EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  EXPECT_THAT(text_of(real), HasSubstr("\n|1|"));
  fs::remove(real);
}

TEST_F(ExecTrust, RequiredRsaSizeHoldsForBothSidesKeys) {
  write_hosts(text_of(sshd_->known_hosts()));
  const ProgramResult host = run({"-o", "HostKeyAlgorithms=rsa-sha2-512", "-o", "RequiredRSASize=8192"});
  expect_one_sentence(host);
  EXPECT_THAT(host.error, HasSubstr(name() + " shows the ssh-rsa key SHA256:"));
  EXPECT_THAT(host.error, HasSubstr("the RSA key has fewer bits than RequiredRSASize asks for"));
  EXPECT_EQ(run({"-o", "HostKeyAlgorithms=rsa-sha2-512", "-o", "RequiredRSASize=2048"}).output, "in\n");

  const auto key = key_pair("client", "rsa");
  ASSERT_TRUE(key) << key.error();
  const ProgramResult own = run({"-i", key->string(), "-o", "RequiredRSASize=8192"});
  expect_one_sentence(own);
  EXPECT_THAT(own.error, HasSubstr("not used: SHA256:"));
}

TEST_F(ExecTrust, KeyFilesThatCannotBeUsed) {
  write_hosts(text_of(sshd_->known_hosts()));
  const fs::path key = sshd_->folder() / "test_key";
  const std::string good = text_of(sshd_->client_key());
  const auto with_key = [&](const std::string& text, fs::perms perms) {
    std::ofstream(key) << text;
    fs::permissions(key, perms);
    return run({"-i", key.string()});
  };
  constexpr fs::perms kClosed = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(with_key(good, kClosed).exit_code, 0);

  const ProgramResult open = with_key(good, kClosed | fs::perms::others_read);
  expect_one_sentence(open);
  EXPECT_THAT(open.error, HasSubstr("is open to other users (mode 0604); close it with: chmod 600 " + key.string()));
  const ProgramResult cut = with_key(good.substr(0, good.size() / 2), kClosed);
  expect_one_sentence(cut);
  EXPECT_THAT(cut.error, HasSubstr(key.string() + ": the key file is cut short"));
  const ProgramResult empty = with_key("", kClosed);
  expect_one_sentence(empty);
  const ProgramResult missing = run({"-i", "/nonexistent/key"});
  expect_one_sentence(missing);
  EXPECT_THAT(missing.error, HasSubstr("/nonexistent/key cannot be read: No such file or directory"));
  fs::remove(key);
}

TEST_F(ExecTrust, RefusedAuthenticationNamesWhatWasTriedAndWhatIsTaken) {
  write_hosts(text_of(sshd_->known_hosts()));
  const fs::path other = sshd_->folder() / "other_key";
  ASSERT_EQ(exit_code_of({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other.string()}), 0);
  const ProgramResult result = run({"-i", other.string()});
  expect_one_sentence(result);
  EXPECT_THAT(result.error, HasSubstr("was refused with publickey (1 key); the server takes publickey"));
  expect_one_sentence(run({"-o", "PubkeyAuthentication=no"}));
  fs::remove(other);
}

TEST_F(ExecTrust, UsualKeyIsUsedAndOneThatCannotBeIsNamed) {
  write_hosts(text_of(sshd_->known_hosts()));
  // HOME is the server's folder here; -o IdentityFile would count as named.
  const fs::path usual = sshd_->folder() / ".ssh" / "id_ed25519";
  fs::create_directory(usual.parent_path());
  const auto run_without_key = [&] {
    ProgramRequest request;
    request.argv = {PLUMB_PROGRAM,
                    "exec",
                    "-p",
                    std::to_string(sshd_->port()),
                    "-o",
                    "UserKnownHostsFile=" + hosts_file().string(),
                    "-o",
                    "BatchMode=yes",
                    sshd_->destination(),
                    "echo in"};
    request.environment["HOME"] = sshd_->folder().string();
    return run_program(request);
  };
  fs::copy_file(sshd_->client_key(), usual);
  EXPECT_EQ(run_without_key().output, "in\n");
  std::ofstream(usual) << "nonsense\n";
  const ProgramResult result = run_without_key();
  expect_one_sentence(result);
  EXPECT_THAT(result.error, HasSubstr("not used: " + usual.string()));
  fs::remove_all(usual.parent_path());
}

}  // namespace
}  // namespace plumb
