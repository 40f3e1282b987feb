#include "core/result.h"

#include <system_error>

namespace plumb {

std::string describe(const Error& error) {
  if (error.os_error == 0) return error.text;
  return std::string(error.text) + ": " + std::generic_category().message(error.os_error);
}

}  // namespace plumb
