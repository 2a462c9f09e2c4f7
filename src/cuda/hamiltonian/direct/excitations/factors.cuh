// SPDX-License-Identifier: MIT
#pragma once

#include "cuda/hamiltonian/direct/excitations/excitation_arrays.hpp"
#include "cuda/hamiltonian/direct/lanes.cuh"

// What excitations of the major spin are multiplied by.
namespace cisolve::cuda::direct {

/// A string of the major spin, whose row a block of threads works on.
struct MajorString {
  int layout;
  std::int32_t coulomb, string;  ///< as in Block, RowTask
  bool half;
};

/// The factor of an excitation in t(rs): a lane per pair rs.
__device__ inline double factor_of(const ExcitationTables& a, const MajorString& major,
                                   const Excitation& excitation, const Pair& pair) {
  if (excitation.code == self_code) {
    if (pair.coulomb_row < 0) return 0.0;
    return __ldg(a.coulomb[major.layout] + pair.coulomb_row * a.coulomb_width[major.layout] + major.coulomb +
                 major.string);
  }
  const int pq = static_cast<int>(excitation.code / 2);
  double factor = with_sign(
      __ldg(a.integrals[major.layout] + static_cast<std::int64_t>(pq) * a.num_all_pairs + pair.pair),
      excitation.code & 1);
  if (major.half && pair.coulomb_row != same_orbital && pq <= pair.pair)
    factor *= pq == pair.pair ? 0.5 : 0.0;
  return factor;
}

/// Excitations whose factors a warp makes at a time.
inline constexpr int factors_at_a_time = 4;

/// Where factors of an item go: [excitations][ld], and where in x the rows of the sources begin.
struct FactorsTo {
  double* factors;
  std::int64_t* rows;
  int ld;
};

/// Makes factors_at_a_time rows of factors from excitation `first` on; lanes are pairs. Loads that wait for others are
/// issued for all of them before the first is used. Beyond the last excitation there is some row times zero.
/// @param item  an Item or LongItem
template <class AnyItem>
__device__ inline void make_factors(const ExcitationTables& a, const MajorString& major, const AnyItem& item,
                                    const Range& range, int first, const FactorsTo& to) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  Excitation excitations[factors_at_a_time];
#pragma unroll
  for (int j = 0; j < factors_at_a_time; ++j)
    excitations[j] =
        first + j < range.size ? a.lists.excitations[range.first + first + j] : Excitation{0, self_code};
  const int width = to.ld - factor_padding;
  for (int at = lane; at < width; at += warp_size) {
    const Pair pair = at < item.num_pairs ? a.lists.pairs[item.first_pair + at] : Pair{0, same_orbital};
    double values[factors_at_a_time];
#pragma unroll
    for (int j = 0; j < factors_at_a_time; ++j)
      values[j] =
          first + j < range.size && at < item.num_pairs ? factor_of(a, major, excitations[j], pair) : 0.0;
#pragma unroll
    for (int j = 0; j < factors_at_a_time; ++j) to.factors[(first + j) * to.ld + at] = values[j];
  }
  if (lane != 0) return;
#pragma unroll
  for (int j = 0; j < factors_at_a_time; ++j)
    to.rows[first + j] = item.source + static_cast<std::int64_t>(excitations[j].row) * item.stride;
}

}  // namespace cisolve::cuda::direct
