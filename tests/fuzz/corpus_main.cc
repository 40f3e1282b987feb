// The main function of a fuzz target where libFuzzer is not wanted: runs it on every file of the directories given.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::filesystem::path> files_in(const char* directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (error) std::fprintf(stderr, "%s: %s\n", directory, error.message().c_str());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; i++) {
    for (const auto& path : files_in(argv[i])) {
      std::ifstream file(path, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      if (file.bad() || !file.is_open()) {
        std::fprintf(stderr, "%s cannot be read\n", path.c_str());
        return 1;
      }
      std::fprintf(stderr, "%s: %zu bytes\n", path.filename().c_str(), bytes.size());
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
      runs++;
    }
  }
  std::fprintf(stderr, "%zu inputs\n", runs);
  if (runs != 0) return 0;
  std::fprintf(stderr, "no corpus file was found in the directories given\n");
  return 1;
}
