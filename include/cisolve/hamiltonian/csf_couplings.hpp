// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/space/configuration.hpp"
#include "cisolve/space/spin_couplings.hpp"

namespace cisolve {

/// A key for coupling coefficients between the CSFs of two configurations, made of all that they depend on:
/// how many open shells the configurations share, and of the up to four orbitals that differ, in ascending
/// order, how many shared open shells lie below, and their occupations. Not the orbitals themselves. Packed
/// into 64 bits.
using CouplingKey = std::uint64_t;

/// An orbital whose occupation differs between two configurations.
struct OccupationChange {
  int orbital = 0;
  int bra = 0;     ///< occupation in the bra
  int change = 0;  ///< occupation in the ket minus that in the bra: -2, -1, 1 or 2
};

/// The key of the coupling coefficients between two configurations.
/// @param shared_open  orbitals singly occupied in both configurations
/// @param changes      by ascending orbital, at most 4
template <int Words>
CouplingKey make_coupling_key(const BitString<Words>& shared_open, std::span<const OccupationChange> changes);

/// Coupling coefficients between all CSFs of a bra and of a ket configuration, by rows; zeros are left out.
/// Each entry has one value per *term*, a product of operators that comes with its own integral.
///
/// With h the orbitals that lose electrons from bra to ket and p those that gain them, the terms are
/// | configurations differ by | term |
/// |---|---|
/// | nothing | for open shells r < s (10, 20, 21, 30, ...): E_rs E_sr - E_rr |
/// | one electron | 0: E_hp; 1 + k: E_hr E_rp - E_hp for shared open shell number k, r |
/// | two electrons, h1 <= h2 and p1 <= p2 | 0: E_h1p1 E_h2p2; 1, if h1 < h2 and p1 < p2: E_h1p2 E_h2p1 |
struct CouplingBlock {
  int num_rows = 0;
  int num_columns = 0;
  int num_terms = 1;
  std::vector<std::int32_t> offsets;  ///< [num_rows + 1]
  std::vector<std::int32_t> columns;  ///< ascending within a row
  std::vector<double> values;         ///< [entries * num_terms]

  std::int64_t bytes() const;
};

/// Memory for coupling coefficients, and what counts as zero.
struct CsfCouplingsConfig {
  /// Bytes of blocks that are kept; what comes later is computed whenever it is needed, which is slower.
  std::int64_t cache_bytes = std::int64_t{2} << 30;
  /// Smaller coefficients are rounding noise of zeros: the others are square roots of rational numbers
  /// whose denominators are products of numbers up to the open shells, above 1e-6 for 20 of them.
  double zero = 1e-12;
};

/// Coupling coefficients of one spin, computed when first asked for and kept. Thread-safe.
///
/// One-body matrices come from products of segments along pairs of genealogical paths; two-body ones are
/// products of two of them through the one configuration that lies between. docs/theory.md derives both.
/// @see V. G. Chilkuri, F. Neese, J. Comput. Chem. 2021, 42, 982, doi:10.1002/jcc.26518
class CsfCouplings {
public:
  /// @param couplings  must outlive this object
  /// @param config     memory for blocks, and what counts as zero
  explicit CsfCouplings(const SpinCouplings& couplings, const CsfCouplingsConfig& config = {});
  ~CsfCouplings();
  CsfCouplings(const CsfCouplings&) = delete;
  CsfCouplings& operator=(const CsfCouplings&) = delete;

  /// The block of a key, or null if it is neither kept nor fits what may be kept.
  const CouplingBlock* find(CouplingKey key) const;

  /// Adds one row of a block, without keeping the block: weights[t] * (term t) for all columns.
  /// @param key      of the block
  /// @param number   of the row in the block
  /// @param weights  one per term
  /// @param row      shape [columns]
  void add_row(CouplingKey key, int number, std::span<const double> weights, std::span<double> row) const;

  /// Bytes of blocks kept now.
  std::int64_t bytes() const;

private:
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace cisolve
