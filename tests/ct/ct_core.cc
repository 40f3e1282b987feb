#include <array>
#include <string>

#include "core/check.h"
#include "core/encoding.h"
#include "tests/ct/ct_subjects.h"

namespace plumb::ct {
namespace {

void check_equal() {
  const auto a = secret_bytes(64);
  const auto b = secret_bytes(64);
  PLUMB_CHECK(!ct_equal(a, b));
  PLUMB_CHECK(ct_equal(a, a));
}

void check_base64() {
  // A key of each length modulo 3, so that every padding occurs.
  for (size_t size : {30, 31, 32}) {
    const auto key = secret_bytes(size);
    make_public(key);
    std::string text = to_base64(key);
    ct_secret(text.data(), text.size());
    const auto decoded = from_base64(text);
    PLUMB_CHECK(decoded.has_value());
    make_public(*decoded);
    PLUMB_CHECK(*decoded == key);
  }
}

}  // namespace

void run_core() {
  announce("ct_equal");
  check_equal();
  announce("from_base64");
  check_base64();
}

}  // namespace plumb::ct
