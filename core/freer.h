// Objects of C libraries in a std::unique_ptr.
#pragma once

namespace plumb {

/// `std::unique_ptr<BIGNUM, Freer<BN_free>>`
template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

}  // namespace plumb
