// SPDX-License-Identifier: MIT
// Whatever is wrong with an input: exit status 1, one sentence, no result file.
#include <gtest/gtest.h>

#include "app/run_program.hpp"

namespace cisolve::test {
namespace test_bad_input {

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
        BadInput{"UnknownKey",
                 "[solver]\ntolerence = 1e-8\n",
                 {"job.inp:5:", "\"solver.tolerence\"", "did you mean \"solver.tolerance\"?"}},
        BadInput{"UnknownSection",
                 "[solvers]\ntolerance = 1e-8\n",
                 {"job.inp:4:", "[solvers]", "did you mean [solver]?"}},
        BadInput{"WrongType",
                 "[states]\ncount = \"four\"\n",
                 {"job.inp:5:", "states.count", "an integer >= 1", "\"four\""}},
        BadInput{"MissingIntegralsFile",
                 "[integrals]\nfile = \"absent.fcidump\"\n",
                 {"job.inp:2:", "integrals.file", "does not exist", "absent.fcidump"}},
        BadInput{"BothSections",
                 "[molecule]\nbasis = \"6-31g\"\n[integrals]\nfile = \"a.fcidump\"\n",
                 {"job.inp:1:", "[molecule]", "[integrals]"}},
        BadInput{"ZeroStates", "[states]\ncount = 0\n", {"job.inp:5:", "states.count", "found 0"}},
        BadInput{"NoSuchIrrep",
                 "[states]\nirrep = \"B7\"\n",
                 {"job.inp:5:", "states.irrep", "B7", "A1, B1, B2, A2"}},
        BadInput{"NoSuchIrrepNumber",
                 "[states]\nirrep = 5\n",
                 {"job.inp:5:", "states.irrep", "irrep 5", "1 A1, 2 B1, 3 B2, 4 A2 (C2v)"}},
        BadInput{"NoSuchIrrepNumberInAMixedList",
                 "[states]\nirrep = [\"A1\", 7]\n",
                 {"job.inp:5:", "states.irrep", "irrep 7", "1 A1, 2 B1, 3 B2, 4 A2"}},
        BadInput{"ZeroWeight",
                 "[space]\nreference = { file = \"a.h5\", weight = -0.1 }\n",
                 {"job.inp:5:", "space.reference.weight", "from 0 to 1", "found -0.1"}},
        BadInput{"RootsWithoutAFile",
                 "[space]\nreference = { roots = [1] }\n",
                 {"job.inp:5:", "space.reference.roots", "space.reference.file"}},
        BadInput{"TripletsOfAClosedShell",
                 "[space]\nreference = [\"22222\"]\n[states]\nmultiplicity = 3\n",
                 {"\"22222\" has no determinant with ms2 = 2", "states.ms2 = 0", "space.basis = \"csf\""}},
        BadInput{"ImpossibleMultiplicity", "[states]\nmultiplicity = 2\n", {"multiplicity", "2", "10"}},
        BadInput{"TooHighMultiplicity", "[states]\nmultiplicity = 13\n", {"multiplicity", "13"}},
        BadInput{"ImpossibleMs", "[states]\nms2 = 1\n", {"ms2", "1"}},
        BadInput{"TooManyFrozen", "[space]\nfrozen_core = 6\n", {"job.inp:5: space.frozen_core", "6"}},
        BadInput{"MoreFrozenThanThereAre",
                 "[space]\nfrozen_virtual = 99\n",
                 {"job.inp:5: space.frozen_virtual: 99 orbitals", "there are 7"}},
        BadInput{"NoSuchFrozenOrbital",
                 "[space]\nfrozen_virtual = [12]\n",
                 {"job.inp:5: space.frozen_virtual", "12"}},
        BadInput{"MalformedToml", "[states\ncount = 1\n", {"job.inp:4:", "TOML"}},
        BadInput{"KeyTwice", "[states]\ncount = 1\ncount = 2\n", {"job.inp:6:", "count"}},
        BadInput{"UnknownOccupation",
                 "[space]\nreference = [\"2222x\"]\n",
                 {"job.inp:5:", "space.reference", "\"2222x\"", "2, 0, u, d and 1"}},
        BadInput{"ElectronsOfAReference",
                 "[space]\nreference = [\"2222\"]\n",
                 {"job.inp:5: space.reference", "\"2222\" holds 8 electrons", "10 active"}},
        BadInput{"TooManyOrbitalsInAReference",
                 "[space]\nreference = [\"222220000\"]\n",
                 {"job.inp:5: space.reference", "9 orbitals", "7 active"}},
        BadInput{"MsOfAReference",
                 "[space]\nreference = [\"2222uu\"]\n",
                 {"job.inp:5: space.reference", "\"2222uu\"", "ms2 = 0", "set states.ms2 = 2"}},
        BadInput{"CasLargerThanTheOrbitals",
                 "[space]\nreference = { electrons = 4, orbitals = 6 }\n",
                 {"job.inp:5: space.reference", "CAS of 6 orbitals", "7 active orbitals"}},
        BadInput{"CasOrbitalOutside",
                 "[space]\nreference = { electrons = 4, orbitals = [4, 9] }\n",
                 {"job.inp:5: space.reference", "orbital 9", "1 .. 7"}},
        BadInput{"OddElectronsOutsideTheCas",
                 "[space]\nreference = { electrons = 3, orbitals = 3 }\n",
                 {"job.inp:5: space.reference", "3 electrons", "even"}},
        BadInput{"ImpossibleSpinOfACas",
                 "[space]\nreference = { electrons = 2, orbitals = 2 }\n[states]\nmultiplicity = 5\n",
                 {"job.inp:5: space.reference", "2 electrons in 2 orbitals", "ms2 = 4"}},
        BadInput{"MixedMultiplicities",
                 "[states]\nmultiplicity = [1, 2]\n",
                 {"job.inp:5:", "states.multiplicity", "lists 1 and 2"}},
        BadInput{"IrrepTwice",
                 "[states]\nirrep = [\"A1\", \"a1\"]\n",
                 {"job.inp:5:", "states.irrep", "\"A1\" twice"}},
        BadInput{"AllBesideAnIrrep",
                 "[states]\nirrep = [\"A1\", \"all\"]\n",
                 {"job.inp:5:", "states.irrep", "stands alone"}},
        BadInput{"NoIrrep", "[states]\nirrep = []\n", {"job.inp:5:", "states.irrep", "empty list"}},
        BadInput{"SpinTooHighForTheSpace",
                 "[space]\nexcitation_level = 1\nreference = \"first-orbitals\"\n[states]\nmultiplicity = "
                 "5\nms2 = 0\n",
                 {"states.multiplicity", "no state of multiplicity 5"}},
        BadInput{"RasOrbitalOutside",
                 "[space]\nmax_holes = { orbitals = [1, 8], count = 1 }\n",
                 {"job.inp:5: space.max_holes.orbitals", "orbital 8", "1 .. 7"}},
        BadInput{"RasWithoutCount",
                 "[space]\nmax_particles = { orbitals = [6] }\n",
                 {"job.inp:5:", "space.max_particles", "count"}},
        BadInput{"ReferenceBeyondItsLimit",
                 "[space]\nmax_particles = { orbitals = [5], count = 1 }\n",
                 {"space.max_particles", "none of the 1 reference"}},
        BadInput{"FollowWithoutGuess",
                 "[solver]\nfollow = true\n",
                 {"job.inp:5:", "solver.follow", "solver.guess"}},
        BadInput{
            "ReferenceFromAnAbsentFile", "[space]\nreference = { file = \"absent.h5\" }\n", {"absent.h5"}},
        BadInput{"WeightWithoutFile",
                 "[space]\nreference = { weight = 0.1 }\n",
                 {"job.inp:5:", "space.reference.weight", "space.reference.file"}},
        BadInput{"CoresOfAFile",
                 "[space]\nfrozen_core = \"auto\"\n",
                 {"job.inp:5:", "space.frozen_core", "a number or a list"}},
        BadInput{"Ms2WithCsfs",
                 "[space]\nbasis = \"csf\"\n[states]\nms2 = 0\n",
                 {"job.inp:7:", "states.ms2", "states.multiplicity"}},
        BadInput{"CsfsOfAnImpossibleSpin",
                 "[space]\nbasis = \"csf\"\n[states]\nmultiplicity = 2\n",
                 {"states.multiplicity", "cannot have multiplicity 2"}},
        BadInput{"CsfReferenceOfOtherElectrons",
                 "[space]\nbasis = \"csf\"\nreference = [\"22\"]\n",
                 {"space.reference", "\"22\" holds 4 electrons"}}),
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

TEST(BadInput, WhatATerminalObeysIsNotPrinted) {
  const ScratchFolder folder;
  // An escape that clears a screen, as the name of a file.
  folder.write("job.inp", "[integrals]\nfile = \"\\u001b[2JH\"\n");
  const ProgramResult result = run_program({"job.inp"}, folder.path());
  expect_refused(result, {"[2JH"});
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
}

TEST(BadInput, OutputMustNotReplaceTheInput) {
  const ScratchFolder folder;
  folder.write("job.inp", integrals_section());
  expect_refused(run_program({"job.inp", "-o", "job.inp"}, folder.path()), {"-o job.inp", "overwrite"});
  EXPECT_EQ(read_text(folder.path() / "job.inp"), integrals_section());
}

}  // namespace test_bad_input
}  // namespace cisolve::test
