// Which side of a connection we are, and what we call the other one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

enum class Role : uint8_t { kClient, kServer };

/// A string literal as a template argument.
template <size_t N>
struct FixedText {
  char chars[N];
  constexpr FixedText(const char (&text)[N]) { std::copy_n(text, N, chars); }
};

/// "the server" or "the client", whoever `us` talks to, and then `kRest`: `the_peer<" sent nothing">(role)`. Static
/// storage, as an Error wants.
template <FixedText kRest>
const char* the_peer(Role us) {
  constexpr auto join = [](std::string_view who) {
    std::array<char, sizeof kRest.chars + 10> text{};
    std::copy_n(kRest.chars, sizeof kRest.chars, std::copy(who.begin(), who.end(), text.begin()));
    return text;
  };
  static constexpr auto kServer = join("the server");
  static constexpr auto kClient = join("the client");
  return us == Role::kClient ? kServer.data() : kClient.data();
}

}  // namespace plumb
