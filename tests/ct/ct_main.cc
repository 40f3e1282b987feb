// ct_check SUBJECT: runs one subject once. Meant for valgrind (tests/ct/CMakeLists.txt); by itself it proves nothing.
#include <cstdio>

#include "tests/ct/ct_subjects.h"

namespace {

constexpr plumb::ct::Subject kSubjects[] = {
    {"core", plumb::ct::run_core},
    {"ciphers", plumb::ct::run_ciphers},
    {"packets", plumb::ct::run_packets},
    {"kex", plumb::ct::run_kex},
    {"leaky-branch", plumb::ct::run_leaky_branch},
    {"leaky-index", plumb::ct::run_leaky_index},
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& subject : kSubjects) {
    if (argc != 2 || subject.name != argv[1]) continue;
    subject.run();
    return 0;
  }
  std::fprintf(stderr, "usage: ct_check SUBJECT, one of:");
  for (const auto& subject : kSubjects) std::fprintf(stderr, " %s", subject.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}
