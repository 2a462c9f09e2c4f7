// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/moves.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "cisolve/sparse/stored_matrix.hpp"

namespace cisolve {

/// H over listed determinants, of which nothing is stored: products make its rows anew. Devices have a form of their own.
template <int Words>
class ListHamiltonian final : public StoredMatrix {
public:
  /// @param tables        and the moves of both spins, as the list itself, are in memory that outlives this object
  /// @param make_rows     rows of H over the list, both triangles: for products on the host
  ListHamiltonian(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                  const SameSpinMoves& beta_moves, std::span<const Determinant<Words>> determinants,
                  std::function<std::unique_ptr<RowSource>()> make_rows);

  std::string_view format() const override { return "list"; }
  std::int64_t num_rows() const override { return std::ssize(determinants_); }
  /// Counts them the first time, unless a device has said how many there are.
  std::int64_t num_nonzeros() const override;
  /// What a device's form of it takes; 0: there is none.
  std::int64_t bytes() const override { return bytes_; }
  /// Says what a device has found.
  void note(std::int64_t nonzeros, std::int64_t bytes) const {
    nonzeros_ = nonzeros;
    bytes_ = bytes;
  }

  void multiply(ConstHostView x, HostView y, SpmvWorkspace& workspace,
                ProductUpdate update = ProductUpdate::assign) const override;
  void multiply_plainly(ConstHostView x, HostView y) const override;

  const IntegralTables& tables() const { return tables_; }
  const SameSpinMoves& alpha_moves() const { return alpha_moves_; }
  const SameSpinMoves& beta_moves() const { return beta_moves_; }
  std::span<const Determinant<Words>> determinants() const { return determinants_; }

private:
  const RowSource& rows() const;
  void multiply_rows(RowRange range, ConstHostView x, HostView y, ProductUpdate update) const;

  const IntegralTables& tables_;
  const SameSpinMoves& alpha_moves_;
  const SameSpinMoves& beta_moves_;
  std::span<const Determinant<Words>> determinants_;
  std::function<std::unique_ptr<RowSource>()> make_rows_;
  mutable std::once_flag rows_made_;
  mutable std::unique_ptr<RowSource> rows_;
  mutable std::atomic<std::int64_t> nonzeros_ = -1, bytes_ = 0;
};

}  // namespace cisolve
