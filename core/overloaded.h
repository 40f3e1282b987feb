// Several functions as one, for std::visit.
#pragma once

namespace plumb {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
// clang needs it said until version 17.
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace plumb
