// SPDX-License-Identifier: MIT
// Files of format "cisolve-flapw", as several programs write them.
#include "cisolve/lapw/input_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lapw/flapw_file.hpp"

namespace cisolve {
namespace test_input_file {

using namespace test::flapw;
using lapw::Index3;
using lapw::InputFile;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FlapwFile, CoefficientsAreReadByColumns) {
  const InputFile file(given("zero_norm.h5"));
  const H5::H5File raw(given("zero_norm.h5"), H5F_ACC_RDONLY);
  EXPECT_EQ(file.kind(), InputFile::Kind::coefficients);
  EXPECT_EQ(file.title(), "zero norm");
  EXPECT_TRUE(file.warnings().empty());
  EXPECT_THAT(file.atom_types(), ElementsAre(0, 1));
  ASSERT_EQ(file.k_points().size(), 1U);
  EXPECT_NEAR(file.k_points()[0].k[1], -0.49173466, 1e-8);  // what h5py shows
  EXPECT_EQ(file.k_points()[0].weight, 1.0);
  EXPECT_EQ(file.num_waves(0), 20);
  EXPECT_TRUE(file.has_interstitial(0));

  ASSERT_EQ(file.muffin_tins().size(), 2U);
  const lapw::MuffinTin& tin = file.muffin_tins()[1];
  EXPECT_EQ(tin.lmax, 2);
  EXPECT_EQ(tin.udot_norm, get<double>(raw, "/types/2/udot_norm"));
  const auto t_ab = get<Complex>(raw, "/types/2/t_ab");
  EXPECT_EQ(tin.t_ab(3, 5), t_ab[3 * 9 + 5]);
  EXPECT_NE(tin.t_ab(3, 5), tin.t_ab(5, 3));

  const lapw::GivenCoefficients given_ones = file.coefficients(0);
  EXPECT_EQ(given_ones.waves, 20);
  EXPECT_EQ(given_ones.rows, 18);
  EXPECT_TRUE(given_ones.g.empty());
  const auto b = get<Complex>(raw, "/k/1/b"), h = get<Complex>(raw, "/k/1/h_interstitial");
  EXPECT_TRUE(std::equal(b.begin(), b.end(), given_ones.b.begin(), given_ones.b.end()));  // [g, row]
  ASSERT_EQ(given_ones.h_interstitial.size(), 400U);
  for (std::size_t g = 0; g < 20; ++g) {
    for (std::size_t g2 = 0; g2 < 20; ++g2) {
      EXPECT_LE(std::abs(given_ones.h_interstitial[g2 * 20 + g] - h[g * 20 + g2]), 1e-15);
    }
  }
  EXPECT_GT(std::abs(h[1].imag()), 1e-3);  // else a transpose would not be seen
}

TEST(FlapwFile, TheSameInOtherFormsIsReadAlike) {
  const lapw::GivenCoefficients expected = InputFile(given("zero_norm.h5")).coefficients(0);
  for (const char* name : {"zero_norm_pairs.h5", "zero_norm_big_endian.h5"}) {
    const InputFile file(given(name));
    EXPECT_TRUE(file.warnings().empty());
    EXPECT_THAT(file.atom_types(), ElementsAre(0, 1));
    const lapw::GivenCoefficients found = file.coefficients(0);
    const auto same = [](const Array<Complex>& x, const Array<Complex>& y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    EXPECT_TRUE(same(found.a, expected.a) && same(found.b, expected.b)) << name;
    EXPECT_TRUE(same(found.h_interstitial, expected.h_interstitial)) << name;
    EXPECT_TRUE(same(found.s_interstitial, expected.s_interstitial)) << name;
  }
}

TEST(FlapwFile, KPointsMayDifferAndLeaveOutWhatIsOptional) {
  const TemporaryFolder folder;
  const auto path = changed(folder, "zero_norm.h5", [](const H5::H5File& file) {
    const H5::Group second = file.createGroup("/k/2");
    set_attribute(file, "/k/2", "weight", 2);  // an integer where a real is due
    put<Complex>(file, "/k/2/a", {1, 18}, std::vector<Complex>(18, 1.0));
    put<Complex>(file, "/k/2/b", {1, 18}, std::vector<Complex>(18, 2.0));
    put<int>(file, "/k/2/g", {1, 3}, {0, -1, 2});
    file.createGroup("/k/notes");
    put<std::uint64_t>(file, "/atoms/type", {2}, {2, 1});
  });
  const InputFile file(path);
  ASSERT_EQ(file.k_points().size(), 2U);
  EXPECT_THAT(file.k_points()[1].k, ElementsAre(0, 0, 0));
  EXPECT_EQ(file.k_points()[1].weight, 2.0);
  EXPECT_FALSE(file.has_interstitial(1));
  EXPECT_THAT(file.atom_types(), ElementsAre(1, 0));
  const lapw::GivenCoefficients second = file.coefficients(1);
  EXPECT_EQ(second.waves, 1);
  EXPECT_EQ(second.h_interstitial.size(), 0U);
  EXPECT_THAT(second.g, ElementsAre(Index3{0, -1, 2}));
}

TEST(FlapwFile, NarrowNumbersAreToldOf) {
  const TemporaryFolder folder;
  const auto path = changed(folder, "zero_norm.h5", [](const H5::H5File& file) {
    put<float>(file, "/types/2/udot_norm", {3}, {0.5F, 0.25F, 0.125F});
    put<float>(file, "/types/1/udot_norm", {3}, {0.5F, 0.25F, 0.125F});
  });
  const InputFile file(path);
  EXPECT_THAT(file.muffin_tins()[1].udot_norm, ElementsAre(0.5, 0.25, 0.125));
  ASSERT_EQ(file.warnings().size(), 1U);
  EXPECT_THAT(file.warnings()[0],
              testing::AllOf(HasSubstr("'/types/1/udot_norm' and 1 other"), HasSubstr("64 bits")));
}

TEST(FlapwFile, RadialFunctionsAreRead) {
  const InputFile file(given("two_spheres_radial.h5"));
  const H5::H5File raw(given("two_spheres_radial.h5"), H5F_ACC_RDONLY);
  EXPECT_EQ(file.kind(), InputFile::Kind::radial);
  const lapw::Crystal& crystal = file.crystal();
  EXPECT_THAT(crystal.lattice.a[1], ElementsAre(0, 6, 0));
  ASSERT_EQ(crystal.types.size(), 2U);
  const lapw::AtomType& type = crystal.types[1];
  EXPECT_EQ(type.lmax, 3);
  EXPECT_EQ(type.lmax_nonspherical, 2);
  EXPECT_EQ(type.radius, 1.2);
  EXPECT_EQ(type.energy, get<double>(raw, "/types/2/energy"));
  EXPECT_EQ(type.radial.u, get<double>(raw, "/types/2/u"));
  EXPECT_EQ(type.radial.u_r, get<double>(raw, "/types/2/u_r"));
  EXPECT_EQ(type.radial.udot, get<double>(raw, "/types/2/udot"));
  EXPECT_EQ(type.radial.udot_r, get<double>(raw, "/types/2/udot_r"));
  EXPECT_EQ(type.radial.udot_norm, get<double>(raw, "/types/2/udot_norm"));
  EXPECT_EQ(type.nonspherical.ab(1, 0), get<Complex>(raw, "/types/2/nonspherical_ab")[9]);
  ASSERT_EQ(crystal.atoms.size(), 2U);
  EXPECT_EQ(crystal.atoms[1].type, 1);
  EXPECT_THAT(crystal.atoms[1].position, ElementsAre(0.6, 0.55, 0.62));
  EXPECT_EQ(crystal.atoms[1].rotation[2][0], get<double>(raw, "/atoms/rotation")[9 + 6]);
  EXPECT_EQ(file.k_max(), 2.0);
  EXPECT_TRUE(file.waves().empty());
  ASSERT_TRUE(file.interstitial());
  EXPECT_FALSE(file.interstitial()->has_step);
  EXPECT_EQ(file.interstitial()->g[1], (Index3{-1, 0, 0}));
  EXPECT_EQ(file.interstitial()->v[1], Complex(-0.1));
}

TEST(FlapwFile, ListsOfPlaneWavesAndStepPotentialsAreRead) {
  const TemporaryFolder folder;
  const auto path = changed(folder, "two_spheres_radial.h5", [](const H5::H5File& file) {
    file.openGroup("/k_points").removeAttr("k_max");
    file.createGroup("/k_points/g");
    put<int>(file, "/k_points/g/1", {2, 3}, {0, 0, 1, -1, 2, 0});
    file.move("/interstitial/v", "/interstitial/v_step");
    file.unlink("/k_points/weight");
    file.unlink("/atoms/rotation");
    put<int>(file, "/lattice", {3, 3}, {6, 0, 0, 0, 6, 0, 0, 0, 6});  // integers where reals are due
  });
  const InputFile file(path);
  EXPECT_FALSE(file.k_max());
  ASSERT_EQ(file.waves().size(), 1U);
  EXPECT_THAT(file.waves()[0], ElementsAre(Index3{0, 0, 1}, Index3{-1, 2, 0}));
  EXPECT_TRUE(file.interstitial()->has_step);
  EXPECT_EQ(file.k_points()[0].weight, 1.0);
  EXPECT_EQ(file.crystal().atoms[0].rotation, lapw::identity3);
  EXPECT_EQ(file.crystal().lattice.a[2][2], 6.0);
}

TEST(FlapwFile, PotentialsInSpheresAreRead) {
  const InputFile file(given("wells.h5"));
  EXPECT_EQ(file.kind(), InputFile::Kind::potential);
  EXPECT_EQ(file.k_points().size(), 2U);
  EXPECT_FALSE(file.interstitial());
  const H5::H5File raw(given("wells.h5"), H5F_ACC_RDONLY);
  const auto r = get<double>(raw, "/types/1/r");
  const auto v = get<Complex>(raw, "/types/1/v");
  const lapw::SpherePotential& well = file.sphere_potential(0);
  EXPECT_TRUE(well.components().empty());
  EXPECT_DOUBLE_EQ(well.r_spherical(r[300]), r[300] * v[300].real() / std::sqrt(4 * std::numbers::pi));
}

}  // namespace test_input_file
}  // namespace cisolve
