#include <gtest/gtest.h>

#include <string>

#include "core/encoding.h"
#include "keys/key_file.h"
#include "tests/keys/key_file_builder.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

const std::vector<uint8_t> kSeed(32, 0x42);

Error refusal(std::string_view text) {
  const auto file = parse_key_file(text);
  EXPECT_FALSE(file.has_value());
  if (file) return {ErrorCode::kUsage, 0, "accepted"};
  EXPECT_STRNE(file.error().text, "");
  return file.error();
}

/// Whether a file for kSeed was read: the same public key, and signatures that libcrypto takes for that key's.
void expect_loads(std::string_view text, std::string_view comment) {
  const auto file = parse_key_file(text);
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ(file->comment, comment);
  const auto signer = LibcryptoSigner::ed25519(kSeed);
  const auto blob = signer.blob();
  EXPECT_EQ(concat({file->key->public_key().blob()}), blob);
  const Bytes message = as_bytes("m");
  EXPECT_EQ(file->key->sign("ssh-ed25519", message).value(),
            signature_blob("ssh-ed25519", signer.sign("ssh-ed25519", message)));
}

TEST(KeyFile, C49_EveryShapeOfArmourLoads) {
  const auto body = encode(good_fields(kSeed));
  for (size_t width : {1, 7, 64, 70, 76, 100000}) {
    for (const char* line_end : {"\n", "\r\n"}) {
      for (bool final_line_end : {true, false}) {
        SCOPED_TRACE(std::to_string(width) + (line_end[0] == '\r' ? " CRLF" : " LF") +
                     (final_line_end ? "" : ", no final line end"));
        expect_loads(armour(body, {width, line_end, final_line_end}), "comment");
      }
    }
  }
}

TEST(KeyFile, C49_CommentsOfEveryPaddingLoad) {
  bool padded[8] = {};
  for (size_t size = 0; size <= 16; size++) {
    KeyFileFields fields = good_fields(kSeed);
    fields.comment = std::string(size, 'c');
    expect_loads(armour(encode(fields)), fields.comment);

    // What OpenSSH takes too: more padding than needed, as long as it counts on.
    fields.padding.emplace();
    while ((4 + 4 + 15 + 36 + 68 + 4 + size + fields.padding->size()) % 8 != 0) {
      fields.padding->push_back(static_cast<uint8_t>(fields.padding->size() + 1));
    }
    padded[fields.padding->size()] = true;
    for (int i = 0; i < 8; i++) fields.padding->push_back(static_cast<uint8_t>(fields.padding->size() + 1));
    expect_loads(armour(encode(fields)), fields.comment);
  }
  for (bool met : padded) EXPECT_TRUE(met);
}

TEST(KeyFile, C49_WrongPaddingIsRefused) {
  KeyFileFields fields = good_fields(kSeed);
  fields.comment = "12345";  // leaves 4 + 4 + 15 + 36 + 68 + 4 + 5 = 136 bytes: none needed
  fields.padding.emplace();
  expect_loads(armour(encode(fields)), "12345");
  for (std::string_view padding : {"0000000000000000", "0102030405060700", "0002030405060708", "0203040506070809",
                                   "0808080808080808", "01", "0102030405060707"}) {
    fields.padding = hex(padding);
    EXPECT_EQ(refusal(armour(encode(fields))).code, ErrorCode::kFormat) << padding;
  }
}

TEST(KeyFile, C49_DamagedCheckNumbersAreRefused) {
  KeyFileFields fields = good_fields(kSeed);
  fields.check2 ^= 1;
  EXPECT_EQ(refusal(armour(encode(fields))).code, ErrorCode::kFormat);
  fields.check1 = fields.check2 = 0;
  expect_loads(armour(encode(fields)), "comment");
}

TEST(KeyFile, EveryFieldWrongIsRefused) {
  const auto with = [](auto change) {
    KeyFileFields fields = good_fields(kSeed);
    change(fields);
    return refusal(armour(encode(fields))).code;
  };
  using F = KeyFileFields;
  EXPECT_EQ(with([](F& f) { f.magic[3] = 'x'; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.magic = "openssh-key-v2" + std::string(1, '\0'); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.cipher = "3des-cbc"; }), ErrorCode::kUnsupported);
  EXPECT_EQ(with([](F& f) { f.cipher = "aes256-ctr"; }), ErrorCode::kUnsupported) << "with the derivation none";
  EXPECT_EQ(with([](F& f) { f.cipher = ""; }), ErrorCode::kUnsupported);
  EXPECT_EQ(with([](F& f) { f.kdf = "bcrypt"; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.kdf_options = "x"; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.count = 0; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.count = 2; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.public_blob = LibcryptoSigner::ed25519(std::vector<uint8_t>(32, 1)).blob(); }),
            ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.public_blob.clear(); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.type = "ssh-rsa"; }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.type = "ssh-dss"; }), ErrorCode::kUnsupported);
  EXPECT_EQ(with([](F& f) { f.type = "sk-ssh-ed25519@openssh.com"; }), ErrorCode::kUnsupported);
  EXPECT_EQ(with([](F& f) { f.type = ""; }), ErrorCode::kUnsupported);
  EXPECT_EQ(with([](F& f) { f.public_half.push_back(0); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.secret.pop_back(); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.secret.resize(32); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.tail = hex("00"); }), ErrorCode::kFormat);
  EXPECT_EQ(with([](F& f) { f.tail = hex("0000000000000000"); }), ErrorCode::kFormat);
}

TEST(KeyFile, HalvesThatDoNotBelongTogetherAreRefused) {
  const KeyFileFields other = good_fields(std::vector<uint8_t>(32, 1));
  KeyFileFields fields = good_fields(kSeed);
  fields.public_half = other.public_half;
  EXPECT_EQ(refusal(armour(encode(fields))).code, ErrorCode::kFormat);

  fields.secret = concat({kSeed, other.public_half});
  EXPECT_EQ(refusal(armour(encode(fields))).code, ErrorCode::kFormat);

  // Another key's public half wherever it stands: a signature with it would give the seed away.
  fields.public_blob = other.public_blob;
  EXPECT_EQ(refusal(armour(encode(fields))).code, ErrorCode::kFormat);
}

TEST(KeyFile, TruncatedAtEveryLengthIsRefused) {
  const auto body = encode(good_fields(kSeed));
  const std::string text = armour(body);
  const std::string no_final_line_end = text.substr(0, text.size() - 1);
  expect_loads(no_final_line_end, "comment");
  for (size_t size = 0; size < no_final_line_end.size(); size++) {
    EXPECT_EQ(refusal(text.substr(0, size)).code, ErrorCode::kFormat) << "first " << size << " characters";
  }
  for (size_t size = 0; size < body.size(); size++) {
    EXPECT_EQ(refusal(armour(Bytes(body).first(size))).code, ErrorCode::kFormat) << "first " << size << " bytes";
  }
}

TEST(KeyFile, EveryByteFlippedIsRefusedUnlessItIsTheComment) {
  const auto body = encode(good_fields(kSeed));
  const std::string_view comment = "comment";
  const size_t comment_at = as_text(body).rfind(comment);
  for (size_t i = 0; i < body.size(); i++) {
    std::vector<uint8_t> flipped = body;
    flipped[i] ^= static_cast<uint8_t>(1u << (i % 8));
    const bool in_comment = i >= comment_at && i < comment_at + comment.size();
    EXPECT_EQ(parse_key_file(armour(flipped)).has_value(), in_comment) << "byte " << i;
  }
}

TEST(KeyFile, EveryCharacterFlippedIsRefusedOrReadsTheSameKey) {
  const std::string text = armour(encode(good_fields(kSeed)));
  const auto blob = LibcryptoSigner::ed25519(kSeed).blob();
  int accepted = 0;
  for (size_t i = 0; i < text.size(); i++) {
    for (unsigned bit = 0; bit < 8; bit++) {
      std::string flipped = text;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      const auto file = parse_key_file(flipped);
      if (!file) continue;
      accepted++;
      EXPECT_EQ(concat({file->key->public_key().blob()}), blob) << "character " << i << " bit " << bit;
    }
  }
  EXPECT_LT(accepted, 100) << "only the comment and blank space may change";
}

TEST(KeyFile, ForeignFilesAreNamed) {
  struct Row {
    const char* text;
    ErrorCode code;
    const char* says;
  };
  const Row rows[] = {
      {"", ErrorCode::kFormat, "empty"},
      {" \r\n\n", ErrorCode::kFormat, "empty"},
      {"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me@here\n", ErrorCode::kFormat, "public key"},
      {"ecdsa-sha2-nistp256 AAAA me@here\n", ErrorCode::kFormat, "public key"},
      {"sk-ssh-ed25519@openssh.com AAAA me@here\n", ErrorCode::kFormat, "public key"},
      {"---- BEGIN SSH2 PUBLIC KEY ----\n", ErrorCode::kFormat, "public key"},
      {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", ErrorCode::kFormat, "public key"},
      {"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n", ErrorCode::kFormat, "PEM"},
      {"-----BEGIN EC PRIVATE KEY-----\nAAAA\n", ErrorCode::kFormat, "PEM"},
      {"-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n", ErrorCode::kFormat, "PEM"},
      {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n", ErrorCode::kFormat, "PEM"},
      {"-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----\n", ErrorCode::kUnsupported, "DSA"},
      {"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", ErrorCode::kUnsupported, "PuTTY"},
      {"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n", ErrorCode::kUnsupported, "SSH.COM"},
      {"#!/bin/sh\n", ErrorCode::kFormat, "not a private key file"},
      {"-----BEGIN OPENSSH PRIVATE KEY-----", ErrorCode::kFormat, "cut short"},
      {"-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n", ErrorCode::kFormat, "damaged"},
      {"-----BEGIN OPENSSH PRIVATE KEY-----\nAA=A\n-----END OPENSSH PRIVATE KEY-----\n", ErrorCode::kFormat, "base64"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const Error error = refusal(row.text);
    EXPECT_EQ(error.code, row.code);
    EXPECT_NE(std::string_view(error.text).find(row.says), std::string_view::npos) << error.text;
  }
}

TEST(KeyFile, TextAroundTheArmourIsRefused) {
  const std::string text = armour(encode(good_fields(kSeed)));
  expect_loads(text + "\r\n \n", "comment");
  EXPECT_EQ(refusal("\n" + text).code, ErrorCode::kFormat);
  EXPECT_EQ(refusal("a note\n" + text).code, ErrorCode::kFormat);
  EXPECT_EQ(refusal(text + text).code, ErrorCode::kFormat) << "two keys in one file";
  EXPECT_EQ(refusal(text + "x").code, ErrorCode::kFormat);
  EXPECT_EQ(refusal(text + std::string(1 << 20, '\n')).code, ErrorCode::kLimit);
}

TEST(KeyFile, WrittenFilesAreTheFormatFieldByField) {
  const auto key = ed25519_from_seed(kSeed);
  for (size_t size = 0; size <= 16; size++) {
    const std::string comment(size, 'x');
    SeededRandom random(size);
    const std::string text = write_key_file(*key, comment, random);

    KeyFileFields fields = good_fields(kSeed);
    fields.comment = comment;
    SeededRandom same(size);
    const auto check = same.bytes(4);
    fields.check1 = fields.check2 = static_cast<uint32_t>(check[0]) << 24 | check[1] << 16 | check[2] << 8 | check[3];
    EXPECT_EQ(text, armour(encode(fields)));
    expect_loads(text, comment);
  }
}

TEST(KeyFile, C50_PublicKeyThatBeginsWithZero) {
  SeededRandom random;
  for (int i = 0;; i++) {
    ASSERT_LT(i, 10000) << "no public key that begins with 00";
    const auto key = generate_ed25519(random);
    if (key->public_key().blob().last(32)[0] != 0) continue;
    const auto file = parse_key_file(write_key_file(*key, "zero", random));
    ASSERT_TRUE(file.has_value()) << file.error().text;
    EXPECT_EQ(file->key->public_key(), key->public_key());
    return;
  }
}

TEST(KeyFile, ArbitraryBodiesAreRefused) {
  SeededRandom random;
  const auto body = encode(good_fields(kSeed));
  for (int i = 0; i < 2000; i++) {
    std::vector<uint8_t> changed = body;
    const size_t start = random.below(changed.size());
    for (size_t k = start; k < changed.size() && k < start + 40; k++)
      changed[k] = static_cast<uint8_t>(random.below(256));
    if (const auto file = parse_key_file(armour(changed))) {
      EXPECT_EQ(concat({file->key->public_key().blob()}), good_fields(kSeed).public_blob);
    }
  }
}

}  // namespace
}  // namespace plumb::testing
