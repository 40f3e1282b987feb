// Choosing algorithms (RFC 4253 §7.1): the client's order decides, each direction on its own.
#pragma once

#include <optional>
#include <string>

#include "core/result.h"
#include "kex/methods.h"
#include "kex/proposal.h"

namespace plumb {

/// The algorithms of one direction. `mac` is empty exactly when the cipher is an AEAD: then the MAC lists are not even
/// looked at (draft-miller-sshm-aes-gcm; the mistake behind "no matching MAC" against hardened servers).
struct DirectionAlgorithms {
  std::string cipher;
  std::string mac;
};

struct Negotiated {
  const KexMethod* kex;
  std::string host_key;  ///< a signature algorithm: "rsa-sha2-512"
  DirectionAlgorithms c2s, s2c;
  bool strict;           ///< both sides announced strict kex; meaningful in the first exchange only
  bool peer_ext_info;    ///< the peer takes EXT_INFO
  bool wrong_guess;      ///< the peer's guessed first kex packet must be dropped
};

/// Why no algorithm was found, for one clear sentence: which list, what each side offered.
struct NoCommon {
  const char* what;  ///< "cipher client to server"
  NameList ours, theirs;
};

/// `aead(cipher_name)` says whether a cipher needs no MAC: kex knows no cipher table. On failure `*no_common` is set.
/// kNoCommon if some list has no common name.
Result<Negotiated> negotiate(const Proposal& client, const Proposal& server, bool we_are_client,
                             bool (*aead)(std::string_view cipher), NoCommon* no_common);

}  // namespace plumb
