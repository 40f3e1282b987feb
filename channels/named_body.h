// Bodies that a name tells apart: of CHANNEL_OPEN, CHANNEL_REQUEST and GLOBAL_REQUEST. Each set of them is a variant
// whose alternatives hold their name in `kName` and list their fields as messages do.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/message.h"

namespace plumb {

/// The alternative of `Variant` that `name` names, read from `body`; nullopt if none has that name, kProtocol if the
/// fields do not fit. Views live as long as `body`.
template <class Variant, size_t kIndex = 0>
Result<std::optional<Variant>> parse_named(std::string_view name, Bytes body) {
  if constexpr (kIndex == std::variant_size_v<Variant>) {
    return std::nullopt;
  } else {
    using Body = std::variant_alternative_t<kIndex, Variant>;
    if (name != Body::kName) return parse_named<Variant, kIndex + 1>(name, body);
    Result<Body> parsed = parse_body<Body>(body);
    if (!parsed) return tl::unexpected(parsed.error());
    return Variant(*std::move(parsed));
  }
}

/// Whether an alternative of `Variant` has that name.
template <class Variant, size_t kIndex = 0>
constexpr bool knows_name(std::string_view name) {
  if constexpr (kIndex == std::variant_size_v<Variant>) {
    return false;
  } else {
    return name == std::variant_alternative_t<kIndex, Variant>::kName || knows_name<Variant, kIndex + 1>(name);
  }
}

/// The name of the alternative that is there.
template <class Variant>
std::string_view name_of(const Variant& body) {
  return std::visit([](const auto& b) { return std::string_view(std::decay_t<decltype(b)>::kName); }, body);
}

}  // namespace plumb
