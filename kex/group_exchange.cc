#include "kex/group_exchange.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/encoding.h"
#include "core/endian.h"
#include "core/message.h"
#include "kex/messages.h"

namespace plumb {
namespace {

size_t bit_length(Bytes magnitude) {
  while (!magnitude.empty() && magnitude[0] == 0) magnitude = magnitude.subspan(1);
  return magnitude.empty() ? 0 : 8 * magnitude.size() - static_cast<size_t>(std::countl_zero(magnitude[0]));
}

/// 1 < g < p-1 for an odd p: below p with its last bit cleared.
bool is_generator(Bytes g, Bytes p) {
  std::vector<uint8_t> last(p.begin(), p.end());
  last.back() &= 0xfe;
  while (!g.empty() && g[0] == 0) g = g.subspan(1);
  const bool above_one = g.size() > 1 || (g.size() == 1 && g[0] > 1);
  if (g.size() != last.size()) return above_one && g.size() < last.size();
  return above_one && std::lexicographical_compare(g.begin(), g.end(), last.begin(), last.end());
}

bool is_group(Bytes p, Bytes g, const GroupSizes& sizes) {
  const size_t bits = bit_length(p);
  return sizes.min <= bits && bits <= sizes.max && (p.back() & 1) == 1 && is_generator(g, p);
}

/// The fields of one line of moduli(5): time, type, tests, trials, size, generator, modulus.
constexpr size_t kFields = 7;
std::optional<std::array<std::string_view, kFields>> split_line(std::string_view line) {
  std::array<std::string_view, kFields> fields;
  size_t count = 0;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    if (count == kFields) return std::nullopt;
    const std::string_view field = line.substr(0, line.find_first_of(" \t"));
    fields[count++] = field;
    line.remove_prefix(field.size());
  }
  if (count != kFields) return std::nullopt;
  return fields;
}

std::optional<uint32_t> number_of(std::string_view text, int base = 10) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<uint8_t>> magnitude_of(std::string_view hex) {
  std::string digits(hex.size() % 2, '0');
  digits += hex;
  Result<std::vector<uint8_t>> bytes = from_hex(digits);
  if (!bytes || bytes->empty()) return std::nullopt;
  return *std::move(bytes);
}

/// The group of a line; an empty list if it is not for us.
Result<std::vector<ModpGroup>> parse_line(std::string_view line) {
  const auto malformed = fail(ErrorCode::kFormat, "a line of the moduli does not have the seven fields of moduli(5)");
  const auto fields = split_line(line);
  if (!fields) return malformed;
  const auto type = number_of((*fields)[1]);
  const auto tests = number_of((*fields)[2], 16);
  const auto size = number_of((*fields)[4]);
  const auto g = magnitude_of((*fields)[5]);
  const auto p = magnitude_of((*fields)[6]);
  if (!type || !tests || !size || !g || !p) return malformed;

  constexpr uint32_t kSafePrime = 2;
  constexpr uint32_t kComposite = 1;
  const bool tested = (*tests & kComposite) == 0 && *tests != 0;
  std::vector<ModpGroup> group;
  if (*type == kSafePrime && tested && is_group(*p, *g, kGroupSizes)) group.emplace_back(*p, *g);
  return group;
}

/// The best size for `preferred` among those of `groups` within the bounds; 0 if there is none.
template <class Groups>
size_t best_size(const Groups& groups, size_t min, size_t preferred, size_t max) {
  size_t best = 0;
  for (const ModpGroup& group : groups) {
    const size_t bits = group.bits();
    if (bits < min || bits > max) continue;
    const bool nearer = best < preferred ? bits > best : bits >= preferred && bits < best;
    if (nearer) best = bits;
  }
  return best;
}

uint32_t below(RandomSource& random, size_t bound) {
  std::array<uint8_t, 8> bytes;
  random.fill(bytes);
  return static_cast<uint32_t>(load_be64(bytes.data()) % bound);  // public, and the bias is below 2^-40
}

}  // namespace

Result<Moduli> Moduli::parse(Bytes text) {
  Moduli moduli;
  for (std::string_view rest = as_text(text); !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#')) continue;
    Result<std::vector<ModpGroup>> group = parse_line(line);
    if (!group) return tl::unexpected(group.error());
    std::move(group->begin(), group->end(), std::back_inserter(moduli.groups_));
  }
  return moduli;
}

Result<ModpGroup> Moduli::choose(const GroupSizes& sizes, RandomSource& random) const {
  if (sizes.min > sizes.preferred || sizes.preferred > sizes.max) {
    return fail(ErrorCode::kProtocol, "the client asks for group sizes that contradict each other");
  }
  const size_t min = std::max(sizes.min, kGroupSizes.min);
  const size_t max = std::min(sizes.max, kGroupSizes.max);
  if (const size_t bits = best_size(groups_, min, sizes.preferred, max); bits != 0) {
    std::vector<const ModpGroup*> fitting;
    for (const ModpGroup& group : groups_) {
      if (group.bits() == bits) fitting.push_back(&group);
    }
    return *fitting[below(random, fitting.size())];
  }
  const std::array<std::reference_wrapper<const ModpGroup>, 3> named{modp_group14(), modp_group16(), modp_group18()};
  const size_t bits = best_size(named, min, sizes.preferred, max);
  for (const ModpGroup& group : named) {
    if (group.bits() == bits) return group;
  }
  return fail(ErrorCode::kProtocol, "no group has a size that the client takes and that we give: 2048 to 8192 bits");
}

std::vector<uint8_t> ExchangedGroup::hashed() const {
  std::vector<uint8_t> bytes;
  Writer writer(bytes);
  writer.u32(sizes.min);
  writer.u32(sizes.preferred);
  writer.u32(sizes.max);
  writer.mpint(group.p());
  writer.mpint(group.g());
  return bytes;
}

Result<ModpGroup> parse_group(Bytes payload, const GroupSizes& asked) {
  const Result<KexDhGexGroup> message = parse_message<KexDhGexGroup>(payload);
  if (!message) return tl::unexpected(message.error());
  if (!is_group(message->p, message->g, asked)) {
    return fail(ErrorCode::kProtocol,
                "the server's group is not an odd modulus of the size asked for with a generator");
  }
  return ModpGroup(message->p, message->g);
}

}  // namespace plumb
