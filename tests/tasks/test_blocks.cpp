// SPDX-License-Identifier: MIT
// Restricted active spaces and multireference spaces as blocks of strings: with nothing stored and with a stored
// matrix roots are those of the determinants as a list.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "io/temporary_folder.hpp"
#include "space/listed_space.hpp"
#include "tasks/hamiltonian_of_job.hpp"
#include "tasks/reference_records.hpp"
#include "tasks/result_vectors.hpp"

namespace cisolve {
namespace test_blocks {

struct Case {
  const char* name;
  ReferenceChoice reference;
  int level;
  std::optional<OccupationLimit> max_holes, max_particles;
  const char* irrep;
  int ms2;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class BlockRuns : public testing::TestWithParam<Case> {};

TEST_P(BlockRuns, GiveTheRootsOfTheList) {
  constexpr double energy_tolerance = 1e-10;
  const Case& c = GetParam();
  const auto folder = test::process_folder();
  CiConfig config;
  config.integrals_file = std::filesystem::path(CISOLVE_TEST_DATA) / "h2o_631g.fcidump.gz";
  config.reference = c.reference;
  config.excitation_level = c.level;
  config.max_holes = c.max_holes;
  config.max_particles = c.max_particles;
  config.irreps = {c.irrep};
  config.ms2 = c.ms2;
  config.count = 2;
  config.device = DeviceChoice::cpu;
  config.output_file = folder / (std::string("cisolve-blocks-") + c.name + ".h5");
  config.checkpoint_file = folder / (std::string("cisolve-blocks-") + c.name + ".chk.h5");
  config.storage = "csr";
  const CiResult stored = run_and_read(config);
  config.storage = "direct";
  const CiResult direct = run_and_read(config);
  EXPECT_EQ(direct.sectors[0].hamiltonian.nonzeros, stored.sectors[0].hamiltonian.nonzeros);
  EXPECT_EQ(direct.sectors[0].space.reference_dimension, stored.sectors[0].space.reference_dimension);

  const test::HamiltonianOfJob h(config);
  const auto list = make_list(h.job.selection, list_determinants(h.job.selection));
  const std::int64_t n = list->size();
  ASSERT_EQ(direct.sectors[0].space.dimension, n);
  for (std::int64_t row = 0; row < n; ++row) {
    const auto& d = list->determinants()[row];
    ASSERT_EQ(direct.sectors[0].space.alpha[row], d.alpha.words[0]);
    ASSERT_EQ(direct.sectors[0].space.beta[row], d.beta.words[0]);
  }
  const ListRowSource rows(*list, *h.problem.tables);
  const CsrMatrix csr = build_csr(rows, count_rows(rows));
  EXPECT_EQ(csr.num_nonzeros(), direct.sectors[0].hamiltonian.nonzeros);
  SpmvWorkspace workspace;
  const std::vector<double> vectors = test::vectors_of(direct.sectors[0]);
  std::vector<double> y(n);
  ASSERT_EQ(direct.roots.size(), stored.roots.size());
  for (std::size_t root = 0; root < direct.roots.size(); ++root) {
    EXPECT_NEAR(direct.root(root).energy, stored.root(root).energy, energy_tolerance);
    const double* x = vectors.data() + root * y.size();
    spmv(csr, {x, n, 1, n}, {y.data(), n, 1, n}, workspace);
    EXPECT_NEAR(std::inner_product(y.begin(), y.end(), x, 0.0), direct.root(root).energy, energy_tolerance);
    double residual = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double r = y[i] - direct.root(root).energy * x[i];
      residual += r * r;
    }
    EXPECT_LE(std::sqrt(residual), config.tolerance);
  }
}

const OccupationLimit core{{1, 2}, 1};
const OccupationLimit virtuals{{9, 10, 11, 12, 13}, 2};

INSTANTIATE_TEST_SUITE_P(Spaces, BlockRuns,
                         testing::Values(Case{"ras", AufbauReference{}, 3, core, virtuals, "1", 0},
                                         Case{"cas_in_ras", AufbauReference{}, full_excitation,
                                              OccupationLimit{{1, 2, 3}, 1},
                                              OccupationLimit{{8, 9, 10, 11, 12, 13}, 1}, "all", 0},
                                         Case{"triplet", AufbauReference{}, 4, core,
                                              OccupationLimit{{8, 9, 10, 11, 12, 13}, 2}, "2", 2},
                                         Case{"cas", CasReference{4, 4, {}}, 2, {}, {}, "all", 0},
                                         Case{"cas_level_0", CasReference{6, 6, {}}, 0, {}, {}, "all", 0},
                                         Case{"cas_ras", CasReference{4, 4, {}}, 2, core,
                                              OccupationLimit{{8, 9, 10, 11, 12, 13}, 1}, "all", 0}),
                         [](const auto& named) { return std::string(named.param.name); });

}  // namespace test_blocks
}  // namespace cisolve
