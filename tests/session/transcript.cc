#include "tests/session/transcript.h"

#include <algorithm>
#include <ostream>

#include "core/encoding.h"
#include "kex/methods.h"
#include "packet/cipher_suite.h"

namespace plumb::testing {
namespace {

/// Not in OpenSSH 9.2; it came with the release that stands behind the name.
constexpr std::string_view kNotInPeer[] = {
    "mlkem768x25519-sha256",   // 9.9
    "sntrup761x25519-sha512",  // 9.9; before, under its @openssh.com name alone
};

constexpr size_t kBytesPerLine = 81;  // 108 letters of base64

}  // namespace

std::string TranscriptCase::file() const {
  const std::string& name = varied == "kex" ? kex : varied == "cipher" ? cipher : mac;
  return std::string(role == Role::kClient ? "client" : "server") + "/" + varied + "." + name + ".txt";
}

void PrintTo(const TranscriptCase& which, std::ostream* out) { *out << which.file(); }

std::vector<TranscriptCase> transcript_cases() {
  std::vector<TranscriptCase> cases;
  const auto add = [&cases](std::string varied, std::string_view name, std::string TranscriptCase::*field) {
    if (std::ranges::find(kNotInPeer, name) != std::end(kNotInPeer)) return;
    for (const Role role : {Role::kClient, Role::kServer}) {
      TranscriptCase which{.role = role, .varied = varied};
      which.*field = name;
      cases.push_back(which);
    }
  };
  for (const KexMethod& method : kex_methods()) add("kex", method.name, &TranscriptCase::kex);
  for (const CipherSpec& cipher : cipher_specs()) add("cipher", cipher.name, &TranscriptCase::cipher);
  for (const MacSpec& mac : mac_specs()) add("mac", mac.name, &TranscriptCase::mac);
  return cases;
}

void Transcript::add(bool ours, Bytes bytes) {
  if (bytes.empty()) return;
  if (pieces.empty() || pieces.back().ours != ours) pieces.push_back({ours, {}});
  pieces.back().bytes.insert(pieces.back().bytes.end(), bytes.begin(), bytes.end());
}

std::vector<uint8_t> Transcript::sent(bool ours) const {
  std::vector<uint8_t> all;
  for (const Piece& piece : pieces)
    if (piece.ours == ours) all.insert(all.end(), piece.bytes.begin(), piece.bytes.end());
  return all;
}

std::string write_transcript(const Transcript& transcript, std::string_view about) {
  std::string text = "# " + std::string(about) + "\npeer " + transcript.peer + "\nuser " + transcript.user + "\n";
  for (const Transcript::Piece& piece : transcript.pieces) {
    for (Bytes rest = piece.bytes; !rest.empty(); rest = rest.subspan(std::min(rest.size(), kBytesPerLine)))
      text += (piece.ours ? "> " : "< ") + to_base64(rest.first(std::min(rest.size(), kBytesPerLine))) + "\n";
  }
  for (const std::string& event : transcript.events) text += "! " + event + "\n";
  return text;
}

Result<Transcript> parse_transcript(std::string_view text) {
  Transcript transcript;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view kind = line.substr(0, line.find(' '));
    const std::string_view value = line.substr(std::min(line.size(), kind.size() + 1));
    if (kind == "#") continue;
    if (kind == "peer") {
      transcript.peer = value;
    } else if (kind == "user") {
      transcript.user = value;
    } else if (kind == "!") {
      transcript.events.emplace_back(value);
    } else if (kind == ">" || kind == "<") {
      const Result<std::vector<uint8_t>> bytes = from_base64(value);
      if (!bytes) return tl::unexpected(bytes.error());
      transcript.add(kind == ">", *bytes);
    } else {
      return fail(ErrorCode::kFormat, "a line of a transcript begins with something else than # peer user > < !");
    }
  }
  return transcript;
}

}  // namespace plumb::testing
