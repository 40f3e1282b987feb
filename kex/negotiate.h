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
  const KexMethod* kex = nullptr;
  std::string host_key;  ///< a signature algorithm: "rsa-sha2-512"
  DirectionAlgorithms c2s, s2c;
  bool strict = false;         ///< both sides announced strict kex; meaningful in the first exchange only
  bool peer_ext_info = false;  ///< the peer takes EXT_INFO
  bool wrong_guess = false;    ///< the peer's guessed first kex packet must be dropped
};

/// Why no algorithm was found: which list, what each side offered.
struct NoCommon {
  const char* what = "";  ///< "cipher client to server"
  NameList ours, theirs;
};

/// "no common cipher client to server: we offer aes256-ctr, the peer offers 3des-cbc". Long lists are cut.
std::string describe(const NoCommon& no_common);

/// `aead(cipher_name)` says whether a cipher needs no MAC: kex knows no cipher table. `*no_common` is set on kNoCommon.
/// kNoCommon if some list has no common name; kUsage if our own proposal lists a kex method, host key algorithm or
/// compression that this program does not have, and the peer's would choose it.
Result<Negotiated> negotiate(const Proposal& client, const Proposal& server, bool we_are_client,
                             bool (*aead)(std::string_view cipher), NoCommon* no_common);

}  // namespace plumb
