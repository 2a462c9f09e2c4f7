// SPDX-License-Identifier: MIT
#include "tasks/files/result_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <regex>
#include <string>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/sample_result.hpp"

namespace cisolve {
namespace test_result_checks {

using test::sample_result;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

/// What is refused of a sample after a change.
template <class Change>
std::string refusal_after(Change&& change) {
  const TemporaryFolder folder;
  CiResult result = sample_result();
  change(result);
  write_result(folder / "out.h5", result);
  try {
    read_result(folder / "out.h5", true);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ResultChecks, RefuseCountsAndFunctionsThatDoNotAgree) {
  EXPECT_THAT(refusal_after([](CiResult& r) { r.system.n_electrons = 20; }),
              AllOf(HasSubstr("out.h5"), HasSubstr("20 electrons in 8 orbitals")));
  EXPECT_THAT(refusal_after([](CiResult& r) { r.system.ms2 = std::numeric_limits<int>::max(); }),
              HasSubstr("ms2 of 2147483647"));
  EXPECT_THAT(refusal_after([](CiResult& r) { r.system.point_group = "D9h"; }), HasSubstr("'D9h'"));
  EXPECT_THAT(refusal_after([](CiResult& r) { r.sectors[0].space.beta[5] |= 1U << 8; }),
              HasSubstr("orbital that is not there"));
  EXPECT_THAT(refusal_after([](CiResult& r) { r.sectors[0].space.alpha[5] = 7; }),
              HasSubstr("differ in their electrons"));
  EXPECT_THAT(refusal_after([](CiResult& r) {
                r.sectors[0].solver.num_applications = std::numeric_limits<std::int64_t>::max();
              }),
              HasSubstr("products of H"));
  EXPECT_THAT(refusal_after([](CiResult& r) { r.system.n_electrons = 6; }),
              HasSubstr("4 electrons; expected 6"));
  const auto with_steps = [](std::vector<std::uint8_t> steps) {
    return [=](CiResult& r) {
      CiResult::Space& space = r.sectors[0].space;
      space.alpha.clear();
      space.beta.clear();
      space.steps.assign(70 * 8, 0);
      for (std::size_t k = 0; k < space.steps.size(); ++k) space.steps[k] = steps[k % 8];
    };
  };
  EXPECT_EQ(refusal_after(with_steps({3, 1, 2, 0, 0, 0, 0, 0})), "accepted");
  EXPECT_THAT(refusal_after(with_steps({4, 0, 0, 0, 0, 0, 0, 0})), HasSubstr("not 0 to 3"));
  EXPECT_THAT(refusal_after(with_steps({3, 3, 1, 0, 0, 0, 0, 0})),
              HasSubstr("does not have the active electrons"));
}

/// They choose one of eight weights when certificates are made again.
TEST(ResultChecks, RefuseIrrepsOfRootsThatNoGroupHas) {
  for (const int irrep : {-1, 9}) {
    EXPECT_THAT(refusal_after([&](CiResult& r) { r.sectors[0].roots[0].irrep = irrep; }),
                AllOf(HasSubstr("out.h5"),
                      HasSubstr("/states/irrep holds " + std::to_string(irrep) + "; expected from 0 to 8")));
  }
}

TEST(ResultChecks, RefuseIntegralsThatNoFileMayHold) {
  const auto after = [](auto&& change) {
    return refusal_after([&](CiResult& r) {
      const auto integrals = std::make_shared<Integrals>(r.system.n_orbitals);
      change(*integrals);
      r.integrals = integrals;
    });
  };
  EXPECT_EQ(after([](Integrals&) {}), "accepted");
  EXPECT_EQ(after([](Integrals& v) { v.core_energy = -1e11; }), "accepted") << "a sum over frozen orbitals";
  EXPECT_THAT(after([](Integrals& v) { v.two.back() = std::numeric_limits<double>::infinity(); }),
              AllOf(HasSubstr("out.h5"), HasSubstr("/integrals/two_electron holds inf")));
  EXPECT_THAT(after([](Integrals& v) { v.h(1, 0) = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("/integrals/one_electron holds nan"));
  EXPECT_THAT(after([](Integrals& v) { v.core_energy = -1e17; }),
              HasSubstr("/integrals/core_energy holds -1e+17; expected up to 1e+16 hartree"));
}

TEST(ResultChecks, RefuseMoleculesThatDoNotAgree) {
  CiResult::Molecule h2;
  h2.labels = {"H", "H"};
  h2.charges = {1, 1};
  h2.coordinates.resize(6);
  h2.origin.resize(3);
  h2.axes.resize(9);
  h2.bond_lengths = {1.4};
  h2.bond_atoms = {1, 2};
  h2.point_group = "C2v";
  h2.num_functions = 11;
  h2.orbital_energies.resize(11);
  h2.occupations.resize(11);
  h2.orbital_irreps.assign(11, 1);
  h2.coefficients.resize(121);
  const auto after = [&](auto&& change) {
    return refusal_after([&](CiResult& r) {
      r.molecule = h2;
      change(r, *r.molecule);
    });
  };
  using Molecule = CiResult::Molecule;
  EXPECT_EQ(after([](CiResult&, Molecule&) {}), "accepted");
  EXPECT_THAT(after([](CiResult&, Molecule& m) {
                m.bond_atoms = {1, 3};
              }),
              HasSubstr("/molecule/bond_atoms holds 3; expected from 1 to 2"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) { m.charges = {1, 119}; }), HasSubstr("holds 119"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) { m.point_group = "x"; }), HasSubstr("'x'"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) {
                m.doubly_occupied.assign(5, 0);
                m.singly_occupied.assign(5, 0);
              }),
              HasSubstr("more than 4 irreps"));
  EXPECT_THAT(after([](CiResult& r, Molecule&) { r.system.scf_energy.reset(); }), HasSubstr("no scf_energy"));
  EXPECT_THAT(after([](CiResult& r, Molecule&) { r.system.core_orbitals = {12}; }),
              HasSubstr("/system/core_orbitals holds 12; expected from 1 to 11"));
  EXPECT_THAT(after([](CiResult& r, Molecule&) { r.system.core_orbitals = {2}; }), HasSubstr("twice"));
  EXPECT_THAT(after([](CiResult& r, Molecule&) { r.system.left_out_orbitals = {12}; }),
              HasSubstr("/system/left_out_orbitals holds 12; expected from 1 to 11"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) { m.charges[0] = 0; }),
              HasSubstr("whose label is not that of a ghost"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) { m.field = {1.0}; }), HasSubstr("three components"));
  EXPECT_THAT(after([](CiResult&, Molecule& m) {
                m.num_functions = 1;
                m.coefficients.resize(11);
              }),
              HasSubstr("11 orbitals of 1 functions"));
}

TEST(ResultChecks, WhatGoesWithSomethingIsThereWithIt) {
  struct Bonds {
    std::vector<double> lengths;
    std::vector<std::int32_t> atoms;
  };
  const ArrayColumn<Bonds> columns[] = {
      {.name = "lengths", .member = &Bonds::lengths, .unit = "bohr", .may_be_absent = true},
      {.name = "atoms",
       .member = &Bonds::atoms,
       .shape =
           [](const Bonds& b) {
             return Hdf5Shape{b.lengths.size(), 2};
           },
       .description = "numbers, from 1",
       .may_be_absent = true}};
  const TemporaryFolder folder;
  const std::span all(columns);
  const auto read_after_writing = [&](const Bonds& bonds, std::size_t columns_written) {
    Hdf5File file = Hdf5File::create(folder / "bonds.h5");
    Hdf5Group root = file.root();
    write_arrays<Bonds>(root, bonds, all.first(columns_written));
    file.close();
    Bonds read;
    read_arrays<Bonds>(Hdf5File::open(folder / "bonds.h5").root(), read, all);
    return read.atoms;
  };
  EXPECT_EQ(read_after_writing({{1.4}, {1, 2}}, 2), (std::vector<std::int32_t>{1, 2}));
  EXPECT_TRUE(read_after_writing({}, 0).empty()) << "as a file of an earlier program";
  EXPECT_THROW(read_after_writing({{1.4}, {}}, 1), InputError);
}

TEST(UtcTimestamp, IsIso8601) {
  const std::regex form(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)");
  EXPECT_TRUE(std::regex_match(utc_timestamp(), form)) << utc_timestamp();
}

}  // namespace test_result_checks
}  // namespace cisolve
