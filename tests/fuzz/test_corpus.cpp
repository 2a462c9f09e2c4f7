// SPDX-License-Identifier: MIT
// Whatever has been found by fuzzing, and what it began with, is read or refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.hpp"

namespace cisolve::fuzz {
namespace test_corpus {

struct Target {
  const char* name;
  void (*read)(std::string_view data);
};
void PrintTo(const Target& target, std::ostream* stream) { *stream << target.name; }

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(CISOLVE_FUZZ_CORPUS) / GetParam().name)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string data{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    EXPECT_NO_THROW(GetParam().read(data));
    EXPECT_NO_THROW(GetParam().read(std::string_view(data).substr(0, data.size() / 2)));
    ++count;
  }
  EXPECT_GE(count, 3) << "the corpus is part of the repository";
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus,
                         testing::Values(Target{"basis", basis}, Target{"checkpoint", checkpoint},
                                         Target{"command_line", command_line}, Target{"fcidump", fcidump},
                                         Target{"input", input}, Target{"molden", molden},
                                         Target{"result", result}, Target{"scan", scan},
                                         Target{"trexio", trexio}, Target{"xyz", xyz}),
                         [](const auto& one) { return one.param.name; });

}  // namespace test_corpus
}  // namespace cisolve::fuzz
