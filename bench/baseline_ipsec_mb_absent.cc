// In place of baseline_ipsec_mb.cc where the library was not found.
#include "bench/baselines.h"

namespace plumb {

std::unique_ptr<Sealer> ipsec_mb_sealer(const CipherSpec&, const MacSpec*, const DirectionKeys&) { return nullptr; }
std::unique_ptr<Opener> ipsec_mb_opener(const CipherSpec&, const MacSpec*, const DirectionKeys&) { return nullptr; }
std::unique_ptr<Sealer> ipsec_mb_primitive(const Primitive&) { return nullptr; }
std::string ipsec_mb_version() { return {}; }

}  // namespace plumb
