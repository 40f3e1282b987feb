// What a server offers unless it is told otherwise: the default policy without what an auditor would object to.
#pragma once

#include "session/config.h"

namespace plumb {

/// What `Policy::kDefault` offers, without
/// - key exchange over the NIST curves, whose constants nobody explains, and over groups that may have 2048 bits;
/// - MACs with SHA-1 or of less than 128 bits, and those that are computed before encryption.
/// All of it can still be asked for by name. Host key algorithms are left empty: they follow from the keys.
Algorithms server_offer();

/// `offer`, whose lists are written out, without MACs and without every cipher that needs one.
Algorithms aead_only(Algorithms offer);

}  // namespace plumb
