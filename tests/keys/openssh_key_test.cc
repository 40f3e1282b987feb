// Keys, key files and signatures, judged by ssh-keygen in both directions.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/private_key.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/keys/ssh_keygen.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

class OpensshKeys : public SshKeygen {};

/// "SHA256:…" out of "256 SHA256:… comment (ED25519)".
std::string fingerprint_in(const std::string& listing) {
  const size_t start = listing.find("SHA256:");
  return start == std::string::npos ? listing : listing.substr(start, listing.find(' ', start) - start);
}

/// "type base64" without the comment.
std::string public_text(const PublicKey& key) { return std::string(key.type()) + " " + to_base64(key.blob()); }

/// The same base64 in lines of another width.
std::string rewrap(const std::string& text, size_t width, const std::string& line_end, bool final_line_end) {
  std::string base64, wrapped;
  const size_t body = text.find('\n') + 1;
  const size_t end = text.find("-----END");
  for (char c : text.substr(body, end - body)) {
    if (c != '\n') base64 += c;
  }
  wrapped = text.substr(0, body - 1) + line_end;
  for (size_t i = 0; i < base64.size(); i += width) wrapped += base64.substr(i, width) + line_end;
  wrapped += "-----END OPENSSH PRIVATE KEY-----";
  return final_line_end ? wrapped + line_end : wrapped;
}

std::string refusal(std::string_view text) {
  const auto file = parse_key_file(text);
  EXPECT_FALSE(file.has_value());
  if (file) return "accepted";
  EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
  return file.error().text;
}

TEST_F(OpensshKeys, FingerprintsAndTypesAgree) {
  make_key("ed25519", "ed25519", "c");
  make_key("ecdsa", "ecdsa", "c", {"-b", "256"});
  make_key("rsa2048", "rsa", "c", {"-b", "2048"});
  make_key("rsa3072", "rsa", "c", {"-b", "3072"});
  for (const char* name : {"ed25519", "ecdsa", "rsa2048", "rsa3072"}) {
    EXPECT_EQ(public_key(name).fingerprint(), fingerprint_in(must_keygen({"-l", "-f", path(name)}))) << name;
  }
}

TEST_F(OpensshKeys, C49_KeyFilesOfSshKeygenLoadInEveryShape) {
  for (size_t size = 0; size <= 16; size++) {
    const std::string name = "key" + std::to_string(size);
    const std::string comment(size, 'c');
    make_key(name, "ed25519", comment);
    const std::string text = read_file(name);
    const PublicKey right = public_key(name);
    for (size_t width : {64, 70, 100000}) {
      for (const char* line_end : {"\n", "\r\n"}) {
        for (bool final_line_end : {true, false}) {
          const auto file = parse_key_file(rewrap(text, width, line_end, final_line_end));
          ASSERT_TRUE(file.has_value()) << file.error().text;
          EXPECT_EQ(file->comment, comment);
          EXPECT_EQ(file->key->public_key(), right);
        }
      }
    }
  }
}

TEST_F(OpensshKeys, SshKeygenReadsTheFilesThatWeWrite) {
  SeededRandom random;
  for (size_t size = 0; size <= 16; size++) {
    const auto key = generate_ed25519(random);
    const std::string comment(size, 'c');
    write_file("key", write_key_file(*key, comment, random));
    const std::string right = public_text(key->public_key()) + (size == 0 ? "" : " " + comment) + "\n";
    EXPECT_EQ(must_keygen({"-y", "-f", path("key")}), right);
    EXPECT_EQ(fingerprint_in(must_keygen({"-l", "-f", path("key")})), key->public_key().fingerprint());
  }
}

TEST_F(OpensshKeys, C50_PublicKeyThatBeginsWithZero) {
  SeededRandom random;
  std::unique_ptr<PrivateKey> key;
  for (int i = 0; i < 10000; i++) {
    key = generate_ed25519(random);
    if (key->public_key().blob().last(32)[0] == 0) break;
  }
  ASSERT_EQ(key->public_key().blob().last(32)[0], 0);
  write_file("key", write_key_file(*key, "zero", random));
  EXPECT_EQ(must_keygen({"-y", "-f", path("key")}), public_text(key->public_key()) + " zero\n");

  // And back: ssh-keygen writes the file anew (a passphrase change from none to none).
  must_keygen({"-p", "-P", "", "-N", "", "-C", "again", "-f", path("key")});
  const auto file = parse_key_file(read_file("key"));
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ(file->key->public_key(), key->public_key());
}

TEST_F(OpensshKeys, C49_FilesThatWeCannotUseSayWhatToDo) {
  must_keygen({"-q", "-t", "ed25519", "-N", "secret", "-a", "1", "-f", path("encrypted")});
  EXPECT_NE(refusal(read_file("encrypted")).find("encrypted"), std::string::npos);

  // The advice, followed: the key loads.
  const PublicKey right = public_key("encrypted");
  must_keygen({"-p", "-P", "secret", "-N", "", "-f", path("encrypted")});
  const auto file = parse_key_file(read_file("encrypted"));
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ(file->key->public_key(), right);

  make_key("ecdsa", "ecdsa", "c");
  make_key("rsa", "rsa", "c", {"-b", "2048"});
  make_key("rsa_pem", "rsa", "c", {"-b", "2048", "-m", "PEM"});
  make_key("ecdsa_pkcs8", "ecdsa", "c", {"-m", "PKCS8"});
  for (const char* name : {"ecdsa", "rsa"}) {
    EXPECT_NE(refusal(read_file(name)).find("ssh-keygen -t ed25519"), std::string::npos) << name;
  }
  for (const char* name : {"rsa_pem", "ecdsa_pkcs8"}) {
    EXPECT_NE(refusal(read_file(name)).find("PEM"), std::string::npos) << name;
  }
  const auto public_file = parse_key_file(read_file("rsa.pub"));
  ASSERT_FALSE(public_file.has_value());
  EXPECT_NE(std::string_view(public_file.error().text).find("public key"), std::string_view::npos);
}

/// What an SSHSIG signature signs (openssh-portable PROTOCOL.sshsig).
std::vector<uint8_t> sshsig_signed_data(std::string_view name_space, std::string_view message) {
  std::array<uint8_t, 64> digest;
  hash(HashId::kSha512, as_bytes(message), digest);
  std::vector<uint8_t> data;
  Writer writer(data);
  writer.raw(as_bytes("SSHSIG"));
  writer.text(name_space);
  writer.text("");
  writer.text("sha512");
  writer.string(digest);
  return data;
}

constexpr std::string_view kBegin = "-----BEGIN SSH SIGNATURE-----\n";
constexpr std::string_view kEnd = "-----END SSH SIGNATURE-----\n";

TEST_F(OpensshKeys, WeVerifyWhatSshKeygenSigns) {
  make_key("ed25519", "ed25519", "c");
  make_key("ecdsa", "ecdsa", "c", {"-b", "256"});
  make_key("rsa", "rsa", "c", {"-b", "2048"});
  const std::pair<const char*, const char*> rows[] = {
      {"ed25519", "ssh-ed25519"}, {"ecdsa", "ecdsa-sha2-nistp256"}, {"rsa", "rsa-sha2-512"}};
  for (const auto& [name, algorithm] : rows) {
    for (int i = 0; i < 8; i++) {
      SCOPED_TRACE(algorithm);
      const std::string message = "message " + std::to_string(i);
      const std::string armour = must_keygen({"-q", "-Y", "sign", "-n", "test", "-f", path(name)}, message);
      ASSERT_TRUE(armour.starts_with(kBegin) && armour.ends_with(kEnd)) << armour;
      std::string base64 = armour.substr(kBegin.size(), armour.size() - kBegin.size() - kEnd.size());
      std::erase(base64, '\n');
      const auto blob = from_base64(base64).value();
      Reader reader(blob);
      EXPECT_EQ(as_text(reader.raw(6)), "SSHSIG");
      EXPECT_EQ(reader.u32(), 1u);
      const PublicKey key = PublicKey::parse(reader.string()).value();
      EXPECT_EQ(key, public_key(name));
      EXPECT_EQ(reader.text(), "test");
      EXPECT_EQ(reader.text(), "");
      EXPECT_EQ(reader.text(), "sha512");
      const Bytes signature = reader.string();
      EXPECT_TRUE(reader.done());
      EXPECT_TRUE(key.verify(algorithm, sshsig_signed_data("test", message), signature).has_value());
      EXPECT_FALSE(key.verify(algorithm, sshsig_signed_data("test", message + "!"), signature).has_value());
    }
  }
}

TEST_F(OpensshKeys, SshKeygenVerifiesWhatWeSign) {
  SeededRandom random;
  const auto key = generate_ed25519(random);
  write_file("allowed", "me " + public_text(key->public_key()) + "\n");
  for (const char* message : {"", "a message\n"}) {
    std::vector<uint8_t> blob;
    Writer writer(blob);
    writer.raw(as_bytes("SSHSIG"));
    writer.u32(1);
    writer.string(key->public_key().blob());
    writer.text("test");
    writer.text("");
    writer.text("sha512");
    writer.string(key->sign("ssh-ed25519", sshsig_signed_data("test", message)).value());
    write_file("signature", std::string(kBegin) + to_base64(blob) + "\n" + std::string(kEnd));
    const std::vector<std::string> verify = {"-Y", "verify", "-f", path("allowed"),  "-I", "me",
                                             "-n", "test",   "-s", path("signature")};
    must_keygen(verify, message);
    EXPECT_NE(keygen(verify, "another message").exit_code, 0);
  }
}

}  // namespace
}  // namespace plumb::testing
