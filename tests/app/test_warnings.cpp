// SPDX-License-Identifier: MIT
// What the report says of sectors that are empty, small, or not spin-complete.
#include <gtest/gtest.h>

#include "app/run_program.hpp"

namespace cisolve::test {
namespace test_warnings {

std::string job(const std::string& rest, const std::string& file = "h2o_631g_mr.fcidump.gz") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/" + file + "\"\npoint_group = \"C2v\"\n" +
         "[run]\ndevice = \"cpu\"\n" + rest;
}

/// On one line, as before wrapping.
std::string unwrapped(const std::string& report) {
  std::string text;
  for (const char c : report) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space || (!text.empty() && text.back() != ' ')) text += is_space ? ' ' : c;
  }
  return text;
}

::testing::AssertionResult says(const ProgramResult& run, const std::string& text) {
  if (unwrapped(run.out).find(text) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not said: " << text << "\n" << run.out << run.err;
}

TEST(Warnings, OfFewerRootsCountThoseOfTheSpin) {
  const ScratchFolder folder;
  // Three determinants of two open shells: a singlet, a triplet, and something between.
  folder.write("job.inp", job("[space]\nreference = [\"2222ud\", \"2222du\", \"2222u0d\"]\nexcitation_level "
                              "= 0\nspin_complete = false\n"
                              "[states]\nirrep = \"all\"\nmultiplicity = 1\nms2 = 0\ncount = 4\n"));
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(says(run,
                   "4 roots of multiplicity 1 were asked for, but the space has 3 determinants, which have "
                   "roots of several spins: at most 3 can be given"));
  EXPECT_FALSE(says(run, "all roots are given"));
  EXPECT_TRUE(says(run, "4 roots were asked for, but the space has 1 of multiplicity 1: all are given"));
  const ProgramResult check = run_program({"job.inp", "--check"}, folder.path());
  EXPECT_TRUE(says(check, "at most 3 can be given"));
  // One warning where the number of states is known.
  const ProgramResult complete = run_program({"job.inp", "--set", "space.spin_complete=true"}, folder.path());
  ASSERT_EQ(complete.exit_code, 0) << complete.err;
  EXPECT_TRUE(
      says(complete, "4 roots were asked for, but the space has 2 states of multiplicity 1: all are given"));
  EXPECT_FALSE(says(complete, "determinants: all roots are given"));
}

TEST(Warnings, OfASectorNameIt) {
  const ScratchFolder folder;
  folder.write("job.inp", job("[space]\nexcitation_level = 1\nspin_complete = false\n"
                              "[states]\nirrep = \"all\"\nmultiplicity = [1, 3]\n",
                              "h2o_sto3g.fcidump"));
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(
      says(run, "- sector 2 (all irreps, multiplicity 3): a determinant space cut by excitation level"));
  EXPECT_FALSE(says(run, "- sector 1"));
  // What holds for all is said once.
  folder.write("one.inp", job("[space]\nexcitation_level = 1\nspin_complete = false\n"
                              "[states]\nirrep = [\"A1\", \"B1\"]\nmultiplicity = 3\n",
                              "h2o_sto3g.fcidump"));
  const ProgramResult both = run_program({"one.inp", "--check"}, folder.path());
  EXPECT_TRUE(says(both, "- a determinant space cut by excitation level"));
}

TEST(Warnings, ASectorWithoutRootsIsNamedWithoutAllIrreps) {
  const ScratchFolder folder;
  folder.write("job.inp",
               job("[space]\nreference = [\"2222ud\"]\nexcitation_level = 0\nspin_complete = false\n"
                   "[states]\nirrep = \"all\"\nmultiplicity = 5\nms2 = 0\n"));
  expect_refused(run_program({"job.inp"}, folder.path()), {"there is no root of multiplicity 5\n"});
  expect_refused(run_program({"job.inp", "--set", "states.irrep=B1"}, folder.path()),
                 {"there is no root of irrep B1 and multiplicity 5\n"});
}

TEST(Report, EmptySectorsSayWhyNothingFollows) {
  const ScratchFolder folder;
  folder.write("job.inp", job("[space]\nreference = \"first-orbitals\"\nexcitation_level = 0\n"
                              "[states]\nirrep = [\"A2\", \"A1\", \"B1\"]\n"));
  const ProgramResult run = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("Sector 1 of 3: irrep A2\n\n  The space is empty.\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Sector 3 of 3: irrep B1\n\n  The space is empty.\n"), std::string::npos) << run.out;
  const ProgramResult show = run_program({"show", "job.h5"}, folder.path());
  EXPECT_EQ(show.out + "\nResults are in job.h5.\n", run.out);

  const ProgramResult none =
      run_program({"job.inp", "--set", "states.irrep=[\"A2\", \"B1\"]"}, folder.path());
  expect_refused(none, {"none of the 2 sectors has a root", "irrep B1"});
  EXPECT_NE(none.out.find("Sector 2 of 2: irrep B1\n\n  The space is empty.\n"), std::string::npos)
      << none.out;
  const ProgramResult check =
      run_program({"job.inp", "--check", "--set", "states.irrep=[\"A2\", \"B1\"]"}, folder.path());
  EXPECT_NE(check.out.find("Sector 2 of 2: irrep B1\n\n  The space is empty.\n"), std::string::npos)
      << check.out;
}

TEST(Report, ARegionWithoutColumnsHasNoSparsity) {
  const ScratchFolder folder;
  folder.write("job.inp", job("[space]\nreference = { electrons = 4, orbitals = 4 }\nexcitation_level = 0\n"
                              "[hamiltonian]\nstorage = \"csr\"\n"));
  const ProgramResult casci = run_program({"job.inp"}, folder.path());
  ASSERT_EQ(casci.exit_code, 0) << casci.err;
  EXPECT_NE(casci.out.find("  expansion region      -\n"), std::string::npos) << casci.out;
  EXPECT_NE(casci.out.find(" % zeros\n    reference region"), std::string::npos) << casci.out;
  // References of another irrep are not in the space.
  const ProgramResult other = run_program({"job.inp", "--set", "space.reference=first-orbitals", "--set",
                                           "space.excitation_level=1", "--set", "states.irrep=2"},
                                          folder.path());
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_NE(other.out.find("  reference region      -\n"), std::string::npos) << other.out;
  EXPECT_EQ(run_program({"show", "job.h5"}, folder.path()).out + "\nResults are in job.h5.\n", other.out);
}

}  // namespace test_warnings
}  // namespace cisolve::test
