// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/hamiltonian/csf_couplings.hpp"
#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/space/configuration_space.hpp"
#include "cisolve/sparse/row_source.hpp"

namespace cisolve {

/// H over CSFs. A configuration's rows share the configurations it is connected to: those are found by
/// moving one or two of its electrons, and each brings a small block of coupling coefficients, which
/// depends on the pattern of open shells alone, times one or two integrals (or, if at most one electron
/// moves, a sum over shells). docs/theory.md derives it.
template <int Words>
class CsfHamiltonian {
public:
  /// @param space, tables  must outlive this object
  /// @param config         of the coupling coefficients
  CsfHamiltonian(const ConfigurationSpace<Words>& space, const IntegralTables& tables,
                 const CsfCouplingsConfig& config = {});

  const ConfigurationSpace<Words>& space() const { return space_; }
  const IntegralTables& tables() const { return tables_; }
  const CsfCouplings& couplings() const { return couplings_; }

  /// Diagonal of H, hartree, shape [space.size()], in parallel.
  std::vector<double> diagonal() const;

  /// H over some rows, hartree, shape rows.size() x rows.size().
  Matrix dense_block(std::span<const std::int64_t> rows) const;

private:
  const ConfigurationSpace<Words>& space_;
  const IntegralTables& tables_;
  CsfCouplings couplings_;
};

/// Rows of H over CSFs, for the storage formats.
template <int Words>
class CsfRowSource final : public RowSource {
public:
  explicit CsfRowSource(std::shared_ptr<const CsfHamiltonian<Words>> hamiltonian)
      : h_(std::move(hamiltonian)) {}

  std::int64_t num_rows() const override { return h_->space().size(); }
  void count(RowRange range, std::span<std::int64_t> lengths) const override;
  void fill(RowRange range, RowSink& sink) const override;

private:
  std::shared_ptr<const CsfHamiltonian<Words>> h_;
};

}  // namespace cisolve
