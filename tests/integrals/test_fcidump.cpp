// SPDX-License-Identifier: MIT
#include "cisolve/integrals/fcidump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <set>

#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_fcidump {

using testing::ElementsAre;
using testing::HasSubstr;

class ReadFcidump : public TemporaryFolder {
protected:
  FcidumpFile read(const std::string& text, const FcidumpOptions& options = {}) const {
    return read_fcidump(write(text), options);
  }
};

/// Orbitals of `blocked` in terms of those of `original`, where they were sorted by irrep.
std::vector<int> blocked_order(const Integrals& original) {
  std::vector<int> order = first_orbitals(original.num_orbitals);
  std::ranges::stable_sort(order, {}, [&](int p) { return original.irreps[p]; });
  return order;
}

/// Same integrals, orbital p of `actual` being orbital order[p] of `expected`; the layouts carry 16
/// digits or more.
void expect_equal(const Integrals& actual, const Integrals& expected, const std::vector<int>& order) {
  const int n = expected.num_orbitals;
  ASSERT_EQ(actual.num_orbitals, n);
  check_shapes(actual);
  const auto old = [&order](int p) { return order[p]; };
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-15 * std::abs(b); };
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      EXPECT_TRUE(near(actual.h(p, q), expected.h(old(p), old(q)))) << p << ' ' << q;
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          EXPECT_TRUE(near(actual.eri(p, q, r, s), expected.eri(old(p), old(q), old(r), old(s))))
              << p << ' ' << q << ' ' << r << ' ' << s;
        }
      }
    }
  }
}

TEST_F(ReadFcidump, EveryDialectGivesTheSameIntegrals) {
  const nlohmann::json expected = read_json("dialects/expected.json");
  const FcidumpFile molpro = read_fcidump(data_file("dialects/molpro.fcidump"));
  EXPECT_EQ(molpro.integrals.irreps, (std::vector<int>{0, 0, 2, 0, 1, 0, 2}));
  int num_read = 0;
  for (const auto& [name, note] : expected["files"].items()) {
    if (name.find("uhf") != std::string::npos) continue;
    SCOPED_TRACE(name);
    const FcidumpFile file = read_fcidump(data_file("dialects/" + name));
    EXPECT_EQ(file.num_electrons, 10);
    EXPECT_EQ(file.ms2, 0);
    EXPECT_EQ(file.ms2_given, !note.contains("ms2"));
    EXPECT_EQ(file.isym, name == "quantum_package.fcidump" ? 0 : 1);
    EXPECT_EQ(file.integrals.core_energy,
              note.value("core_energy", expected["nuclear_repulsion"].get<double>()));
    EXPECT_EQ(file.warnings.size(), note.contains("core_energy") ? 1U : 0U);

    const bool is_blocked = note.contains("hf_orbitals");
    const std::vector<int> order = is_blocked ? blocked_order(molpro.integrals) : first_orbitals(7);
    expect_equal(file.integrals, molpro.integrals, order);
    std::vector<int> irreps(7, 0);
    if (note["orbsym"] != "none") {
      std::ranges::transform(order, irreps.begin(), [&](int p) { return molpro.integrals.irreps[p]; });
    }
    EXPECT_EQ(file.integrals.irreps, irreps);
    EXPECT_EQ(file.has_symmetry, note["orbsym"] != "none");
    ++num_read;
  }
  EXPECT_EQ(num_read, 23);
}

TEST_F(ReadFcidump, BlockedOrbitalsGiveTheHartreeFockEnergy) {
  const nlohmann::json expected = read_json("dialects/expected.json");
  const Integrals molpro = read_fcidump(data_file("dialects/molpro.fcidump")).integrals;
  const double energy = determinant_energy(molpro, first_orbitals(5), first_orbitals(5));
  for (const char* const name : {"psi4.fcidump", "psi4_orbital_energies.fcidump"}) {
    std::vector<int> occupied = expected["files"][name]["hf_orbitals"].get<std::vector<int>>();
    for (int& p : occupied) --p;
    const Integrals psi4 = read_fcidump(data_file(std::string("dialects/") + name)).integrals;
    EXPECT_NEAR(determinant_energy(psi4, occupied, occupied), energy, 1e-12);
  }
}

TEST_F(ReadFcidump, ReferenceFilesGiveTheirScfEnergies) {
  const nlohmann::json reference = read_json("energies.json");
  std::set<std::string> seen;
  for (const auto& record : reference["cases"]) {
    const std::string name = record["fcidump"];
    if (record["hf_energy"].is_null() || name.starts_with("beh_")) continue;
    if (!seen.insert(name).second) continue;
    SCOPED_TRACE(name);
    const FcidumpFile file = read_fcidump(case_file(name));
    EXPECT_EQ(file.integrals.num_orbitals, record["norb"]);
    EXPECT_EQ(file.num_electrons, record["nelec"]);
    EXPECT_EQ(file.ms2, record["header_ms2"]);
    EXPECT_EQ(file.integrals.core_energy, record["core_energy"].get<double>());
    const int num_alpha = (file.num_electrons + file.ms2) / 2;
    EXPECT_NEAR(determinant_energy(file.integrals, first_orbitals(num_alpha),
                                   first_orbitals(file.num_electrons - num_alpha)),
                record["hf_energy"], 1e-9);
    EXPECT_TRUE(file.warnings.empty());
  }
  EXPECT_EQ(seen.size(), 15U);
}

TEST_F(ReadFcidump, HashDoesNotDependOnTheLayout) {
  const std::uint64_t molpro = hash(read_fcidump(data_file("dialects/molpro.fcidump")).integrals);
  for (const char* const name : {"shuffled", "redundant", "upper_triangle", "fortran_d_exponent",
                                 "dollar_header", "orbital_energies_after_core", "crlf_tabs_blank"}) {
    EXPECT_EQ(hash(read_fcidump(data_file(std::string("dialects/") + name + ".fcidump")).integrals), molpro)
        << name;
  }
  EXPECT_NE(hash(read_fcidump(data_file("dialects/no_core_record.fcidump")).integrals), molpro);
  EXPECT_NE(hash(read_fcidump(data_file("dialects/nosym_repeat.fcidump")).integrals), molpro);
}

TEST_F(ReadFcidump, NumbersAndSeparators) {
  const FcidumpFile file = read(
      "\n  &fci norb = +2 , nelec=2 ! a comment with / and &END\n"
      " orbsym = 2*1 ms2=0, text='a / b', occ=,, closed=3*0/ ! done\n"
      "0.12-104,2,2,2,2\n"
      "  -1.5d0 , 2 , 1 , +2 , 1\r\n"
      "\t.25\t1 1 1 1  \n"
      "3 1 1 0 0\n\n"
      "-4. 2 2 0 0\n"
      "+5 0 0 0 0\n"
      "-0.0 2 1 0 0");
  EXPECT_EQ(file.integrals.eri(1, 1, 1, 1), 0.12e-104);
  EXPECT_EQ(file.integrals.eri(1, 0, 0, 1), -1.5);
  EXPECT_EQ(file.integrals.eri(0, 0, 0, 0), 0.25);
  EXPECT_EQ(file.integrals.h(0, 0), 3.0);
  EXPECT_EQ(file.integrals.h(1, 1), -4.0);
  EXPECT_EQ(file.integrals.core_energy, 5.0);
  EXPECT_FALSE(std::signbit(file.integrals.h(0, 1)));
  EXPECT_EQ(file.num_records, 7);
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("unknown key TEXT")));
}

TEST_F(ReadFcidump, AFileWithoutItsEndIsWarnedOf) {
  const FcidumpFile file = read("&FCI NORB=1,NELEC=2,MS2=0\n/\n1.0 1 1 1 1\n");
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("no one-electron integral"), HasSubstr("no core energy")));
}

TEST_F(ReadFcidump, UnknownKeysAreNamed) {
  const FcidumpFile file = read("&FCI NORB=1,NELEC=1,MS=1\n/\n1.0 1 1 0 0\n0 0 0 0 0\n");
  EXPECT_EQ(file.ms2, 0);
  EXPECT_FALSE(file.ms2_given);
  EXPECT_THAT(file.warnings, ElementsAre(testing::AllOf(HasSubstr("test.fcidump:1:"), HasSubstr("key MS "),
                                                        HasSubstr("MS2"))));
}

TEST_F(ReadFcidump, NegativeMs2) {
  EXPECT_EQ(read("&FCI NORB=2,NELEC=1,MS2=-1 /\n1.0 2 2 0 0\n0 0 0 0 0\n").ms2, -1);
}

TEST_F(ReadFcidump, CompressedIsToldByContent) {
  const std::string text = read_text(data_file("dialects/molpro.fcidump"));
  const std::filesystem::path plain = write(text, "plain.gz");
  const std::filesystem::path packed = path("packed.fcidump");
  const gzFile out = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(out);
  EXPECT_EQ(hash(read_fcidump(plain).integrals), hash(read_fcidump(packed).integrals));

  const std::string bytes = read_text(packed);
  EXPECT_THAT(refusal_of(bytes.substr(0, bytes.size() / 2)), HasSubstr("gzip"));
  EXPECT_THAT(refusal_of(bytes.substr(0, bytes.size() - 4)), HasSubstr("gzip"));
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 0x55);
  EXPECT_THAT(refusal_of(damaged), HasSubstr("test.fcidump:"));
}

/// Lines cross the borders of the read buffer at all places.
TEST_F(ReadFcidump, LargeFile) {
  std::string text = "&FCI NORB=1,NELEC=1 /\n0.5 1 1 1 1\n0.5 1 1 0 0\n0 0 0 0 0\n";
  std::size_t count = 3;
  while (text.size() < 3'300'000) {
    text += std::string(count++ % 37, ' ') + "0.5 1 1 1 1\n";
  }
  const FcidumpFile file = read(text);
  EXPECT_EQ(file.num_records, static_cast<std::int64_t>(count));
  EXPECT_THAT(refusal_of(text + "0.6 1 1 1 1\n"),
              HasSubstr("test.fcidump:" + std::to_string(count + 2) + ":"));
}

}  // namespace test_fcidump
}  // namespace cisolve
