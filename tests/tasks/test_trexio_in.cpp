// SPDX-License-Identifier: MIT
// Orbitals, integrals and determinants out of TREXIO files and text: by the energies that they must give, and by refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/export/trexio_writer.hpp"
#include "tasks/files/determinants_in.hpp"
#include "tasks/files/read_trexio.hpp"
#include "tasks/reference_records.hpp"

namespace cisolve {
namespace test_trexio_in {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double same = 1e-9;  // converged twice

class TrexioIn : public testing::Test {
protected:
  CiResult run(const std::string& name, const std::string& input) const {
    CiConfig config = read_ci_config(parse_input(input, (folder_ / "job.inp").string()));
    config.device = DeviceChoice::cpu;
    config.output_file = folder_ / (name + ".h5");
    config.checkpoint_file = folder_ / (name + ".chk.h5");
    return run_and_read(config);
  }

  void write(const std::string& name, const std::string& out, const ExportOptions& options = {}) const {
    std::ostringstream report;
    export_result(folder_ / (name + ".h5"), folder_ / out, options, report);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  test::TemporaryFolder folder_;
};

class TrexioInMolecule : public TrexioIn {
protected:
  void SetUp() override {
    if (!gaussian_integrals_available()) GTEST_SKIP() << "built without Libint2";
  }
};

const std::string tight = "[solver]\ntolerance = 1e-8\n";

std::string from_file(const std::string& file, const std::string& rest) {
  return "[integrals]\nfile = \"" + file + "\"\n" + rest;
}

TEST_F(TrexioIn, IntegralsOfAnotherProgramAreThoseOfTheFcidumpFile) {
  std::filesystem::copy_file(CISOLVE_TEST_DATA "/trexio/h2o_sto3g_fci.1.h5", folder_ / "h2o.trexio");
  const FcidumpFile found = read_trexio_integrals(folder_ / "h2o.trexio");
  const FcidumpFile expected = read_fcidump(CISOLVE_TEST_DATA "/h2o_sto3g.fcidump");
  EXPECT_EQ(found.num_electrons, 10);
  EXPECT_EQ(found.ms2, 0);
  EXPECT_TRUE(found.ms2_given);
  EXPECT_EQ(found.integrals.core_energy, expected.integrals.core_energy);
  ASSERT_EQ(found.integrals.two.size(), expected.integrals.two.size());
  constexpr double left_out = 1e-14;  // by who wrote the file
  for (std::size_t k = 0; k < found.integrals.two.size(); ++k)
    ASSERT_NEAR(found.integrals.two[k], expected.integrals.two[k], left_out);
  for (std::size_t k = 0; k < found.integrals.one.size(); ++k)
    ASSERT_NEAR(found.integrals.one[k], expected.integrals.one[k], left_out);
  EXPECT_THAT(found.warnings, IsEmpty());
}

/// Over all orbitals, with the irreps and the group that the file names.
TEST_F(TrexioInMolecule, IntegralsOfAMoleculeGiveItsEnergies) {
  const std::string space =
      "[space]\nexcitation_level = 2\nfrozen_core = 1\n[states]\nirrep = \"B1\"\nmultiplicity = 3\n" + tight;
  const CiResult direct = run(
      "water",
      "[molecule]\ngeometry = \"O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587\"\nbasis = \"sto-3g\"\n" + space);
  write("water", "water.trexio", {.integrals = true});
  const CiResult again = run("again", from_file(path("water.trexio"), "point_group = \"C2v\"\n" + space));
  EXPECT_EQ(again.sectors[0].space.dimension, direct.sectors[0].space.dimension);
  EXPECT_NEAR(again.root(0).energy, direct.root(0).energy, same);
  // And once more, from the file that the result names.
  write("again", "again.fcidump");
  const CiResult last =
      run("last", from_file(path("again.fcidump"),
                            "point_group = \"C2v\"\n[space]\nexcitation_level = 2\n[states]\nirrep = "
                            "\"B1\"\nmultiplicity = 3\n" +
                                tight));
  EXPECT_NEAR(last.root(0).energy, direct.root(0).energy, same);
}

TEST_F(TrexioInMolecule, OrbitalsGiveTheirDeterminant) {
  for (const std::string basis : {"6-31g*", "cc-pvdz"}) {  // Cartesian, spherical
    const auto job = [&](const std::string& geometry, const std::string& rest) {
      return "[molecule]\ngeometry = \"" + geometry + "\"\nbasis = \"" + basis + "\"\n" + rest +
             "[space]\nexcitation_level = 1\n";
    };
    const CiResult scf = run("scf", job("O 0 0 0; H 0 0.757 0.587; H 0 -0.757 0.587", ""));
    write("scf", "scf.trexio");
    // The same molecule, turned and moved.
    const CiResult found = run("found", job("O 1 2 3; H 1.757 2 3.587; H 0.243 2 3.587",
                                            "[orbitals]\nfile = \"" + path("scf.trexio") + "\"\n"));
    EXPECT_NEAR(found.system.reference_energy, scf.system.reference_energy, 1e-9) << basis;
    EXPECT_EQ(found.molecule->method, "file");
    EXPECT_THAT(found.warnings, IsEmpty()) << basis;
  }
}

/// An orbital of the frozen core lies above an active one, which signs depend on.
TEST_F(TrexioInMolecule, DeterminantsComeBackWithTheirSigns) {
  const std::string job =
      "[molecule]\ngeometry = \"Li 0 0 0; H 0 0 1.6\"\nbasis = \"6-31g\"\ncharge = -1\nmultiplicity = 2\n"
      "[space]\nexcitation_level = 2\nfrozen_core = [2]\nfrozen_virtual = 1\n[output]\ndeterminants = "
      "\"list\"\n[solver]\ntolerance = 1e-8\n";
  const CiResult plain = run("plain", job);
  const CiResult::Space& space = plain.sectors[0].space;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> expected;
  Array<double> buffer;
  const auto vector = plain.sectors[0].vectors->view(0, 1, buffer);
  for (std::size_t row = 0; row < vector.size(); ++row)
    if (vector[row] != 0.0) expected[{space.alpha[row], space.beta[row]}] = vector[row];

  ActiveIntegrals active;
  active.integrals = Integrals(plain.system.n_orbitals);
  for (const std::int32_t p : plain.system.active_orbitals) active.active_orbitals.push_back(p - 1);
  for (const char* name : {"plain.trexio", "plain.txt"}) {
    write("plain", name);
    const CiResult found = read_determinants(folder_ / name, active, plain.system.n_electrons, name);
    const CiResult::Space& read = found.sectors[0].space;
    ASSERT_EQ(read.dimension, std::ssize(expected));
    EXPECT_EQ(found.sectors[0].ms2, 1);
    EXPECT_NEAR(found.root(0).s_squared, 0.75, 1e-8);
    const auto coefficients = found.sectors[0].vectors->view(0, 1, buffer);
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      const std::pair occupied(read.alpha[k], read.beta[k]);
      EXPECT_NEAR(coefficients[k], expected[occupied], 1e-14) << name;
    }
    EXPECT_NEAR(run("guessed", job + "guess = \"" + path(name) + "\"\n").root(0).energy, plain.root(0).energy,
                same);
  }
}

/// With weight 0 and no excitations the space is that of the file.
TEST_F(TrexioIn, DeterminantsAreReferences) {
  const std::string h2o = CISOLVE_TEST_DATA "/h2o_sto3g.fcidump";
  const CiResult full = run("full", from_file(h2o, "[space]\nexcitation_level = \"full\"\n" + tight));
  write("full", "full.trexio");
  write("full", "heavy.txt", {.threshold = 0.05});
  const auto in_space_of = [&](const std::string& file) {
    return run("selected", from_file(h2o, "[space]\nreference = { file = \"" + path(file) +
                                              "\", weight = 0 }\nexcitation_level = 0\n" + tight));
  };
  EXPECT_NEAR(in_space_of("full.trexio").root(0).energy, full.root(0).energy, same);
  const CiResult selected = in_space_of("heavy.txt");
  EXPECT_LT(selected.sectors[0].space.dimension, 30);
  EXPECT_GT(selected.root(0).energy, full.root(0).energy);
  EXPECT_LT(selected.root(0).energy, selected.system.reference_energy - 1e-3);
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "read";
}

/// Two orbitals with integrals, of which a test spoils one thing.
class SpoiltTrexio : public TrexioIn {
protected:
  using Write = std::function<void(TrexioWriter&)>;

  std::filesystem::path file(const Write& more) const {
    TrexioWriter out(folder_ / "x.trexio");
    out.number("electron", "up_num", std::int64_t{1});
    out.number("electron", "dn_num", std::int64_t{1});
    out.number("nucleus", "repulsion", 0.7);
    more(out);
    out.commit();
    return folder_ / "x.trexio";
  }

  std::filesystem::path integrals(const std::function<double(int, int, int, int)>& element,
                                  const std::vector<double>& h = {-1.2, 0.1, 0.1, -0.5}) const {
    return file([&](TrexioWriter& out) {
      out.number("mo", "num", std::int64_t{2});
      out.array("mo_1e_int", "core_hamiltonian", h, {2, h.size() / 2});
      const int both[] = {0, 1};
      out.sparse("mo_2e_int", "eri", 2, both, element);
    });
  }

  std::filesystem::path determinants(std::int64_t orbitals, const std::vector<std::int64_t>& list,
                                     const std::vector<double>& coefficients) const {
    return file([&](TrexioWriter& out) {
      out.number("mo", "num", orbitals);
      out.list("determinant", "list", list);
      out.list("determinant", "coefficient", coefficients);
    });
  }
};

TEST_F(SpoiltTrexio, OnePermutationIsEnoughAndOthersMustAgree) {
  const auto one_of_each = [](int i, int j, int k, int l) {
    return i == 0 && j == 1 && k == 0 && l == 1 ? 0.4 : i == 0 && j == 0 && k == 1 && l == 1 ? 0.2 : 0.0;
  };
  const FcidumpFile found = read_trexio_integrals(integrals(one_of_each));
  EXPECT_EQ(found.integrals.eri(0, 0, 1, 1), 0.4) << "<01|01> = (00|11)";
  EXPECT_EQ(found.integrals.eri(0, 1, 0, 1), 0.2) << "<00|11> = (01|01)";
  EXPECT_EQ(found.integrals.h(1, 0), 0.1);
  EXPECT_EQ(found.integrals.core_energy, 0.7);
  const auto contradicts = [](int i, int j, int k, int l) {
    return i == 0 && j == 1 && k == 0 && l == 1 ? 0.4 : i == 1 && j == 0 && k == 1 && l == 0 ? 0.5 : 0.0;
  };
  EXPECT_THAT(refusal([&] { read_trexio_integrals(integrals(contradicts)); }),
              HasSubstr("by another permutation"));
  EXPECT_THAT(refusal([&] {
                read_trexio_integrals(integrals(one_of_each, {1.0, 0.3, 0.4, 1.0}));
              }),
              HasSubstr("not symmetric"));
  EXPECT_THAT(refusal([&] {
                read_trexio_integrals(integrals(one_of_each, {1.0, 0.3, 0.4, 1.0, 0.0, 0.0}));
              }),
              HasSubstr("shape [2, 3], expected [2, 2]"));
  EXPECT_THAT(refusal([&] { read_trexio_integrals(integrals([](int, int, int, int) { return NAN; })); }),
              HasSubstr("an integral of nan hartree"));
}

TEST_F(SpoiltTrexio, WhatIsMissingOrMeansSomethingElseIsSaid) {
  const auto integrals_of = [&](const Write& more) {
    return refusal([&] { read_trexio_integrals(file(more)); });
  };
  EXPECT_THAT(integrals_of([](TrexioWriter&) {}), HasSubstr("no molecular orbitals (mo.num)"));
  EXPECT_THAT(integrals_of([](TrexioWriter& out) { out.number("mo", "num", std::int64_t{1} << 40); }),
              HasSubstr("1099511627776 molecular orbitals"));
  EXPECT_THAT(integrals_of([](TrexioWriter& out) { out.number("mo", "num", std::int64_t{2}); }),
              HasSubstr("mo_1e_int.core_hamiltonian"));
  EXPECT_THAT(integrals_of([](TrexioWriter& out) {
                const std::vector<std::int64_t> spins = {0, 1};
                out.array("mo", "spin", spins);
              }),
              HasSubstr("orbitals of two spins"));
  EXPECT_THAT(integrals_of([](TrexioWriter& out) {
                const std::vector<double> part = {1.0};
                out.array("mo", "coefficient_im", part, {1, 1});
              }),
              HasSubstr("complex numbers"));
  std::filesystem::create_directory(folder_ / "folder.trexio");
  EXPECT_THAT(refusal([&] { read_trexio_integrals(folder_ / "folder.trexio"); }), HasSubstr("text back-end"));
  EXPECT_THAT(
      refusal([&] {
        read_trexio_orbitals(file([](TrexioWriter& out) { out.number("mo", "num", std::int64_t{2}); }));
      }),
      HasSubstr("nucleus_charge"));
}

TEST_F(SpoiltTrexio, DeterminantsAreChecked) {
  const auto read = [&](std::int64_t orbitals, const std::vector<std::int64_t>& list,
                        const std::vector<double>& coefficients) {
    return refusal([&] { read_trexio_determinants(determinants(orbitals, list, coefficients)); });
  };
  EXPECT_EQ(read(2, {1, 1}, {1.0}), "read");
  EXPECT_EQ(read(70, {1, 0, 1, 32}, {1.0}), "read") << "two words of each spin";
  EXPECT_THAT(read(70, {1, 0, 1, 64}, {1.0}), HasSubstr("more than its 70 orbitals"));
  EXPECT_THAT(read(2, {1, 4}, {1.0}), HasSubstr("more than its 2 orbitals"));
  EXPECT_THAT(read(2, {1, 1, 1}, {1.0}), HasSubstr("3 words of 1 determinants"));
  EXPECT_THAT(read(2, {}, {}), HasSubstr("0 words of 0 determinants"));
  EXPECT_THAT(read(2, {1, 1}, {NAN}), HasSubstr("no number"));
}

TEST_F(SpoiltTrexio, DeterminantsMustFitTheJob) {
  const auto guess_from = [&](const std::string& name) {
    return refusal([&] {
      run("job",
          from_file(CISOLVE_TEST_DATA "/h2_sto3g.fcidump", "[solver]\nguess = \"" + path(name) + "\"\n"));
    });
  };
  determinants(2, {1, 2}, {1.0});
  EXPECT_THAT(guess_from("x.trexio"), AllOf(HasSubstr("solver.guess"), HasSubstr("has a part in the space")))
      << "another irrep";
  determinants(2, {1, 1}, {1.0});
  EXPECT_EQ(guess_from("x.trexio"), "read");
  determinants(2, {3, 3}, {1.0});
  EXPECT_THAT(guess_from("x.trexio"), HasSubstr("no determinant of 2 electrons"));
  determinants(2, {1, 1, 3, 0}, {1.0, 0.1});
  EXPECT_THAT(guess_from("x.trexio"), HasSubstr("several Ms"));
  determinants(2, {1, 1, 1, 1}, {1.0, 0.1});
  EXPECT_THAT(guess_from("x.trexio"), HasSubstr("twice"));
  determinants(2, {1, 1}, {0.0});
  EXPECT_THAT(guess_from("x.trexio"), HasSubstr("have the norm 0"));
  const auto text = [&](const std::string& content) {
    std::ofstream(folder_ / "x.txt") << content;
    return guess_from("x.txt");
  };
  EXPECT_EQ(text("1 2 1 1\n1.0 20\n"), "read");
  EXPECT_THAT(text("1 2 1\n"), HasSubstr("line 1: four numbers"));
  EXPECT_THAT(text("1 3 1 1\n1.0 200\n"), HasSubstr("2 electrons in 3 orbitals, this job 2 in 2"));
  EXPECT_THAT(text("1 2 1 1\n1.0 2x\n"), HasSubstr("line 2: a coefficient and an occupation"));
  EXPECT_THAT(text("1 2 1 1\n1.0 22\n"), HasSubstr("line 2"));
  EXPECT_THAT(text("3 2 1 1\n1.0 20\n"), HasSubstr("ends after 1 of 3"));
}

}  // namespace test_trexio_in
}  // namespace cisolve
