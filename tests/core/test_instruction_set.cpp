// SPDX-License-Identifier: MIT
#include "core/instruction_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "core/instruction_limit.hpp"

namespace cisolve {
namespace test_instruction_set {

/// Flags of the first processor as Linux lists them, between blanks; none where it lists none.
std::string flags_of_processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return line + " ";
  }
  return "";
}

TEST(InstructionSets, AreThoseOfTheProcessor) {
  const std::string flags = flags_of_processor();
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags here";
  const auto has = [&](const std::string& name) { return flags.find(" " + name + " ") != std::string::npos; };
  InstructionSet expected = InstructionSet::baseline;
  if (has("avx2") && has("fma")) expected = InstructionSet::avx2;
  if (expected == InstructionSet::avx2 && has("avx512f") && has("avx512bw") && has("avx512dq") &&
      has("avx512vl"))
    expected = InstructionSet::avx512;
  EXPECT_EQ(instruction_set(), expected);
}

TEST(InstructionSets, KeepToTheLimit) {
  const InstructionSet best = instruction_set();
  for (const InstructionSet most : test::all_instruction_sets) {
    const test::InstructionLimit limit(most);
    EXPECT_EQ(instruction_set(), std::min(best, most)) << name_of(most);
  }
  EXPECT_EQ(instruction_set(), best);
}

}  // namespace test_instruction_set
}  // namespace cisolve
