#include "interop/matrix_cases.h"

#include <array>
#include <set>

#include "kex/methods.h"
#include "keys/signature.h"
#include "packet/cipher_suite.h"

namespace plumb {
namespace {

template <class Table>
NameList known_names(const Table& table, const NameList& theirs) {
  NameList names;
  for (const auto& entry : table) {
    if (contains_name(theirs, entry.name)) names.emplace_back(entry.name);
  }
  return names;
}

/// Nobody is there to touch a token.
NameList known_signatures(std::span<const SignatureAlgorithm> table, const NameList& theirs) {
  NameList names = known_names(table, theirs);
  std::erase_if(names, [](const std::string& name) { return find_signature_algorithm(name)->security_key; });
  return names;
}

/// Names in both lists, as the first orders them.
NameList both(const NameList& first, const NameList& second) {
  NameList names;
  for (const std::string& name : first) {
    if (contains_name(second, name)) names.push_back(name);
  }
  return names;
}

struct CipherPair {
  std::string cipher, mac;
};

std::vector<CipherPair> cipher_pairs(const Common& common) {
  std::vector<CipherPair> pairs;
  for (const std::string& cipher : common.ciphers) {
    if (find_cipher(cipher)->aead) pairs.push_back({cipher, ""});
    if (find_cipher(cipher)->aead) continue;
    for (const std::string& mac : common.macs) pairs.push_back({cipher, mac});
  }
  return pairs;
}

/// Ciphers that are built alike: the same object in packet/ seals for them.
std::string construction(const CipherPair& pair) {
  const CipherSpec& cipher = *find_cipher(pair.cipher);
  if (cipher.aead) return cipher.iv_size == 0 ? "nonce is the sequence number" : "nonce is a counter";
  return find_mac(pair.mac)->etm ? "encrypt, then MAC" : "MAC, then encrypt";
}

}  // namespace

std::string_view to_string(MatrixCase::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames{"kex", "user-key", "cipher", "rekey-by-us", "rekey-by-peer"};
  return kNames[static_cast<size_t>(kind)];
}

std::string MatrixCase::name() const {
  const std::string head = std::string(to_string(kind)) + "/";
  if (kind == Kind::kKex) return head + kex + "/" + host_key;
  if (kind == Kind::kUserKey) return head + user_key;
  return head + cipher + (mac.empty() ? "" : "/" + mac);
}

Common common_algorithms(const Proposal& theirs) {
  // Both directions get the same algorithm: what one of them lacks cannot be asked for.
  return {.kex = known_names(kex_methods(), theirs.kex),
          .host_keys = known_signatures(signature_algorithms(), theirs.host_keys),
          .certificates = known_signatures(certificate_algorithms(), theirs.host_keys),
          .ciphers = known_names(cipher_specs(), both(theirs.ciphers_c2s, theirs.ciphers_s2c)),
          .macs = known_names(mac_specs(), both(theirs.macs_c2s, theirs.macs_s2c))};
}

std::vector<MatrixCase> matrix_cases(const Common& common, bool peer_rekeys) {
  using Kind = MatrixCase::Kind;
  const std::vector<CipherPair> pairs = cipher_pairs(common);
  if (common.kex.empty() || common.host_keys.empty() || pairs.empty()) return {};
  const std::string &kex = common.kex[0], &host_key = common.host_keys[0];

  std::vector<MatrixCase> cases;
  const auto add = [&](Kind kind, const std::string& method, const std::string& host, const CipherPair& pair,
                       const std::string& user) {
    cases.push_back({kind, method, host, pair.cipher, pair.mac, user});
  };
  for (const std::string& method : common.kex) {
    for (const std::string& algorithm : common.host_keys) add(Kind::kKex, method, algorithm, pairs[0], host_key);
  }
  // A certificate is one more blob under the exchange hash: one method tells as much as all.
  for (const std::string& algorithm : common.certificates) add(Kind::kKex, kex, algorithm, pairs[0], host_key);
  for (const NameList& algorithms : {common.host_keys, common.certificates}) {
    for (const std::string& user : algorithms) add(Kind::kUserKey, kex, host_key, pairs[0], user);
  }
  for (const CipherPair& pair : pairs) add(Kind::kCipher, kex, host_key, pair, host_key);
  for (const Kind kind : {Kind::kRekeyByUs, Kind::kRekeyByPeer}) {
    if (kind == Kind::kRekeyByPeer && !peer_rekeys) continue;
    std::set<std::string> covered;
    for (const CipherPair& pair : pairs) {
      if (covered.insert(construction(pair)).second) add(kind, kex, host_key, pair, host_key);
    }
  }
  return cases;
}

}  // namespace plumb
