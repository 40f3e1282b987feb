#include "kex/proposal.h"

#include "core/message.h"

namespace plumb {

std::vector<uint8_t> write_proposal(const Proposal& proposal) { return to_payload(proposal); }

Result<Proposal> parse_proposal(Bytes payload) { return parse_message<Proposal>(payload); }

}  // namespace plumb
