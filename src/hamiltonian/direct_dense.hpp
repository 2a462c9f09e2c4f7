// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"
#include "hamiltonian/direct_kernels.hpp"

namespace cisolve::direct {

/// Opposite-spin doubles between two classes of the minor spin through pairs of one irrep, as a dense
/// product for each target string of the major spin:
///   t(rs, j) = sum over its excitations pq, from string k, of +-(pq|rs) x(k, j),
///   y(i)    += sum over the excitations rs of i, from j, of +-t(rs, j).
/// More multiplications than walking tiles, but all of them in registers. Some columns j at a time, so that
/// t stays in the caches; its way to y is by scalar loads: gather instructions are slow on many cores.
class DenseLinks {
public:
  /// @param lists    of one irrep, from the source to the target class
  /// @param stride   from row to row of the source panel
  /// @param integrals  tables of the minor spin
  /// @param halves   also for targets that take half of the terms (Side::takes_half)
  DenseLinks(const SpinLinks& minor, std::span<const SpinLinks::PairList> lists, std::int64_t stride,
             const IntegralTables& integrals, bool halves, const Kernels& kernels);

  int irrep() const { return irrep_; }
  /// Doubles that `apply` needs for t.
  std::int64_t scratch() const;
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(
        (values_.size() + half_values_.size() + links_.size() + links_of_.size()) * 8);
  }

  /// The excitations of a string of the major spin.
  struct Target {
    const double* const* rows;  ///< [num_links] source rows of x, in the order of `codes`
    const std::uint32_t*
        codes;  ///< [num_links] 2 * place of the pair in its irrep + (1 if the phase is negative)
    int num_links;
    bool half;  ///< pq > rs and half of pq = rs alone; then `codes` ascend
  };

  /// Adds to a row of y.
  void apply(const Target& target, double* t, double* y) const;

private:
  struct Link {
    std::int32_t source;  ///< place in t
    std::int32_t target;  ///< column of y
  };

  /// t for a block of columns that begins at `column`.
  void multiply(const Target& target, std::int64_t column, double* t) const;

  const Kernels& kernels_;
  std::int64_t num_pairs_;
  std::int64_t stride_;
  int irrep_;
  std::vector<std::uint32_t> places_;  ///< of the lists' rs among the pairs of the irrep, ascending
  // In blocks of some pairs rs, for each of them [2 * pairs of the irrep][pairs of the block].
  std::vector<double> values_;       ///< +(pq|rs) at twice the place of pq, then -(pq|rs)
  std::vector<double> half_values_;  ///< the same with 0 for pq < rs, half for pq = rs
  std::vector<Link> links_;
  std::vector<std::int64_t> links_of_;  ///< [2 * blocks + 1] by block of source columns and sign
};

/// Multiplications of DenseLinks::apply per excitation of the target string, in units of one vector of lanes.
double dense_cost(std::size_t num_pairs, std::int64_t columns);

}  // namespace cisolve::direct
