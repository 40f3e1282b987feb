#include "keys/public_line.h"

#include "core/encoding.h"
#include "core/wire.h"
#include "keys/text_words.h"

namespace plumb {

Result<PublicLine> parse_public_line(std::string_view line, const KeyLimits& limits) {
  const std::string_view type = take_word(line);
  const auto blob = from_base64(take_word(line));
  if (!blob) return fail(ErrorCode::kFormat, "the line is not a public key: type, base64, comment");
  if (Reader(*blob).text() != type) {
    return fail(ErrorCode::kFormat, "the public key is damaged: it is of another type than its line says");
  }
  Result<PublicKey> key = PublicKey::parse(*blob, limits);
  if (!key) return tl::unexpected(key.error());
  std::string_view comment = skip_blanks(line);
  while (!comment.empty() && kBlanks.find(comment.back()) != std::string_view::npos) comment.remove_suffix(1);
  return PublicLine{*std::move(key), std::string(comment)};
}

Result<PublicLine> parse_public_file(std::string_view text, const KeyLimits& limits) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!is_idle_line(line)) return parse_public_line(line, limits);
  }
  return fail(ErrorCode::kFormat, "the public key file is empty");
}

std::string public_line(const PublicKey& key, std::string_view comment) {
  std::string line = std::string(key.type()) + " " + to_base64(key.blob());
  if (comment.empty()) return line;
  line += ' ';
  for (char c : comment) line += c == '\n' || c == '\r' ? ' ' : c;
  return line;
}

}  // namespace plumb
