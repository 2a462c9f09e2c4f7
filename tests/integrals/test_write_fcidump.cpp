// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <random>

#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_write_fcidump {

class WriteFcidump : public TemporaryFolder {};

/// Bits of every size, some zeros, and labels with which nothing is forbidden.
Integrals random_integrals(int num_orbitals) {
  std::mt19937_64 engine(42);
  std::uniform_real_distribution<double> exponent(-120.0, 3.0);
  std::normal_distribution<double> normal;
  Integrals integrals(num_orbitals);
  const auto draw = [&] {
    return engine() % 5 == 0 ? 0.0 : normal(engine) * std::pow(10.0, exponent(engine));
  };
  for (double& value : integrals.one) value = draw();
  for (double& value : integrals.two) value = draw();
  integrals.core_energy = draw();
  return integrals;
}

TEST_F(WriteFcidump, ReadsBackTheSameBits) {
  for (const int num_orbitals : {1, 2, 7, 13}) {
    const Integrals integrals = random_integrals(num_orbitals);
    for (const char* const name : {"a.fcidump", "a.fcidump.gz"}) {
      write_fcidump(path(name), integrals, num_orbitals, num_orbitals % 2, 3);
      const FcidumpFile file = read_fcidump(path(name));
      EXPECT_EQ(file.integrals.one, integrals.one);
      EXPECT_EQ(file.integrals.two, integrals.two);
      EXPECT_EQ(file.integrals.core_energy, integrals.core_energy);
      EXPECT_EQ(hash(file.integrals), hash(integrals));
      EXPECT_EQ(file.num_electrons, num_orbitals);
      EXPECT_EQ(file.ms2, num_orbitals % 2);
      EXPECT_EQ(file.isym, 3);
      EXPECT_TRUE(file.warnings.empty());
    }
  }
}

TEST_F(WriteFcidump, KeepsSymmetryLabels) {
  const FcidumpFile original = read_fcidump(case_file("n2_ccpvdz_fc.fcidump.gz"));
  EXPECT_TRUE(original.has_symmetry);
  write_fcidump(path("n2.fcidump"), original.integrals, original.num_electrons, original.ms2);
  EXPECT_EQ(hash(read_fcidump(path("n2.fcidump")).integrals), hash(original.integrals));
}

TEST_F(WriteFcidump, WrapsManyLabels) {
  Integrals integrals(70);
  integrals.irreps[69] = 7;
  for (int p = 0; p < 70; ++p) integrals.h(p, p) = p + 1.0;
  write_fcidump(path("wide.fcidump"), integrals, 2);
  EXPECT_EQ(hash(read_fcidump(path("wide.fcidump")).integrals), hash(integrals));
}

TEST_F(WriteFcidump, CompressesByName) {
  const Integrals integrals = random_integrals(7);
  write_fcidump(path("a.fcidump"), integrals, 2);
  write_fcidump(path("a.fcidump.gz"), integrals, 2);
  EXPECT_EQ(read_text(path("a.fcidump")).substr(0, 5), " &FCI");
  EXPECT_EQ(read_text(path("a.fcidump.gz")).substr(0, 2), "\x1f\x8b");
  EXPECT_LT(std::filesystem::file_size(path("a.fcidump.gz")), std::filesystem::file_size(path("a.fcidump")));
}

TEST_F(WriteFcidump, LeavesTheOldFileWhenItFails) {
  write("old");
  Integrals integrals(1);
  integrals.h(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_fcidump(path("test.fcidump"), integrals, 1, 1), DimensionError);
  EXPECT_EQ(read_text(path("test.fcidump")), "old");

  EXPECT_THROW(write_fcidump(path("absent/test.fcidump"), Integrals(1), 1, 1), SystemError);
  std::filesystem::create_directory(path("folder"));
  write("x", "folder/x");  // A folder that is not empty cannot be replaced.
  EXPECT_THROW(write_fcidump(path("folder"), Integrals(1), 1, 1), SystemError);
  for (const auto& entry : std::filesystem::directory_iterator(path("."))) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

}  // namespace test_write_fcidump
}  // namespace cisolve
