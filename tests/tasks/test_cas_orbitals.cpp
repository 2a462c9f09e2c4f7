// SPDX-License-Identifier: MIT
// The orbitals of a CAS by number, label and irrep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_cas_orbitals {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string water(const std::string& space, const std::string& group = "point_group = \"C2v\"\n",
                  const std::string& file = "h2o_631g.fcidump.gz") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/" + file + "\"\n" + group + "[space]\n" + space + "\n";
}

CiConfig config_of(const std::string& text, const std::vector<InputOverride>& overrides = {}) {
  return read_ci_config(parse_input(text, "job.inp", overrides));
}

/// References of water with an active space; its orbitals are 1a1 2a1 1b2 3a1 1b1, then 4a1 2b2 3b2 2b1.
std::vector<Determinant<most_string_words>> references(const std::string& space) {
  return prepare_job(config_of(water(space))).selection.references;
}

std::string refusal(const std::string& text) {
  try {
    prepare_job(config_of(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CasOrbitals, MayBeLabels) {
  const auto numbered = references("reference = { electrons = 4, orbitals = [4, 5, 6, 7] }");
  EXPECT_EQ(references("reference = { electrons = 4, orbitals = [\"3a1\", \"2B2\", \"4a1\", \"1b1\"] }"),
            numbered);
  // Frozen orbitals count in labels, but not in numbers.
  EXPECT_EQ(references("frozen_core = 1\nreference = { electrons = 2, orbitals = [\"1b1\", \"4a1\"] }"),
            references("frozen_core = 1\nreference = { electrons = 2, orbitals = [4, 5] }"));
}

TEST(CasOrbitals, MayBeCountedByIrrep) {
  const auto numbered = references("reference = { electrons = 4, orbitals = [4, 5, 6, 7] }");
  EXPECT_EQ(references("reference = { electrons = 4, orbitals = { A1 = 2, b1 = 1, B2 = 1 } }"), numbered);
  EXPECT_EQ(references("reference = { electrons = 4, orbitals = { 1 = 2, 2 = 1, 3 = 1 } }"), numbered);
  // Where an irrep has no room, the next occupied orbital below is taken: 1b2 and 3a1 in place of 1b1.
  EXPECT_EQ(references("reference = { electrons = 4, orbitals = { A1 = 2, B2 = 2 } }"),
            references("reference = { electrons = 4, orbitals = [3, 4, 6, 7] }"));
}

TEST(CasOrbitals, ByIrrepAreTheSameInAFileThatIsSortedByIrrep) {
  const std::string space =
      "excitation_level = 0\nreference = { electrons = 4, orbitals = { A1 = 2, B1 = 1, B2 = 1 } }";
  const auto energy = [&](const std::string& file) {
    CiConfig config = config_of(water(space, "point_group = \"C2v\"\n", "dialects/" + file));
    config.output_file = test::process_folder() / "cisolve-cas-orbitals.h5";
    config.checkpoint_file = test::process_folder() / "cisolve-cas-orbitals.chk.h5";
    config.device = DeviceChoice::cpu;
    return run_and_read(config).root(0).energy;
  };
  EXPECT_NEAR(energy("psi4.fcidump"), energy("molpro.fcidump"), 1e-9);  // as the integrals agree
}

TEST(CasOrbitals, SurviveTheResolvedInputAndTheCommandLine) {
  const CiConfig config =
      config_of(water("reference = { electrons = 4, orbitals = { A1 = 2, B1 = 1, B2 = 1 } }"));
  const std::map<int, int> counts = {{1, 2}, {2, 1}, {3, 1}};
  EXPECT_EQ(std::get<CasReference>(config.reference).per_irrep, counts);
  EXPECT_EQ(std::get<CasReference>(config_of(config.resolved_text).reference).per_irrep, counts);
  const CiConfig set =
      config_of(water("reference = \"lowest\""),
                {parse_override("space.reference={ electrons = 4, orbitals = { A1 = 2, B1 = 1, B2 = 1 } }")});
  EXPECT_EQ(std::get<CasReference>(set.reference).per_irrep, counts);
  const CiConfig field = config_of(water("reference = { electrons = 4, orbitals = 4 }"),
                                   {parse_override("space.reference.orbitals={ A1 = 2, B1 = 2 }")});
  EXPECT_EQ(std::get<CasReference>(field.reference).per_irrep, (std::map<int, int>{{1, 2}, {2, 2}}));
}

TEST(CasOrbitals, ThatDoNotFitAreRefusedWithThoseThereAre) {
  const auto said = [](const std::string& orbitals, const std::string& rest = "") {
    return refusal(water("reference = { electrons = 4, orbitals = " + orbitals + " }\n" + rest));
  };
  const std::string occupied = "the orbitals are 1a1 2a1 1b2 3a1 1b1, occupied, and 4a1 2b2 3b2 2b1";
  EXPECT_THAT(said("[\"1b1\", \"7b2\", \"4a1\"]"), HasSubstr("no active orbital \"7b2\"; " + occupied));
  EXPECT_THAT(said("[\"1a1\", \"1b1\", \"4a1\"]", "frozen_core = 1"),
              HasSubstr("no active orbital \"1a1\"; the orbitals are 2a1 1b2 3a1 1b1, occupied"));
  EXPECT_THAT(said("[4, 5, 14]"), HasSubstr("orbital 14 of the CAS is outside 1 .. 13; " + occupied));
  EXPECT_THAT(said("[\"1b1\", \"1b1\", \"4a1\"]"), HasSubstr("names \"1b1\" twice"));
  EXPECT_THAT(
      said("{ A1 = 2, B1 = 4 }"),
      HasSubstr("2 more orbitals of irrep B1 than there are beside the doubly occupied ones; " + occupied));
  EXPECT_THAT(said("{ B1 = 2 }"), HasSubstr("needs 2 of the occupied orbitals, but its irreps take 1 fewer"));
  EXPECT_THAT(said("{ A2 = 2, B3g = 1 }"), HasSubstr("B3g"));
  EXPECT_THAT(said("{ A1 = 0, B1 = 4 }"), HasSubstr("found A1 = 0 in the table"));
  EXPECT_THAT(said("{ A1 = \"two\" }"), HasSubstr("is no integer"));
  EXPECT_THAT(said("{ A1 = 2, a1 = 2 }"), HasSubstr("twice"));
  const auto unknown = [](const std::string& orbitals) {
    return refusal(water("reference = { electrons = 4, orbitals = " + orbitals + " }", ""));
  };
  EXPECT_THAT(unknown("{ A1 = 2, B1 = 2 }"), HasSubstr("the point group is not known"));
  EXPECT_THAT(unknown("[\"1b1\", \"4a1\"]"), HasSubstr("the point group is not known"));
  EXPECT_EQ(unknown("{ 1 = 2, 2 = 1, 3 = 1 }"), "accepted");
}

TEST(CasOrbitals, ThatLackAnIrrepAreWarnedOf) {
  const auto warnings = [](const std::string& irrep) {
    const std::string space =
        "reference = { electrons = 2, orbitals = [\"1b1\", \"4a1\"] }\n[states]\nirrep = \"";
    return prepare_job(config_of(water(space + irrep + "\""))).warnings;
  };
  const auto lacks = HasSubstr("no determinant of the CAS in 1b1 4a1 is of irrep ");
  EXPECT_THAT(warnings("A1"), Not(Contains(lacks)));
  EXPECT_THAT(warnings("B1"), Not(Contains(lacks)));
  EXPECT_THAT(warnings("B2"), Contains(lacks));
}

}  // namespace test_cas_orbitals
}  // namespace cisolve
