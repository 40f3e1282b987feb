#include "core/observer.h"

namespace plumb {

Observer& null_observer() {
  static Observer observer;
  return observer;
}

}  // namespace plumb
