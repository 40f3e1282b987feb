#include "interop/faults.h"

#include "interop/faulty_chacha.h"
#include "interop/faulty_ctr_hmac.h"
#include "interop/faulty_gcm.h"
#include "interop/faulty_kex.h"

namespace plumb {
namespace {

constexpr std::string_view kChaCha = "chacha20-poly1305@openssh.com";
constexpr std::string_view kGcm = "aes256-gcm@openssh.com";
constexpr std::string_view kCtr = "aes256-ctr";
constexpr std::string_view kMte = "hmac-sha2-256";
constexpr std::string_view kEtm = "hmac-sha2-256-etm@openssh.com";

constexpr Answer exactly(std::string_view words) { return {words, words}; }

// OpenSSH's words (packet.c, ssherr.c).
constexpr Answer kBadLength{"Bad packet length N", "Bad packet length \\d+"};
constexpr Answer kBadTag = exactly("message authentication code incorrect");
constexpr Answer kBadMac = exactly("Corrupted MAC on input");
/// An authentic packet whose inside is noise: which check it fails first is chance.
constexpr Answer kNoiseInside{
    "incomplete message, Corrupted padlen or Invalid packet type",
    "incomplete message|Corrupted padlen|Invalid ssh2 packet type|dispatch_protocol_error|unexpected message"};
constexpr Answer kBadSignature{"(we) the signature does not verify", "signature"};

template <ChaChaRecipe kRecipe>
constexpr ProtocolHooks chacha() {
  return {.make_sealer = make_faulty_chacha<kRecipe>};
}
template <GcmRecipe kRecipe>
constexpr ProtocolHooks gcm() {
  return {.make_sealer = make_faulty_gcm<kRecipe>};
}
template <CtrHmacRecipe kRecipe>
constexpr ProtocolHooks ctr_hmac() {
  return {.make_sealer = make_faulty_ctr_hmac<kRecipe>};
}

constexpr Fault kFaults[] = {
    // chacha20-poly1305@openssh.com
    {.name = "keys-swapped",
     .summary = "first 32 key bytes encrypt the length, last 32 the body",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.keys_swapped = true}>(),
     .expected = kBadLength,
     .shows = "first packet",
     .source = "dartssh2 PR #217",
     .attempts = 3},
    {.name = "ietf-nonce-le",
     .summary = "RFC 8439's ChaCha20 under a 12-byte nonce 0^4 || LE32(seq) || 0^4",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.nonce = NonceForm::kIetf12WithLe32}>(),
     .expected = kBadLength,
     .shows = "seq > 0",
     .source = "dartssh2 PR #217",
     .attempts = 3},
    {.name = "nonce-le",
     .summary = "8-byte nonce, but little-endian",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.nonce = NonceForm::kLe64}>(),
     .expected = kBadLength,
     .shows = "seq > 0",
     .source = "field case C1",
     .attempts = 3},
    {.name = "body-from-block-0",
     .summary = "body encrypted with the block that gave the Poly1305 key",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.body_from_block_0 = true}>(),
     .expected = kNoiseInside,
     .shows = "first packet",
     .source = "berryssh PR #20",
     .attempts = 3},
    {.name = "rfc8439-framing",
     .summary = "tag over padded length, padded body and their sizes",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.rfc8439_framing = true}>(),
     .expected = kBadTag,
     .shows = "first packet",
     .source = "dartssh2 PR #217"},
    {.name = "padding-counts-length",
     .summary = "padding rounds up with the length field counted in",
     .layer = "framing",
     .cipher = kChaCha,
     .hooks = chacha<{.padding_counts_length = true}>(),
     .expected = exactly("padding error: need 28 block 8 mod 4"),
     .shows = "first packet",
     .source = "dartssh2 PR #217"},
    {.name = "dartssh2-before",
     .summary = "these five at once: swapped keys, IETF nonce, RFC 8439 tag, padding",
     .layer = "cipher",
     .cipher = kChaCha,
     .hooks = chacha<{.keys_swapped = true,
                      .nonce = NonceForm::kIetf12WithLe32,
                      .rfc8439_framing = true,
                      .padding_counts_length = true}>(),
     .expected = kBadLength,
     .shows = "first packet",
     .source = "dartssh2 before PR #217",
     .attempts = 3},
    {.name = "strict-kex-no-reset",
     .summary = "sequence number runs on after NEWKEYS under strict key exchange",
     .layer = "kex",
     .cipher = kChaCha,
     .hooks = chacha<{.sequence_offset = 3}>(),  // KEXINIT, KEX_ECDH_INIT and NEWKEYS came before
     .expected = kBadLength,
     .shows = "first packet",
     .source = "russh #559",
     .attempts = 3},

    // aes128-gcm@openssh.com, aes256-gcm@openssh.com
    {.name = "gcm-nonce-is-seqnr",
     .summary = "packet sequence number in place of the invocation counter",
     .layer = "cipher",
     .cipher = kGcm,
     .hooks = gcm<{.nonce_is_sequence = true}>(),
     .expected = kBadTag,
     .shows = "first packet",
     .source = "dartssh2 #165"},
    {.name = "gcm-counter-not-advanced",
     .summary = "every packet under the first nonce",
     .layer = "cipher",
     .cipher = kGcm,
     .hooks = gcm<{.counter_stands_still = true}>(),
     .expected = kBadTag,
     .shows = "second packet",
     .source = "field case C8"},
    {.name = "gcm-no-aad",
     .summary = "length field not authenticated",
     .layer = "cipher",
     .cipher = kGcm,
     .hooks = gcm<{.no_aad = true}>(),
     .expected = kBadTag,
     .shows = "first packet",
     .source = "RustCrypto/SSH #279"},
    {.name = "gcm-padding-counts-length",
     .summary = "padding rounds up with the length field counted in",
     .layer = "framing",
     .cipher = kGcm,
     .hooks = gcm<{.padding_counts_length = true}>(),
     .expected = exactly("padding error: need 28 block 16 mod 12"),
     .shows = "first packet",
     .source = "dartssh2 #168"},

    // aes*-ctr with HMAC
    {.name = "ctr-restarts-per-packet",
     .summary = "counter goes back to the IV with every packet",
     .layer = "cipher",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = ctr_hmac<{.counter_restarts = true}>(),
     .expected = kBadLength,
     .shows = "second packet",
     .source = "field case C11",
     .attempts = 3},
    {.name = "mte-padding-leaves-length-out",
     .summary = "MAC-then-encrypt padded as if the length stood outside",
     .layer = "framing",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = ctr_hmac<{.padding_of_other_order = true}>(),
     .expected = exactly("padding error: need 20 block 16 mod 4"),
     .shows = "first packet",
     .source = "sshj #670"},
    {.name = "etm-padding-counts-length",
     .summary = "encrypt-then-MAC padded with the length field counted in",
     .layer = "framing",
     .cipher = kCtr,
     .mac = kEtm,
     .hooks = ctr_hmac<{.padding_of_other_order = true}>(),
     .expected = exactly("padding error: need 28 block 16 mod 12"),
     .shows = "first packet",
     .source = "dartssh2 PR #127"},
    {.name = "etm-mac-over-plaintext",
     .summary = "encrypt-then-MAC with the MAC taken before encryption",
     .layer = "mac",
     .cipher = kCtr,
     .mac = kEtm,
     .hooks = ctr_hmac<{.mac_of_other_order = true}>(),
     .expected = kBadMac,
     .shows = "first packet",
     .source = "dartssh2 PR #127"},
    {.name = "mac-over-ciphertext",
     .summary = "hmac-sha2-256 taken after encryption, as if it were -etm",
     .layer = "mac",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = ctr_hmac<{.mac_of_other_order = true}>(),
     .expected = kBadMac,
     .shows = "first packet",
     .source = "field case C5"},
    {.name = "mac-without-seqnr",
     .summary = "sequence number left out of the MAC",
     .layer = "mac",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = ctr_hmac<{.mac_without_sequence = true}>(),
     .expected = kBadMac,
     .shows = "first packet",
     .source = "RFC 4253 §6.4"},
    {.name = "hmac-key-20-bytes",
     .summary = "20-byte MAC key, as for HMAC-SHA1, under hmac-sha2-256",
     .layer = "keys",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = ctr_hmac<{.mac_key_20_bytes = true}>(),
     .expected = kBadMac,
     .shows = "first packet",
     .source = "sshj PR #156"},

    // Key derivation and key exchange
    {.name = "kdf-not-extended",
     .summary = "key bytes beyond one hash output left zero",
     .layer = "keys",
     .cipher = kChaCha,  // its 64 bytes take two rounds of SHA-256; the second holds the key of the length
     .hooks = {.derive_key = derive_without_extension},
     .expected = kBadLength,
     .shows = "first packet",
     .source = "twisted #8258",
     .attempts = 3},
    {.name = "session-id-replaced",
     .summary = "new exchange hash taken as session id after a rekey",
     .layer = "keys",
     .cipher = kCtr,
     .mac = kMte,
     .hooks = {.derive_key = derive_with_new_session_id},
     .expected = kBadLength,
     .shows = "first rekey",
     .source = "golang/go #15445",
     .attempts = 3,
     .rekey_bytes = 4096,
     .max_exchanges = 8},
    {.name = "k-as-string",
     .summary = "shared secret hashed as a 32-byte string, not as an mpint",
     .layer = "kex",
     .cipher = kGcm,
     .hooks = {.encode_k = encode_k_as_string},
     .judge = Fault::Judge::kOurselves,
     .expected = kBadSignature,
     .shows = "1 exchange in 2",
     .source = "RFC 8731 §3.1",
     .rekey_bytes = 4096,
     .max_exchanges = 64},
    {.name = "k-as-string-in-kdf",
     .summary = "the same in the key derivation alone",
     .layer = "keys",
     .cipher = kChaCha,
     .hooks = {.derive_key = derive_from_k_as_string},
     .expected = kBadLength,
     .shows = "1 exchange in 2",
     .source = "RFC 8731 §3.1",
     .attempts = 3,
     .rekey_bytes = 4096,
     .max_exchanges = 64},
    {.name = "k-leading-zero-kept",
     .summary = "leading zero bytes of the shared secret kept in the mpint",
     .layer = "kex",
     .cipher = kGcm,
     .hooks = {.encode_k = encode_k_with_leading_zeros},
     .judge = Fault::Judge::kOurselves,
     .expected = kBadSignature,
     .shows = "1 exchange in 512",
     .source = "RFC 4251 §5",
     .rekey_bytes = 4096,
     .max_exchanges = 8192},
    {.name = "k-leading-zero-kept-in-kdf",
     .summary = "the same in the key derivation alone",
     .layer = "keys",
     .cipher = kChaCha,
     .hooks = {.derive_key = derive_from_k_with_leading_zeros},
     .expected = kBadLength,
     .shows = "1 exchange in 512",
     .source = "RFC 4251 §5",
     .attempts = 3,
     .rekey_bytes = 4096,
     .max_exchanges = 8192},
};

}  // namespace

std::span<const Fault> faults() { return kFaults; }

const Fault* find_fault(std::string_view name) {
  for (const Fault& fault : kFaults) {
    if (fault.name == name) return &fault;
  }
  return nullptr;
}

}  // namespace plumb
