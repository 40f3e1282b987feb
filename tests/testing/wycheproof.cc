#include "tests/testing/wycheproof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "core/encoding.h"

namespace plumb::testing {
namespace {

std::vector<uint8_t> hex_field(const nlohmann::json& object, const char* field) {
  if (!object.contains(field) || !object[field].is_string()) {
    ADD_FAILURE() << "no hex field " << field;
    return {};
  }
  auto bytes = from_hex(object[field].get_ref<const std::string&>());
  if (bytes) return *std::move(bytes);
  ADD_FAILURE() << field << ": " << bytes.error().text;
  return {};
}

}  // namespace

int WycheproofCase::id() const { return test_.value("tcId", 0); }

WycheproofCase::Expected WycheproofCase::expected() const {
  const std::string result = test_.value("result", "");
  if (result == "valid") return Expected::kValid;
  if (result == "acceptable") return Expected::kAcceptable;
  if (result != "invalid") ADD_FAILURE() << "unknown result: " << result;
  return Expected::kInvalid;
}

std::string WycheproofCase::comment() const { return test_.value("comment", ""); }

bool WycheproofCase::has_flag(std::string_view flag) const {
  const auto flags = test_.value("flags", std::vector<std::string>());
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::vector<uint8_t> WycheproofCase::bytes(const char* field) const { return hex_field(test_, field); }

std::vector<uint8_t> WycheproofCase::group_bytes(const char* field) const { return hex_field(group_, field); }

std::string WycheproofCase::describe() const {
  std::string text = "tcId " + std::to_string(id()) + " (" + comment() + "; flags:";
  for (const std::string& flag : test_.value("flags", std::vector<std::string>())) text += " " + flag;
  return text + ")";
}

void for_each_wycheproof(std::string_view file, const std::function<void(const WycheproofCase&)>& body) {
  const char* folder = std::getenv("PLUMB_VECTORS");
  if (folder == nullptr) GTEST_SKIP() << "PLUMB_VECTORS is unset: it names the folder that holds wycheproof/" << file;
  const std::string path = std::string(folder) + "/wycheproof/" + std::string(file);
  std::ifstream stream(path);
  const nlohmann::json document = nlohmann::json::parse(stream, nullptr, false);
  ASSERT_TRUE(document.is_object()) << path << ": cannot be read as JSON";
  int count = 0;
  for (const nlohmann::json& group : document.at("testGroups")) {
    for (const nlohmann::json& test : group.at("tests")) {
      const WycheproofCase one(group, test);
      SCOPED_TRACE(std::string(file) + " " + one.describe());
      body(one);
      count++;
    }
  }
  EXPECT_GT(count, 0) << path;
  EXPECT_EQ(count, document.value("numberOfTests", -1)) << path;
}

}  // namespace plumb::testing
