// KEXINIT of a peer, and what comes of it. The input is taken twice: as a payload, and as a series of picks of which a
// plausible proposal is made, so that mutations reach the negotiation as well. If it begins like one, it is also the
// peer's key exchange message, to both sides.
#include <cstdint>

#include "core/check.h"
#include "core/message.h"
#include "kex/exchange.h"
#include "kex/negotiate.h"
#include "keys/signature.h"

namespace {

using namespace plumb;

const Proposal& ours() {
  static const Proposal proposal = [] {
    Proposal p;
    for (const KexMethod& method : kex_methods()) p.kex.emplace_back(method.name);
    p.kex.insert(p.kex.end(),
                 {std::string(kExtInfoClient), std::string(kStrictKexClient), std::string(kStrictKexServer)});
    for (const SignatureAlgorithm& algorithm : signature_algorithms()) p.host_keys.emplace_back(algorithm.name);
    p.ciphers_c2s = p.ciphers_s2c = {"chacha20-poly1305@openssh.com", "aes256-ctr", "a"};
    p.macs_c2s = p.macs_s2c = {"hmac-sha2-256", "b"};
    return p;
  }();
  return proposal;
}

bool is_aead(std::string_view cipher) { return cipher.starts_with("chacha20-poly1305"); }

bool listed_by_both(NameList Proposal::*list, const Proposal& theirs, std::string_view name) {
  return contains_name(ours().*list, name) && contains_name(theirs.*list, name);
}

/// Lists of names that mean something to us, of their neighbours on the wrong side, and of one that nobody knows.
Proposal picked(Bytes picks) {
  const auto take = [&picks]() -> uint8_t {
    if (picks.empty()) return 0;
    const uint8_t pick = picks[0];
    picks = picks.subspan(1);
    return pick;
  };
  Proposal proposal;
  for (NameList Proposal::*list : {&Proposal::kex, &Proposal::host_keys, &Proposal::ciphers_c2s, &Proposal::ciphers_s2c,
                                   &Proposal::macs_c2s, &Proposal::macs_s2c}) {
    NameList pool = ours().*list;
    pool.insert(pool.end(), {std::string(kExtInfoServer), "unknown"});
    for (int count = take() % 4; count > 0; count--) (proposal.*list).push_back(pool[take() % pool.size()]);
  }
  proposal.first_kex_packet_follows = (take() & 1) != 0;
  return proposal;
}

/// Whatever was chosen must stand in both lists, and a MAC is there exactly where the cipher is no AEAD.
void negotiate_with(const Proposal& theirs, bool we_are_client) {
  NoCommon why;
  const Result<Negotiated> chosen =
      we_are_client ? negotiate(ours(), theirs, true, is_aead, &why) : negotiate(theirs, ours(), false, is_aead, &why);
  if (!chosen) {
    PLUMB_CHECK(chosen.error().code == ErrorCode::kNoCommon);
    PLUMB_CHECK(describe(why).size() < 2000);
    return;
  }
  PLUMB_CHECK(listed_by_both(&Proposal::kex, theirs, chosen->kex->name));
  PLUMB_CHECK(listed_by_both(&Proposal::host_keys, theirs, chosen->host_key));
  PLUMB_CHECK(listed_by_both(&Proposal::ciphers_c2s, theirs, chosen->c2s.cipher));
  PLUMB_CHECK(listed_by_both(&Proposal::ciphers_s2c, theirs, chosen->s2c.cipher));
  PLUMB_CHECK(chosen->c2s.mac.empty() == is_aead(chosen->c2s.cipher));
  PLUMB_CHECK(chosen->s2c.mac.empty() == is_aead(chosen->s2c.cipher));
  PLUMB_CHECK(chosen->c2s.mac.empty() || listed_by_both(&Proposal::macs_c2s, theirs, chosen->c2s.mac));
  PLUMB_CHECK(chosen->s2c.mac.empty() || listed_by_both(&Proposal::macs_s2c, theirs, chosen->s2c.mac));
}

void receive(Bytes payload) {
  const Result<Proposal> theirs = parse_proposal(payload);
  if (!theirs) return;
  const Result<Proposal> again = parse_proposal(write_proposal(*theirs));
  PLUMB_CHECK(again.has_value() && again->cookie == theirs->cookie && again->kex == theirs->kex &&
              again->languages_s2c == theirs->languages_s2c &&
              again->first_kex_packet_follows == theirs->first_kex_packet_follows);
  negotiate_with(*theirs, true);
  negotiate_with(*theirs, false);
}

/// No input can hold a signature over our fresh H.
void exchange(Bytes payload) {
  static const auto host_key = ed25519_from_seed(std::array<uint8_t, 32>{1});
  const ExchangeContext context{"SSH-2.0-a", "SSH-2.0-b", payload, payload};
  for (const KexMethod& method : kex_methods()) {
    if (method.is_group_exchange()) continue;  // fuzz_kex_values.cc has those messages
    ClientExchange client(method, "ssh-ed25519", system_random());
    PLUMB_CHECK(!client.finish(context, payload).has_value());
    const auto reply = respond_to_exchange(method, "ssh-ed25519", *host_key, context, payload, system_random());
    PLUMB_CHECK(reply.has_value() || reply.error().code == ErrorCode::kProtocol);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes input(data, size);
  receive(input);
  receive(write_proposal(picked(input)));
  if (size != 0 && data[0] >= msg::kKexEcdhInit) exchange(input);
  return 0;
}
