#include "interop/private_view.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace plumb {

MountPlan::MountPlan(const PrivateView& view) : run_sshd_(view.root + "/run/sshd"), root_(view.root) {
  mounts_.push_back({"tmpfs", root_ + "/run", "tmpfs", "mount a private /run"});
  if (!root_.empty()) {
    std::error_code ignored;
    const std::string shared = std::filesystem::temp_directory_path(ignored).string();
    std::filesystem::create_directories(root_ + shared, ignored);
    mounts_.push_back({"proc", root_ + "/proc", "proc", "mount /proc in the other root"});
    mounts_.push_back({"/dev", root_ + "/dev", nullptr, "bind /dev into the other root"});
    mounts_.push_back({shared, root_ + shared, nullptr, "bind the temporary folder into the other root"});
  }
  for (const PrivateView::Bind& bind : view.binds) {
    mounts_.push_back({bind.source, root_ + bind.target, nullptr, "bind a private file or folder"});
  }
}

const char* MountPlan::arrange() const noexcept {
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "make mounts private";
  for (const Mount& m : mounts_) {
    const unsigned long flags = m.type == nullptr ? MS_BIND | MS_REC : MS_NOSUID | MS_NODEV;
    if (mount(m.source.c_str(), m.target.c_str(), m.type, flags, nullptr) != 0) return m.step;
  }
  if (mkdir(run_sshd_.c_str(), 0755) != 0) return "make a private /run/sshd";
  if (root_.empty()) return nullptr;
  return chroot(root_.c_str()) == 0 && chdir("/") == 0 ? nullptr : "enter the other root";
}

}  // namespace plumb
