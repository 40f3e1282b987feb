// The "openssh-key-v1" format (openssh-portable PROTOCOL.key):
//
//   "openssh-key-v1" 00 | string cipher | string kdf | string kdf options | uint32 number of keys
//   string public key blob | string private section
//   private section: uint32 check | uint32 check | string type | key fields | string comment | padding 01 02 03 …
#include <algorithm>

#include "core/check.h"
#include "core/ct.h"
#include "core/encoding.h"
#include "core/wire.h"
#include "keys/ed25519.h"

namespace plumb {
namespace {

constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view kEnd = "-----END OPENSSH PRIVATE KEY-----";
constexpr std::string_view kMagic("openssh-key-v1\0", 15);
constexpr size_t kMaxFileSize = 1 << 20;  // as OpenSSH's MAX_KEY_FILE_SIZE
constexpr size_t kBlockSize = 8;          // of the cipher "none"
constexpr size_t kLineWidth = 70;         // what ssh-keygen writes; readers take any

/// The next line without its LF or CRLF, which is taken off `text`.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// Why a file with this first line is not ours, in the words that help its owner.
Error explain_foreign(std::string_view first_line) {
  const auto starts = [&](std::string_view prefix) { return first_line.starts_with(prefix); };
  if (starts("ssh-") || starts("ecdsa-sha2-") || starts("sk-") || starts("-----BEGIN PUBLIC KEY") ||
      starts("-----BEGIN RSA PUBLIC KEY") || starts("---- BEGIN SSH2 PUBLIC KEY")) {
    return {ErrorCode::kFormat, 0, "this is a public key; name the private key file, the one without .pub"};
  }
  if (starts("PuTTY-User-Key-File-")) {
    return {ErrorCode::kUnsupported, 0,
            "this is a PuTTY key file; export it with: puttygen FILE -O private-openssh-new -o NEWFILE"};
  }
  if (starts("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY")) {
    return {ErrorCode::kUnsupported, 0, "this is an SSH.COM key file; make an ed25519 key with: ssh-keygen -t ed25519"};
  }
  if (starts("-----BEGIN ") && first_line.find("PRIVATE KEY-----") != std::string_view::npos) {
    return {ErrorCode::kUnsupported, 0,
            "PEM key files are not supported; make an OpenSSH ed25519 key with: ssh-keygen -t ed25519"};
  }
  return {ErrorCode::kFormat, 0, "not a private key file: its first line is not -----BEGIN OPENSSH PRIVATE KEY-----"};
}

/// The decoded body between the BEGIN and END lines.
Result<SecretBytes> decode_armour(std::string_view text) {
  if (is_blank(text)) return fail(ErrorCode::kFormat, "the key file is empty");
  if (text.size() > kMaxFileSize) return fail(ErrorCode::kLimit, "the key file is larger than 1 MiB");
  const std::string_view first_line = take_line(text);
  if (first_line != kBegin) return tl::unexpected(explain_foreign(first_line));

  SecretBytes joined(text.size());
  size_t size = 0;
  for (;;) {
    if (text.empty()) return fail(ErrorCode::kFormat, "the key file is cut short: it has no END line");
    const std::string_view line = take_line(text);
    if (line == kEnd) break;
    std::copy(line.begin(), line.end(), joined.bytes().begin() + static_cast<ptrdiff_t>(size));
    size += line.size();
  }
  if (!is_blank(text)) return fail(ErrorCode::kFormat, "the key file has text behind its END line");

  SecretBytes decoded(size / 4 * 3);
  const Result<size_t> used = from_base64(as_text(joined.bytes().first(size)), decoded.bytes());
  if (!used) return fail(ErrorCode::kFormat, "the key file is damaged: its lines are not base64");
  return SecretBytes(decoded.bytes().first(*used));
}

/// What stands around the private section.
struct Envelope {
  Bytes public_blob;
  Bytes private_section;
};

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
  if (cipher != "none") {
    return fail(
        ErrorCode::kUnsupported,
        "the key is encrypted, which is not supported; take the passphrase off a copy with: ssh-keygen -p -f COPY");
  }
  if (kdf != "none" || !kdf_options.empty()) {
    return fail(ErrorCode::kFormat, "the key file is damaged: it is not encrypted but names a key derivation");
  }
  if (keys != 1) return fail(ErrorCode::kFormat, "the key file does not hold exactly one key");
  const Envelope envelope{reader.string(), reader.string()};
  if (!reader.done()) return fail(ErrorCode::kFormat, "the key file is cut short or has bytes left over");
  if (envelope.private_section.empty() || envelope.private_section.size() % kBlockSize != 0) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its private section is not a row of whole blocks");
  }
  return envelope;
}

/// OpenSSH takes any length that counts on from 1, and some writers pad by a whole block where none is needed.
bool is_padding(Bytes bytes) {
  for (size_t i = 0; i < bytes.size(); i++) {
    if (bytes[i] != i + 1) return false;
  }
  return true;
}

Result<KeyFile> parse_private_section(const Envelope& envelope) {
  Reader reader(envelope.private_section);
  const uint32_t check = reader.u32();
  if (reader.u32() != check) return fail(ErrorCode::kFormat, "the key file is damaged: its check numbers differ");
  const std::string_view type = reader.text();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the private section of the key file is cut short");
  if (type != kEd25519Type) {
    return fail(ErrorCode::kUnsupported,
                "private keys of this type are not supported; make an ed25519 key with: ssh-keygen -t ed25519");
  }
  const Bytes public_half = reader.string();
  const Bytes secret = reader.string();
  const std::string_view comment = reader.text();
  const Bytes padding = reader.rest();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the private section of the key file is cut short");
  if (public_half.size() != kEd25519PublicSize || secret.size() != kEd25519SecretSize) {
    return fail(ErrorCode::kFormat, "the ed25519 key in the key file has a wrong size");
  }
  if (!is_padding(padding)) return fail(ErrorCode::kFormat, "the key file is damaged: its padding is wrong");

  auto key = std::make_unique<Ed25519PrivateKey>(secret.first(kEd25519SeedSize));
  // A public half that is not the seed's would enter the signature and give the private key away.
  if (!ct_equal(key->secret(), secret) || !ct_equal(public_half, secret.subspan(kEd25519SeedSize))) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its private and public halves do not belong together");
  }
  if (!ct_equal(key->public_key().blob(), envelope.public_blob)) {
    return fail(ErrorCode::kFormat, "the key file is damaged: its two public keys differ");
  }
  return KeyFile{std::move(key), std::string(comment)};
}

/// All of the file's bytes for `key`, before base64.
SecretBytes encode_body(const Ed25519PrivateKey& key, std::string_view comment, RandomSource& random) {
  uint8_t check[4];
  random.fill(check);
  std::vector<uint8_t> before_secret;
  Writer writer(before_secret);
  writer.raw(check);
  writer.raw(check);
  writer.text(kEd25519Type);
  writer.string(key.secret().subspan(kEd25519SeedSize));
  writer.u32(kEd25519SecretSize);
  std::vector<uint8_t> after_secret;
  Writer(after_secret).text(comment);
  for (uint8_t b = 1; (before_secret.size() + kEd25519SecretSize + after_secret.size()) % kBlockSize != 0; b++) {
    after_secret.push_back(b);
  }
  const size_t section_size = before_secret.size() + kEd25519SecretSize + after_secret.size();

  std::vector<uint8_t> head;
  Writer outer(head);
  outer.raw(as_bytes(kMagic));
  outer.text("none");
  outer.text("none");
  outer.text("");
  outer.u32(1);
  outer.string(key.public_key().blob());
  outer.u32(static_cast<uint32_t>(section_size));

  SecretBytes body(head.size() + section_size);
  auto out = std::copy(head.begin(), head.end(), body.bytes().begin());
  out = std::copy(before_secret.begin(), before_secret.end(), out);
  out = std::ranges::copy(key.secret(), out).out;
  std::copy(after_secret.begin(), after_secret.end(), out);
  return body;
}

}  // namespace

Result<KeyFile> parse_key_file(std::string_view text) {
  const Result<SecretBytes> body = decode_armour(text);
  if (!body) return tl::unexpected(body.error());
  const Result<Envelope> envelope = parse_envelope(body->bytes());
  if (!envelope) return tl::unexpected(envelope.error());
  return parse_private_section(*envelope);
}

std::string write_key_file(const PrivateKey& key, std::string_view comment, RandomSource& random) {
  const auto* ed25519 = dynamic_cast<const Ed25519PrivateKey*>(&key);
  PLUMB_CHECK(ed25519 != nullptr);
  PLUMB_CHECK(comment.size() < kMaxFileSize / 2);
  std::string base64 = to_base64(encode_body(*ed25519, comment, random).bytes());
  std::string text;
  text.reserve(kBegin.size() + kEnd.size() + 3 + base64.size() + base64.size() / kLineWidth);
  text.append(kBegin) += '\n';
  for (size_t i = 0; i < base64.size(); i += kLineWidth) text.append(base64, i, kLineWidth) += '\n';
  text.append(kEnd) += '\n';
  wipe({reinterpret_cast<uint8_t*>(base64.data()), base64.size()});
  return text;
}

}  // namespace plumb
