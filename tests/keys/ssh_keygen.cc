#include "tests/keys/ssh_keygen.h"

#include <fstream>
#include <sstream>

#include "interop/scratch_folder.h"
#include "keys/public_line.h"

namespace plumb::testing {

void SshKeygen::SetUp() {
  if (!keygen({"-?"}).started) GTEST_SKIP() << "ssh-keygen is not installed";
  const auto folder = make_scratch_folder("keys");
  ASSERT_TRUE(folder.has_value()) << folder.error();
  folder_ = *folder;
}

void SshKeygen::TearDown() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void SshKeygen::write_file(std::string_view name, std::string_view text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  using std::filesystem::perms;
  std::filesystem::permissions(path(name), perms::owner_read | perms::owner_write);
}

std::string SshKeygen::read_file(std::string_view name) const {
  std::ifstream stream(path(name), std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << name;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

ProgramResult SshKeygen::keygen(std::vector<std::string> arguments, std::string input) const {
  ProgramRequest request;
  request.argv = std::move(arguments);
  request.argv.insert(request.argv.begin(), "ssh-keygen");
  request.input = std::move(input);
  return run_program(request);
}

std::string SshKeygen::must_keygen(std::vector<std::string> arguments, std::string input) const {
  const ProgramResult result = keygen(std::move(arguments), std::move(input));
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error;
  return result.output;
}

void SshKeygen::make_key(std::string_view name, std::string_view type, std::string_view comment,
                         std::vector<std::string> more) const {
  std::vector<std::string> arguments = {"-q", "-t",      std::string(type), "-N", "", "-C", std::string(comment),
                                        "-f", path(name)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  must_keygen(std::move(arguments));
}

PublicKey SshKeygen::public_key(std::string_view name) const {
  const auto line = parse_public_file(read_file(std::string(name) + ".pub"));
  EXPECT_TRUE(line.has_value()) << name << ": " << line.error().text;
  return line.value().key;
}

}  // namespace plumb::testing
