// What the file commands of `plumb` work in: an SFTP connection, a folder on either side, standard output.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forward/sftp_client.h"
#include "sftp/ask.h"
#include "sftp/posix_files.h"
#include "sftp/tree_task.h"
#include "tools/checked.h"

namespace plumb {

struct CopyFlags {
  bool recursive = false;
  bool preserve = false;
  bool resume = false;
};

class FileShell {
 public:
  /// `client` is connected and outlives it. `quiet`: no progress.
  static Checked<std::unique_ptr<FileShell>> open(SftpClient& client, bool quiet);

  SftpClient& client() { return client_; }

  /// One request and its reply. The error is a sentence that begins with `subject`.
  Checked<void> ask(const std::string& subject, sftp::Ask::Request request,
                    const std::function<void(const sftp::Reply&)>& told = nullptr);

  /// As the reply's kind.
  template <class Kind>
  Checked<void> ask_for(const std::string& subject, sftp::Ask::Request request,
                        const std::function<void(const Kind&)>& told) {
    return ask(subject, std::move(request), [&](const sftp::Reply& reply) { told(std::get<Kind>(reply.what)); });
  }

  Checked<sftp::Attrs> stat(const std::string& path);

  struct Listed {
    std::string name, long_name;
    sftp::Attrs attrs;
  };
  /// In the order of names, `.` and `..` among them.
  Checked<std::vector<Listed>> list(const std::string& folder);

  /// Paths that match a pattern, in order; the path itself if it is none. An error if nothing matches.
  Checked<std::vector<std::string>> expand(const std::string& pattern);
  Checked<std::vector<std::string>> expand_local(const std::string& pattern) const;

  /// Absolute where the folder on the other side was chosen.
  std::string remote(std::string_view path) const { return resolve(remote_folder_, path); }
  std::string local(std::string_view path) const { return resolve(local_folder_, path); }

  Checked<void> enter(const std::string& folder);        ///< cd
  Checked<void> enter_local(const std::string& folder);  ///< lcd
  Checked<std::string> where();                          ///< pwd
  const std::string& where_locally() const { return local_folder_; }

  /// Copies each of `sources` to `target`: into it, if it is a folder; of one that ends in "/." what is in it. What
  /// failed was said, one sentence each; the error sums it up, and says what a lost connection left.
  Checked<void> get(const std::vector<std::string>& sources, const std::string& target, CopyFlags flags);
  Checked<void> put(const std::vector<std::string>& sources, const std::string& target, CopyFlags flags);

  /// Makes the place of each failure plain: "line 3 of batch: ".
  void say_error(const std::string& sentence) const;

 private:
  FileShell(SftpClient& client, bool quiet) : client_(client), quiet_(quiet) {}
  static std::string resolve(const std::string& folder, std::string_view path);
  class Watch;
  enum class Direction : uint8_t { kGet, kPut };
  template <class MakeTask>
  Checked<void> copy(Direction direction, const std::vector<std::string>& sources, CopyFlags flags, MakeTask make);
  sftp::TreeOptions tree_options(CopyFlags flags);

  SftpClient& client_;
  bool quiet_;
  std::unique_ptr<sftp::PosixFiles> files_;
  std::string remote_folder_;  // empty: where the server begins
  std::string local_folder_;
};

}  // namespace plumb
