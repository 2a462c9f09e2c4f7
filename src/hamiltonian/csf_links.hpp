// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/csf_couplings.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/configuration.hpp"

namespace cisolve {

/// A configuration (the ket) that H connects to another (the bra), and with what weights the terms of their
/// coupling block come.
struct CsfLink {
  std::int32_t ket = 0;
  std::int32_t first_weight = 0;
  std::int32_t num_weights = 0;
  bool is_general = false;  ///< the weights are sums of integrals, not single ones
  CouplingKey key = 0;
  const CouplingBlock* block = nullptr;  ///< null: rows are computed when needed
};

/// The links of one bra configuration.
template <int Words>
class CsfLinks {
public:
  CsfLinks(const IntegralTables& tables, const CsfCouplings& couplings)
      : tables_(tables), couplings_(couplings) {}

  /// Begins anew with another bra.
  void begin(const Configuration<Words>& bra);

  /// Adds the bra itself, a ket with an electron moved from h to p, or one with electrons moved from
  /// h1 <= h2 to p1 <= p2. A double one whose integrals are exactly zero is left out.
  void add_same(std::int32_t number);
  void add_single(std::int32_t number, const Configuration<Words>& ket, int h, int p);
  void add_double(std::int32_t number, const Configuration<Words>& ket, int h1, int h2, int p1, int p2);

  /// Adds whichever of them a ket is; nothing if more than two electrons differ.
  void add(std::int32_t number, const Configuration<Words>& ket);

  /// Diagonal energy but for the open shells' exchange, hartree: part of every diagonal element of the bra.
  double energy() const { return energy_; }

  const std::vector<CsfLink>& links() const { return links_; }
  std::span<const double> weights(const CsfLink& link) const {
    return {weights_.data() + link.first_weight, static_cast<std::size_t>(link.num_weights)};
  }

private:
  void push(std::int32_t number, CouplingKey key, std::size_t first_weight, bool is_general);

  const IntegralTables& tables_;
  const CsfCouplings& couplings_;
  Configuration<Words> bra_;
  double energy_ = 0.0;
  std::vector<CsfLink> links_;
  std::vector<double> weights_;
};

}  // namespace cisolve
