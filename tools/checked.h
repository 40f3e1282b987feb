// What a command line or a file means, or a sentence that says what is wrong with it.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace plumb {

template <class T>
using Checked = tl::expected<T, std::string>;

}  // namespace plumb
