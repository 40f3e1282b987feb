// What a foreign program sees of the file system when nothing of the system may change: a view of its own, in a mount
// namespace that ends with it. Needs root and CAP_SYS_ADMIN.
#pragma once

#include <string>
#include <vector>

namespace plumb {

struct PrivateView {
  struct Bind {
    std::string source;  ///< a file or folder as we see it
    std::string target;  ///< the file or folder that it covers, as the program will see it
  };
  std::vector<Bind> binds;
  std::string root;  ///< another system to run in, which shares our /dev and temporary folder; empty: ours
};

/// All paths worked out beforehand: between fork and exec only system calls may be made.
class MountPlan {
 public:
  /// Makes the mount points inside another root that are not there yet.
  explicit MountPlan(const PrivateView& view);

  /// In a child that has a mount namespace of its own (CLONE_NEWNS) and will exec: an empty /run but for the /run/sshd
  /// that sshd insists on, the binds, and the root. nullptr, or the step that failed, errno being set.
  const char* arrange() const noexcept;

 private:
  struct Mount {
    std::string source, target;
    const char* type;  // nullptr: a bind
    const char* step;
  };
  std::vector<Mount> mounts_;
  std::string run_sshd_;
  std::string root_;
};

}  // namespace plumb
