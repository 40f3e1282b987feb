// Keys, key files and signatures, judged by ssh-keygen in both directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/key_file.h"
#include "keys/key_file_cipher.h"
#include "keys/key_type.h"
#include "keys/public_line.h"
#include "keys/signature.h"
#include "tests/keys/libcrypto_signer.h"
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

/// Every kind of key that ssh-keygen makes and we sign with.
struct Made {
  const char* name;
  const char* type;
  std::vector<std::string> bits;
};
const std::vector<Made> kMade = {{"ed25519", "ed25519", {}},           {"ecdsa256", "ecdsa", {"-b", "256"}},
                                 {"ecdsa384", "ecdsa", {"-b", "384"}}, {"ecdsa521", "ecdsa", {"-b", "521"}},
                                 {"rsa2048", "rsa", {"-b", "2048"}},   {"rsa3072", "rsa", {"-b", "3072"}}};

Error refusal(std::string_view text, std::optional<Bytes> passphrase = std::nullopt) {
  const auto file = parse_key_file(text, passphrase);
  EXPECT_FALSE(file.has_value());
  return file ? Error{ErrorCode::kUsage, 0, "accepted"} : file.error();
}

TEST_F(OpensshKeys, FingerprintsAndTypesAgree) {
  for (const Made& made : kMade) {
    make_key(made.name, made.type, "c", made.bits);
    const PublicKey key = public_key(made.name);
    const std::string file = path(made.name);
    EXPECT_EQ(key.fingerprint(), fingerprint_in(must_keygen({"-l", "-f", file}))) << made.name;
    const std::string md5 = must_keygen({"-l", "-E", "md5", "-f", file});
    EXPECT_NE(md5.find(" " + key.md5_fingerprint() + " c "), std::string::npos) << md5;
    EXPECT_NE(md5.find("(" + std::string(find_key_type(key.type())->label) + ")"), std::string::npos) << md5;
  }
}

/// The type of each line of the table that can be made here.
std::vector<std::string_view> types_that_can_be_made() {
  std::vector<std::string_view> types;
  for (const KeyType& type : key_types()) {
    if (!type.is_security_key()) types.push_back(type.name);
  }
  return types;
}

TEST_F(OpensshKeys, KeysOfEveryTypeLoadAsSshKeygenWroteThem) {
  for (const Made& made : kMade) {
    SCOPED_TRACE(made.name);
    make_key(made.name, made.type, "a comment", made.bits);
    const auto file = parse_key_file(read_file(made.name));
    ASSERT_TRUE(file.has_value()) << file.error().text;
    EXPECT_EQ(file->comment, "a comment");
    EXPECT_EQ(file->key->public_key(), public_key(made.name));
    const auto outline = outline_key_file(read_file(made.name));
    ASSERT_TRUE(outline.has_value()) << outline.error().text;
    EXPECT_FALSE(outline->encrypted);
    EXPECT_EQ(*outline->public_key, public_key(made.name));
  }
}

TEST_F(OpensshKeys, SshKeygenReadsKeysOfEveryTypeThatWeMake) {
  for (std::string_view type : types_that_can_be_made()) {
    SCOPED_TRACE(type);
    const auto key = generate_key(type, system_random(), type == "ssh-rsa" ? 2048 : 0);
    ASSERT_TRUE(key.has_value()) << key.error().text;
    write_file("key", write_key_file(**key, "made here", system_random()));
    EXPECT_EQ(must_keygen({"-y", "-f", path("key")}), public_line((*key)->public_key(), "made here") + "\n");
    EXPECT_EQ(fingerprint_in(must_keygen({"-l", "-f", path("key")})), (*key)->public_key().fingerprint());
  }
}

TEST_F(OpensshKeys, EncryptedFilesOfSshKeygenLoadUnderEveryCipher) {
  const std::string passphrase = "a pass phrase";
  for (const KeyFileCipher& cipher : key_file_ciphers()) {
    for (const Made& made : {kMade[0], kMade[3]}) {
      SCOPED_TRACE(std::string(cipher.name) + " " + made.name);
      const std::string name = std::string(cipher.name) + made.name;
      std::vector<std::string> arguments = {"-q", "-t", made.type, "-Z",       std::string(cipher.name),
                                            "-a", "2",  "-N",      passphrase, "-C",
                                            "c",  "-f", path(name)};
      arguments.insert(arguments.end(), made.bits.begin(), made.bits.end());
      must_keygen(arguments);
      const std::string text = read_file(name);
      const auto outline = outline_key_file(text);
      ASSERT_TRUE(outline.has_value()) << outline.error().text;
      EXPECT_TRUE(outline->encrypted);
      EXPECT_EQ(*outline->public_key, public_key(name));
      const auto file = parse_key_file(text, as_bytes(passphrase));
      ASSERT_TRUE(file.has_value()) << file.error().text;
      EXPECT_EQ(file->key->public_key(), public_key(name));
      EXPECT_EQ(file->comment, "c");
      EXPECT_EQ(refusal(text).code, ErrorCode::kAuth);
      EXPECT_EQ(refusal(text, as_bytes("another")).code, ErrorCode::kAuth);
      EXPECT_EQ(refusal(text, Bytes()).code, ErrorCode::kAuth);
    }
  }
}

TEST_F(OpensshKeys, SshKeygenReadsFilesThatWeEncryptUnderEveryCipher) {
  SeededRandom random;
  for (const KeyFileCipher& cipher : key_file_ciphers()) {
    for (std::string_view type : {"ssh-ed25519", "ecdsa-sha2-nistp521"}) {
      SCOPED_TRACE(std::string(cipher.name) + " " + std::string(type));
      const auto key = generate_key(type, random).value();
      const KeyFileEncryption encryption{as_bytes("secret"), cipher.name, 3};
      write_file("key", write_key_file(*key, "c", random, encryption));
      EXPECT_EQ(must_keygen({"-y", "-P", "secret", "-f", path("key")}), public_line(key->public_key(), "c") + "\n");
      EXPECT_NE(keygen({"-y", "-P", "wrong", "-f", path("key")}).exit_code, 0);
    }
  }
}

TEST_F(OpensshKeys, PemFilesOfSshKeygenLoad) {
  struct Form {
    const char* made;
    const char* format;
    const char* passphrase;
  };
  for (const Form& form : {Form{"rsa2048", "PEM", ""},
                           {"rsa2048", "PEM", "secret"},
                           {"rsa2048", "PKCS8", ""},
                           {"rsa2048", "PKCS8", "secret"},
                           {"ecdsa256", "PEM", ""},
                           {"ecdsa384", "PEM", "secret"},
                           {"ecdsa521", "PKCS8", ""},
                           {"ecdsa256", "PKCS8", "secret"}}) {
    const std::string name = std::string(form.made) + form.format + form.passphrase;
    SCOPED_TRACE(name);
    const auto made =
        std::find_if(kMade.begin(), kMade.end(), [&](const Made& m) { return m.name == std::string(form.made); });
    must_keygen({"-q", "-t", made->type, made->bits[0], made->bits[1], "-m", form.format, "-N", form.passphrase, "-C",
                 "", "-f", path(name)});
    const std::string text = read_file(name);
    const bool encrypted = *form.passphrase != '\0';
    const auto file = parse_key_file(text, encrypted ? std::optional(as_bytes(form.passphrase)) : std::nullopt);
    ASSERT_TRUE(file.has_value()) << file.error().text;
    EXPECT_EQ(file->key->public_key(), public_key(name));
    const auto outline = outline_key_file(text);
    ASSERT_TRUE(outline.has_value()) << outline.error().text;
    EXPECT_EQ(outline->encrypted, encrypted);
    if (encrypted) {
      EXPECT_EQ(refusal(text).code, ErrorCode::kAuth);
      EXPECT_EQ(refusal(text, as_bytes("wrong")).code, ErrorCode::kAuth);
    }
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
    const std::string right = public_line(key->public_key(), comment) + "\n";
    EXPECT_EQ(must_keygen({"-y", "-f", path("key")}), right);
    EXPECT_EQ(fingerprint_in(must_keygen({"-l", "-f", path("key")})), key->public_key().fingerprint());
  }
}

TEST_F(OpensshKeys, C50_PublicKeyThatBeginsWithZero) {
  SeededRandom random;
  std::unique_ptr<StoredKey> key;
  for (int i = 0; i < 10000; i++) {
    key = generate_ed25519(random);
    if (key->public_key().blob().last(32)[0] == 0) break;
  }
  ASSERT_EQ(key->public_key().blob().last(32)[0], 0);
  write_file("key", write_key_file(*key, "zero", random));
  EXPECT_EQ(must_keygen({"-y", "-f", path("key")}), public_line(key->public_key(), "zero") + "\n");

  // And back: ssh-keygen writes the file anew (a passphrase change from none to none).
  must_keygen({"-p", "-P", "", "-N", "", "-C", "again", "-f", path("key")});
  const auto file = parse_key_file(read_file("key"));
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ(file->key->public_key(), key->public_key());
}

TEST_F(OpensshKeys, C49_FilesThatWeCannotUseSayWhatToDo) {
  must_keygen({"-q", "-t", "ed25519", "-Z", "3des-cbc", "-N", "secret", "-a", "1", "-f", path("3des")});
  EXPECT_EQ(refusal(read_file("3des"), as_bytes("secret")).code, ErrorCode::kUnsupported);
  // The advice, followed: the key loads.
  must_keygen({"-p", "-Z", "aes256-ctr", "-P", "secret", "-N", "secret", "-a", "1", "-f", path("3des")});
  EXPECT_TRUE(parse_key_file(read_file("3des"), as_bytes("secret")).has_value());

  EXPECT_NE(std::string_view(refusal(read_file("3des.pub")).text).find("public key"), std::string_view::npos);
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
  for (const Made& made : kMade) {
    const char* name = made.name;
    make_key(name, made.type, "c", made.bits);
    const std::string_view algorithm = algorithms_of_key_type(public_key(name).type()).front();
    for (int i = 0; i < 4; i++) {
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

/// The text of a signature file.
std::string sshsig_file(const PublicKey& key, Bytes signature) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.raw(as_bytes("SSHSIG"));
  writer.u32(1);
  writer.string(key.blob());
  writer.text("test");
  writer.text("");
  writer.text("sha512");
  writer.string(signature);
  return std::string(kBegin) + to_base64(blob) + "\n" + std::string(kEnd);
}

TEST_F(OpensshKeys, SshKeygenVerifiesWhatWeSignUnderEveryAlgorithm) {
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    if (algorithm.security_key) continue;  // the secret is in the token
    SCOPED_TRACE(algorithm.name);
    const auto key =
        generate_key(algorithm.key_type, system_random(), algorithm.key_type == "ssh-rsa" ? 2048 : 0).value();
    write_file("allowed", "me " + public_line(key->public_key()) + "\n");
    for (const char* message : {"", "a message\n"}) {
      const auto signature = key->sign(algorithm.name, sshsig_signed_data("test", message)).value();
      write_file("signature", sshsig_file(key->public_key(), signature));
      const std::vector<std::string> verify = {"-Y", "verify", "-f", path("allowed"),  "-I", "me",
                                               "-n", "test",   "-s", path("signature")};
      must_keygen(verify, message);
      EXPECT_NE(keygen(verify, "another message").exit_code, 0);
    }
  }
}

// There is no token here: libcrypto plays one. That it plays it well, ssh-keygen says: it and we agree on each
// signature.
TEST_F(OpensshKeys, SshKeygenAndWeAgreeOnSignaturesOfSecurityKeys) {
  for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
    if (!algorithm.security_key) continue;
    SCOPED_TRACE(algorithm.name);
    const LibcryptoSigner token = LibcryptoSigner::of_type(algorithm.key_type);
    const PublicKey key = PublicKey::parse(token.blob()).value();
    write_file("allowed", "me " + public_line(key) + "\n");
    const auto data = sshsig_signed_data("test", "a message");
    const auto good = token.sign_token(data, 0x05, 123456);
    const auto verified = key.verify(algorithm.name, data, good);
    ASSERT_TRUE(verified.has_value()) << verified.error().text;
    ASSERT_TRUE(verified->token().has_value());
    EXPECT_TRUE(verified->token()->user_present && verified->token()->user_verified);
    EXPECT_EQ(verified->token()->counter, 123456u);
    for (size_t i = 0; i <= good.size(); i++) {
      if (i % 8 != 0 && i + 6 < good.size()) continue;  // a process for each; the last bytes are flags and counter
      std::vector<uint8_t> signature = good;
      if (i < good.size()) signature[i] ^= 0x40;
      write_file("signature", sshsig_file(key, signature));
      const bool theirs =
          keygen({"-Y", "verify", "-f", path("allowed"), "-I", "me", "-n", "test", "-s", path("signature")},
                 "a message")
              .exit_code == 0;
      EXPECT_EQ(theirs, i == good.size());
      EXPECT_EQ(key.verify(algorithm.name, data, signature).has_value(), theirs) << "byte " << i;
    }
  }
}

}  // namespace
}  // namespace plumb::testing
