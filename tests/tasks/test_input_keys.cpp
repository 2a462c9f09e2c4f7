// SPDX-License-Identifier: MIT
#include "cisolve/tasks/input/keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"
#include "tasks/input/toml.hpp"

namespace cisolve {
namespace test_input_keys {

using testing::HasSubstr;
using testing::StartsWith;

TEST(InputKeys, AreDifferentAndDescribed) {
  std::set<std::string_view> paths;
  for (const InputKey& key : input_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.meaning.empty()) << key.path;
    EXPECT_NE(key.kinds, 0U) << key.path;
    EXPECT_TRUE(key.required || !key.default_value.empty() || !key.default_meaning.empty()) << key.path;
    EXPECT_TRUE(!key.default_value.empty() || !key.example.empty()) << key.path;
    EXPECT_EQ(find_input_key(key.path), &key);
  }
}

TEST(InputKeys, SectionsHoldAllOfThem) {
  std::set<std::string_view> sections = {""};
  for (const InputSection& section : input_sections()) sections.insert(section.name);
  for (const InputKey& key : input_keys()) EXPECT_TRUE(sections.contains(key.section())) << key.path;
}

/// An input that the key can be added to.
std::string input_for(const InputKey& key) {
  if (key.section() == "lattice" && key.is_in_list()) return "[lattice]\nbonds = [[1, 2]]\n";
  if (key.section() == "lattice") return "";
  if (key.section() == "vmc") return "[lattice]\n[vmc]\n";
  if (key.section() == "optimisation") return "[lattice]\n[vmc]\noptimise = [\"delta\"]\n";
  if (key.section() == "scan" || task_of({}).reads(key)) return "[integrals]\nfile = \"a.fcidump\"\n";
  if (key.path == "flapw.file") return "[flapw]\n";
  if (key.section() == "synthetic") return "[flapw]\n[synthetic]\natoms = 8\nlmax = 6\nwaves = 500\n";
  return "[flapw]\n[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = 3\n"
         "types = [{ name = \"Al\", radius = 2 }]\natoms = [{ type = \"Al\", position = [0, 0, 0] }]\n"
         "[potential]\nfourier = [{ g = [0, 0, 0], v = 0.1 }]\n";
}

TEST(InputKeys, DefaultsAndExamplesPassTheirOwnChecks) {
  for (const InputKey& key : input_keys()) {
    if (key.section() == "molecule") continue;
    for (const std::string_view value : {key.default_value, key.example}) {
      if (value.empty() || key.path.starts_with("space.reference.")) continue;
      std::string path(key.path);
      if (key.is_in_list()) path.insert(path.find(']'), "1");
      const InputOverride option = {.key = path, .value = std::string(value), .where = "b"};
      EXPECT_NO_THROW(parse_input(input_for(key), "a.inp", {option})) << path << " = " << value;
    }
  }
}

CiConfig config_of(const std::string& text) { return read_ci_config(parse_input(text, "molecule.inp")); }

/// The template is the input of a molecule.
class InputTemplate : public testing::Test {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "needs Libint2";
  }
};

TEST_F(InputTemplate, IsAnInputThatEqualsTheDefaults) {
  const std::string example(find_input_key("molecule.geometry")->example);
  const std::string needed = "[molecule]\ngeometry = " + example + "\nbasis = \"6-31g(d)\"\n";
  EXPECT_EQ(config_of(input_template()).resolved_text, config_of(needed).resolved_text);
}

TEST_F(InputTemplate, HasEveryKeyAndFits) {
  const std::string text = input_template();
  for (const InputKey& key : input_keys()) {
    if (key.name().find('.') != std::string_view::npos) continue;  // a field of a table
    EXPECT_TRUE(text.find("\n" + std::string(key.name()) + " = ") != std::string::npos ||
                text.find("\n# " + std::string(key.name()) + " = ") != std::string::npos)
        << key.path;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(InputTemplate, ExamplesOfOptionalKeysWorkWhenUncommented) {
  std::string text = input_template();
  for (const InputKey& key : input_keys()) {
    const bool contradicts = key.path == "molecule.geometry_file" || key.path == "molecule.charges_file" ||
                             key.path == "space.inactive";  // of [orbitals], which stays out
    if (key.section() == "integrals" || contradicts || !task_of({}).reads(key)) continue;
    const std::string commented = "\n# " + std::string(key.name()) + " = ";
    const auto header = text.find("\n[" + std::string(key.section()) + "]\n");
    const auto at = text.find(commented, header);
    if (at < text.find("\n# [", header)) text.erase(at + 1, 2);
  }
  EXPECT_THAT(config_of(text).irreps, testing::ElementsAre("A1"));
  EXPECT_EQ(config_of(text).output_file, "molecule.h5");
}

TEST(InputExplanations, HaveAllFactsOfEveryKey) {
  for (const InputKey& key : input_keys()) {
    const std::string text = explain_input(key.path);
    EXPECT_THAT(text, StartsWith(std::string(key.path) + "\n"));
    for (const char* fact : {"\n  type     ", "\n  unit     ", "\n  default  ", "\n  allowed  "}) {
      EXPECT_THAT(text, HasSubstr(fact)) << key.path;
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  EXPECT_THAT(explain_input("solver.tolerance"), HasSubstr("hartree"));
  EXPECT_THAT(explain_input("solver.tolerance"), HasSubstr("1e-6"));
}

TEST(InputExplanations, TakeASectionOrABareName) {
  EXPECT_THAT(explain_input("solver"), HasSubstr("solver.max_subspace"));
  EXPECT_THAT(explain_input("[solver]"), HasSubstr("solver.max_subspace"));
  EXPECT_THAT(explain_input("tolerance"), StartsWith("solver.tolerance\n"));
  try {
    explain_input("solver.tolerence");
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"solver.tolerance\""));
  }
}

TEST(InputDocumentation, IsWhatTheTableOfKeysSays) {
  std::ifstream file(CISOLVE_INPUTS "/../docs/input.md");
  ASSERT_TRUE(file) << "docs/input.md is missing";
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string first = "<!-- keys: written by `cisolve explain --markdown` -->\n\n";
  const std::string last = "\n<!-- end of keys -->";
  const auto from = text.find(first);
  const auto to = text.find(last);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_TRUE(text.substr(from + first.size(), to - from - first.size()) == input_keys_markdown())
      << "replace that part by the output of: cisolve explain --markdown";
}

}  // namespace test_input_keys
}  // namespace cisolve
