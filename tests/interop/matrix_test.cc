// The interop matrix without peers: its cases, its judgement, its expectations, its reports, and the reader of offers.
#include "interop/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "interop/junit.h"
#include "interop/offer.h"
#include "kex/methods.h"
#include "packet/cipher_suite.h"
#include "packet/packet_writer.h"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Kind = MatrixCase::Kind;

Proposal hardened() {
  Proposal p;
  p.kex = {"sntrup4591761x25519-sha512@tinyssh.org", "curve25519-sha256", "kex-strict-s-v00@openssh.com"};
  p.host_keys = {"ssh-ed25519", "sk-ssh-ed25519@openssh.com"};
  p.ciphers_c2s = p.ciphers_s2c = {"chacha20-poly1305@openssh.com"};
  p.macs_c2s = p.macs_s2c = {"hmac-sha2-256"};
  return p;
}

// --- cases

TEST(MatrixCases, NameWhatBothHaveInOurOrder) {
  Proposal theirs = hardened();
  theirs.ciphers_c2s = {"3des-cbc", "aes128-ctr", "chacha20-poly1305@openssh.com"};
  theirs.ciphers_s2c = {"chacha20-poly1305@openssh.com", "aes128-ctr", "aes256-ctr"};
  const Common common = common_algorithms(theirs);
  EXPECT_THAT(common.kex, ElementsAre("curve25519-sha256"));
  EXPECT_THAT(common.host_keys, ElementsAre("ssh-ed25519"));
  EXPECT_THAT(common.ciphers, ElementsAre("chacha20-poly1305@openssh.com", "aes128-ctr"));
}

TEST(MatrixCases, AnAeadHasNoMac) {
  std::vector<std::string> names;
  for (const MatrixCase& c : matrix_cases(common_algorithms(hardened()), true)) names.push_back(c.name());
  EXPECT_THAT(names, ElementsAre("kex/curve25519-sha256/ssh-ed25519", "user-key/ssh-ed25519",
                                 "cipher/chacha20-poly1305@openssh.com", "rekey-by-us/chacha20-poly1305@openssh.com",
                                 "rekey-by-peer/chacha20-poly1305@openssh.com"));
}

TEST(MatrixCases, CoverTheTables) {
  Common all;
  for (const auto& method : kex_methods()) all.kex.emplace_back(method.name);
  all.host_keys = {"ssh-ed25519", "rsa-sha2-512"};
  all.certificates = {"ssh-ed25519-cert-v01@openssh.com"};
  size_t pairs = 0;
  for (const auto& cipher : cipher_specs()) {
    all.ciphers.emplace_back(cipher.name);
    pairs += cipher.aead ? 1 : mac_specs().size();
  }
  for (const auto& mac : mac_specs()) all.macs.emplace_back(mac.name);
  const auto cases = matrix_cases(all, false);
  const auto count = [&](Kind kind) { return std::ranges::count(cases, kind, &MatrixCase::kind); };
  EXPECT_EQ(count(Kind::kKex), std::ssize(kex_methods()) * 2 + 1) << "certificates under one method";
  EXPECT_EQ(count(Kind::kUserKey), 3);
  EXPECT_EQ(count(Kind::kCipher), static_cast<std::ptrdiff_t>(pairs));
  EXPECT_EQ(count(Kind::kRekeyByUs), 4) << "chacha, GCM, MAC-then-encrypt and its reverse";
  EXPECT_EQ(count(Kind::kRekeyByPeer), 0);
  std::set<std::string> names;
  for (const MatrixCase& c : cases) EXPECT_TRUE(names.insert(c.name()).second) << c.name();
}

TEST(MatrixCases, CertificatesOfHostsAndUsers) {
  Proposal theirs = hardened();
  theirs.host_keys = {"ssh-ed25519-cert-v01@openssh.com", "sk-ssh-ed25519-cert-v01@openssh.com",
                      "rsa-sha2-256-cert-v01@openssh.com", "ssh-ed25519"};
  const Common common = common_algorithms(theirs);
  EXPECT_THAT(common.host_keys, ElementsAre("ssh-ed25519"));
  EXPECT_THAT(common.certificates,
              ElementsAre("ssh-ed25519-cert-v01@openssh.com", "rsa-sha2-256-cert-v01@openssh.com"));
  std::vector<std::string> names;
  for (const MatrixCase& c : matrix_cases(common, false)) names.push_back(c.name());
  EXPECT_THAT(names, IsSupersetOf({"kex/curve25519-sha256/rsa-sha2-256-cert-v01@openssh.com",
                                   "user-key/ssh-ed25519-cert-v01@openssh.com"}));
}

TEST(MatrixCases, NoneWhereNothingCanBeAgreed) {
  Proposal theirs = hardened();
  theirs.kex = {"diffie-hellman-group1-sha1"};
  EXPECT_TRUE(matrix_cases(common_algorithms(theirs), true).empty());
  theirs = hardened();
  theirs.ciphers_c2s = theirs.ciphers_s2c = {"aes128-ctr"};
  theirs.macs_c2s = theirs.macs_s2c = {"hmac-md5"};
  EXPECT_TRUE(matrix_cases(common_algorithms(theirs), true).empty());
}

// --- judgement

MatrixCase rekey_case() {
  return {Kind::kRekeyByUs, "curve25519-sha256", "ssh-ed25519", "aes128-ctr", "hmac-sha2-256", "ssh-ed25519"};
}

Meeting good_meeting() {
  Meeting m;
  const DirectionAlgorithms both{"aes128-ctr", "hmac-sha2-256"};
  m.agreed = {.kex = find_kex_method("curve25519-sha256"), .host_key = "ssh-ed25519", .c2s = both, .s2c = both};
  m.key_exchanges = kRekeyExchanges;
  m.intact = true;
  return m;
}

TEST(MatrixJudge, PassesWhatIsRight) { EXPECT_EQ(judge(rekey_case(), good_meeting()).layer, ""); }

TEST(MatrixJudge, NamesTheStageThatWasReached) {
  Meeting m = good_meeting();
  m.stage = "auth";
  m.words = "refused";
  EXPECT_EQ(judge(rekey_case(), m).layer, "auth");
  EXPECT_EQ(judge(rekey_case(), m).words, "refused");
}

TEST(MatrixJudge, SuccessUnderOtherAlgorithmsIsNone) {
  Meeting m = good_meeting();
  m.agreed->s2c.mac = "hmac-sha1";
  EXPECT_EQ(judge(rekey_case(), m).layer, "negotiation");
  EXPECT_THAT(judge(rekey_case(), m).words, HasSubstr("hmac-sha1"));
}

TEST(MatrixJudge, UserLetInUnderAnotherAlgorithmIsNone) {
  Meeting m = good_meeting();
  m.user_key = "ssh-ed25519";
  EXPECT_EQ(judge(rekey_case(), m).layer, "");
  m.user_key = "rsa-sha2-512";
  EXPECT_EQ(judge(rekey_case(), m).layer, "negotiation");
}

TEST(MatrixJudge, DataMustComeBack) {
  Meeting m = good_meeting();
  m.intact = false;
  EXPECT_EQ(judge(rekey_case(), m).layer, "data");
}

TEST(MatrixJudge, KeysMustBeRenewed) {
  Meeting m = good_meeting();
  m.key_exchanges = 1;
  EXPECT_EQ(judge(rekey_case(), m).layer, "rekey");
  MatrixCase plain = rekey_case();
  plain.kind = Kind::kCipher;
  EXPECT_EQ(judge(plain, m).layer, "");
}

TEST(MatrixJudge, OffersOneAlgorithmOfEachKind) {
  const Algorithms algorithms = only(rekey_case());
  EXPECT_THAT(algorithms.kex, ElementsAre("curve25519-sha256"));
  EXPECT_THAT(algorithms.macs_s2c, ElementsAre("hmac-sha2-256"));
  EXPECT_THAT(algorithms.signatures, ElementsAre("ssh-ed25519"));
  EXPECT_FALSE(algorithms.no_macs);
  MatrixCase aead = rekey_case();
  aead.mac.clear();
  EXPECT_TRUE(only(aead).no_macs);
  MatrixCase certified = rekey_case();
  certified.user_key = "rsa-sha2-256-cert-v01@openssh.com";
  EXPECT_THAT(only(certified).signatures, ElementsAre("rsa-sha2-256"));
}

// --- expectations

TEST(Expectations, ParseLines) {
  const auto parsed = parse_expectations("# a comment\n\n dropbear  server kex/*/rsa-* : it is so : really \r\n");
  ASSERT_TRUE(parsed) << parsed.error();
  ASSERT_EQ(parsed->size(), 1u);
  const Expectation& e = (*parsed)[0];
  EXPECT_EQ(e.reason, "it is so : really");
  EXPECT_EQ(e.line, 3u);
  EXPECT_TRUE(e.covers("dropbear", "server", "kex/curve25519-sha256/rsa-sha2-256"));
  EXPECT_FALSE(e.covers("dropbear", "client", "kex/curve25519-sha256/rsa-sha2-256"));
  EXPECT_FALSE(e.covers("openssh", "server", "kex/curve25519-sha256/rsa-sha2-256"));
  EXPECT_FALSE(e.covers("dropbear", "server", "kex/curve25519-sha256/ssh-ed25519"));
  EXPECT_EQ(find_expectation(*parsed, "dropbear", "server", "kex/a/rsa-b"), &e);
  EXPECT_EQ(find_expectation(*parsed, "dropbear", "server", "cipher/a"), nullptr);
}

TEST(Expectations, MistakesNameTheirLine) {
  for (const char* line : {"dropbear server kex/*", "dropbear server kex/* :", "dropbear server : reason",
                           "dropbear server kex/* more : reason", "dropbear both kex/* : reason"}) {
    const auto parsed = parse_expectations("\n" + std::string(line) + "\n");
    ASSERT_FALSE(parsed) << line;
    EXPECT_THAT(parsed.error(), HasSubstr("line 2: ")) << line;
    EXPECT_THAT(parsed.error(), HasSubstr("peer role case-pattern : reason")) << line;
  }
}

TEST(Expectations, OursAreRightAndOfPeersThatExist) {
  const auto ours = parse_expectations(known_expectations());
  ASSERT_TRUE(ours) << ours.error();
  for (const Expectation& e : *ours) EXPECT_NE(find_peer(e.peer), nullptr) << "line " << e.line;
}

TEST(Peers, HaveNamesAndARole) {
  std::set<std::string_view> names;
  for (const Peer* peer : peers()) {
    EXPECT_TRUE(names.insert(peer->name()).second) << peer->name();
    EXPECT_TRUE(peer->roles().server || peer->roles().client) << peer->name();
    EXPECT_EQ(find_peer(peer->name()), peer);
  }
  EXPECT_EQ(find_peer("nobody"), nullptr);
  EXPECT_THAT(peer_names(), HasSubstr("openssh, "));
}

// --- reports

CaseResult result_of(Verdict verdict, const Expectation* expectation = nullptr) {
  CaseResult r;
  r.test = rekey_case();
  r.verdict = verdict;
  r.expectation = expectation;
  if (verdict == Verdict::kFailed) r.judgement = {"data", "\"a\" & <b>\x01"};
  return r;
}

TEST(MatrixReport, ADeviationThatHasGoneIsNotAsExpected) {
  const Expectation e{.peer = "putty", .role = "client", .pattern = "*", .reason = "because", .line = 7};
  RoleReport role;
  role.results = {result_of(Verdict::kPassed), result_of(Verdict::kKnown, &e)};
  EXPECT_TRUE(role.as_expected());
  role.without_case = {&e};
  EXPECT_FALSE(role.as_expected());
  role.without_case.clear();
  role.results.push_back(result_of(Verdict::kGoneOff, &e));
  EXPECT_FALSE(role.as_expected());
}

TEST(MatrixReport, JunitCountsAndEscapes) {
  const Expectation e{.peer = "putty", .role = "client", .pattern = "*", .reason = "because", .line = 7};
  PeerReport report;
  report.peer = find_peer("putty");
  RoleReport role;
  role.role = "client";
  role.results = {result_of(Verdict::kPassed), result_of(Verdict::kFailed), result_of(Verdict::kKnown, &e),
                  result_of(Verdict::kGoneOff, &e)};
  report.roles = {role};
  PeerReport absent;
  absent.peer = find_peer("tinysshd");
  absent.absent = "not here";
  const std::string xml = junit_xml(std::vector{report, absent});
  EXPECT_THAT(xml, HasSubstr(R"(<testsuite name="putty.client" tests="4" failures="2" errors="0" skipped="1")"));
  EXPECT_THAT(xml, HasSubstr(R"(message="&quot;a&quot; &amp; &lt;b&gt; ")"));
  EXPECT_THAT(xml, HasSubstr(R"(<skipped message="known deviation: because"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<testcase classname="tinysshd" name="present"><skipped message="not here"/>)"));
}

// --- offers

std::vector<uint8_t> server_hello(const Proposal& proposal) {
  const std::string lines = "Only for guests\r\nSSH-2.0-peer_1.0 with comments\r\n";
  Buffer out(1 << 16);
  PacketWriter writer(system_random());
  const std::vector<uint8_t> payload = write_proposal(proposal);
  const MutBytes slot = writer.begin(out, payload.size());
  std::copy(payload.begin(), payload.end(), slot.begin());
  writer.commit(out, payload.size());
  std::vector<uint8_t> bytes(lines.begin(), lines.end());
  bytes.insert(bytes.end(), out.data().begin(), out.data().end());
  return bytes;
}

TEST(OfferReader, ReadsInPiecesOfAnySize) {
  const std::vector<uint8_t> bytes = server_hello(hardened());
  for (const size_t piece : {size_t{1}, size_t{7}, bytes.size()}) {
    OfferReader reader(true);
    std::optional<Offer> offer;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_FALSE(offer);
      auto taken = reader.take(Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at)));
      ASSERT_TRUE(taken) << describe(taken.error());
      offer = *std::move(taken);
    }
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->identification, "SSH-2.0-peer_1.0 with comments");
    EXPECT_EQ(offer->proposal.kex, hardened().kex);
    EXPECT_EQ(offer->proposal.macs_s2c, hardened().macs_s2c);
  }
}

TEST(OfferReader, RefusesWhatIsNoOffer) {
  const std::vector<uint8_t> bytes = server_hello(hardened());
  EXPECT_FALSE(OfferReader(false).take(bytes)) << "a client sends no lines before its identification";

  const std::string_view hello = "SSH-2.0-x\r\n";
  std::vector<uint8_t> ignored(hello.begin(), hello.end());
  const uint8_t packet[] = {0, 0, 0, 12, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // IGNORE
  ignored.insert(ignored.end(), std::begin(packet), std::end(packet));
  const auto other = OfferReader(true).take(ignored);
  ASSERT_FALSE(other);
  EXPECT_STREQ(other.error().text, "the first packet is not KEXINIT");

  std::vector<uint8_t> huge(hello.begin(), hello.end());
  huge.insert(huge.end(), {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_FALSE(OfferReader(true).take(huge));
}

}  // namespace
}  // namespace plumb
