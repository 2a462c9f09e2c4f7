// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integrals/fcidump_test.hpp"

namespace cisolve {
namespace test_fcidump_symmetry {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class FcidumpSymmetry : public TemporaryFolder {
protected:
  /// Zero-based Molpro labels of orbitals with these ORBSYM.
  std::vector<int> labels(const std::vector<int>& orbsym, const std::string& group = "") const {
    FcidumpOptions options;
    if (!group.empty()) options.point_group = PointGroup::parse(group);
    return read_fcidump(write(diagonal_file(orbsym)), options).integrals.irreps;
  }

  std::string label_refusal(const std::vector<int>& orbsym, const std::string& group) const {
    FcidumpOptions options;
    options.point_group = PointGroup::parse(group);
    return refusal_of(diagonal_file(orbsym), options);
  }

  /// Integrals that no label forbids.
  static std::string diagonal_file(const std::vector<int>& orbsym) {
    std::ostringstream text;
    text << "&FCI NORB=" << orbsym.size() << ",NELEC=2,ORBSYM=";
    for (const int label : orbsym) text << label << ',';
    text << " /\n";
    for (std::size_t p = 1; p <= orbsym.size(); ++p) text << "-1.0 " << p << ' ' << p << " 0 0\n";
    text << "0 0 0 0 0\n";
    return text.str();
  }

  /// Water with a one- or two-electron integral between A1 and B2 orbitals added in line 5.
  std::filesystem::path broken_water(const std::string& record) const {
    std::string text = read_text(data_file("dialects/molpro.fcidump"));
    const std::string terminator = "&END\n";
    return write(text.insert(text.find(terminator) + terminator.size(), record + "\n"));
  }
};

TEST_F(FcidumpSymmetry, BaseOneIsMolproOrder) {
  EXPECT_THAT(labels({1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(FcidumpSymmetry, BaseZeroIsPyscfOrder) {
  EXPECT_THAT(labels({0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0, 3, 5, 6, 7, 4, 2, 1));
  EXPECT_THAT(labels({0, 1, 2, 3}), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(labels({0, 1, 2, 3}, "C2v"), ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(labels({0, 1, 2, 3}, "D2"), ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(labels({0, 1}), ElementsAre(0, 1));
  EXPECT_THAT(labels({0, 0}), ElementsAre(0, 0));
}

/// A given group decides where the labels present do not.
TEST_F(FcidumpSymmetry, GivenGroupSettlesFewLabels) {
  EXPECT_THAT(labels({0, 1}, "D2h"), ElementsAre(0, 3));  // B1g
  EXPECT_THAT(labels({0, 1}, "C2v"), ElementsAre(0, 3));  // A2
  EXPECT_THAT(labels({0, 1}, "D2"), ElementsAre(0, 3));   // B1
  EXPECT_THAT(labels({0, 1}, "Cs"), ElementsAre(0, 1));
}

/// PySCF numbers the irreps of linear molecules on: E2gx = 10, E2gy = 11, E2uy = 14, E2ux = 15, E4gx = 20.
TEST_F(FcidumpSymmetry, LinearMoleculesModuloTen) {
  EXPECT_THAT(labels({0, 10, 11, 14, 15, 17, 20}), ElementsAre(0, 0, 3, 7, 4, 1, 0));
}

TEST_F(FcidumpSymmetry, LabelsThatTheGroupDoesNotHave) {
  EXPECT_THAT(label_refusal({1, 5}, "C2v"),
              AllOf(HasSubstr("label 5"), HasSubstr("at most 4"), HasSubstr("C2v")));
  EXPECT_THAT(label_refusal({0, 2}, "Cs"),
              AllOf(HasSubstr("label 2"), HasSubstr("at most 1"), HasSubstr("Cs")));
  EXPECT_EQ(label_refusal({1, 4}, "C2v"), "");
}

TEST_F(FcidumpSymmetry, NegligibleForbiddenIntegralsAreZeroed) {
  const std::uint64_t clean = hash(read_fcidump(data_file("dialects/molpro.fcidump")).integrals);
  FcidumpOptions options;
  options.irrep_required = true;
  for (const char* const record : {"1e-10 3 1 1 1", "-1e-9 3 1 0 0", "9.9e-10 1 5 3 4"}) {
    const FcidumpFile file = read_fcidump(broken_water(record), options);
    EXPECT_EQ(hash(file.integrals), clean) << record;
    EXPECT_TRUE(file.has_symmetry);
    EXPECT_FALSE(file.symmetry_dropped);
    EXPECT_TRUE(file.warnings.empty());
  }
}

TEST_F(FcidumpSymmetry, SmallForbiddenIntegralsDropTheLabels) {
  FcidumpOptions required;
  required.irrep_required = true;
  for (const char* const record : {"1e-7 3 1 1 1", "-1.1e-9 3 1 0 0", "1e-6 3 1 0 0"}) {
    SCOPED_TRACE(record);
    const std::filesystem::path path = broken_water(record);
    const FcidumpFile file = read_fcidump(path);
    EXPECT_THAT(file.integrals.irreps, testing::Each(0));
    EXPECT_FALSE(file.has_symmetry);
    EXPECT_TRUE(file.symmetry_dropped);
    EXPECT_NE(file.integrals.h(2, 0) + file.integrals.eri(2, 0, 0, 0), 0.0);
    EXPECT_THAT(file.warnings,
                ElementsAre(AllOf(HasSubstr("test.fcidump:5: "), HasSubstr("3"), HasSubstr("C1"))));
    EXPECT_THAT(refusal(path, required), AllOf(HasSubstr("test.fcidump:5: "), HasSubstr("irrep")));
  }
}

TEST_F(FcidumpSymmetry, LargeForbiddenIntegralsAreRefused) {
  for (const char* const record : {"1e-3 3 1 1 1", "-1.1e-6 3 1 0 0"}) {
    EXPECT_THAT(refusal(broken_water(record)), AllOf(HasSubstr("test.fcidump:5: "), HasSubstr("ORBSYM")))
        << record;
  }
  // The largest of several is named.
  EXPECT_THAT(refusal(broken_water("1e-5 3 1 0 0\n1e-3 5 1 0 0\n1e-4 3 2 0 0")),
              AllOf(HasSubstr("test.fcidump:6: "), HasSubstr("h(5, 1) = 0.001")));
}

}  // namespace test_fcidump_symmetry
}  // namespace cisolve
