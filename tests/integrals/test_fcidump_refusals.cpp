// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_fcidump_refusals {

using testing::AllOf;
using testing::HasSubstr;

class RefuseFcidump : public TemporaryFolder {};

const std::string header = "&FCI NORB=2,NELEC=2,MS2=0,\n &END\n";
const std::string records =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.7 2 2 2 2\n-1.2 1 1 0 0\n-0.5 2 2 0 0\n";

/// One sentence: no line break, no full stop inside or at the end but those of numbers and names.
void expect_one_sentence(const std::string& message) {
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find(". "), std::string::npos) << message;
}

TEST_F(RefuseFcidump, ValuesThatNoMoleculeHas) {
  // Finite, but sums of their products are not: the solver met what is no number.
  for (const std::string value : {"-1e308", "1.1E+10", "-1.1D10"}) {
    EXPECT_THAT(
        refusal(write(header + records + value + " 0 0 0 0\n", "a.fcidump")),
        AllOf(HasSubstr("a.fcidump:9: found the core energy = "), HasSubstr("at most 1e+10 hartree")));
    EXPECT_THAT(refusal(write(header + value + " 2 1 2 1\n" + records, "a.fcidump")),
                AllOf(HasSubstr("a.fcidump:3: found (2 1|2 1) = "), HasSubstr("at most 1e+10 hartree")));
    // Orbital energies are not used.
    EXPECT_NO_THROW(read_fcidump(write(header + records + value + " 1 0 0 0\n", "a.fcidump")));
  }
  EXPECT_NO_THROW(read_fcidump(write(header + records + "-9.9e9 0 0 0 0\n", "a.fcidump")));
}

TEST_F(RefuseFcidump, EveryMalformedFile) {
  // Line and words that the message must have.
  const std::map<std::string, std::pair<int, std::string>> expected = {
      {"bad_index_pattern", {5, "2 1 3 0"}},
      {"binary", {1, "text"}},
      {"complex_values", {5, "expected a real number"}},
      {"conflicting_duplicates", {-1, "second time"}},
      {"conflicting_permutation", {-1, "second"}},
      {"empty", {1, "empty"}},
      {"four_columns", {25, "4 fields"}},
      {"index_negative", {55, "orbital -2"}},
      {"index_too_large", {55, "orbital 8"}},
      {"inf_value", {-2, "'Infinity'"}},
      {"ms2_parity", {1, "MS2: found 1"}},
      {"ms2_too_large", {1, "MS2: found 6"}},
      {"nan_value", {-2, "'NaN'"}},
      {"nelec_too_large", {1, "NELEC: found 15"}},
      {"no_norb", {1, "NORB: not found"}},
      {"no_records", {4, "no records"}},
      {"no_terminator", {4, "&END"}},
      {"norb_not_a_number", {1, "NORB: found 'seven'"}},
      {"not_fcidump", {1, "&FCI"}},
      {"orbsym_inconsistent", {-2, "ORBSYM forbids"}},
      {"orbsym_out_of_range", {2, "label 9"}},
      {"orbsym_short", {2, "5 labels"}},
      {"stars_value", {-2, "overflow"}},
      {"truncated_header", {2, "in the header"}},
      {"truncated_record", {-1, "cut off"}},
      {"two_core_records", {-1, "core energy"}}};
  const nlohmann::json listed = read_json("malformed/expected.json");
  ASSERT_EQ(listed["files"].size(), expected.size());
  for (const auto& [name, line_and_words] : expected) {
    SCOPED_TRACE(name);
    const std::string file = name + ".fcidump";
    ASSERT_TRUE(listed["files"].contains(file));
    const std::string message = refusal(data_file("malformed/" + file));
    int line = line_and_words.first;
    if (line == -1) {  // The last line.
      const std::string text = read_text(data_file("malformed/" + file));
      line = static_cast<int>(std::ranges::count(text, '\n')) + (text.ends_with('\n') ? 0 : 1);
    }
    EXPECT_THAT(message,
                HasSubstr("malformed/" + file + ":" + (line > 0 ? std::to_string(line) + ": " : "")));
    EXPECT_THAT(message, HasSubstr(line_and_words.second));
    expect_one_sentence(message);
  }
}

TEST_F(RefuseFcidump, AFileOfHdf5) {
  using namespace std::string_literals;
  EXPECT_THAT(refusal(write("\x89HDF\r\n\x1a\n\0\0\0"s, "a.h5")),
              HasSubstr("a.h5:1: found an HDF5 file, expected text in FCIDUMP format"));
}

TEST_F(RefuseFcidump, LineOfAValue) {
  const std::string text = read_text(data_file("malformed/nan_value.fcidump"));
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("NaN")), '\n');
  EXPECT_THAT(refusal(data_file("malformed/nan_value.fcidump")),
              HasSubstr(":" + std::to_string(line) + ": "));
}

/// Unrestricted layouts without the key that names them.
TEST_F(RefuseFcidump, UnrestrictedFilesByContent) {
  std::string blocks = read_text(data_file("dialects/molpro_uhf_blocks.fcidump"));
  blocks.replace(blocks.find("IUHF=1"), 6, "IUHF=0");
  EXPECT_THAT(refusal_of(blocks),
              AllOf(HasSubstr("unrestricted (UHF) integrals in blocks"), HasSubstr("IUHF=1")));

  std::string interleaved = read_text(data_file("dialects/psi4_uhf_spin_orbitals.fcidump"));
  interleaved.replace(interleaved.find("UHF=.TRUE."), 10, "UHF=.FALSE.");
  EXPECT_THAT(refusal_of(interleaved), AllOf(HasSubstr("unrestricted"), HasSubstr("interleaved")));

  const FcidumpFile h2o = read_fcidump(data_file("h2o_sto3g.fcidump"));
  const int n = h2o.integrals.num_orbitals;
  Integrals doubled(2 * n);
  for (int p = 0; p < 2 * n; ++p) {
    for (int q = 0; q < 2 * n; ++q) {
      if (p / n != q / n) continue;
      doubled.h(p, q) = h2o.integrals.h(p % n, q % n);
      for (int r = 0; r < 2 * n; ++r) {
        for (int s = 0; s < 2 * n; ++s) {
          if (r / n == s / n) doubled.eri(p, q, r, s) = h2o.integrals.eri(p % n, q % n, r % n, s % n);
        }
      }
    }
  }
  write_fcidump(path("doubled.fcidump"), doubled, 10);
  EXPECT_THAT(refusal(path("doubled.fcidump")),
              AllOf(HasSubstr("unrestricted"), HasSubstr("alpha before beta")));
}

/// What looks like spin orbitals a little and is not.
TEST_F(RefuseFcidump, TakesModelsAndSeparateFragments) {
  EXPECT_EQ(refusal(data_file("hubbard6.fcidump")), "");
  EXPECT_EQ(refusal(data_file("hubbard10.fcidump")), "");
  EXPECT_EQ(refusal(data_file("h2_sto3g.fcidump")), "");
  // Two atoms 20 bohr apart: no exchange, no hopping, (11|22) = 1/R.
  EXPECT_EQ(refusal_of(header + "0.7746 1 1 1 1\n0.7746 2 2 2 2\n0.05 2 2 1 1\n-0.5 1 1 0 0\n-0.5 2 2 0 0\n"),
            "");
}

TEST_F(RefuseFcidump, Macis) {
  EXPECT_THAT(refusal_of("1 1 1 1 0.7746\n1 1 0 0 -0.5\n"), HasSubstr("MACIS"));
  EXPECT_THAT(refusal_of("\n  0 0 0 0  1.5E+00\n"), HasSubstr("MACIS"));
}

TEST_F(RefuseFcidump, Headers) {
  const std::map<std::string, std::string> texts = {
      {"&FCI NORB=0,NELEC=2 /\n", "NORB: found 0"},
      {"&FCI NORB=-3,NELEC=2 /\n", "NORB: found -3"},
      {"&FCI NORB=2.0,NELEC=2 /\n", "NORB: found '2.0'"},
      {"&FCI NORB='2',NELEC=2 /\n", "NORB: found '2'"},
      {"&FCI NORB=,NELEC=2 /\n", "NORB: found no value"},
      {"&FCI NORB=2,3,NELEC=2 /\n", "NORB: found more values"},
      {"&FCI NORB=2,NORB=2,NELEC=2 /\n", "second time"},
      {"&FCI NORB=2 /\n", "NELEC: not found"},
      {"&FCI NORB=2,NELEC=0 /\n", "NELEC: found 0"},
      {"&FCI NORB=2,NELEC=99999999999999 /\n", "NELEC: found '99999999999999'"},
      {"&FCI NORB=2,NELEC=4294967298 /\n", "NELEC: found '4294967298'"},
      {"&FCI NORB=3,NELEC=2,MS2=4 /\n", "MS2: found 4"},
      {"&FCI NORB=3,NELEC=2,MS2=-4 /\n", "MS2: found -4"},
      {"&FCI NORB=2,NELEC=2,ISYM=A /\n", "ISYM: found 'A'"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=1,1,1 /\n", "ORBSYM: found more values"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=0*1 /\n", "ORBSYM: found '0*1'"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=*1 /\n", "ORBSYM: found '*1'"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=1,-1 /\n", "ORBSYM: found label -1"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=0,8 /\n", "ORBSYM: found label 8"},
      {"&FCI NORB=2,NELEC=2,ORBSYM=0,-10 /\n", "ORBSYM: found label -10"},
      {"&FCI 7 NORB=2 /\n", "'7'"},
      {"&FCI NORB=2 =3 /\n", "'='"},
      {"&FCI NORB=2,PNTGRP='C2v /\n", "quote"},
      {"&FCI NORB=2,NELEC=2 &ENDE\n", "'&ENDE'"},
      {"&FCI NORB=2,NELEC=2 / 1.0 1 1 0 0\n", "behind the end of the header"},
      {"&FCIDUMP NORB=2 /\n", "'&FCIDUMP NORB=2 /'"},
      {"&CONTROL NORB=2 /\n", "&FCI"}};
  for (const auto& [text, words] : texts) {
    SCOPED_TRACE(text);
    const std::string message = refusal_of(text + records);
    EXPECT_THAT(message, AllOf(HasSubstr("test.fcidump:1: "), HasSubstr(words)));
    expect_one_sentence(message);
  }
}

TEST_F(RefuseFcidump, Records) {
  const std::map<std::string, std::string> lines = {
      {"0.5 1 1 1 1 x", "'x' after the record"},
      {"0.5 1 1 1 1 ! comment", "'!' after the record"},
      {"0.5 0.1 1 1 1 1", "'0.1'"},
      {"0.5 1 1 1 1 1", "'1' after the record"},
      {"0.5 1 1 1", "4 fields"},
      {"0.5", "1 field,"},
      {"0.5,,1,1,1", "''"},
      {"0.5 1 1.0 1 1", "'1.0'"},
      {"0.5 3 1 1 1", "orbital 3"},
      {"0.5 1 1 1 -1", "orbital -1"},
      {"0.5 99999999999999999999 1 1 1", "'99999999999999999999'"},
      {"0.5 1 1 0 1", "1 1 0 1"},
      {"0.5 0 0 1 1", "0 0 1 1"},
      {"0.5 0 1 0 0", "0 1 0 0"},
      {"0.5 0 0 0 1", "0 0 0 1"},
      {"1E999 1 1 0 0", "'1E999'"},
      {"-inf 1 1 0 0", "'-inf'"},
      {"+NaN(1) 1 1 0 0", "test.fcidump:9"},
      {"**** 1 1 0 0", "overflow"},
      {"(0.5,0.0) 1 1 0 0", "complex"},
      {"&FCI NORB=2 /", "second header"},
      {"$END", "second header"},
      {"hello", "'hello'"},
      {"0.5x 1 1 1 1", "'0.5x'"},
      {"0.7000000003 1 1 1 1", "second time"}};
  for (const auto& [line, words] : lines) {
    SCOPED_TRACE(line);
    const std::string message = refusal_of(header + records + line + "\n0.5 0 0 0 0\n");
    EXPECT_THAT(message, AllOf(HasSubstr("test.fcidump:9: "), HasSubstr(words)));
    expect_one_sentence(message);
  }
  EXPECT_EQ(refusal_of(header + records + "0.70000000005 1 1 1 1\n1.0 2 0 0 0\n0.5 0 0 0 0\n"), "");
}

TEST_F(RefuseFcidump, OrbitalsThatTheRecordsDoNotName) {
  EXPECT_THAT(refusal_of("&FCI NORB=3,NELEC=2 /\n" + records),
              AllOf(HasSubstr(":1: NORB: found 3"), HasSubstr("2")));
  // Neither the number nor a repeat count decides how much memory is taken.
  EXPECT_THAT(refusal_of("&FCI NORB=1000000000,NELEC=2 /\n" + records), HasSubstr("NORB: found 1000000000"));
  EXPECT_THAT(refusal_of("&FCI NORB=4096,NELEC=2 /\n" + records), HasSubstr("NORB: found 4096"));
  EXPECT_THAT(refusal_of("&FCI NORB=2,NELEC=2,ORBSYM=9000000000000*1 /\n" + records), HasSubstr("ORBSYM"));
  EXPECT_THROW(read_fcidump(write("&FCI NORB=4000,NELEC=2 /\n1.0 4000 4000 0 0\n")), ResourceError);
}

TEST_F(RefuseFcidump, LastLineCutInItsLastNumber) {
  std::string text = "&FCI NORB=12,NELEC=2 /\n0.5 12 12 0 0\n";
  EXPECT_THAT(refusal_of(text + "0.5 12 1 12 1"), AllOf(HasSubstr("test.fcidump:3: "), HasSubstr("cut off")));
  EXPECT_EQ(refusal_of(text + "0.5 12 1 12 2"), "");
  EXPECT_EQ(refusal_of(text + "0.5 12 1 12 1\n"), "");
  EXPECT_EQ(refusal_of(text + "0.5 12 1 0 0"), "");
}

TEST_F(RefuseFcidump, AbsentFilesAndFolders) {
  EXPECT_THAT(refusal(path("absent.fcidump")), AllOf(HasSubstr("absent.fcidump"), HasSubstr("no such file")));
  EXPECT_THAT(refusal(path(".")), HasSubstr("folder"));
  EXPECT_THAT(refusal_of("&FCI NORB=2\n" + std::string(2'000'000, ' ')), HasSubstr("text"));
  EXPECT_THAT(refusal_of(std::string("&FCI NORB=2,\0NELEC=2 /\n", 23)), HasSubstr("text"));
}

}  // namespace test_fcidump_refusals
}  // namespace cisolve
