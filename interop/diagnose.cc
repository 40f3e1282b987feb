#include "interop/diagnose.h"

#include <regex>
#include <sstream>

namespace plumb {
namespace {

constexpr Diagnosis kDiagnoses[] = {
    {"strict KEX violation", "strict KEX violation", "kex",
     "a message other than those of the key exchange came before the first NEWKEYS, or KEXINIT was not the first "
     "packet"},
    {"non-transport message N received during key exchange",
     "non-transport message \\d+|packet type \\d+ .*during (key exchange|kex)", "kex",
     "data was sent between KEXINIT and NEWKEYS of a rekey"},
    {"Bad packet length N", "Bad packet length \\d+", "keys",
     "the length decrypts to noise. At the first encrypted packet: which half of the key, the IV, the nonce, the key "
     "derivation or the sequence number; later: a counter that does not run on, or keys of a rekey"},
    {"padding error: need N block B mod M", "padding error: need \\d+ block \\d+ mod \\d+", "framing",
     "the length decrypts rightly, so keys and nonce are right; the padding rule is wrong: AEAD and -etm leave the "
     "length "
     "field out of the padded part, other MACs count it in"},
    {"Corrupted MAC on input", "Corrupted MAC on input", "mac",
     "the length is right, so the cipher is; the MAC is not: its key (size, letter), the sequence number before the "
     "packet, or plaintext against ciphertext"},
    {"message authentication code incorrect", "message authentication code incorrect", "mac",
     "the length is plausible; the tag or MAC is wrong. chacha20-poly1305: what Poly1305 covers; GCM: nonce, counter "
     "or "
     "additional data; -etm: what the MAC covers"},
    {"Corrupted padlen N on input", "Corrupted padlen", "cipher",
     "tag and length are right and the inside is noise: the body's keystream starts at the wrong block"},
    {"incomplete message", "incomplete message", "cipher",
     "tag and length are right and the inside is noise or a field is missing: the body's keystream, or a message's "
     "fields"},
    {"Invalid ssh2 packet type N", "Invalid ssh2 packet type", "cipher",
     "tag and length are right and the inside is noise: the body's keystream starts at the wrong block"},
    {"dispatch_protocol_error: type N seq N", "dispatch_protocol_error|unexpected message", "protocol",
     "packets are right in both directions; a message came that is not allowed at this point"},
    {"Accepted METHOD for USER", "Accepted (publickey|password|keyboard-interactive)", "none",
     "logged in: identification, key exchange, keys, cipher and MAC are right"},
    {"incorrect signature", "incorrect signature|signature verification failed", "auth",
     "packets are right; the signature of publickey authentication is not: session id, user name, algorithm or key "
     "blob"},
    {"maximum authentication attempts exceeded", "maximum authentication attempts exceeded", "auth",
     "packets are right; too many keys or passwords were tried"},
    {"Failed METHOD for USER", "Failed (publickey|password|none) for", "auth",
     "packets are right; the key or password was refused"},
    {"Connection closed by authenticating user", "(closed|reset) by authenticating user", "auth",
     "packets are right; the client gave up while it authenticated"},
    {"no matching … found", "no matching .* found", "negotiation", "one of the algorithm lists has no common name"},
    {"invalid elliptic curve value, invalid public key",
     "invalid elliptic curve value|invalid public (key|DH value)|"
     "error in libcrypto|invalid argument",
     "kex", "the client's public value is malformed"},
    {"Timeout before authentication", "[Tt]imeout before authentication|LoginGraceTime", "cipher",
     "the server waited for bytes that never came: a wrong length that happened to be in bounds, or a client that "
     "hangs"},
    {"Connection closed by ADDRESS [preauth], after NEWKEYS", "SSH2_MSG_NEWKEYS sent", "keys",
     "the server has sent NEWKEYS and the client went away: look at the client's own words, often a host key signature "
     "that "
     "does not verify (shared secret, exchange hash) or a cipher that opens wrongly"},
    {"invalid protocol identifier",
     "invalid protocol identifier|Protocol major versions differ|"
     "could not read protocol version",
     "identification", "the identification line is malformed or was never sent"},
    {"Connection closed by ADDRESS [preauth]", "(closed|reset) by .* \\[preauth\\]|Connection (closed|reset) by",
     "transport", "the client went away before it authenticated; its own words say more"},
};

}  // namespace

std::span<const Diagnosis> diagnoses() { return kDiagnoses; }

std::optional<Finding> diagnose(std::string_view log) {
  for (const Diagnosis& diagnosis : kDiagnoses) {
    const std::regex pattern{std::string(diagnosis.pattern)};
    std::istringstream lines{std::string(log)};
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (std::regex_search(line, pattern)) return Finding{&diagnosis, line};
    }
  }
  return std::nullopt;
}

}  // namespace plumb
