// What a peer offers: its identification and the KEXINIT that it opens with, read by our own packet and kex code.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/buffer.h"
#include "core/result.h"
#include "kex/proposal.h"
#include "packet/identification.h"
#include "packet/packet_reader.h"

namespace plumb {

struct Offer {
  std::string identification;  ///< "SSH-2.0-dropbear_2022.83"
  Proposal proposal;
};

/// Bytes in, an offer out; no I/O.
class OfferReader {
 public:
  /// A server may send lines before its identification.
  explicit OfferReader(bool from_server);

  /// Takes what came from the peer, in any pieces. The offer once it is complete; nullopt if more is needed. kProtocol
  /// if something else than KEXINIT follows the identification, besides the errors of the readers.
  Result<std::optional<Offer>> take(Bytes bytes);

 private:
  Buffer input_;
  IdentificationReader identification_reader_;
  PacketReader packets_;
  std::string identification_;
};

/// Connects to a server on 127.0.0.1, identifies ourselves and reads its offer. The error is a sentence for people.
tl::expected<Offer, std::string> ask_server(uint16_t port,
                                            std::chrono::milliseconds timeout = std::chrono::seconds(10));

/// The same on a connected socket, of a client if `from_server` is false. The socket stays the caller's.
tl::expected<Offer, std::string> ask_peer(int socket, bool from_server, std::chrono::milliseconds timeout);

}  // namespace plumb
