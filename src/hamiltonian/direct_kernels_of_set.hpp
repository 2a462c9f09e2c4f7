// SPDX-License-Identifier: MIT
// The kernels of direct_kernels.hpp for one instruction set: included by core/each_instruction_set.hpp.

namespace cisolve::direct::CISOLVE_SET {
namespace {

/// A vector register. May alias doubles.
using Register __attribute__((vector_size(CISOLVE_VECTOR_BYTES), may_alias)) = double;
constexpr int register_lanes = CISOLVE_VECTOR_BYTES / 8;
constexpr int per_group = lanes / register_lanes;

// AVX-512 has 32 registers; of the 16 of others some hold what is multiplied.
constexpr int most_sums = register_lanes == 8 ? 8 : 12;
constexpr int most_groups_here = most_sums / per_group;

CISOLVE_TARGET inline const Register* registers_at(const double* p) {
  return reinterpret_cast<const Register*>(p);
}
CISOLVE_TARGET inline Register* registers_at(double* p) { return reinterpret_cast<Register*>(p); }

/// One by one: gather instructions are slow on many cores.
CISOLVE_TARGET inline Register gathered(const double* from, const std::int32_t* at) {
#if CISOLVE_VECTOR_BYTES == 64
  return Register{from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                  from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
#elif CISOLVE_VECTOR_BYTES == 32
  return Register{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
#else
  return Register{from[at[0]], from[at[1]]};
#endif
}

template <int groups>
CISOLVE_TARGET void gather(const LaneList& list, const double* x, std::int64_t stride, std::int64_t rows,
                           double* tile) {
  constexpr int width = groups * lanes;
  for (std::int64_t row = 0; row < rows; ++row) {
    const double* from = x + row * stride;
    double* to = tile + row * width;
    for (int k = 0; k < width; k += register_lanes)
      *registers_at(to + k) = *registers_at(list.signs + k) * gathered(from, list.sources + k);
  }
}

template <int groups>
CISOLVE_TARGET void excite(const Excitation& excitation, std::span<const LinkGroup> of_target,
                           const LaneList& list, double* y) {
  constexpr int count = groups * per_group;
  Register sums[count];
#pragma GCC unroll 16
  for (int v = 0; v < count; ++v) sums[v] = Register{};
  for (const LinkGroup& group : of_target) {
    const std::int64_t row = excitation.tile_row[group.source_class];
    if (row < 0) continue;
    const Register* rows = registers_at(excitation.tile) + row * count;
    const SpinLinks::Single* entry = excitation.singles + group.first;
    for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry) {
      const double value = excitation.values[entry->code];
      const Register* from = rows + std::ptrdiff_t{entry->source} * count;
#pragma GCC unroll 16
      for (int v = 0; v < count; ++v) sums[v] += value * from[v];
    }
  }
  alignas(64) double out[groups * lanes];
#pragma GCC unroll 16
  for (int v = 0; v < count; ++v) registers_at(out)[v] = sums[v];
  const std::int32_t* targets = list.targets;
  const int size = list.size;
  for (int k = 0; k < size; ++k) y[targets[k]] += out[k];
}

template <int groups>
CISOLVE_TARGET void excite_own(const OwnLinks& own, std::int32_t target, const double* x, std::int64_t stride,
                               std::int64_t column, double* y) {
  constexpr int count = groups * per_group;
  Register sums[count];
#pragma GCC unroll 16
  for (int v = 0; v < count; ++v) sums[v] = Register{};
  for (const LinkGroup& group : own.links.own_doubles_of(target)) {
    const std::int64_t row = own.layout.row(own.minor_class, group.source_class);
    if (row < 0) continue;
    const double* rows = x + row * stride + column;
    const SpinLinks::OwnDouble* entry = own.links.own_doubles.data() + group.first;
    for (const SpinLinks::OwnDouble* end = entry + group.size; entry != end; ++entry) {
      const Register* from = registers_at(rows + entry->source * stride);
      const double value = is_planted(PlantedError::direct_product) ? -entry->value : entry->value;
#pragma GCC unroll 16
      for (int v = 0; v < count; ++v) sums[v] += value * from[v];
    }
  }
  for (const LinkGroup& group : own.links.own_singles_of(target)) {
    const std::int64_t row = own.layout.row(own.minor_class, group.source_class);
    if (row < 0) continue;
    const double* rows = x + row * stride + column;
    const SpinLinks::OwnSingle* entry = own.links.own_singles.data() + group.first;
    for (const SpinLinks::OwnSingle* end = entry + group.size; entry != end; ++entry) {
      const Register* from = registers_at(rows + entry->source * stride);
      const Register* felt = registers_at(own.coulomb.row(entry->coulomb_row, own.minor_class) + column);
      const double value = entry->value;
      const double sign = entry->sign;
#pragma GCC unroll 16
      for (int v = 0; v < count; ++v) sums[v] += (value + sign * felt[v]) * from[v];
    }
  }
#pragma GCC unroll 16
  for (int v = 0; v < count; ++v) registers_at(y + column)[v] = sums[v];
}

/// Some columns of a block, whose sums stay in registers.
template <int pairs, int count>
CISOLVE_TARGET inline void multiply_columns(const DenseBlock& block, std::int64_t first) {
  Register sums[pairs][count];
#pragma GCC unroll 8
  for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
    for (int w = 0; w < count; ++w) sums[r][w] = Register{};
  }
  for (int k = 0; k < block.num_links; ++k) {
    const Register* x = registers_at(block.rows[k] + block.column + first);
    const double* v = block.values + std::size_t{block.codes[k]} * pairs;
#pragma GCC unroll 8
    for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
      for (int w = 0; w < count; ++w) sums[r][w] += v[r] * x[w];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < pairs; ++r) {
#pragma GCC unroll 8
    for (int w = 0; w < count; ++w) registers_at(block.t + r * block_columns + first)[w] = sums[r][w];
  }
}

/// Columns beyond the last whole `count` registers, in ever fewer of them.
template <int pairs, int count>
CISOLVE_TARGET inline void multiply_rest(const DenseBlock& block, std::int64_t first) {
  if constexpr (count > 0) {
    if (block.columns - first == count * register_lanes)
      multiply_columns<pairs, count>(block, first);
    else
      multiply_rest<pairs, count - 1>(block, first);
  }
}

template <int pairs>
CISOLVE_TARGET void multiply_block(const DenseBlock& block) {
  constexpr int count = register_lanes == 8 ? 4 : 2;
  std::int64_t first = 0;
  for (; block.columns - first >= count * register_lanes; first += count * register_lanes)
    multiply_columns<pairs, count>(block, first);
  if constexpr (register_lanes == lanes)
    multiply_rest<pairs, count - 1>(block, first);  // else a group fills `count`
}

template <int... group>
constexpr Kernels tabulate(std::integer_sequence<int, group...>) {
  Kernels table = {};
  table.most_groups = static_cast<int>(sizeof...(group));
  (static_cast<void>(table.gather[group] = &gather<group + 1>), ...);
  (static_cast<void>(table.excite[group] = &excite<group + 1>), ...);
  (static_cast<void>(table.excite_own[group] = &excite_own<group + 1>), ...);
  table.multiply_block = {&multiply_block<1>, &multiply_block<2>, &multiply_block<3>,
                          &multiply_block<4>, &multiply_block<5>, &multiply_block<6>};
  return table;
}

}  // namespace

constexpr Kernels kernels = tabulate(std::make_integer_sequence<int, most_groups_here>{});

}  // namespace cisolve::direct::CISOLVE_SET
