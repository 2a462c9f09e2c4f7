// SPDX-License-Identifier: MIT
#include "cuda/analysis/string_density.hpp"

#include <array>
#include <cstring>

#include "cisolve/core/error.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/density_spaces.hpp"
#include "cuda/device_test.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve::cuda {
namespace test_string_density_gpu {

using test::density_rounding;
using test::largest_difference;

class StringDensitiesGpu : public test::DeviceTest {};

bool are_same_bits(const SpinDensities& a, const SpinDensities& b) {
  const auto same = [](const Matrix& x, const Matrix& y) {
    const auto size = static_cast<std::size_t>(x.rows()) * static_cast<std::size_t>(x.columns());
    return std::memcmp(x.data(), y.data(), size * sizeof(double)) == 0;
  };
  for (int l = 0; l < a.num_kets(); ++l) {
    for (int k = 0; k < a.num_bras(); ++k) {
      if (!same(a(k, l).alpha, b(k, l).alpha) || !same(a(k, l).beta, b(k, l).beta)) return false;
    }
  }
  return true;
}

void expect_densities_of_host(const StringProduct& space, const std::string& what) {
  constexpr int count = 3;
  const std::int64_t n = space.size(), stride = n + 3;
  const auto vectors = test::random_unit_vectors(static_cast<std::size_t>(n), count, 5);
  const StringVectors all{space, vectors, count};
  const SpinDensities expected = string_spin_densities(all, all);
  const Stream stream;
  HostTransfer transfer;
  DeviceArray<double> there(static_cast<std::size_t>(stride * count));
  for (int k = 0; k < count; ++k)
    transfer.upload(stream, vectors.data() + k * n, there.data() + k * stride,
                    static_cast<std::size_t>(8 * n));
  transfer.finish();
  std::vector<StringDensityConfig> configs = test::density_configs();
  configs[0] = StringDensityConfig::for_device();
  for (const StringDensityConfig& config : configs) {
    StringDensities densities(StringDensityPlan(space, config), stream);
    const SpinDensities found = densities({there.data(), n, count, stride});
    EXPECT_LT(largest_difference(found, expected), density_rounding)
        << what << ", tiles of " << config.most_tile_strings;
    EXPECT_TRUE(are_same_bits(densities({there.data(), n, count, stride}), found))
        << "densities must repeat to the last bit: " << what;
  }
}

TEST_F(StringDensitiesGpu, AreThoseOfTheHost) {
  int number = 0;
  for (const test::SpaceShape& shape : test::density_spaces()) {
    const ProductSpace<1> space(shape.selection(shape.integrals()));
    expect_densities_of_host(space, "space " + std::to_string(number++));
  }
}

TEST_F(StringDensitiesGpu, AreThoseOfTheHostInMoreOrbitalsThanAWordHas) {
  expect_densities_of_host(ProductSpace<2>(test::many_orbitals()), "70 orbitals");
}

TEST_F(StringDensitiesGpu, AreThoseOfTheHostInRowsOfSeveralFullTiles) {
  // 19448 beta strings: three tiles; and 2431 or so, in eight irreps.
  const std::array<test::SpaceShape, 2> shapes = {
      test::SpaceShape{.orbitals = 17, .alpha = 1, .beta = 7},
      test::SpaceShape{.orbitals = 17, .alpha = 2, .beta = 7, .irrep = 5, .num_irreps = 8}};
  for (const test::SpaceShape& shape : shapes) {
    const ProductSpace<1> space(shape.selection(Integrals(shape.integrals())));
    expect_densities_of_host(space, std::to_string(space.size()) + " determinants");
  }
}

TEST_F(StringDensitiesGpu, RefuseVectorsOfAnotherLength) {
  const test::SpaceShape shape{.orbitals = 6, .alpha = 2, .beta = 2};
  const ProductSpace<1> space(shape.selection(shape.integrals()));
  const Stream stream;
  StringDensities densities(space, stream);
  EXPECT_THROW(densities({nullptr, space.size() + 1, 1, space.size() + 1}), DimensionError);
}

}  // namespace test_string_density_gpu
}  // namespace cisolve::cuda
