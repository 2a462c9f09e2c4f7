// SPDX-License-Identifier: MIT
// Whatever is wrong with an input: exit status 1, one sentence, no result file.
#include <gtest/gtest.h>

#include "app/run_program.hpp"

namespace cisolve::test {
namespace {

struct BadInput {
  const char* name;
  std::string rest;  ///< after a good [integrals], or, if it has that section, all of the input
  std::vector<std::string> parts;
};

void PrintTo(const BadInput& bad, std::ostream* stream) { *stream << bad.name; }

std::string integrals_section() {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump\"\npoint_group = \"C2v\"\n";
}

class BadInputIsRefused : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputIsRefused, WithOneSentenceAndNoResult) {
  const BadInput& bad = GetParam();
  const ScratchFolder folder;
  const bool is_whole = bad.rest.find("[integrals]") != std::string::npos;
  folder.write("job.inp", is_whole ? bad.rest : integrals_section() + bad.rest);

  const ProgramResult result = run_program({"job.inp"}, folder.path());

  expect_refused(result, bad.parts);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"job.inp"});
}

TEST_P(BadInputIsRefused, ByCheckToo) {
  const BadInput& bad = GetParam();
  const ScratchFolder folder;
  const bool is_whole = bad.rest.find("[integrals]") != std::string::npos;
  folder.write("job.inp", is_whole ? bad.rest : integrals_section() + bad.rest);

  expect_refused(run_program({"job.inp", "--check"}, folder.path()), bad.parts);
}

// The section [integrals] above takes the lines 1 to 3.
INSTANTIATE_TEST_SUITE_P(
    Program, BadInputIsRefused,
    testing::Values(
        BadInput{"UnknownKey", "[solver]\ntolerence = 1e-8\n",
                 {"job.inp:5:", "\"solver.tolerence\"", "did you mean \"solver.tolerance\"?"}},
        BadInput{"UnknownSection", "[solvers]\ntolerance = 1e-8\n",
                 {"job.inp:4:", "[solvers]", "did you mean [solver]?"}},
        BadInput{"WrongType", "[states]\ncount = \"four\"\n",
                 {"job.inp:5:", "states.count", "an integer >= 1", "\"four\""}},
        BadInput{"MissingIntegralsFile", "[integrals]\nfile = \"absent.fcidump\"\n",
                 {"job.inp:2:", "integrals.file", "does not exist", "absent.fcidump"}},
        BadInput{"BothSections", "[molecule]\nbasis = \"6-31g\"\n[integrals]\nfile = \"a.fcidump\"\n",
                 {"job.inp:1:", "[molecule]", "[integrals]"}},
        BadInput{"ZeroStates", "[states]\ncount = 0\n", {"job.inp:5:", "states.count", "found 0"}},
        BadInput{"NoSuchIrrep", "[states]\nirrep = \"B7\"\n",
                 {"job.inp:5:", "states.irrep", "B7", "A1, B1, B2, A2"}},
        BadInput{"NoSuchIrrepNumber", "[states]\nirrep = 5\n", {"job.inp:5:", "states.irrep", "5"}},
        BadInput{"ImpossibleMultiplicity", "[states]\nmultiplicity = 2\n", {"multiplicity", "2", "10"}},
        BadInput{"TooHighMultiplicity", "[states]\nmultiplicity = 13\n", {"multiplicity", "13"}},
        BadInput{"ImpossibleMs", "[states]\nms2 = 1\n", {"ms2", "1"}},
        BadInput{"TooManyFrozen", "[space]\nfrozen_core = 6\n", {"frozen_core", "6"}},
        BadInput{"NoSuchFrozenOrbital", "[space]\nfrozen_virtual = [12]\n", {"frozen_virtual", "12"}},
        BadInput{"MalformedToml", "[states\ncount = 1\n", {"job.inp:4:", "TOML"}},
        BadInput{"KeyTwice", "[states]\ncount = 1\ncount = 2\n", {"job.inp:6:", "count"}},
        BadInput{"LaterVersion", "[space]\nbasis = \"csf\"\n",
                 {"job.inp:5:", "space.basis", "csf", "determinant"}}),
    [](const auto& bad) { return std::string(bad.param.name); });

TEST(BadInput, BinaryFileIsRefused) {
  const ScratchFolder folder;
  folder.write("job.inp", std::string("\x89HDF\r\n\x1a\n\xff\0\0", 12));
  expect_refused(run_program({"job.inp"}, folder.path()), {"job.inp:1:", "TOML"});
}

TEST(BadInput, AbsentInputIsRefused) {
  const ScratchFolder folder;
  expect_refused(run_program({"absent.inp"}, folder.path()), {"absent.inp", "no such"});
  EXPECT_TRUE(folder.files().empty());
}

TEST(BadInput, OutputMustNotReplaceTheInput) {
  const ScratchFolder folder;
  folder.write("job.inp", integrals_section());
  expect_refused(run_program({"job.inp", "-o", "job.inp"}, folder.path()), {"-o job.inp", "overwrite"});
  EXPECT_EQ(read_text(folder.path() / "job.inp"), integrals_section());
}

}  // namespace
}  // namespace cisolve::test
