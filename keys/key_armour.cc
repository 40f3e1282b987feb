#include "keys/key_armour.h"

#include <algorithm>

#include "core/encoding.h"
#include "keys/text_words.h"

namespace plumb {
namespace {

constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view kEnd = "-----END OPENSSH PRIVATE KEY-----";
constexpr size_t kLineWidth = 70;  // what ssh-keygen writes; readers take any

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
  return {ErrorCode::kFormat, 0, "not a private key file: its first line is not -----BEGIN OPENSSH PRIVATE KEY-----"};
}

}  // namespace

bool is_pem_key(std::string_view text) {
  const std::string_view first_line = take_line(text);
  return first_line.starts_with("-----BEGIN ") && first_line.ends_with("PRIVATE KEY-----") && first_line != kBegin;
}

Result<SecretBytes> decode_key_armour(std::string_view text) {
  if (is_blank(text)) return fail(ErrorCode::kFormat, "the key file is empty");
  if (text.size() > kMaxKeyFileSize) return fail(ErrorCode::kLimit, "the key file is larger than 1 MiB");
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

std::string encode_key_armour(Bytes body) {
  std::string base64 = to_base64(body);
  std::string text;
  text.reserve(kBegin.size() + kEnd.size() + 3 + base64.size() + base64.size() / kLineWidth);
  text.append(kBegin) += '\n';
  for (size_t i = 0; i < base64.size(); i += kLineWidth) text.append(base64, i, kLineWidth) += '\n';
  text.append(kEnd) += '\n';
  wipe({reinterpret_cast<uint8_t*>(base64.data()), base64.size()});
  return text;
}

}  // namespace plumb
