#include "kex/negotiate.h"

#include "keys/signature.h"

namespace plumb {
namespace {

/// ext-info-* and kex-strict-* announce things; they are methods in no list and on no side.
bool is_pseudo(std::string_view name) { return name.starts_with("ext-info-") || name.starts_with("kex-strict-"); }

const std::string* first_common(const NameList& client, const NameList& server) {
  for (const std::string& name : client) {
    if (!is_pseudo(name) && contains_name(server, name)) return &name;
  }
  return nullptr;
}

/// The lists as sent are compared, pseudo-names included: the guesser could only guess from those.
bool same_first(const NameList& a, const NameList& b) { return !a.empty() && !b.empty() && a.front() == b.front(); }

std::string shown(const NameList& names) {
  constexpr size_t kShown = 300;  // a peer's list may be 32 KiB long
  if (names.empty()) return "nothing";
  std::string text = join_name_list(names);
  if (text.size() <= kShown) return text;
  text.resize(kShown);
  return text + "…";
}

}  // namespace

std::string describe(const NoCommon& no_common) {
  return std::string("no common ") + no_common.what + ": we offer " + shown(no_common.ours) + ", the peer offers " +
         shown(no_common.theirs);
}

Result<Negotiated> negotiate(const Proposal& client, const Proposal& server, bool we_are_client,
                             bool (*aead)(std::string_view cipher), NoCommon* no_common) {
  const Proposal& ours = we_are_client ? client : server;
  const Proposal& theirs = we_are_client ? server : client;
  const auto choose = [&](NameList Proposal::*list, const char* what) -> Result<std::string> {
    if (const std::string* name = first_common(client.*list, server.*list)) return *name;
    *no_common = {what, ours.*list, theirs.*list};
    return fail(ErrorCode::kNoCommon, "client and server have no algorithm in common");
  };

  // Every method here needs no more of a host key than a signature, and every host key algorithm can sign. So the
  // condition of RFC 4253 §7.1 that joins the two lists always holds, and each is chosen on its own.
  Negotiated chosen;
  const Result<std::string> kex = choose(&Proposal::kex, "key exchange method");
  if (!kex) return tl::unexpected(kex.error());
  chosen.kex = find_kex_method(*kex);
  if (chosen.kex == nullptr) return fail(ErrorCode::kUsage, "a key exchange method was offered that is not supported");

  const Result<std::string> host_key = choose(&Proposal::host_keys, "host key algorithm");
  if (!host_key) return tl::unexpected(host_key.error());
  if (find_signature_algorithm(*host_key) == nullptr) {
    return fail(ErrorCode::kUsage, "a host key algorithm was offered that is not supported");
  }
  chosen.host_key = *host_key;

  const Result<std::string> cipher_c2s = choose(&Proposal::ciphers_c2s, "cipher client to server");
  if (!cipher_c2s) return tl::unexpected(cipher_c2s.error());
  chosen.c2s.cipher = *cipher_c2s;

  const Result<std::string> cipher_s2c = choose(&Proposal::ciphers_s2c, "cipher server to client");
  if (!cipher_s2c) return tl::unexpected(cipher_s2c.error());
  chosen.s2c.cipher = *cipher_s2c;

  if (!aead(chosen.c2s.cipher)) {
    const Result<std::string> mac = choose(&Proposal::macs_c2s, "MAC client to server");
    if (!mac) return tl::unexpected(mac.error());
    chosen.c2s.mac = *mac;
  }
  if (!aead(chosen.s2c.cipher)) {
    const Result<std::string> mac = choose(&Proposal::macs_s2c, "MAC server to client");
    if (!mac) return tl::unexpected(mac.error());
    chosen.s2c.mac = *mac;
  }

  const Result<std::string> compression_c2s = choose(&Proposal::compression_c2s, "compression client to server");
  if (!compression_c2s) return tl::unexpected(compression_c2s.error());
  const Result<std::string> compression_s2c = choose(&Proposal::compression_s2c, "compression server to client");
  if (!compression_s2c) return tl::unexpected(compression_s2c.error());
  if (*compression_c2s != "none" || *compression_s2c != "none") {
    return fail(ErrorCode::kUsage, "a compression was offered that is not supported");
  }

  chosen.strict = contains_name(client.kex, kStrictKexClient) && contains_name(server.kex, kStrictKexServer);
  chosen.peer_ext_info = contains_name(theirs.kex, we_are_client ? kExtInfoServer : kExtInfoClient);
  chosen.wrong_guess = theirs.first_kex_packet_follows &&
                       !(same_first(client.kex, server.kex) && same_first(client.host_keys, server.host_keys));
  return chosen;
}

}  // namespace plumb
