#include "tools/locked_key.h"

namespace plumb {

Result<void> LockedKey::open() const {
  constexpr int kTries = 3;
  if (key_ != nullptr) return {};
  if (!ask_) return fail(ErrorCode::kAuth, "the key file is encrypted, and there is nobody to ask for its passphrase");
  for (int i = 0; i < kTries; i++) {
    const SecretBytes passphrase = ask_(path_);
    if (passphrase.empty()) break;
    Result<KeyFile> file = parse_key_file(as_text(text_.bytes()), passphrase.bytes());
    if (!file && file.error().code == ErrorCode::kAuth) continue;
    if (!file) return tl::unexpected(file.error());
    if (!(file->key->public_key() == public_key_)) {
      return fail(ErrorCode::kFormat, "the key file holds another key than its .pub file says");
    }
    key_ = std::move(file->key);
    text_ = SecretBytes();
    return {};
  }
  return fail(ErrorCode::kAuth, "the passphrase of the key file was not given");
}

Result<std::vector<uint8_t>> LockedKey::sign(std::string_view algorithm, Bytes message) const {
  if (const auto opened = open(); !opened) return tl::unexpected(opened.error());
  return key_->sign(algorithm, message);
}

}  // namespace plumb
