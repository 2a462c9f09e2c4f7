// SPDX-License-Identifier: MIT
// Plans of direct products on a device, which are made without one.
#include "cuda/hamiltonian/direct/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "hamiltonian/product_spaces.hpp"

namespace cisolve::cuda {
namespace test_direct_plan {

using test::full;
using Shape = test::SpaceShape;

constexpr std::int64_t kib = 1 << 10;

class DirectPlans : public ::testing::TestWithParam<Shape> {
protected:
  DirectPlans()
      : integrals(GetParam().integrals()), tables(integrals, 0.0), space(GetParam().selection(integrals)),
        diagonal(string_diagonal(space, tables)), host(space, tables, diagonal) {}

  Integrals integrals;
  IntegralTables tables;
  ProductSpace<1> space;
  Array<double> diagonal;
  cisolve::DirectProduct host;
};

/// A card with another shared memory.
DirectConfig with_shared_memory(DirectConfig config, std::int64_t shared_memory) {
  config.device.shared_memory = shared_memory;
  return config;
}

/// Ways to cut a product: blocks of threads per multiprocessor, rows that are long, large same-spin parts.
std::vector<DirectConfig> configs(const DeviceProfile& device) {
  std::vector<DirectConfig> result;
  for (const int blocks : {0, 1, 2}) {
    for (const std::int64_t least_long : {-1, 0, 100}) {
      result.push_back(DirectConfig::for_profile(device));
      result.back().blocks_per_multiprocessor = blocks;
      result.back().least_long_columns = least_long;
    }
  }
  for (const SameSpin same_spin : {SameSpin::dense, SameSpin::projected}) {
    result.push_back(DirectConfig::for_profile(device));
    result.back().same_spin = same_spin;
  }
  return result;
}

void expect_room(const direct::DirectPlan& plan, std::int64_t shared_memory) {
  const direct::Shape& shape = plan.opposite.shape;
  // Each block of threads takes a KiB for the system (CUDA C++ Programming Guide, compute capability 8.x, 9.0).
  EXPECT_LE(shape.blocks * (static_cast<std::int64_t>(shape.shared_bytes()) + kib), shared_memory);
  const std::int64_t blocks = plan.long_rows.shared ? direct::long_blocks : 1;
  EXPECT_LE(blocks * (static_cast<std::int64_t>(plan.long_rows.shared_bytes()) + kib), shared_memory);
  // No room for what is nowhere done.
  std::int32_t columns = 0;
  for (const direct::LongBlock& block : plan.long_rows.arrays.blocks)
    columns = std::max(columns, block.columns);
  EXPECT_EQ(plan.long_rows.most_columns, columns);
  // A row of the widest block, which sums of same-spin excitations write.
  EXPECT_GE(shape.most_t, shape.most_columns);
}

void expect_phases_within_room(const direct::OppositePlan& o) {
  for (const direct::Block& block : o.arrays.blocks) {
    const std::int64_t t = o.shape.most_t + 2 * (o.shape.most_pack() - block.pack_room);
    // A row of the block, which sums of same-spin excitations write.
    EXPECT_GE(t, o.shape.most_columns);
    for (auto k = block.first_phase; k < block.last_phase; ++k) {
      const direct::Phase& phase = o.arrays.phases[k];
      EXPECT_LE(phase.size, block.pack_room);
      EXPECT_LT(phase.nothing, t);
      EXPECT_EQ(phase.next_size, k + 1 < block.last_phase ? o.arrays.phases[k + 1].size : 0);
    }
  }
}

void expect_memory(const direct::DirectPlan& plan, const DeviceProfile& device, std::int64_t size) {
  EXPECT_LE(8 * plan.same_spin.dense_buffer, device.budgets.dense_matrices);
  EXPECT_LE(8 * plan.same_spin.panels.size, device.budgets.panel_matrices);
  EXPECT_LE(8 * plan.opposite.kept_packs(), device.budgets.packs);
  // A strip of columns that is transposed lies beside the intermediates.
  EXPECT_LE(8 * plan.same_spin.scratch, 2 * std::max(device.budgets.intermediates, size));
  EXPECT_LE(plan.device_bytes() + plan.vectors.bytes(), device.memory);
}

TEST_P(DirectPlans, FitTheDevice) {
  for (const char* name : {"H200", "A100", "RTX 3070"}) {
    const DeviceProfile& device = device_profile(name);
    for (const DirectConfig& config : configs(device)) {
      const direct::DirectPlan plan(host, config);
      expect_room(plan, device.shared_memory);
      expect_phases_within_room(plan.opposite);
      expect_memory(plan, device, host.size());
    }
  }
}

/// An excitation of a minor string: pair, source, target, sign.
using Excitation = std::tuple<int, int, int, int>;

/// What the walks of an item add to the rows of a block.
std::vector<Excitation> walked(const direct::DirectPlan& plan, const direct::LongItem& item) {
  const direct::LongRowsPlan& rows = plan.long_rows;
  const auto nothing = static_cast<std::uint32_t>(2 * rows.pairs_at_a_time * direct::long_ld);
  std::vector<Excitation> found;
  const int tiles = (item.stride + direct::long_columns - 1) / direct::long_columns;
  for (int tile = 0; tile < tiles; ++tile) {
    std::set<std::uint32_t> targets;
    for (int warp = 0; warp < direct::long_warps; ++warp) {
      const direct::Walk walk = rows.arrays.walks[item.first_walk + tile * direct::long_warps + warp];
      for (std::size_t lane = 0; lane < 32; ++lane) {
        std::uint32_t target = 0;
        bool begins = true;
        const auto take = [&](std::uint32_t entry) {
          if (entry == nothing) return;
          const auto place = static_cast<int>(entry / 2);
          const std::size_t pair = item.first_pair + place / direct::long_ld;
          EXPECT_LT(place / direct::long_ld, item.num_pairs);
          found.emplace_back(plan.excitations.pairs[pair].pair,
                             tile * direct::long_columns + place % direct::long_ld, target, entry % 2);
        };
        for (int k = 0; k < walk.size; ++k) {
          const std::uint32_t word = rows.arrays.words[static_cast<std::size_t>(walk.first + k) * 32 + lane];
          if (begins) {
            target = rows.shared ? word >> direct::entry_bits & direct::short_target_mask : word;
            const bool none = target == (rows.shared ? direct::short_target_mask : direct::long_target_mask);
            EXPECT_TRUE(none || targets.insert(target).second) << "a target has one thread";
            if (rows.shared) take(word & direct::entry_mask);
          } else {
            take(word & direct::entry_mask);
            take(word >> direct::entry_bits & direct::entry_mask);
          }
          begins = (word & direct::last_word) != 0;
        }
        EXPECT_TRUE(begins);
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

/// What they should: all excitations of the pairs from the item's panel into class d.
std::vector<Excitation> excitations(const direct::DirectPlan& plan, const direct::LongItem& item,
                                    const direct::Side& side, int d) {
  const auto source = std::ranges::find(side.layout.panels, item.source, &BlockLayout::Panel::offset);
  const auto from = static_cast<int>(source - side.layout.panels.begin());
  std::vector<Excitation> result;
  for (int k = item.first_pair; k < item.first_pair + item.num_pairs; ++k) {
    const direct::Pair pair = plan.excitations.pairs[k];
    side.minor_excitations.for_each_pair(d, from, [&](std::int32_t number, int, const auto& excitations) {
      if (pair.coulomb_row == direct::same_orbital || number != pair.pair) return;
      excitations([&](std::int32_t target, std::int32_t source_string, bool negative) {
        result.emplace_back(pair.pair, source_string, target, negative ? 1 : 0);
      });
    });
    if (pair.coulomb_row != direct::same_orbital) continue;
    int orbital = 0;  // the triangle's rr
    while ((orbital + 1) * (orbital + 2) / 2 - 1 < pair.pair) ++orbital;
    for (int string = 0; string < side.minor.size(d); ++string) {
      const auto occupied = side.minor_excitations.occupied(side.minor.offsets[d] + string);
      if (std::ranges::find(occupied, orbital) != occupied.end())
        result.emplace_back(pair.pair, string, string, 0);
    }
  }
  std::ranges::sort(result);
  return result;
}

TEST_P(DirectPlans, WalkFromEveryElementOfATileToItsTargetsOnce) {
  direct::LongRowsPlan without_row = direct::DirectPlan(host, {.least_long_columns = 0}).long_rows;
  without_row.shared = false;
  without_row.pairs_at_a_time = 8;
  for (const std::int64_t shared_memory :
       {228 * kib, static_cast<std::int64_t>(without_row.shared_bytes()) + kib}) {
    const direct::DirectPlan plan(host, with_shared_memory({.least_long_columns = 0}, shared_memory));
    if (shared_memory < 228 * kib) {
      EXPECT_FALSE(plan.long_rows.shared);
    }
    EXPECT_TRUE(plan.opposite.arrays.tasks.empty());
    EXPECT_FALSE(plan.long_rows.arrays.blocks.empty());
    for (const direct::LongBlock& block : plan.long_rows.arrays.blocks) {
      const direct::Side side(host.tables(), block.layout);
      const auto after =
          std::ranges::upper_bound(side.layout.panels, block.y, {}, &BlockLayout::Panel::offset);
      const auto d = static_cast<int>(after - side.layout.panels.begin()) - 1;
      for (int k = block.first_item; k < block.last_item; ++k) {
        const direct::LongItem& item = plan.long_rows.arrays.items[k];
        const auto expected = excitations(plan, item, side, d);
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(walked(plan, item), expected);
      }
    }
  }
}

TEST_P(DirectPlans, GiveEveryTileOfAPhaseToOneWarp) {
  for (const int blocks : {1, 2}) {
    const direct::DirectPlan plan(host, {.blocks_per_multiprocessor = blocks});
    const direct::OppositePlan& o = plan.opposite;
    for (const direct::Phase& phase : o.arrays.phases) {
      std::vector<std::pair<int, int>> walked, expected;
      for (int warp = 0; warp < o.shape.warps; ++warp) {
        const direct::Share end = phase.shares[warp + 1];
        direct::Share at = phase.shares[warp];
        for (; at.item < end.item || (at.item == end.item && at.tile < end.tile);) {
          const direct::Item& item = o.arrays.items[phase.first_item + at.item];
          if (at.tile * direct::tile_columns >= item.stride) {
            at = {at.item + 1, 0};
          } else {
            walked.emplace_back(at.item, at.tile++);
          }
        }
      }
      for (int k = 0; k < phase.num_items; ++k) {
        const direct::Item& item = o.arrays.items[phase.first_item + k];
        for (int tile = 0; tile * direct::tile_columns < item.stride; ++tile) expected.emplace_back(k, tile);
      }
      EXPECT_EQ(walked, expected);
    }
  }
}

/// How often the same-spin part of the rows of a block is summed in a layout: by a dense class, a segment, with the
/// opposite-spin part, or by tiles that cover the columns of the panel.
std::int64_t count_same_spin(const direct::DirectPlan& plan, const direct::Side& side, int c, int d) {
  const int layout = side.number;
  const BlockLayout::Panel& panel = side.layout.panels[d];
  std::int64_t covered = 0;
  for (const direct::DenseTile& tile : plan.same_spin.panels.arrays.tiles) {
    if (tile.layout == layout && tile.x >= panel.offset && tile.x < panel.offset + panel.stride)
      covered += tile.columns;
  }
  EXPECT_TRUE(covered == 0 || covered == panel.stride);
  const auto of_segment = [&](const direct::Segment& s) {
    return s.layout == layout && s.minor_class == d && s.major_class == c;
  };
  const auto of_block = [&](const direct::Block& b) {
    return b.layout == layout && b.y == panel.offset + side.layout.row(d, c) * panel.stride &&
           b.first_same_spin != direct::no_same_spin;
  };
  return (plan.same_spin.large_of[layout][c] >= 0 ? 1 : 0) + (covered > 0 ? 1 : 0) +
         std::ranges::count_if(plan.same_spin.segments.segments, of_segment) +
         std::ranges::count_if(plan.opposite.arrays.blocks, of_block);
}

TEST_P(DirectPlans, SumTheSameSpinPartOfEveryRowOnce) {
  for (const SpinParity parity : {SpinParity::none, SpinParity::even}) {
    if (parity != SpinParity::none && !host.tables().blocks.symmetric) continue;
    const cisolve::DirectProduct product(space, tables, diagonal, parity);
    const direct::DirectPlan plan(product, {});
    for (int layout = 0; layout < (parity == SpinParity::none ? 2 : 1); ++layout) {
      const direct::Side side(product.tables(), layout);
      for (int d = 0; d < side.minor.count(); ++d) {
        for (int c = 0; c < side.major.count(); ++c) {
          if (side.layout.row(d, c) >= 0) {
            EXPECT_EQ(count_same_spin(plan, side, c, d), 1);
          }
        }
      }
    }
  }
}

/// The same-spin Hamiltonian of a class by its excitations, [targets][sources].
std::vector<double> by_excitations(const direct::Side& side, const direct::LargeClass& one) {
  const std::size_t size = one.size;
  std::vector<double> matrix(size * size);
  for (std::size_t target = 0; target < size; ++target) {
    const auto expect_class = [&](int source_class, std::int32_t) { EXPECT_EQ(source_class, one.number); };
    side.major_excitations.for_each_same_spin(one.first_ordinal + static_cast<std::int32_t>(target),
                                              expect_class, [&](double value, std::int32_t source) {
                                                matrix[target * size + static_cast<std::size_t>(source)] +=
                                                    value;
                                              });
  }
  return matrix;
}

/// The same by projection: through every entry of a string to all those of its item.
std::vector<double> by_projection(const direct::ProjectionPlan& plan, const direct::LargeClass& one) {
  const std::size_t size = one.size;
  const direct::Projection& p = plan.classes[one.projection];
  std::vector<double> matrix(size * size);
  const auto entry = [&](std::int64_t k) { return plan.arrays.entries[p.first_entry + k]; };
  for (int k = p.first_item; k < p.first_item + p.num_items; ++k) {
    const direct::ProjectionItem& item = plan.arrays.items[k];
    for (int i = item.first; i < item.first + item.size; ++i) {
      const std::size_t target = entry(i).string;
      const auto slots =
          plan.arrays.slots.begin() + p.first_slot + static_cast<std::int64_t>(target) * p.slots_per_string;
      EXPECT_EQ(std::count(slots, slots + p.slots_per_string, i), 1);
      for (int j = item.first; j < item.first + item.size; ++j) {
        const double w =
            plan.arrays
                .integrals[item.matrix + std::int64_t{entry(j).pair / 2} * item.ld + entry(i).pair / 2];
        const std::size_t source = entry(j).string;
        matrix[target * size + source] += (entry(i).pair ^ entry(j).pair) % 2 == 0 ? w : -w;
      }
    }
  }
  return matrix;
}

TEST_P(DirectPlans, ProjectToTheSameMatrixAsExcitations) {
  const direct::DirectPlan plan(host, {.same_spin = SameSpin::projected});
  for (const direct::LargeClass& one : plan.same_spin.large) {
    if (one.projection < 0) continue;
    const direct::Side side(host.tables(), one.spin);
    const auto expected = by_excitations(side, one);
    const auto found = by_projection(plan.same_spin.projections, one);
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-13);
    // Nothing reads them.
    const auto& groups_of = plan.same_spin.excitations[one.spin].groups_of;
    const std::size_t first = one.first_ordinal;
    EXPECT_EQ(groups_of[first], groups_of[first + one.size]);
  }
  if (GetParam().level == full) {
    EXPECT_FALSE(plan.same_spin.projections.classes.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DirectPlans,
    ::testing::Values(
        Shape{.orbitals = 6, .alpha = 3, .beta = 3},
        Shape{.orbitals = 8, .alpha = 4, .beta = 4, .level = 4, .irrep = 1, .num_irreps = 4},
        Shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4},
        Shape{.orbitals = 9, .alpha = 4, .beta = 1, .level = 4, .irrep = 2, .num_irreps = 4, .zeros = 0.1},
        Shape{.orbitals = 12, .alpha = 5, .beta = 2},                  // 792 columns
        Shape{.orbitals = 36, .alpha = 8, .beta = 8, .level = 1},      // 224 singles of a string
        Shape{.orbitals = 46, .alpha = 10, .beta = 10, .level = 1}));  // 360

TEST(DensePanelPlans, HaveMatricesWhereTheyAreWorthIt) {
  const Shape shape{.orbitals = 12, .alpha = 5, .beta = 5, .level = 4, .irrep = 0, .num_irreps = 4};
  const Integrals integrals = shape.integrals();
  const IntegralTables tables(integrals, 0.0);
  const ProductSpace<1> space(shape.selection(integrals));
  const auto diagonal = string_diagonal(space, tables);
  const direct::DirectPlan plan(cisolve::DirectProduct(space, tables, diagonal), {});
  EXPECT_FALSE(plan.same_spin.panels.arrays.groups.empty());
  EXPECT_FALSE(plan.same_spin.segments.segments.empty());
  for (const direct::DenseGroup& group : plan.same_spin.panels.arrays.groups) {
    EXPECT_GE(group.num_tiles, 1);
    EXPECT_LE(group.num_tiles, direct::most_dense_tiles);
  }
}

class CrowdedDirectPlans : public DirectPlans {};
TEST_P(CrowdedDirectPlans, AreRefusedWhereTheExcitationsOfAStringDoNotFit) {
  for (const std::int64_t enough : {228 * kib, 100 * kib}) {
    const direct::DirectPlan plan(host, with_shared_memory({}, enough));
    EXPECT_TRUE(plan.opposite.arrays.tasks.empty());
    EXPECT_FALSE(plan.long_rows.arrays.tasks.empty());
  }
  EXPECT_THROW(direct::DirectPlan(host, with_shared_memory({}, 64 * kib)), ResourceError);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, CrowdedDirectPlans,
    ::testing::Values(Shape{
        .orbitals = 44, .alpha = 22, .beta = 22, .level = 1}));  // 484 singles of a string

}  // namespace test_direct_plan
}  // namespace cisolve::cuda
