// A server that speaks SFTP on its standard input and output, as OpenSSH's sftp-server does.
#pragma once

#include <string>
#include <vector>

#include "tests/sftp/test_session.h"

namespace plumb::sftp::testing {

inline constexpr const char* kOpenSshServer = "/usr/lib/openssh/sftp-server";

class ProcessWire final : public Wire {
 public:
  explicit ProcessWire(const std::vector<std::string>& command);
  ~ProcessWire() override;
  void send(Bytes bytes) override;
  size_t receive(MutBytes space) override;

 private:
  int fd_ = -1;
  int pid_ = -1;
  std::vector<uint8_t> inbox_;  // came while we were sending
};

/// An empty folder that is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view content);
std::string read_file(const std::string& path);

}  // namespace plumb::sftp::testing
