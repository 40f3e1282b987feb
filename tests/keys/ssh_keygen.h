// A folder of files and OpenSSH's ssh-keygen to judge them. Tests are skipped, visibly, where the program is missing.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "interop/subprocess.h"
#include "keys/public_key.h"

namespace plumb::testing {

class SshKeygen : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(std::string_view name) const { return (folder_ / name).string(); }

  /// Readable by its owner only: ssh-keygen refuses private keys that others may read.
  void write_file(std::string_view name, std::string_view text) const;
  std::string read_file(std::string_view name) const;

  /// Runs ssh-keygen with these arguments and `input` on its standard input.
  ProgramResult keygen(std::vector<std::string> arguments, std::string input = "") const;

  /// The same; a failure of ssh-keygen fails the test. Returns its standard output.
  std::string must_keygen(std::vector<std::string> arguments, std::string input = "") const;

  /// Makes an unencrypted key `name` and `name`.pub; `more` are further arguments ("-b", "2048").
  void make_key(std::string_view name, std::string_view type, std::string_view comment,
                std::vector<std::string> more = {}) const;

  /// The key of `name`.pub.
  PublicKey public_key(std::string_view name) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace plumb::testing
