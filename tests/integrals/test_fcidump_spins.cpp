// SPDX-License-Identifier: MIT
// Unrestricted, complex and spinor integrals in all layouts that are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

#include "cisolve/integrals/freeze.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "integrals/fcidump_steps.hpp"
#include "integrals/fcidump_test.hpp"
#include "io/unzipped.hpp"

namespace cisolve {
namespace test_fcidump_spins {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class FcidumpSpinLayouts : public TemporaryFolder {};

FcidumpOptions with(FcidumpSpins spins) {
  FcidumpOptions options;
  options.spins = spins;
  return options;
}

const std::map<std::string, FcidumpLayout> layouts = {{"blocks", FcidumpLayout::blocks},
                                                      {"interleaved", FcidumpLayout::interleaved},
                                                      {"alpha_beta", FcidumpLayout::stacked}};

std::filesystem::path uhf_file(const std::string& name, const std::string& layout) {
  return data_file("uhf/" + name + "." + layout + ".fcidump.gz");
}

double uhf_energy(const Integrals& v, int num_alpha, int num_beta) {
  double energy = v.core_energy;
  const int occupied[] = {num_alpha, num_beta};
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const int n = occupied[static_cast<int>(spin)];
    for (int i = 0; i < n; ++i) {
      energy += v.h(spin, i, i);
      for (int j = 0; j < n; ++j) energy += 0.5 * (v.eri(spin, i, i, j, j) - v.eri(spin, i, j, j, i));
    }
  }
  for (int i = 0; i < num_alpha; ++i) {
    for (int j = 0; j < num_beta; ++j) energy += v.mixed(Spin::alpha, i, i, j, j);
  }
  return energy;
}

Matrix read_overlap(const std::string& name, int n) {
  std::ifstream file(data_file("uhf/" + name + ".overlap.txt"));
  std::string comment;
  std::getline(file, comment);
  Matrix overlap(n, n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) file >> overlap(p, q);
  }
  EXPECT_TRUE(file.good() || file.eof());
  return overlap;
}

TEST_F(FcidumpSpinLayouts, AllGiveTheSameUnrestrictedIntegrals) {
  const nlohmann::json energies = read_json("uhf/energies.json");
  ASSERT_EQ(energies["cases"].size(), 4U);
  for (const auto& one : energies["cases"]) {
    const std::string name = one["name"];
    SCOPED_TRACE(name);
    const std::uint64_t expected = hash(read_fcidump(uhf_file(name, "blocks")).integrals);
    for (const auto& [suffix, layout] : layouts) {
      SCOPED_TRACE(suffix);
      const FcidumpFile file = read_fcidump(uhf_file(name, suffix));
      EXPECT_EQ(file.layout, layout);
      EXPECT_FALSE(file.complex.has_value());
      ASSERT_TRUE(file.integrals.is_unrestricted());
      EXPECT_EQ(file.integrals.num_orbitals, one["norb"]);
      const int alpha = one["nelec"][0], beta = one["nelec"][1];
      EXPECT_EQ(file.num_electrons, alpha + beta);
      EXPECT_EQ(file.ms2, alpha - beta);
      EXPECT_EQ(hash(file.integrals), expected);
      EXPECT_NEAR(uhf_energy(file.integrals, alpha, beta), one["e_uhf"], 1e-9);  // converged to 1e-13
      std::vector<int> labels = one["orbsym"];
      for (int& label : labels) --label;
      EXPECT_EQ(file.integrals.irreps, labels);
      EXPECT_TRUE(file.warnings.empty());
    }
  }
}

TEST_F(FcidumpSpinLayouts, TheOverlapFollowsFromTheIntegrals) {
  const nlohmann::json energies = read_json("uhf/energies.json");
  for (const auto& one : energies["cases"]) {
    const std::string name = one["name"];
    SCOPED_TRACE(name);
    const Integrals integrals = read_fcidump(uhf_file(name, "interleaved")).integrals;
    const RecoveredOverlap found = recover_overlap(integrals);
    EXPECT_LT(found.violation, 1e-12);
    const Matrix expected = read_overlap(name, integrals.num_orbitals);
    double same = 0.0, opposite = 0.0;
    for (int p = 0; p < integrals.num_orbitals; ++p) {
      for (int q = 0; q < integrals.num_orbitals; ++q) {
        same = std::max(same, std::abs(found.overlap(p, q) - expected(p, q)));
        opposite = std::max(opposite, std::abs(found.overlap(p, q) + expected(p, q)));
      }
    }
    EXPECT_LT(std::min(same, opposite), 1e-12);
    if (one["fci_frozen_core"].is_null()) continue;
    std::vector<int> core(one["fci_frozen_core"]["frozen_core"].get<int>());
    for (std::size_t i = 0; i < core.size(); ++i) core[i] = static_cast<int>(i);
    const Integrals active = freeze(integrals, core, {}).integrals;
    EXPECT_NEAR(active.core_energy, one["fci_frozen_core"]["core_energy"], 1e-10);
    // The generator's random combination is another, but spaces differ by as much.
    EXPECT_GT(recover_overlap(active).violation, 10.0 * one_space_violation);
  }
}

TEST_F(FcidumpSpinLayouts, AreWrittenInBlocks) {
  const Integrals integrals = read_fcidump(uhf_file("no_sto3g", "alpha_beta")).integrals;
  write_fcidump(path("written.fcidump"), integrals, 15, 1);
  const FcidumpFile again = read_fcidump(path("written.fcidump"));
  EXPECT_EQ(again.layout, FcidumpLayout::blocks);
  EXPECT_EQ(again.num_electrons, 15);
  EXPECT_EQ(again.ms2, 1);
  EXPECT_EQ(hash(again.integrals), hash(integrals));
}

TEST_F(FcidumpSpinLayouts, TheUserMaySayThatSpinsDiffer) {
  std::string blocks = unzipped(uhf_file("oh_sto3g", "blocks"));
  blocks.replace(blocks.find("IUHF=1"), 6, "IUHF=0");
  std::string in_turn = unzipped(uhf_file("oh_sto3g", "interleaved"));
  in_turn.replace(in_turn.find("UHF=.TRUE."), 10, "UHF=.FALSE.");
  const std::uint64_t expected = hash(read_fcidump(uhf_file("oh_sto3g", "blocks")).integrals);
  for (const std::string& text : {blocks, in_turn}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("integrals.spins = \"unrestricted\""));
    EXPECT_EQ(hash(read_fcidump(write(text), with(FcidumpSpins::unrestricted)).integrals), expected);
  }
  EXPECT_EQ(
      hash(read_fcidump(uhf_file("oh_sto3g", "alpha_beta"), with(FcidumpSpins::unrestricted)).integrals),
      expected);
  EXPECT_THAT(refusal(data_file("h2o_sto3g.fcidump"), with(FcidumpSpins::unrestricted)),
              AllOf(HasSubstr("one set of 7 orbitals"), HasSubstr("five blocks")));
  // Alpha before beta, NORB counting both.
  std::string stacked = unzipped(uhf_file("oh_sto3g", "alpha_beta"));
  stacked.replace(stacked.find("NORB=   6"), 9, "NORB=  12");
  stacked.replace(stacked.find("ORBSYM=1,1,1,1,1,1"), 18, "ORBSYM=1,1,1,1,1,1,1,1,1,1,1,1");
  EXPECT_THAT(refusal_of(stacked), HasSubstr("alpha before beta"));
  EXPECT_EQ(hash(read_fcidump(write(stacked), with(FcidumpSpins::unrestricted)).integrals), expected);
}

TEST_F(FcidumpSpinLayouts, FaultsOfBlocksAreSaidWithTheirLine) {
  const std::string text = unzipped(uhf_file("h2_631g_bs", "blocks"));
  const auto separator = [&](int number) {
    std::size_t at = 0;
    for (int k = 0; k < number; ++k) at = text.find("0.0000000000000000E+00    0    0    0    0", at + 1);
    const std::size_t first = text.rfind('\n', at) + 1;
    return std::pair(first, text.find('\n', at) + 1 - first);
  };
  for (int number = 1; number <= 5; ++number) {
    SCOPED_TRACE(number);
    std::string four = text, six = text;
    const auto line = separator(number);
    four.erase(line.first, line.second);
    EXPECT_THAT(refusal_of(four), AllOf(HasSubstr("found 4 records of zeros"), HasSubstr("expected five")));
    six.insert(line.first, text.substr(line.first, line.second));
    EXPECT_THAT(refusal_of(six), AllOf(HasSubstr("found 6 records of zeros"), HasSubstr("expected five")));
  }
  // The third block with one of (ij|kl) and (kl|ij) alone, as restricted files have it.
  std::string half;
  std::istringstream lines(text);
  int block = 0;
  for (std::string line; std::getline(lines, line);) {
    if (const auto record = parse_fcidump_record(line)) {
      const auto& [i, j, k, l] = record->index;
      if (record->is_core()) ++block;
      if (block == 2 && k > 0 && pair_index(i - 1, j - 1) < pair_index(k - 1, l - 1)) continue;
    }
    half += line + "\n";
  }
  EXPECT_THAT(refusal_of(half), AllOf(HasSubstr("(aa|bb)"), HasSubstr("ij >= kl alone")));
  // Integrals in a block that is not theirs.
  std::string moved = text;
  moved.insert(separator(1).first, "  0.1 1 1 0 0\n");
  EXPECT_THAT(refusal_of(moved), HasSubstr("h(1, 1) after 0 of the records of zeros"));
  moved = text;
  moved.insert(separator(4).first, "  0.1 1 1 1 1\n");
  EXPECT_THAT(refusal_of(moved), HasSubstr("(1 1|1 1) in the block of h_a"));
}

TEST_F(FcidumpSpinLayouts, PairsOfTwoSpinsAreRefused) {
  std::string text = unzipped(uhf_file("h2_631g_bs", "interleaved")) + " 0.1 2 1 0 0\n";
  EXPECT_THAT(refusal_of(text),
              AllOf(HasSubstr("h(2, 1) = 0.1"), HasSubstr("joins an alpha and a beta orbital")));
  text = unzipped(uhf_file("h2_631g_bs", "alpha_beta")) + " 0.1 5 1 0 0\n";
  EXPECT_THAT(refusal_of(text), HasSubstr("orbital 5, expected 0 to NORB=4"));
}

TEST_F(FcidumpSpinLayouts, LabelsMustBeThoseOfBothSpins) {
  std::string text = unzipped(uhf_file("no_sto3g", "interleaved"));
  text.replace(text.find("2,2,1,1,3,3"), 11, "2,1,2,1,3,3");
  EXPECT_THAT(refusal_of(text),
              AllOf(HasSubstr("ORBSYM: found labels of two irreps"), HasSubstr("number 5")));
}

TEST_F(FcidumpSpinLayouts, ComplexValuesInBothNotations) {
  const nlohmann::json energies = read_json("complex/energies.json");
  ASSERT_EQ(energies["cases"].size(), 4U);
  for (const auto& one : energies["cases"]) {
    const std::string name = one["name"];
    SCOPED_TRACE(name);
    const bool spinors = one["orbitals"].get<std::string>().starts_with("spinors");
    const FcidumpFile columns = read_fcidump(data_file("complex/" + name + ".columns.fcidump.gz"));
    const FcidumpFile parentheses = read_fcidump(data_file("complex/" + name + ".parentheses.fcidump.gz"));
    for (const FcidumpFile* file : {&columns, &parentheses}) {
      ASSERT_TRUE(file->complex.has_value());
      EXPECT_EQ(file->complex->are_spinors, spinors) << "Kramers pairs tell spinors";
      EXPECT_EQ(file->layout, spinors ? FcidumpLayout::spinors : FcidumpLayout::restricted);
      EXPECT_EQ(file->complex->num_orbitals, one["norb"]);
      EXPECT_EQ(file->complex->core_energy, one["core_energy"].get<double>());
      EXPECT_EQ(file->integrals.num_orbitals, 0);
      EXPECT_TRUE(file->warnings.empty());
      const ComplexIntegrals& v = *file->complex;
      for (int p = 0; p < v.num_orbitals; ++p) {
        for (int q = 0; q < v.num_orbitals; ++q) {
          ASSERT_EQ(v.h(p, q), std::conj(v.h(q, p)));
          for (int r = 0; r < v.num_orbitals; ++r) {
            for (int s = 0; s < v.num_orbitals; ++s)
              ASSERT_LE(std::abs(v.eri(p, q, r, s) - std::conj(v.eri(q, p, s, r))), 1e-10);
          }
        }
      }
    }
    EXPECT_EQ(hash(*columns.complex), hash(*parentheses.complex));
  }
}

TEST_F(FcidumpSpinLayouts, TheUserMaySayThatOrbitalsAreSpinors) {
  const auto file = data_file("complex/h2o_field.columns.fcidump.gz");
  EXPECT_THAT(refusal(file, with(FcidumpSpins::spinors)), HasSubstr("at most 7 in 7 spinors"));
  EXPECT_FALSE(read_fcidump(file, with(FcidumpSpins::restricted)).complex->are_spinors);
  EXPECT_FALSE(read_fcidump(data_file("complex/sh_x2c.columns.fcidump.gz"), with(FcidumpSpins::restricted))
                   .complex->are_spinors);
}

/// DIRAC: IUHF=1, one list without records of zeros, one column where the double group is real.
TEST_F(FcidumpSpinLayouts, DiracFilesAreOfSpinors) {
  const std::string header = "&FCI NORB=2,NELEC=1,MS2=0,IUHF=1 /\n";
  const FcidumpFile real =
      read_fcidump(write(header + "0.7 1 1 1 1\n0.6 1 1 2 2\n0.7 2 2 2 2\n0.1 1 2 1 2\n0.2 1 2 2 1\n-1.0 1 1 "
                                  "0 0\n-0.9 2 2 0 0\n0.5 0 0 0 0\n"));
  EXPECT_EQ(real.layout, FcidumpLayout::spinors);
  ASSERT_TRUE(real.complex.has_value());
  EXPECT_EQ(real.complex->eri(0, 1, 0, 1), Complex(0.1));
  EXPECT_EQ(real.complex->eri(1, 0, 1, 0), Complex(0.1));
  EXPECT_EQ(real.complex->eri(0, 1, 1, 0), Complex(0.2)) << "spinors have no such permutation";
  const FcidumpFile columns =
      read_fcidump(write(header + "0.7 0.0 1 1 1 1\n0.1 0.2 1 2 1 2\n0.3 0.0 1 2 2 1\n-1.0 0.0 1 1 0 0\n0.3 "
                                  "-0.1 1 2 0 0\n0.0 0.0 0 0 0 0\n"));
  EXPECT_EQ(columns.layout, FcidumpLayout::spinors);
  EXPECT_EQ(columns.complex->h(1, 0), Complex(0.3, 0.1));
  EXPECT_EQ(columns.complex->eri(1, 0, 1, 0), Complex(0.1, -0.2));
}

/// |(pq|rs)|^2 <= (pq|qp) (rs|sr): a file without exchange integrals has one of (pq|rs) and (qp|rs) alone.
TEST_F(FcidumpSpinLayouts, ExchangeTellsWhichPermutationsAFileHas) {
  const std::string header = "&FCI NORB=2,NELEC=1,MS2=0,IUHF=1 /\n", rest = "-1.0 1 1 0 0\n-0.9 2 2 0 0\n";
  const FcidumpFile eightfold =
      read_fcidump(write(header + "0.7 1 1 1 1\n0.1 2 1 2 1\n0.02 2 1 1 1\n" + rest));
  EXPECT_EQ(eightfold.complex->eri(0, 1, 1, 0), Complex(0.1)) << "real orbitals: (qp|rs) = (pq|rs)";
  EXPECT_EQ(eightfold.complex->eri(0, 1, 0, 0), Complex(0.02));
  const std::string complex = "&FCI NORB=2,NELEC=2,MS2=0 /\n(0.7,0.0) 1 1 1 1\n(0.1,0.05) 2 1 2 1\n";
  EXPECT_THAT(refusal_of(complex), AllOf(HasSubstr(":3: "), HasSubstr("exchange")));
  EXPECT_NO_THROW(read_fcidump(write(complex + "(0.2,0.0) 2 1 1 2\n")));
}

/// Spinors before their partners, with another phase each: their densities pair them.
TEST_F(FcidumpSpinLayouts, KramersPairsAreToldInAnyOrder) {
  const ComplexIntegrals pairs = *read_fcidump(data_file("complex/sh_x2c.columns.fcidump.gz")).complex;
  const int n = pairs.num_orbitals;
  std::ostringstream text;
  text << "&FCI NORB=" << n << ",NELEC=6,MS2=0 /\n" << std::setprecision(17);
  const auto old = [n](int p) { return p < n / 2 ? 2 * p : 2 * (p - n / 2) + 1; };
  const auto phase = [](int p) { return std::polar(1.0, 0.3 * p); };
  const auto record = [&](Complex value, int p, int q, int r, int s) {
    text << '(' << value.real() << ',' << value.imag() << ") " << p << ' ' << q << ' ' << r << ' ' << s
         << '\n';
  };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      const Complex pq = std::conj(phase(p)) * phase(q);
      record(p == q ? pairs.h(old(p), old(p)).real() : pq * pairs.h(old(p), old(q)), p + 1, q + 1, 0, 0);
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          const Complex value =
              pq * std::conj(phase(r)) * phase(s) * pairs.eri(old(p), old(q), old(r), old(s));
          record(p == q && r == s ? value.real() : value, p + 1, q + 1, r + 1, s + 1);
        }
      }
    }
  }
  const auto file = write(text.str());
  EXPECT_EQ(read_fcidump(file).layout, FcidumpLayout::spinors);
  const FcidumpFile told = read_fcidump(file, with(FcidumpSpins::restricted));
  EXPECT_EQ(told.layout, FcidumpLayout::restricted);
  EXPECT_THAT(told.warnings, Contains(HasSubstr("Kramers")));
  EXPECT_FALSE(
      are_kramers_pairs(*read_fcidump(data_file("complex/h2o_field.columns.fcidump.gz")).complex, 1e-7));
}

/// Records are kept until all are there: they count, however often one stands in the file.
TEST_F(FcidumpSpinLayouts, RecordsOfComplexValuesAreBounded) {
  std::string text = "&FCI NORB=1,NELEC=1,MS2=1 /\n(-1.0,0.0) 1 1 0 0\n";
  for (int k = 0; k < 20000; ++k) text += "(0.7,0.0) 1 1 1 1\n";
  const auto file = write(text);
  FcidumpOptions options;
  options.max_bytes = std::int64_t{1} << 20;
  EXPECT_THROW(read_fcidump(file, options), ResourceError);
  options.max_bytes = std::int64_t{1} << 24;
  EXPECT_EQ(read_fcidump(file, options).num_records, 20001);
}

TEST_F(FcidumpSpinLayouts, SpinOrbitalsAreNoOrbitalsOfBothSpins) {
  EXPECT_THAT(refusal(uhf_file("oh_sto3g", "interleaved"), with(FcidumpSpins::restricted)),
              HasSubstr("UHF=.TRUE."));
}

TEST_F(FcidumpSpinLayouts, ContradictionsOfComplexValuesAreRefused) {
  const std::string header = "&FCI NORB=2,NELEC=2,MS2=0 /\n(0.7,0.0) 1 1 1 1\n(0.6,0.0) 2 2 2 2\n";
  EXPECT_THAT(refusal_of(header + "(0.1,0.2) 2 1 1 1\n(0.1,0.2) 1 2 1 1\n"),
              AllOf(HasSubstr(":5: "), HasSubstr("(1 2|1 1)"), HasSubstr("conjugate")));
  EXPECT_THAT(refusal_of(header + "(0.1,0.2) 1 1 0 0\n"), HasSubstr("h(1, 1)"));
  EXPECT_THAT(refusal_of(header + "(0.1,0.2) 0 0 0 0\n"), HasSubstr("expected a real number"));
  EXPECT_THAT(refusal_of(header + "0.1 1 1 0 0\n"), HasSubstr(":4: "));
  EXPECT_THAT(refusal_of(header + "(0.1,nan) 1 1 0 0\n"), HasSubstr(":4: "));
  EXPECT_THAT(refusal_of(header + "(0.1,0.2) 3 1 0 0\n"), HasSubstr("orbital 3, expected 0 to NORB=2"));
  EXPECT_THAT(refusal_of("&FCI NORB=2,NELEC=2,IUHF=1 /\n0.7 0.0 1 1 1 1\n0.0 0.0 0 0 0 0\n0.6 0.0 2 2 2 2\n"),
              HasSubstr("complex unrestricted integrals"));
}

TEST_F(FcidumpSpinLayouts, WhatIsNotHermitianIsRefusedByName) {
  const std::string records = "0.7 1 1 1 1\n-1.0 1 1 0 0\n0.5 0 0 0 0\n";
  EXPECT_THAT(refusal_of("&FCI NORB=1,NELEC=2,ST=1 /\n" + records), HasSubstr("similarity-transformed"));
  EXPECT_EQ(refusal_of("&FCI NORB=1,NELEC=2,ST=0 /\n" + records), "");
  EXPECT_THAT(refusal_of("&FCI NORB=1,NELEC=2,NPY2='ints2.npy' /\n" + records),
              AllOf(HasSubstr("NPY2"), HasSubstr("ElemCo")));
  EXPECT_THAT(refusal_of("&FCI NORB=1,NELEC=2,ENUC=0.5 /\n" + records), HasSubstr("ENUC"));
}

}  // namespace test_fcidump_spins
}  // namespace cisolve
