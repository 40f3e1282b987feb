// Who comes in to `plumb serve`, what he may do there, and what its command line means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "interop/scratch_folder.h"
#include "tests/forward/serve_process.h"

namespace plumb {
namespace {

using ::testing::HasSubstr;
using testing::process_with;
using testing::ServeProcess;
using ::testing::StartsWith;

constexpr const char* kDenied = "Permission denied (publickey)";

#define PLUMB_START_SERVE(name, ...)                  \
  const auto name = ServeProcess::start(__VA_ARGS__); \
  ASSERT_NE(name, nullptr)

TEST(ServeAccess, OtherKeysAndOtherUsersHearTheSame) {
  PLUMB_START_SERVE(server);
  const ProgramResult key =
      server->bash("ssh-keygen -q -t ed25519 -N '' -f other; ssh ${OPTIONS/client_key/other} $AT true");
  EXPECT_THAT(key.error, HasSubstr(kDenied));
  const ProgramResult user = server->bash("ssh $OPTIONS nobody-here@127.0.0.1 true");
  EXPECT_THAT(user.error, HasSubstr(kDenied));
  EXPECT_TRUE(server->logs("refused key ssh-ed25519 SHA256:.* for nobody-here: the user is not served here"));
  EXPECT_EQ(server->bash("$SSH true").exit_code, 0);
  EXPECT_TRUE(server->logs("accepted key ssh-ed25519 SHA256:[^ ]+ for " + ServeProcess::user()));
}

TEST(ServeAccess, TooManyTriesEndTheConnection) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "MaxAuthTries=2"}});
  const ProgramResult result = server->bash(
      "for i in 1 2 3; do ssh-keygen -q -t ed25519 -N '' -f wrong$i; done; "
      "ssh -o LogLevel=INFO ${OPTIONS/-i/-i wrong1 -i wrong2 -i wrong3 -i} $AT true");
  EXPECT_THAT(result.error, HasSubstr("oo many authentication failures"));
  EXPECT_TRUE(server->logs("closed: too many authentication failures"));
}

TEST(ServeAccess, ChangedFileCountsAtOnceAndOthersMayNotWriteIt) {
  PLUMB_START_SERVE(server);
  EXPECT_EQ(server->bash("$SSH true").exit_code, 0);
  EXPECT_THAT(server->bash("mv authorized_keys away; $SSH true").error, HasSubstr(kDenied));
  EXPECT_EQ(server->bash("mv away authorized_keys; $SSH true").exit_code, 0);
  EXPECT_THAT(server->bash("chmod 666 authorized_keys; $SSH true").error, HasSubstr(kDenied));
  EXPECT_TRUE(server->logs("others may write the file"));
}

TEST(ServeAccess, ShortRsaKeysAreRefusedWhereLongerOnesAreAskedFor) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "RequiredRSASize=3072"}});
  for (const char* bits : {"2048", "3072"}) {
    const std::string key = std::string("rsa") + bits;
    const ProgramResult result =
        server->bash("ssh-keygen -q -t rsa -b " + std::string(bits) + " -N '' -f " + key + "; cat " + key +
                     ".pub >> authorized_keys; ssh ${OPTIONS/client_key/" + key + "} $AT echo in");
    EXPECT_EQ(result.output, std::string(bits) == "3072" ? "in\n" : "") << result.error;
  }
  EXPECT_TRUE(server->logs("refused key ssh-rsa SHA256:.*: the RSA key has fewer bits than RequiredRSASize asks for"));
  const std::string short_key = (server->folder() / "rsa2048").string();
  const ProgramResult own = testing::run_words(
      {PLUMB_PROGRAM, "serve", "--port", "0", "--host-key", short_key, "-o", "RequiredRSASize=3072"});
  EXPECT_EQ(own.exit_code, 3);
  EXPECT_THAT(own.error, HasSubstr(short_key + ": the RSA key has fewer bits than RequiredRSASize asks for"));
}

TEST(ServeAccess, CommandOfTheKeyReplacesWhatWasAsked) {
  PLUMB_START_SERVE(server, {.key_options = R"(command="echo forced \"$SSH_ORIGINAL_COMMAND\"")"});
  EXPECT_EQ(server->bash("$SSH 'rm -rf x'").output, "forced rm -rf x\n");
  EXPECT_EQ(server->bash("$SSH").output, "forced \n");
  EXPECT_THAT(server->bash("$SSH -s sftp").output, HasSubstr("forced internal-sftp"));
}

TEST(ServeAccess, RestrictedKeyHasNoTerminal) {
  PLUMB_START_SERVE(server, {.key_options = "restrict"});
  const ProgramResult result = server->bash("$SSH -tt 'tty; echo in'");
  EXPECT_THAT(result.error, HasSubstr("PTY allocation request failed"));
  EXPECT_EQ(server->bash("$SSH tty").output, "not a tty\n");
}

TEST(ServeAccess, OptionsThatLetNobodyIn) {
  for (const char* options :
       {R"(from="10.0.0.0/8")", R"(expiry-time="20200101")", "cert-authority", "no-such-option"}) {
    PLUMB_START_SERVE(server, {.key_options = options});
    EXPECT_THAT(server->bash("$SSH true").error, HasSubstr(kDenied)) << options;
  }
  PLUMB_START_SERVE(server, {.key_options = R"(from="127.0.0.*",expiry-time="20991231")"});
  EXPECT_EQ(server->bash("$SSH true").exit_code, 0);
}

TEST(ServeAccess, EnvironmentOfTheKeyOnlyIfPermitted) {
  const std::string options = R"(environment="FROM_KEY=yes")";
  PLUMB_START_SERVE(closed, {.key_options = options});
  EXPECT_EQ(closed->bash("$SSH 'echo x$FROM_KEY'").output, "x\n");
  PLUMB_START_SERVE(open, {.arguments = {"-o", "PermitUserEnvironment=yes"}, .key_options = options});
  EXPECT_EQ(open->bash("$SSH 'echo x$FROM_KEY'").output, "xyes\n");
}

TEST(ServeAccess, CertificatesOfATrustedAuthority) {
  const auto folder = make_scratch_folder("authority");
  ASSERT_TRUE(folder);
  const std::string authority = (*folder / "authority").string();
  ASSERT_EQ(testing::run_words({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", authority}).exit_code, 0);
  PLUMB_START_SERVE(
      server, {.arguments = {"-o", "TrustedUserCAKeys=" + authority + ".pub"}, .key_options = "restrict,from=\"!*\""});
  EXPECT_THAT(server->bash("$SSH true").error, HasSubstr(kDenied));
  const auto signed_as = [&](const std::string& more) {
    return server->bash("rm -f client_key-cert.pub; ssh-keygen -q -s " + authority + " -I id " + more +
                        " client_key.pub; $SSH 'echo in'");
  };
  EXPECT_EQ(signed_as("-n " + ServeProcess::user()).output, "in\n");
  EXPECT_THAT(signed_as("-n somebody-else").error, HasSubstr(kDenied));
  EXPECT_THAT(signed_as("-n " + ServeProcess::user() + " -V 20200101:20200102").error, HasSubstr(kDenied));
  EXPECT_EQ(signed_as("-n " + ServeProcess::user() + " -O force-command='echo forced'").output, "forced\n");
}

TEST(ServeAccess, SettingsOfSessions) {
  PLUMB_START_SERVE(
      server, {.arguments = {"-o", "PermitTTY=no", "-o", "AcceptEnv=EXTRA_*", "-o", "Subsystem=hello echo hello"}});
  EXPECT_THAT(server->bash("$SSH -tt true").error, HasSubstr("PTY allocation request failed"));
  EXPECT_EQ(server->bash("EXTRA_A=1 $SSH -o SendEnv=EXTRA_A 'echo $EXTRA_A'").output, "1\n");
  EXPECT_EQ(server->bash("$SSH -s hello").output, "hello\n");
  PLUMB_START_SERVE(forced, {.arguments = {"-o", "ForceCommand=echo $SSH_ORIGINAL_COMMAND!"}});
  EXPECT_EQ(forced->bash("$SSH asked").output, "asked!\n");
}

TEST(ServeAccess, BannerIsShownBeforeTheVerdict) {
  const auto folder = make_scratch_folder("banner");
  ASSERT_TRUE(folder);
  const std::string file = (*folder / "banner").string();
  testing::run_words({"sh", "-c", "printf 'private\\nproperty\\n' > " + file});
  PLUMB_START_SERVE(server, {.arguments = {"-o", "Banner=" + file}});
  EXPECT_THAT(server->bash("ssh -o LogLevel=INFO $OPTIONS $AT true").error, HasSubstr("private"));
}

TEST(ServeAccess, MaxSessionsRefusesTheNext) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "MaxSessions=1"}});
  const ProgramResult result = server->bash(
      "ssh -MNf -S sock $OPTIONS $AT; ssh -S sock $OPTIONS $AT 'sleep 2; echo first' & sleep 0.5; "
      "ssh -S sock -o ProxyCommand=false $OPTIONS $AT 'echo second'; wait; ssh -S sock -O exit $OPTIONS $AT "
      "2>/dev/null");
  EXPECT_EQ(result.output, "first\n");
  EXPECT_THAT(result.error, HasSubstr("refused"));
}

TEST(ServeAccess, MaxStartupsRefusesThoseWithoutAuthentication) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "MaxStartups=2:100:2"}});
  const std::string place = "/dev/tcp/127.0.0.1/" + std::to_string(server->port());
  const ProgramResult result = server->bash("exec 5<>" + place + " 6<>" + place + "; sleep 0.3; exec 7<>" + place +
                                            "; cat <&7; exec 5>&- 6>&-; sleep 0.5; $SSH echo in");
  EXPECT_EQ(result.output, "Exceeded MaxStartups\r\nin\n");
  EXPECT_TRUE(server->logs("refused: too many connections without authentication"));
  // Those that are in do not count.
  const ProgramResult many = server->bash("for i in 1 2 3 4; do $SSH -f 'sleep 2; echo in'; done");
  EXPECT_EQ(many.output, "in\nin\nin\nin\n");
}

TEST(ServeAccess, LoginGraceTimeEndsSilence) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "LoginGraceTime=1"}});
  const ProgramResult result =
      server->bash("timeout 10 cat < /dev/tcp/127.0.0.1/" + std::to_string(server->port()) + " | head -c 8");
  EXPECT_EQ(result.output, "SSH-2.0-");
  EXPECT_TRUE(server->logs("closed: the client did not identify itself in time"));
}

TEST(ServeAccess, ClientAliveIntervalGivesUpTheDead) {
  PLUMB_START_SERVE(server, {.arguments = {"-o", "ClientAliveInterval=1", "-o", "ClientAliveCountMax=2"}});
  server->bash(
      "$SSH 'exec -a not-alive-23 sleep 1000' >/dev/null 2>&1 & echo $! > stopped; "
      "until pgrep -f '^not-alive-23 '; do sleep 0.1; done; kill -STOP $(cat stopped)");
  EXPECT_EQ(process_with("not-alive-23"), "gone");
  EXPECT_TRUE(server->logs("closed: the client does not answer any more"));
  server->bash("kill -KILL $(cat stopped)");
}

// ---- The command line

ProgramResult plumb_serve(const std::string& arguments, const std::string& before = "") {
  return testing::run_words({"bash", "-c", before + "exec timeout 20 " PLUMB_PROGRAM " serve " + arguments});
}

TEST(ServeCommandLine, MistakesAreNamed) {
  EXPECT_THAT(plumb_serve("-o UsePAM=yes").error,
              StartsWith("plumb: -o UsePAM: there is no such option here; there are AcceptEnv, AuthorizedKeysFile, "));
  EXPECT_EQ(plumb_serve("-o UsePAM=yes").exit_code, 2);
  EXPECT_THAT(plumb_serve("-o MaxStartups=9:0:1").error, HasSubstr("start:rate:full"));
  EXPECT_THAT(plumb_serve("-o Ciphers=3des-cbc").error, HasSubstr("there is no cipher '3des-cbc' here"));
  EXPECT_THAT(plumb_serve("--aead-only -o Ciphers=aes128-ctr").error, HasSubstr("contradict each other"));
  EXPECT_THAT(plumb_serve("--listen localhost").error, HasSubstr("not a numeric address"));
  EXPECT_THAT(plumb_serve("--port 70000").error, HasSubstr("not a port"));
  EXPECT_THAT(plumb_serve("-o Subsystem=sftp").error, HasSubstr("takes a name and a command"));
  EXPECT_THAT(plumb_serve("-o 'Subsystem=sftp internal-sftp -x'").error, HasSubstr("takes no argument but -R"));
  EXPECT_THAT(plumb_serve("-o 'ForceCommand=internal-sftp -d /'").error, HasSubstr("takes no argument but -R"));
  EXPECT_THAT(plumb_serve("-o SftpRoot=/nothing/here").error, HasSubstr("/nothing/here: "));
  EXPECT_THAT(plumb_serve("-o SftpRoot=/tmp -o 'Subsystem=sftp /bin/true'").error, HasSubstr("leave one out"));
}

TEST(ServeCommandLine, WhatIsMissingIsNamed) {
  const ProgramResult key = plumb_serve("--host-key /nothing/here");
  EXPECT_EQ(key.exit_code, 3);
  EXPECT_EQ(key.error, "plumb: the key file /nothing/here cannot be read: No such file or directory\n");
  PLUMB_START_SERVE(server);
  const ProgramResult taken =
      plumb_serve("--host-key " + (server->folder() / "host_key").string() + " -p " + std::to_string(server->port()));
  EXPECT_EQ(taken.exit_code, 3);
  EXPECT_THAT(taken.error, HasSubstr("Address already in use"));
  EXPECT_THAT(plumb_serve("--host-key k", "cd " + server->folder().string() + "; cp host_key k; chmod 644 k; ").error,
              HasSubstr("open to other users"));
}

TEST(ServeCommandLine, OwnHostKeyIsMadeOnce) {
  const auto folder = make_scratch_folder("config");
  ASSERT_TRUE(folder);
  const std::string config = "export XDG_CONFIG_HOME=" + folder->string() + "; ";
  const std::string serve = "exec timeout 2 " PLUMB_PROGRAM " serve --port 0";
  const auto start = [&] { return testing::run_words({"bash", "-c", config + serve}); };
  const ProgramResult first = start();
  EXPECT_THAT(first.error, StartsWith("plumb: host key ssh-ed25519 SHA256:"));
  EXPECT_THAT(first.error, HasSubstr("\nplumb: listening on 127.0.0.1:"));
  const std::string key = (*folder / "plumbline" / "host_ed25519").string();
  struct stat status {};
  ASSERT_EQ(stat(key.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const ProgramResult judged = testing::run_words({"ssh-keygen", "-l", "-f", key});
  const std::string fingerprint = judged.output.substr(4, 50);
  EXPECT_THAT(first.error, HasSubstr(fingerprint));
  EXPECT_THAT(start().error, HasSubstr(fingerprint));
}

}  // namespace
}  // namespace plumb
