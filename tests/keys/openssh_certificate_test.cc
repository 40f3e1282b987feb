// Certificates, judged by ssh-keygen: it makes them, and says what they hold.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "core/encoding.h"
#include "keys/certificate.h"
#include "keys/key_file.h"
#include "keys/key_type.h"
#include "keys/known_hosts.h"
#include "keys/public_line.h"
#include "keys/signature.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/keys/ssh_keygen.h"

namespace plumb::testing {
namespace {

class OpensshCertificates : public SshKeygen {
 protected:
  /// The public key file of a fresh key of any type in the table, and its private file where there can be one.
  void make_subject(std::string_view name, const KeyType& type) const {
    if (type.is_security_key()) {
      const auto key = PublicKey::parse(LibcryptoSigner::of_type(type.name).blob()).value();
      write_file(std::string(name) + ".pub", public_line(key, "token") + "\n");
      return;
    }
    const auto key = generate_key(type.name, system_random(), type.name == "ssh-rsa" ? 2048 : 0).value();
    write_file(name, write_key_file(*key, "subject", system_random()));
    write_file(std::string(name) + ".pub", public_line(key->public_key(), "subject") + "\n");
  }

  /// Signs NAME.pub with the authority "ca"; `more` are further arguments. Returns the line of NAME-cert.pub.
  std::string certify(std::string_view name, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"-q", "-s", path("ca"), "-I", "the id"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(path(std::string(name) + ".pub"));
    must_keygen(arguments);
    return read_file(std::string(name) + "-cert.pub");
  }

  PublicKey parse(std::string_view line) const {
    const auto parsed = parse_public_file(line);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().text;
    return parsed.value().key;
  }
};

TEST_F(OpensshCertificates, EveryKeyTypeUnderEveryAuthority) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> authorities = {
      {"ed25519", {}}, {"ecdsa", {"-b", "521"}}, {"rsa", {"-b", "2048"}}};
  for (const KeyType& type : key_types()) make_subject(type.name, type);
  for (const auto& [authority, bits] : authorities) {
    std::filesystem::remove(path("ca"));
    make_key("ca", authority, "ca", bits);
    for (const KeyType& type : key_types()) {
      SCOPED_TRACE(std::string(type.name) + " under " + authority);
      const PublicKey key = parse(certify(type.name, {"-n", "alice,bob", "-z", "77", "-V", "20200101Z:20300101Z", "-O",
                                                      "clear", "-O", "permit-pty", "-O", "force-command=id"}));
      EXPECT_EQ(key.type(), type.certificate_name);
      EXPECT_EQ(key.plain(), public_key(type.name));
      EXPECT_EQ(key.fingerprint(), public_key(type.name).fingerprint());
      ASSERT_NE(key.certificate(), nullptr);
      const Certificate& certificate = *key.certificate();
      EXPECT_EQ(certificate.serial, 77u);
      EXPECT_EQ(certificate.kind, CertificateKind::kUser);
      EXPECT_EQ(certificate.key_id, "the id");
      EXPECT_EQ(certificate.principals, (std::vector<std::string>{"alice", "bob"}));
      EXPECT_EQ(certificate.valid_after, 1577836800u);
      EXPECT_EQ(certificate.valid_before, 1893456000u);
      ASSERT_EQ(certificate.critical_options.size(), 1u);
      EXPECT_EQ(certificate.critical_options[0].name, "force-command");
      EXPECT_EQ(Reader(certificate.critical_options[0].data).text(), "id");
      ASSERT_EQ(certificate.extensions.size(), 1u);
      EXPECT_EQ(certificate.extensions[0].name, "permit-pty");
      EXPECT_EQ(certificate.authority, public_key("ca"));
    }
  }
}

TEST_F(OpensshCertificates, TheirSignaturesAreCheckedByteForByte) {
  make_key("ca", "ed25519", "ca");
  make_key("k", "ed25519", "k");
  const auto blob = parse(certify("k", {"-n", "alice"})).blob();
  for (size_t i = 0; i < blob.size(); i++) {
    std::vector<uint8_t> flipped(blob.begin(), blob.end());
    flipped[i] ^= static_cast<uint8_t>(1u << (i % 8));
    EXPECT_FALSE(PublicKey::parse(flipped).has_value()) << "byte " << i;
  }
  for (size_t size = 0; size < blob.size(); size++) {
    EXPECT_FALSE(PublicKey::parse(Bytes(blob).first(size)).has_value()) << "first " << size << " bytes";
  }
  EXPECT_FALSE(PublicKey::parse(concat({blob, hex("00")})).has_value());
}

TEST_F(OpensshCertificates, Sha1OfAnRsaAuthorityIsRefused) {
  make_key("ca", "rsa", "ca", {"-b", "2048"});
  make_key("k", "ed25519", "k");
  for (std::string_view algorithm : {"rsa-sha2-256", "rsa-sha2-512"}) {
    EXPECT_EQ(parse(certify("k", {"-t", std::string(algorithm)})).certificate()->authority_algorithm, algorithm);
  }
  const auto refused = parse_public_file(certify("k", {"-t", "ssh-rsa"}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(std::string_view(refused.error().text).find("SHA-1"), std::string_view::npos);
}

TEST_F(OpensshCertificates, HostsByNamePatternTimeAndKind) {
  make_key("ca", "ed25519", "ca");
  make_key("k", "ecdsa", "k");
  const PublicKey key = parse(certify("k", {"-h", "-n", "a.example,*.b.example", "-V", "20200101Z:20300101Z"}));
  const Certificate& certificate = *key.certificate();
  EXPECT_EQ(certificate.kind, CertificateKind::kHost);
  constexpr UnixTime kStart = 1577836800, kEnd = 1893456000;
  const auto good = [&](std::string_view host, UnixTime now) {
    return check_host_certificate(certificate, host, now).has_value();
  };
  EXPECT_TRUE(good("a.example", kStart));
  EXPECT_TRUE(good("A.Example", kStart));
  EXPECT_TRUE(good("x.b.example", kEnd - 1));
  EXPECT_FALSE(good("b.example", kStart));
  EXPECT_FALSE(good("a.example", kStart - 1));
  EXPECT_FALSE(good("a.example", kEnd));
  EXPECT_FALSE(check_certificate(certificate, CertificateKind::kUser, kStart).has_value());

  const PublicKey everybody = parse(certify("k", {"-h"}));
  EXPECT_FALSE(check_host_certificate(*everybody.certificate(), "a.example", kStart).has_value()) << "no principal";
  EXPECT_EQ(everybody.certificate()->valid_before, UINT64_MAX);
  const PublicKey critical = parse(certify("k", {"-h", "-n", "h", "-O", "critical:x@y=z"}));
  EXPECT_FALSE(check_host_certificate(*critical.certificate(), "h", kStart).has_value());
}

TEST_F(OpensshCertificates, KnownHostsBelievesTheAuthoritiesOfAHost) {
  make_key("ca", "ed25519", "ca");
  make_key("k", "ecdsa", "k");
  make_key("other", "ed25519", "other");
  const PublicKey key = parse(certify("k", {"-h", "-n", "h.example", "-V", "20200101Z:20300101Z"}));
  constexpr UnixTime kNow = 1'700'000'000, kLater = 1'900'000'000;
  const auto find = [&](const std::string& file, std::string_view host,
                        std::optional<UnixTime> now = UnixTime{1'700'000'000}) {
    return KnownHosts::parse(file).find(host, 22, key, now);
  };
  const std::string authority = "@cert-authority *.example " + public_line(public_key("ca")) + "\n";
  const std::string plain = "h.example " + public_line(public_key("k")) + "\n";
  const std::string others = "h.example " + public_line(public_key("other")) + "\n";
  EXPECT_EQ(find(authority, "h.example").verdict, HostVerdict::kMatch);
  EXPECT_EQ(find(others + authority, "h.example").verdict, HostVerdict::kMatch);
  EXPECT_EQ(find(others + authority, "h.example").line, 2u);
  EXPECT_EQ(find(authority, "h.example", kLater).verdict, HostVerdict::kBadCertificate);
  EXPECT_STREQ(find(authority, "h.example", kLater).fault, "the certificate has expired");
  EXPECT_EQ(find(authority, "i.example").verdict, HostVerdict::kBadCertificate);
  EXPECT_EQ(find(authority, "h.other").verdict, HostVerdict::kUnknown);
  EXPECT_EQ(find(authority + plain, "h.example", kLater).verdict, HostVerdict::kMatch) << "by its plain key";
  EXPECT_EQ(find(authority + others, "h.example", kLater).verdict, HostVerdict::kChanged);
  EXPECT_EQ(find(authority + "@revoked * " + public_line(public_key("ca")) + "\n", "h.example").verdict,
            HostVerdict::kRevoked);
  EXPECT_EQ(find(authority + "@revoked * " + public_line(public_key("k")) + "\n", "h.example").verdict,
            HostVerdict::kRevoked);
  EXPECT_EQ(find(plain, "h.example").verdict, HostVerdict::kMatch);
  EXPECT_EQ(find(authority, "h.example", std::nullopt).verdict, HostVerdict::kUnknown) << "as a plain key";
  EXPECT_EQ(KnownHosts::parse(authority).find("h.example", 2222, key, kNow).verdict, HostVerdict::kMatch);
  EXPECT_EQ(known_hosts_line("h.example", 22, key), plain);
}

TEST_F(OpensshCertificates, ACertifiedKeySignsUnderItsOwnAlgorithms) {
  make_key("ca", "ed25519", "ca");
  for (const KeyType& type : key_types()) {
    if (type.is_security_key()) continue;
    SCOPED_TRACE(type.name);
    make_subject(type.name, type);
    const PublicKey certificate = parse(certify(type.name, {"-n", "alice"}));
    std::shared_ptr<const PrivateKey> key = parse_key_file(read_file(type.name)).value().key;
    const auto certified = CertifiedKey::make(key, certificate);
    ASSERT_TRUE(certified.has_value()) << certified.error().text;
    for (std::string_view algorithm : algorithms_of_key_type(type.certificate_name)) {
      const auto signature = (*certified)->sign(algorithm, as_bytes("m"));
      ASSERT_TRUE(signature.has_value()) << signature.error().text;
      EXPECT_EQ(Reader(*signature).text(), find_signature_algorithm(algorithm)->signed_as);
      EXPECT_TRUE(certificate.verify(algorithm, as_bytes("m"), *signature).has_value());
      EXPECT_FALSE(certificate.plain().verify(algorithm, as_bytes("m"), *signature).has_value());
    }
    EXPECT_FALSE((*certified)->sign(algorithms_of_key_type(type.name).front(), as_bytes("m")).has_value());
    EXPECT_FALSE(CertifiedKey::make(key, key->public_key()).has_value());
    const std::shared_ptr<const PrivateKey> other = generate_ed25519(system_random());
    EXPECT_FALSE(CertifiedKey::make(other, certificate).has_value());
  }
}

TEST_F(OpensshCertificates, NoCertificateSignsACertificate) {
  make_key("ca", "ed25519", "ca");
  make_key("k", "ed25519", "k");
  const PublicKey inner = parse(certify("k", {"-n", "alice"}));
  // The same fields with the certificate in the authority's place: the signature is not even looked at.
  const Bytes blob = inner.blob();
  const auto authority = concat({public_key("ca").blob()});
  const auto at = std::search(blob.begin(), blob.end(), authority.begin(), authority.end()) - blob.begin();
  std::vector<uint8_t> nested(blob.begin(), blob.begin() + at - 4);
  Writer(nested).string(blob);
  Writer(nested).string(blob.last(83));
  const auto refused = PublicKey::parse(nested);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(std::string_view(refused.error().text).find("another certificate"), std::string_view::npos);
}

}  // namespace
}  // namespace plumb::testing
