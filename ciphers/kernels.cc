#include "ciphers/kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/etm/ctr_sha256_kernel.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/mac/sha_kernel.h"
#include "ciphers/poly1305/poly1305_kernel.h"

namespace plumb {
namespace {

/// THE list of primitives: calls `visit(name, member of `set`, table)` for each.
template <class Set, class Visit>
void for_each_primitive(Set& set, Visit visit) {
  visit("aes-ctr", set.aes_ctr, aes_ctr_kernels());
  visit("gcm", set.gcm, gcm_kernels());
  visit("chacha20", set.chacha20, chacha20_kernels());
  visit("poly1305", set.poly1305, poly1305_kernels());
  visit("sha256", set.sha256, sha256_kernels());
  visit("sha512", set.sha512, sha512_kernels());
  visit("ctr-sha256", set.ctr_sha256, ctr_sha256_kernels());
}

/// Carries out one word of `choose_kernels`.
Result<void> choose_kernel(KernelSet& kernels, std::string_view word, CpuFeatures features) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    return fail(ErrorCode::kUsage, "a kernel is named as PRIMITIVE=KERNEL; `cipher_bench --cpu` prints those in use");
  Result<void> chosen = fail(ErrorCode::kUsage, "there is no such primitive; `cipher_bench --cpu` prints their names");
  for_each_primitive(kernels, [&](std::string_view name, auto& kernel, auto table) {
    if (name != word.substr(0, equals)) return;
    const auto* named = find_kernel(table, word.substr(equals + 1));
    if (named == nullptr) {
      chosen = fail(ErrorCode::kUsage, "the primitive has no kernel of that name in this build");
    } else if (!features.covers(named->needs)) {
      chosen = fail(ErrorCode::kUsage, "this CPU, as PLUMB_CPU leaves it, cannot run that kernel");
    } else {
      kernel = named;
      chosen = {};
    }
  });
  return chosen;
}

}  // namespace

KernelSet select_kernels(CpuFeatures features) {
  KernelSet kernels{};
  for_each_primitive(kernels, [&](auto, auto& kernel, auto table) { kernel = best_kernel(table, features); });
  return kernels;
}

Result<KernelSet> choose_kernels(KernelSet kernels, std::string_view words, CpuFeatures features) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find_first_of(", "));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word.empty()) continue;
    if (const Result<void> chosen = choose_kernel(kernels, word, features); !chosen)
      return tl::unexpected(chosen.error());
  }
  return kernels;
}

const KernelSet& host_kernels() {
  static const KernelSet kernels = [] {
    const char* words = std::getenv("PLUMB_KERNELS");
    const KernelSet best = select_kernels(host_cpu());
    Result<KernelSet> chosen = choose_kernels(best, words == nullptr ? "" : words, host_cpu());
    if (chosen) return *chosen;
    std::fprintf(stderr, "PLUMB_KERNELS=%s: %s\n", words, chosen.error().text);
    std::abort();
  }();
  return kernels;
}

std::vector<KernelSet> all_kernel_sets(CpuFeatures features) {
  std::vector<KernelSet> sets;
  for (size_t step = 0, steps = 1; step < steps; step++) {
    for_each_primitive(sets.emplace_back(), [&](auto, auto& kernel, auto table) {
      const auto runnable = runnable_kernels(table, features);
      kernel = runnable[std::min(step, runnable.size() - 1)];
      steps = std::max(steps, runnable.size());
    });
  }
  return sets;
}

std::string to_string(const KernelSet& kernels) {
  std::string text;
  for_each_primitive(kernels, [&](const char* name, const auto* kernel, auto) {
    text.append(text.empty() ? "" : " ").append(name).append("=").append(kernel->name);
  });
  return text;
}

}  // namespace plumb
