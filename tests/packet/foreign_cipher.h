// The foreign judge: the same packet ciphers composed in this test from libcrypto's primitives, from the specifications
// and not from our code. Framing and key use follow from the algorithm names, not from our table. Unlike ours, a
// foreign sealer seals packets of any shape, so that damaged fields can be given a valid tag.
#pragma once

#include <memory>

#include "tests/packet/suites.h"

namespace plumb::testing {

std::unique_ptr<Sealer> make_foreign_sealer(const Suite& suite, const DirectionKeys& keys);
std::unique_ptr<Opener> make_foreign_opener(const Suite& suite, const DirectionKeys& keys);

/// `packet`, sealed with a valid tag behind it.
std::vector<uint8_t> sealed_by(Sealer& sealer, uint32_t sequence, Bytes packet);

}  // namespace plumb::testing
