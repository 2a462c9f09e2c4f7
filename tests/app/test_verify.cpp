// SPDX-License-Identifier: MIT
// `cisolve verify`: certificates again from the file alone, and what was changed in a file or planted in the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/run_program.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/files/checkpoint.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "cisolve/tasks/scan/scan.hpp"

namespace cisolve::test {
namespace test_verify {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Water, singles and doubles, two roots.
std::string water(const std::string& rest = "", const std::string& space = "") {
  return "[integrals]\nfile = \"" CISOLVE_TEST_DATA "/h2o_sto3g.fcidump\"\npoint_group = \"C2v\"\n[space]\n" +
         space + "[states]\ncount = 2\n" + rest + "[run]\ndevice = \"cpu\"\nthreads = 1\n";
}

/// References that make no blocks of strings.
const std::string list = "reference = [\"22222\", \"222202\", \"2222ud\"]\n";

class Verify : public testing::Test {
protected:
  ProgramResult run(const std::string& input, std::vector<std::string> more = {}) const {
    folder.write("job.inp", input);
    more.insert(more.begin(), "job.inp");
    return run_program(more, folder.path());
  }
  ProgramResult verify(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"verify", "job.h5"});
    return run_program(more, folder.path());
  }
  CiResult result() const { return read_result(folder.path() / "job.h5", true); }

  /// Writes the result again, sealed, with another content.
  template <class Spoil>
  void change(Spoil&& spoil) const {
    CiResult changed = result();
    spoil(changed);
    write_result(folder.path() / "job.h5", changed);
  }

  const ScratchFolder folder;
};

struct Case {
  const char* name;
  std::string input;
};

class VerifyAfter : public Verify, public testing::WithParamInterface<Case> {};

TEST_P(VerifyAfter, RunsPassAndChangedEnergiesFail) {
  const ProgramResult first = run(GetParam().input);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("certificates passed"));
  const ProgramResult passed = verify();
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("All certificates hold."));
  EXPECT_THAT(passed.out, HasSubstr("of the file"));
  change([](CiResult& r) { r.sectors[0].roots[0].energy += 1e-4; });
  const ProgramResult failed = verify();
  EXPECT_EQ(failed.exit_code, 2) << failed.out << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("DO NOT USE THESE RESULTS"));
  EXPECT_THAT(failed.out, HasSubstr("FAILED"));
}

INSTANTIATE_TEST_SUITE_P(
    Runs, VerifyAfter,
    testing::Values(Case{"Csr", water("[hamiltonian]\nstorage = \"csr\"\n")},
                    Case{"Direct", water("[hamiltonian]\nstorage = \"direct\"\n")},
                    Case{"Coded", water("[hamiltonian]\nstorage = \"coded\"\n")},
                    Case{"Threshold", water("[hamiltonian]\nthreshold = 0.01\n")},
                    Case{"Csfs", water("", "basis = \"csf\"\n")}, Case{"List", water("", list)},
                    Case{"Blocks", water("[output]\ndeterminants = \"blocks\"\n")},
                    Case{"Sectors", water("irrep = [\"A1\", \"B1\"]\nmultiplicity = [1, 3]\n")}),
    [](const auto& named) { return std::string(named.param.name); });

TEST_F(Verify, DensityMatricesThatDoNotFitTheirRootsFail) {
  const auto after = [&](auto&& spoil, const std::string& states = "irrep = \"all\"\n") {
    EXPECT_EQ(run(water(states + "[output]\ndensity = \"two\"\n")).exit_code, 0);
    for (std::size_t k = 0; k < 2; ++k) {
      const CiResult found = result();
      EXPECT_NEAR(found.root(k).certificate->density_energy, found.root(k).energy, 1e-10);
      EXPECT_LT(found.root(k).certificate->density_error, 1e-12);
    }
    change(spoil);
    return verify();
  };
  const ProgramResult right = after([](CiResult&) {});
  EXPECT_EQ(right.exit_code, 0) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("traces of the density matrices"));
  const auto failure = [&](auto&& spoil) {
    const ProgramResult again = after(spoil);
    EXPECT_EQ(again.exit_code, 2) << again.out << again.err;
    return again.out;
  };
  EXPECT_THAT(failure([](CiResult& r) { r.density->one[49 + 8] += 1e-6; }),
              AllOf(HasSubstr("root 1 fails its certificate: the traces of its density matrices are"),
                    Not(HasSubstr("root 2 fails"))));
  // No trace has an element of four different orbitals.
  EXPECT_THAT(failure([](CiResult& r) {
                TwoParticleDensity& two = r.density->two[1];
                two.aa[TwoParticleDensity::pair(6, 2) * two.num_pairs() + TwoParticleDensity::pair(1, 0)] +=
                    1e-3;
              }),
              AllOf(HasSubstr("root 2 fails its certificate: the energy of its density matrices is"),
                    Not(HasSubstr("root 1 fails"))));
  EXPECT_THAT(failure([](CiResult& r) {
                TwoParticleDensity& two = r.density->two[0];
                const auto add = [&](int p, int q, int s, int t, double x) {
                  two.ab[((p * 7 + q) * 7 + s) * 7 + t] += x;
                };
                add(0, 1, 1, 0, 0.1);
              }),
              HasSubstr("<S^2> of its density matrices is"));
}

TEST_F(Verify, FindsWhatWasChanged) {
  const auto failure = [&](auto&& spoil) {
    EXPECT_EQ(run(water("multiplicity = 1\n")).exit_code, 0);
    change(spoil);
    const ProgramResult again = verify({"--thorough"});
    EXPECT_EQ(again.exit_code, 2) << again.out << again.err;
    return again.out;
  };
  EXPECT_THAT(failure([](CiResult& r) {
                Array<double> buffer;
                const auto old = r.sectors[0].vectors->view(0, 2, buffer);
                Array<double> values(old.size());
                std::ranges::copy(old, values.begin());
                values[3] += 1e-3;
                r.sectors[0].vectors =
                    std::make_shared<HeldVectors>(std::move(values), r.sectors[0].space.dimension, 2);
              }),
              HasSubstr("residual norm"));
  EXPECT_THAT(failure([](CiResult& r) { r.sectors[0].roots[1].s_squared = 0.75; }), HasSubstr("<S^2> is"));
  EXPECT_THAT(failure([](CiResult& r) { r.sectors[0].roots[0].irrep = 2; }),
              HasSubstr("weight of its irrep"));
  EXPECT_THAT(
      failure([](CiResult& r) {
        // As if a look for missed roots had come below the second root.
        for (Root& root : r.sectors[0].roots) {
          root.certificate->probe_starts = 2;
          root.certificate->probe_energy = r.sectors[0].roots[1].energy - 1e-3;
        }
      }),
      AllOf(HasSubstr("root 2 fails its certificate: a root was missed"), Not(HasSubstr("root 1 fails"))));
  EXPECT_THAT(failure([](CiResult& r) { r.sectors[0].space.irrep = 3; }), HasSubstr("its space is of 3"));
  EXPECT_THAT(failure([](CiResult& r) {
                auto changed = std::make_shared<Integrals>(*r.integrals);
                changed->two[4] += 1e-6;
                r.integrals = changed;
              }),
              HasSubstr("another hash"));
}

TEST_F(Verify, RootsThatAreNotConvergedDoNotPass) {
  const ProgramResult first =
      run("[integrals]\nfile = \"" CISOLVE_TEST_DATA
          "/h2o_631g.fcidump.gz\"\n[solver]\nmax_iterations = 2\n[run]\ndevice = \"cpu\"\n");
  ASSERT_EQ(first.exit_code, 2) << first.err;
  EXPECT_THAT(first.out, Not(HasSubstr("certificates passed")));
  const ProgramResult again = verify();
  EXPECT_EQ(again.exit_code, 2) << again.out;
  EXPECT_THAT(again.out, AllOf(HasSubstr("not converged"), HasSubstr("root 1 is not converged"),
                               Not(HasSubstr("All certificates hold"))));
}

TEST_F(Verify, SpinsOfNearDegenerateRootsAreComparedToo) {
  // Two electrons in two orbitals: the triplet lies 2 K = 5e-5 hartree below the singlet.
  folder.write("two.fcidump",
               "&FCI NORB=2,NELEC=2,MS2=0,ORBSYM=1,2,&END\n0.6 1 1 1 1\n0.6 2 2 2 2\n0.5 1 1 2 2\n"
               "2.5e-5 1 2 1 2\n-3.0 1 1 0 0\n-1.0 2 2 0 0\n0.0 0 0 0 0\n");
  ASSERT_EQ(run("[integrals]\nfile = \"two.fcidump\"\npoint_group = \"Cs\"\n[states]\nirrep = \"A\\\"\"\n"
                "count = 2\n[run]\ndevice = \"cpu\"\n")
                .exit_code,
            0);
  const CiResult found = result();
  ASSERT_EQ(found.roots.size(), 2U);
  EXPECT_NEAR(found.root(0).s_squared, 2.0, 1e-9);
  EXPECT_NEAR(found.root(0).certificate->s_squared, 2.0, 1e-9);
  EXPECT_NEAR(found.root(1).certificate->s_squared, 0.0, 1e-9);
  EXPECT_EQ(verify().exit_code, 0);
  change([](CiResult& r) { std::swap(r.sectors[0].roots[0].s_squared, r.sectors[0].roots[1].s_squared); });
  EXPECT_THAT(verify().out, HasSubstr("root 1: <S^2> is 2.000000, not 0.000000"));
}

TEST_F(Verify, SaysWhatItLacks) {
  ASSERT_EQ(run(water("[output]\nvectors = false\n")).exit_code, 0);
  expect_refused(verify(), {"job.h5", "output.vectors = false"});
  expect_refused(run_program({"verify", "absent.h5"}, folder.path()), {"absent.h5"});
  expect_refused(run_program({"verify", "job.inp"}, folder.path()), {"job.inp"});
}

TEST_F(Verify, TakesIntegralsFromTheirSourceWhereTheFileHasNone) {
  ASSERT_EQ(run(water("", "frozen_core = 1\n")).exit_code, 0);
  change([](CiResult& r) { r.integrals.reset(); });
  const ProgramResult again = verify();
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("h2o_sto3g.fcidump"));
  change([](CiResult& r) { r.system.integrals_hash ^= 1U; });
  expect_refused(verify(), {"h2o_sto3g.fcidump", "is not what it was"});
  change([](CiResult& r) { r.system.integrals_file = "gone.fcidump"; });
  expect_refused(verify(), {"their source is not there: gone.fcidump"});
  change([](CiResult& r) { r.system.integrals_file = ""; });
  expect_refused(verify(), {"beside its vectors (output.vectors)"});
}

TEST_F(Verify, FilesOfVersion010NeedTheirSource) {
  const std::string old = CISOLVE_TEST_DATA "/results-0.1.0/";
  const ProgramResult without = run_program({"verify", old + "properties.h5"}, folder.path());
  expect_refused(without, {"holds no integrals"});
}

TEST_F(Verify, RestartsTakeNoRootsThatFail) {
  // Sealed and complete, and all the same wrong: the roots of a sector that is taken over as finished.
  const std::string input = water("irrep = [\"A1\", \"B1\"]\n");
  ASSERT_EQ(run(input).exit_code, 0);
  change([](CiResult& r) {
    for (Root& root : r.sectors[0].roots) root.energy -= 1e-3;
  });
  const ProgramResult restarted = run(input, {"--restart"});
  EXPECT_EQ(restarted.exit_code, 2) << restarted.out;
  EXPECT_THAT(restarted.out, HasSubstr("DO NOT USE THESE RESULTS"));
  EXPECT_THAT(run_program({"show", "job.h5"}, folder.path()).out, HasSubstr("DO NOT USE THESE RESULTS"));
  // What failed is not taken again.
  const ProgramResult again = run(input, {"--restart"});
  EXPECT_EQ(again.exit_code, 0) << again.out;
  EXPECT_EQ(verify().exit_code, 0);
}

TEST_F(Verify, CheckpointsWithWrongRootsAreFoundOut) {
  const std::string input =
      "[integrals]\nfile = \"" CISOLVE_TEST_DATA
      "/h2o_631g.fcidump.gz\"\npoint_group = \"C2v\"\n[states]\nirrep = [\"A1\", \"B1\"]\n"
      "[solver]\nmax_iterations = 2\n[run]\ndevice = \"cpu\"\nthreads = 1\n";
  ASSERT_EQ(run(input).exit_code, 2);
  const std::filesystem::path file = folder.path() / "job.chk.h5";
  Checkpoint checkpoint = read_checkpoint(file);
  ASSERT_EQ(checkpoint.finished.size(), 1U);
  for (Root& root : checkpoint.finished[0].roots) root.residual_norm = 1e-8;  // as if it had converged
  write_checkpoint(file, checkpoint.header, all_columns(*checkpoint.vectors), checkpoint.finished);
  const ProgramResult restarted = run(input, {"--restart", "--set", "solver.max_iterations=100"});
  EXPECT_EQ(restarted.exit_code, 2) << restarted.out;
  EXPECT_THAT(restarted.out, HasSubstr("root 1 fails its certificate"));
}

TEST_F(Verify, ScansPointByPoint) {
  if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  ASSERT_EQ(run("[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"sto-3g\"\n[scan]\n"
                "coordinate = \"bond 1 2\"\nvalues = [1.4, 1.6]\n[states]\nmultiplicity = 1\n")
                .exit_code,
            0);
  const ProgramResult passed = verify();
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("Point 2 of 2"));
  const std::filesystem::path file = folder.path() / "job.h5";
  CiResult second = read_scan_point(file, 2, true);
  second.sectors[0].roots[0].energy += 1e-3;
  write_scan_point(file, read_scan(file), 2, second, true, false);
  const ProgramResult failed = verify();
  EXPECT_EQ(failed.exit_code, 2) << failed.out << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("point 2: root 1 fails its certificate"));
}

TEST_F(Verify, ScansWithPointsThatAreNotDoneAreNotFinished) {
  folder.write("one.fcidump", "&FCI NORB=1,NELEC=2,MS2=0,&END\n0.6 1 1 1 1\n-3.0 1 1 0 0\n0.0 0 0 0 0\n");
  folder.write("two.fcidump", "&FCI NORB=1,NELEC=2,MS2=0,&END\n0.6 1 1 1 1\n-2.0 1 1 0 0\n0.0 0 0 0 0\n");
  ASSERT_EQ(run("[integrals]\n[scan]\nfiles = [\"one.fcidump\", \"two.fcidump\"]\n[run]\ndevice = \"cpu\"\n")
                .exit_code,
            0);
  EXPECT_EQ(verify().exit_code, 0);
  const std::filesystem::path file = folder.path() / "job.h5";
  ScanResult scan = read_scan(file);
  scan.points[1] = ScanPoint{};
  write_scan(file, scan, true);
  const ProgramResult again = verify();
  EXPECT_EQ(again.exit_code, 2) << again.out << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("point 2 is not done"), Not(HasSubstr("All certificates hold"))));
}

/// Mistakes in the program, which builds with CISOLVE_PLANTED_ERRORS have (src/core/planted_error.hpp).
struct Planted {
  const char* name;
  const char* error;
  std::string input;
};

class PlantedErrors : public Verify, public testing::WithParamInterface<Planted> {};

TEST_P(PlantedErrors, AreFoundByCertificates) {
#ifndef CISOLVE_PLANTED_ERRORS
  GTEST_SKIP() << "built without CISOLVE_PLANTED_ERRORS";
#endif
  EXPECT_EQ(run(GetParam().input).exit_code, 0);
  setenv("CISOLVE_PLANTED_ERROR", GetParam().error, 1);
  const ProgramResult wrong = run(GetParam().input);
  unsetenv("CISOLVE_PLANTED_ERROR");
  EXPECT_EQ(wrong.exit_code, 2) << wrong.out;
  EXPECT_THAT(wrong.out, HasSubstr("DO NOT USE THESE RESULTS"));
  EXPECT_EQ(verify().exit_code, 2);
}

TEST_F(Verify, RootsThatWereMissedAreFoundByTheLookForThem) {
#ifndef CISOLVE_PLANTED_ERRORS
  GTEST_SKIP() << "built without CISOLVE_PLANTED_ERRORS";
#endif
  ASSERT_EQ(run(water("multiplicity = 1\n")).exit_code, 0);
  const double lowest = result().root(0).energy;
  setenv("CISOLVE_PLANTED_ERROR", "missed_root", 1);
  const ProgramResult mended = run(water("multiplicity = 1\n"));
  unsetenv("CISOLVE_PLANTED_ERROR");
  EXPECT_EQ(mended.exit_code, 0) << mended.out << mended.err;
  EXPECT_THAT(mended.err, HasSubstr("a look for missed roots came upon one"));
  constexpr double converged = 1e-9;  // hartree: the square of the residual norm over the gap
  EXPECT_NEAR(result().root(0).energy, lowest, converged);
}

const std::string csr = "[hamiltonian]\nstorage = \"csr\"\n";
INSTANTIATE_TEST_SUITE_P(Places, PlantedErrors,
                         testing::Values(Planted{"RowsOfBlocks", "row_class", water(csr)},
                                         Planted{"RowsOfAList", "row_class", water(csr, list)},
                                         Planted{"RowsOfCsfs", "row_class", water(csr, "basis = \"csf\"\n")},
                                         Planted{"OneElement", "row_element", water(csr)},
                                         Planted{"DirectProduct", "direct_product",
                                                 water("[hamiltonian]\nstorage = \"direct\"\n")}),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace test_verify
}  // namespace cisolve::test
