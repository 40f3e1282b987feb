#include "session/policy.h"

#include <algorithm>

#include "kex/methods.h"
#include "keys/host_pattern.h"
#include "keys/signature.h"
#include "packet/cipher_suite.h"

namespace plumb {
namespace {

template <class Table>
NameList names_of(const Table& table) {
  NameList names;
  for (const auto& line : table) names.emplace_back(line.name);
  return names;
}

bool matches_any(std::string_view name, const NameList& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& pattern) { return match_pattern(name, pattern); });
}

// `first` and then what `second` has besides.
NameList join_lists(NameList first, const NameList& second) {
  for (const std::string& name : second) {
    if (!contains_name(first, name)) first.push_back(name);
  }
  return first;
}

bool needs_mac(const std::string& cipher) { return !find_cipher(cipher)->aead; }

}  // namespace

Result<NameList> apply_wish(const NameList& base, const NameList& known, std::string_view wish) {
  if (wish.empty()) return base;
  const char how = wish.front();
  const bool edits = how == '+' || how == '-' || how == '^';
  const Result<NameList> named = parse_name_list(edits ? wish.substr(1) : wish);
  if (!named || named->empty())
    return fail(ErrorCode::kUsage,
                "a list of algorithms is names with commas between, perhaps with +, - or ^ in front");
  if (how == '-') {
    NameList left;
    std::copy_if(base.begin(), base.end(), std::back_inserter(left),
                 [&](const std::string& name) { return !matches_any(name, *named); });
    if (left.empty()) return fail(ErrorCode::kUsage, "a list of algorithms is empty: nothing is left of it");
    return left;
  }
  for (const std::string& name : *named) {
    if (!contains_name(known, name)) return fail(ErrorCode::kUsage, "a list of algorithms names one that is not known");
  }
  if (how == '+') return join_lists(base, *named);
  if (how == '^') return join_lists(*named, base);
  return join_lists({}, *named);
}

Result<Algorithms> make_algorithms(Policy policy, const AlgorithmWishes& wishes) {
  const bool aead_only = policy == Policy::kAeadOnly;
  if (aead_only && !wishes.macs.empty())
    return fail(ErrorCode::kUsage, "a policy of AEAD alone offers no MACs: leave their list out");

  const NameList signatures = names_of(signature_algorithms());
  const NameList all_ciphers = names_of(cipher_specs()), all_macs = names_of(mac_specs());
  NameList ciphers = all_ciphers, macs = all_macs;
  if (policy != Policy::kLegacy) {
    std::erase_if(ciphers, [](const std::string& name) { return find_cipher(name)->legacy; });
    std::erase_if(macs, [](const std::string& name) { return find_mac(name)->legacy; });
  }
  if (aead_only) std::erase_if(ciphers, needs_mac);
  struct Step {
    NameList Algorithms::*list;
    NameList base, known;
    std::string_view wish;
  };
  const Step steps[] = {{&Algorithms::kex, names_of(kex_methods()), names_of(kex_methods()), wishes.kex},
                        {&Algorithms::host_keys, signatures, signatures, wishes.host_keys},
                        {&Algorithms::signatures, signatures, signatures, wishes.signatures},
                        {&Algorithms::ciphers_c2s, ciphers, all_ciphers, wishes.ciphers},
                        {&Algorithms::macs_c2s, macs, all_macs, wishes.macs}};
  Algorithms algorithms;
  for (const Step& step : steps) {
    Result<NameList> list = apply_wish(step.base, step.known, step.wish);
    if (!list) return tl::unexpected(list.error());
    algorithms.*step.list = *std::move(list);
  }
  const NameList& chosen = algorithms.ciphers_c2s;
  if (aead_only && std::any_of(chosen.begin(), chosen.end(), needs_mac))
    return fail(ErrorCode::kUsage, "a policy of AEAD alone takes no cipher that needs a MAC: leave it out of the list");
  if (aead_only) algorithms.macs_c2s.clear();
  algorithms.no_macs = aead_only;
  algorithms.ciphers_s2c = algorithms.ciphers_c2s;
  algorithms.macs_s2c = algorithms.macs_c2s;
  return algorithms;
}

}  // namespace plumb
