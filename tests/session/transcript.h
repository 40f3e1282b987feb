// Recorded connections: what we and OpenSSH sent each other, in order, and what we told our driver. The files stand in
// tests/transcripts, one for each key exchange method, cipher and MAC of the tables and each role of ours.
//
//   peer SSH-2.0-OpenSSH_9.2p1
//   user name
//   > base64     what we sent
//   < base64     what the peer sent
//   ! event      as tests/session/event_text.h has it
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "tests/session/test_end.h"

namespace plumb::testing {

/// One connection: each varies one algorithm and keeps the others.
struct TranscriptCase {
  Role role;           ///< ours
  std::string varied;  ///< "kex", "cipher" or "mac"
  std::string kex = "curve25519-sha256";
  std::string cipher = "aes128-ctr";
  std::string mac = "hmac-sha2-256";  ///< offered beside an AEAD as well

  std::string file() const;  ///< "client/kex.curve25519-sha256.txt"
};

/// How GoogleTest shows a case beside the name of a test.
void PrintTo(const TranscriptCase& which, std::ostream* out);

/// Everything in the tables, in both roles, but what the recorded release of OpenSSH does not have.
std::vector<TranscriptCase> transcript_cases();

struct Transcript {
  struct Piece {
    bool ours;
    std::vector<uint8_t> bytes;
  };
  std::string peer;  ///< its identification
  std::string user;  ///< that logged in
  std::vector<Piece> pieces;
  std::vector<std::string> events;

  /// Joins it to the last piece if that came from the same side.
  void add(bool ours, Bytes bytes);

  /// All that one side sent.
  std::vector<uint8_t> sent(bool ours) const;
};

/// `about` stands in the first line, behind "# ".
std::string write_transcript(const Transcript& transcript, std::string_view about);

/// kFormat for a line of another kind and for base64 that is none.
Result<Transcript> parse_transcript(std::string_view text);

/// Our end of a recorded connection, seeded, at a time that stands still. A client logs in as `user`, runs `cat`, sends
/// it 200 bytes, renews the keys, sends 100 more and ends. A server sends back what comes and renews the keys on the
/// way. Both act on events alone, so that the chunking of the input cannot change what they do.
std::unique_ptr<TestEnd> transcript_end(const TranscriptCase& which, const std::string& user);

/// The public key of the client, a line of authorized_keys.
std::string transcript_client_key();

}  // namespace plumb::testing
