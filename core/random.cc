#include "core/random.h"

#include <sys/random.h>

#include <cerrno>

#include "core/check.h"

namespace plumb {
namespace {

class SystemRandom final : public RandomSource {
 public:
  void fill(MutBytes out) noexcept override {
    while (!out.empty()) {
      const ssize_t n = getrandom(out.data(), out.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      PLUMB_CHECK(n > 0);
      out = out.subspan(static_cast<size_t>(n));
    }
  }
};

}  // namespace

RandomSource& system_random() {
  static SystemRandom random;
  return random;
}

}  // namespace plumb
