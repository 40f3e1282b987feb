#include "forward/internal_sftp.h"

#include <sstream>

namespace plumb {

bool is_internal_sftp(std::string_view command) {
  return command.substr(0, command.find_first_of(" \t")) == kInternalSftp;
}

Result<InternalSftp> parse_internal_sftp(std::string_view command) {
  std::istringstream words{std::string(command)};
  std::string word;
  words >> word;
  InternalSftp asked;
  while (words >> word) {
    if (word != "-R")
      return fail(ErrorCode::kUsage, "internal-sftp takes no argument but -R, to serve for reading only");
    asked.read_only = true;
  }
  return asked;
}

}  // namespace plumb
