// One case of the matrix, met: a connection with a peer on which `cat` returns what it was sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interop/fixture_client.h"
#include "interop/matrix_cases.h"
#include "interop/offer.h"
#include "interop/peer.h"
#include "kex/negotiate.h"

namespace plumb {

/// After how many bytes keys are renewed in the cases about that, and what makes peers do it.
inline constexpr uint64_t kRekeyBytes = 64 * 1024;
inline constexpr const char* kRekeyLimit = "64K";

/// How many key exchanges such a case must see: the first and two more.
inline constexpr uint64_t kRekeyExchanges = 3;

/// What came of it.
struct Meeting {
  std::string stage;       ///< where it ended: "connect", "handshake", "auth", "exec"; empty if it came to its end
  std::string words;       ///< ours on that end
  std::string peer_words;  ///< the peer's; looked for only if it failed
  std::optional<Negotiated> agreed;     ///< nullopt if it did not get there
  std::optional<std::string> user_key;  ///< the algorithm that let the user in; nullopt where the peer took no other
  uint64_t key_exchanges = 0;
  uint64_t bytes = 0;   ///< that came back
  bool intact = false;  ///< they are those that were sent
};

/// One that did not come about.
Meeting unmet(std::string why);

/// What is wrong with a meeting: `layer` is empty if nothing is.
struct Judgement {
  std::string layer;  ///< a stage, or "negotiation", "data", "rekey"
  std::string words;
};
Judgement judge(const MatrixCase& test, const Meeting& meeting);

/// That case alone, to be offered.
Algorithms only(const MatrixCase& test);

/// Our client meets the peer's server. Thread-safe: several cases may meet one server at once.
Meeting meet_server(const PrivateServer& server, const FixtureClient& client, const MatrixCase& test);

/// The peer's client meets our server. Thread-safe.
Meeting meet_client(const Peer& peer, const MatrixCase& test);

/// What the peer's client offers to a server whose host key it knows.
tl::expected<Offer, std::string> ask_client(const Peer& peer);

}  // namespace plumb
