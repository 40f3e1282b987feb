// The "openssh-key-v1" format (openssh-portable PROTOCOL.key):
//
//   "openssh-key-v1" 00 | string cipher | string kdf | string kdf options | uint32 number of keys
//   string public key blob | string private section | the tag, if the cipher is an AEAD
//   private section: uint32 check | uint32 check | string type | key fields | string comment | padding 01 02 03 …
#include "keys/key_file.h"

#include <algorithm>

#include "core/check.h"
#include "core/ct.h"
#include "core/wire.h"
#include "keys/bcrypt_pbkdf.h"
#include "keys/key_armour.h"
#include "keys/key_file_cipher.h"
#include "keys/key_type.h"
#include "keys/pem_key.h"
#include "keys/secret_writer.h"

namespace plumb {
namespace {

constexpr std::string_view kMagic("openssh-key-v1\0", 15);
constexpr std::string_view kKdf = "bcrypt";
constexpr size_t kPlainBlockSize = 8;  // of the cipher "none"
constexpr size_t kSaltSize = 16;       // as ssh-keygen
constexpr size_t kMaxSaltSize = 1024;
constexpr uint32_t kMaxRounds = 4096;  // half a minute; ssh-keygen's -a is 16 or 24, careful people's 100

constexpr const char* kCutShort = "the key file is cut short or has bytes left over";

/// What stands around the private section.
struct Envelope {
  const KeyFileCipher* cipher;  ///< nullptr: not encrypted
  Bytes salt;
  uint32_t rounds;
  Bytes public_blob;
  Bytes private_section;
  Bytes tag;

  size_t block_size() const { return cipher == nullptr ? kPlainBlockSize : cipher->block_size; }
};

Result<void> parse_derivation(std::string_view kdf, Bytes options, Envelope& envelope) {
  if (envelope.cipher == nullptr) {
    if (kdf == "none" && options.empty()) return {};
    return fail(ErrorCode::kFormat, "the key file is damaged: it is not encrypted but names a key derivation");
  }
  if (kdf != kKdf) {
    return fail(ErrorCode::kUnsupported, "the key file's key derivation is not bcrypt, the only one there is");
  }
  Reader reader(options);
  envelope.salt = reader.string();
  envelope.rounds = reader.u32();
  if (!reader.done() || envelope.salt.empty() || envelope.salt.size() > kMaxSaltSize || envelope.rounds == 0) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its key derivation has wrong options");
  }
  if (envelope.rounds > kMaxRounds) {
    return fail(ErrorCode::kLimit,
                "the key file asks for more than 4096 rounds of key derivation; write it again with "
                "fewer: ssh-keygen -p -a 100 -f FILE");
  }
  return {};
}

Result<Envelope> parse_envelope(Bytes body) {
  Reader reader(body);
  if (as_text(reader.raw(kMagic.size())) != kMagic) {
    return fail(ErrorCode::kFormat, "the key file is damaged: it does not begin with openssh-key-v1");
  }
  const std::string_view cipher = reader.text();
  const std::string_view kdf = reader.text();
  const Bytes kdf_options = reader.string();
  const uint32_t keys = reader.u32();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the key file is cut short");
  Envelope envelope{};
  envelope.cipher = find_key_file_cipher(cipher);
  if (envelope.cipher == nullptr && cipher != "none") {
    return fail(ErrorCode::kUnsupported,
                "the key file is encrypted with a cipher that is not supported; write it "
                "again with: ssh-keygen -p -Z aes256-ctr -f FILE");
  }
  if (const auto parsed = parse_derivation(kdf, kdf_options, envelope); !parsed) return tl::unexpected(parsed.error());
  if (keys != 1) return fail(ErrorCode::kFormat, "the key file does not hold exactly one key");
  envelope.public_blob = reader.string();
  envelope.private_section = reader.string();
  if (envelope.cipher != nullptr) envelope.tag = reader.raw(envelope.cipher->tag_size);
  if (!reader.done()) return fail(ErrorCode::kFormat, kCutShort);
  if (envelope.private_section.empty() || envelope.private_section.size() % envelope.block_size() != 0) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its private section is not a row of whole blocks");
  }
  return envelope;
}

Result<SecretBytes> decrypt(const Envelope& envelope, Bytes passphrase) {
  if (passphrase.empty()) return fail(ErrorCode::kAuth, "the passphrase is empty, but the key file is encrypted");
  const KeyFileCipher& cipher = *envelope.cipher;
  const SecretBytes derived =
      bcrypt_pbkdf(passphrase, envelope.salt, envelope.rounds, cipher.key_size + cipher.iv_size);
  SecretBytes section(envelope.private_section);
  if (!cipher.decrypt(derived.bytes().first(cipher.key_size), derived.bytes().last(cipher.iv_size), section.bytes(),
                      envelope.tag)) {
    return fail(ErrorCode::kAuth, "the passphrase is wrong, or the key file is damaged");
  }
  return section;
}

/// OpenSSH takes any length that counts on from 1, and some writers pad by a whole block where none is needed.
bool is_padding(Bytes bytes) {
  for (size_t i = 0; i < bytes.size(); i++) {
    if (bytes[i] != static_cast<uint8_t>(i + 1)) return false;
  }
  return bytes.size() < 256;
}

Result<KeyFile> parse_private_section(Bytes section, const Envelope& envelope) {
  Reader reader(section);
  const uint32_t check = reader.u32();
  if (reader.u32() != check) {
    // The check numbers are there for this: after a wrong passphrase they differ.
    return envelope.cipher != nullptr ? fail(ErrorCode::kAuth, "the passphrase is wrong, or the key file is damaged")
                                      : fail(ErrorCode::kFormat, "the key file is damaged: its check numbers differ");
  }
  const std::string_view type_name = reader.text();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the private section of the key file is cut short");
  const KeyType* type = find_key_type(type_name);
  if (type == nullptr || type->name != type_name) {
    return fail(ErrorCode::kUnsupported,
                "private keys of this type are not supported; make an ed25519 key with: ssh-keygen -t ed25519");
  }
  if (type->is_security_key()) {
    return fail(ErrorCode::kUnsupported,
                "the key is in a security token, which only an agent can ask here; add it with: "
                "ssh-add FILE");
  }
  Result<std::unique_ptr<StoredKey>> key = type->read_private(reader);
  if (!key) return tl::unexpected(key.error());
  const std::string_view comment = reader.text();
  const bool ok = reader.ok();
  const Bytes padding = reader.rest();
  if (!ok) return fail(ErrorCode::kFormat, "the private section of the key file is cut short");
  if (!is_padding(padding)) return fail(ErrorCode::kFormat, "the key file is damaged: its padding is wrong");
  if (!ct_equal((*key)->public_key().blob(), envelope.public_blob)) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its two public keys differ");
  }
  return KeyFile{*std::move(key), std::string(comment)};
}

}  // namespace

Result<KeyFile> parse_key_file(std::string_view text, std::optional<Bytes> passphrase) {
  if (is_pem_key(text)) return parse_pem_key(text, passphrase);
  const Result<SecretBytes> body = decode_key_armour(text);
  if (!body) return tl::unexpected(body.error());
  const Result<Envelope> envelope = parse_envelope(body->bytes());
  if (!envelope) return tl::unexpected(envelope.error());
  if (envelope->cipher == nullptr) return parse_private_section(envelope->private_section, *envelope);
  if (!passphrase) return fail(ErrorCode::kAuth, "the key file is encrypted, and its passphrase was not given");
  const Result<SecretBytes> section = decrypt(*envelope, *passphrase);
  if (!section) return tl::unexpected(section.error());
  return parse_private_section(section->bytes(), *envelope);
}

Result<KeyFileOutline> outline_key_file(std::string_view text) {
  if (is_pem_key(text)) return outline_pem_key(text);
  const Result<SecretBytes> body = decode_key_armour(text);
  if (!body) return tl::unexpected(body.error());
  const Result<Envelope> envelope = parse_envelope(body->bytes());
  if (!envelope) return tl::unexpected(envelope.error());
  Result<PublicKey> key = PublicKey::parse(envelope->public_blob);
  if (!key) return tl::unexpected(key.error());
  return KeyFileOutline{envelope->cipher != nullptr, *std::move(key)};
}

std::string write_key_file(const StoredKey& key, std::string_view comment, RandomSource& random,
                           const std::optional<KeyFileEncryption>& encryption) {
  PLUMB_CHECK(comment.size() < kMaxKeyFileSize / 2);
  const KeyFileCipher* cipher = encryption ? find_key_file_cipher(encryption->cipher) : nullptr;
  PLUMB_CHECK(!encryption || cipher != nullptr);

  SecretWriter section;
  uint8_t check[4];
  random.fill(check);
  section.raw(check);
  section.raw(check);
  section.text(key.public_key().type());
  section.raw(key.private_fields().bytes());
  section.text(comment);
  const size_t block_size = cipher == nullptr ? kPlainBlockSize : cipher->block_size;
  for (uint8_t b = 1; section.size() % block_size != 0; b++) section.u8(b);

  std::vector<uint8_t> kdf_options;
  std::vector<uint8_t> tag;
  if (cipher != nullptr) {
    std::array<uint8_t, kSaltSize> salt;
    random.fill(salt);
    Writer options(kdf_options);
    options.string(salt);
    options.u32(encryption->rounds);
    const SecretBytes derived =
        bcrypt_pbkdf(encryption->passphrase, salt, encryption->rounds, cipher->key_size + cipher->iv_size);
    tag.resize(cipher->tag_size);
    cipher->encrypt(derived.bytes().first(cipher->key_size), derived.bytes().last(cipher->iv_size), section.bytes(),
                    tag);
  }

  SecretWriter body;
  body.raw(as_bytes(kMagic));
  body.text(cipher == nullptr ? "none" : cipher->name);
  body.text(cipher == nullptr ? "none" : kKdf);
  body.string(kdf_options);
  body.u32(1);
  body.string(key.public_key().blob());
  body.string(section.bytes());
  body.raw(tag);
  return encode_key_armour(body.bytes());
}

}  // namespace plumb
