// SPDX-License-Identifier: MIT
// What the report says where components of degenerate states cannot come out alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_degeneracy {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> warnings_of(const std::string& text) {
  return prepare_jobs(read_ci_config(parse_input(text, "job.inp"))).front().warnings;
}

std::string file(const std::string& name, const std::string& rest) {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/" + name + "\"\npoint_group = \"D2h\"\n" + rest;
}

std::string molecule(const std::string& geometry, const std::string& states) {
  return "[molecule]\ngeometry = \"" + geometry + "\"\nbasis = \"sto-3g\"\n[states]\n" + states;
}

TEST(SplitStates, AreSaidWhereReferencesMakeThem) {
  const std::string delta = "[states]\nirrep = [\"Ag\", \"B1g\"]\nmultiplicity = 1\n";
  const auto said = Contains(AllOf(HasSubstr("irreps Ag and B1g of multiplicity 1 may come out apart"),
                                   HasSubstr("such as 1b2u and 1b3u")));
  EXPECT_THAT(warnings_of(file("o2_sto3g.fcidump", delta)), said);
  EXPECT_THAT(warnings_of(file("o2_sto3g.fcidump", delta + "[space]\nbasis = \"csf\"\n")), said);
  const std::string cas = "[space]\nreference = { electrons = 2, orbitals = [8, 9] }\n";
  EXPECT_THAT(warnings_of(file("o2_sto3g.fcidump", delta + cas)), testing::IsEmpty());
  EXPECT_THAT(warnings_of(file("o2_sto3g.fcidump", delta + "[space]\nexcitation_level = \"full\"\n")),
              Not(Contains(HasSubstr("come out apart"))));
  // D of an atom likewise; P are images of each other.
  EXPECT_THAT(warnings_of(file("be_631g.fcidump", delta)), Contains(HasSubstr("may come out apart")));
  EXPECT_THAT(warnings_of(file("be_631g.fcidump",
                               "[states]\nirrep = [\"B1u\", \"B2u\", \"B3u\"]\nmultiplicity = 3\n")),
              Not(Contains(HasSubstr("come out apart"))));
  // A closed shell alone is carried into itself, its lowest triplet is not.
  const std::string all = "[states]\nirrep = \"all\"\nmultiplicity = ";
  EXPECT_THAT(warnings_of(file("be_631g.fcidump", all + "1\n")), Not(Contains(HasSubstr("come out apart"))));
  EXPECT_THAT(warnings_of(file("be_631g.fcidump", all + "3\n")),
              Contains(HasSubstr("degenerate states in all irreps of multiplicity 3")));
}

TEST(SplitStates, AreSaidWhereTheOrbitalsMakeThem) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "no Libint2";
  const std::string pi = "irrep = [\"B1\", \"B2\"]\n";
  EXPECT_THAT(warnings_of(molecule("N 0 0 0; O 0 0 1.15", pi)),
              Contains(HasSubstr("the SCF orbitals do not have the symmetry of a linear molecule")));
  EXPECT_THAT(warnings_of(molecule("N 0 0 0; O 0 0 1.15", "irrep = \"B1\"\n")),
              Not(Contains(HasSubstr("come out apart"))));
  EXPECT_THAT(warnings_of(molecule("C 0 0 0; O 0 0 1.15", pi)), Not(Contains(HasSubstr("come out apart"))));
  EXPECT_THAT(warnings_of(molecule("B 0 0 0", "irrep = [\"B1u\", \"B2u\"]\n")),
              Contains(HasSubstr("the symmetry of an atom")));
}

TEST(DegenerateOrbitals, AreNotCutWithoutAWord) {
  const auto cut = [](const std::string& space) {
    return warnings_of(file("n2_sto3g_stretched.fcidump", "[space]\n" + space + "\n"));
  };
  EXPECT_THAT(cut("reference = { electrons = 2, orbitals = [7, 8] }"),
              Contains(HasSubstr("the CAS cuts a degenerate set of orbitals: 1b2u is in it, 1b3u is not")));
  EXPECT_THAT(cut("reference = { electrons = 4, orbitals = [6, 7, 8, 9] }"),
              Not(Contains(HasSubstr("cuts"))));
  EXPECT_THAT(
      cut("frozen_core = 6"),
      Contains(HasSubstr("space.frozen_core cuts a degenerate set of orbitals: 1b3u is in it, 1b2u is not")));
  EXPECT_THAT(cut("frozen_virtual = 2"), Contains(HasSubstr("space.frozen_virtual cuts")));
  EXPECT_THAT(cut("frozen_core = 2\nfrozen_virtual = 1"), Not(Contains(HasSubstr("cuts"))));
  EXPECT_THAT(cut("max_holes = { orbitals = [1, 6], count = 1 }"),
              Contains(HasSubstr("space.max_holes cuts")));
}

}  // namespace test_degeneracy
}  // namespace cisolve
