// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/ranks/rows.hpp"
#include "cisolve/vectors/ranked_backend.hpp"
#include "problem/finder_part.hpp"
#include "problem/ranked/ranked_share.hpp"

namespace cisolve {

/// A rank's share of a stored H, on one kind of memory: consecutive rows. A Platform says which, as for DirectShare; of it:
///   Exchange, between the ranks: Exchange(ranks), abort(); Matrix, own rows: Matrix(backend, rows to make, shares, bytes that
///   are needed besides, exchange), multiply(x, y).
template <class Platform>
class StoredShare final : public FinderShare {
public:
  using Backend = RankedBackend<typename Platform::Base>;
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;
  using Matrix = typename Platform::Matrix;

  StoredShare(const Communicator& ranks, const SharedProblem& shared)
      : shared_(shared), shares_{shared.stored().first_rows, ranks.rank()},
        device_(ranks, shared.placement()),
        map_(shares_.num_rows(), {{shares_.own().first, shares_.own().size()}}),
        backend_(ranks, map_, device_.make_base()), exchange_(ranks),
        diagonal_(own_rows(shared.spin() ? shared.averaged_diagonal() : shared.diagonal())),
        is_first_here_(ranks.rank() % ranks_here(ranks) == 0), h_(hold_h()), part_(backend_, parts()) {
    if (shared.spin()) part_.keep_spin(false);
    backend_.synchronize();
  }

  const RowMap& map() const override { return map_; }
  FinderPart& part() override { return part_; }
  void make_current() const override { device_.make_current(); }
  void abort() noexcept override { exchange_.abort(); }
  StoredSizes matrix() const override { return sizes_; }
  std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const override {
    const StringProduct* space = shared_.problem().basis->as_product();
    if (space == nullptr) return std::nullopt;
    return Platform::spin_densities(backend_.base(), *space, vectors, pairs);
  }

private:
  int ranks_here(const Communicator& ranks) const {
    const Communicator* processes = shared_.placement().processes;
    return processes == nullptr ? ranks.size() : ranks.size() / processes->size();
  }

  Array<double> own_rows(std::span<const double> whole) const {
    Array<double> own(static_cast<std::size_t>(map_.local_rows()));
    take_rows(map_, whole, own);
    return own;
  }

  std::unique_ptr<Matrix> hold_h() {
    const StoredPlan& plan = shared_.stored();
    RowsOfRank rows({shared_.rows(), plan.row_lengths, *plan.format, plan.format_options}, shares_,
                    shared_.building(is_first_here_));
    const Placement& placement = plan.placement;
    const std::int64_t besides = std::max<std::int64_t>(placement.device_bytes - placement.matrix_bytes, 0);
    auto matrix = std::make_unique<Matrix>(backend_, rows, shares_, besides, exchange_);
    sizes_ = rows.sizes();
    return matrix;
  }

  FinderParts<Backend> parts() {
    const Basis& basis = *shared_.problem().basis;
    const DiagonalFacts facts = facts_of(shared_.diagonal());
    FinderParts<Backend> parts;
    parts.size = map_.rows();
    parts.product = [this](ConstView x, View y) { h_->multiply(x, y); };
    parts.diagonal = diagonal_;
    parts.lowest = facts.lowest;
    parts.highest = facts.highest;
    parts.dense_block = [&basis](std::span<const std::int64_t> rows) { return basis.dense_block(rows); };
    parts.solver = shared_.placement().solver;
    parts.spin = shared_.spin();
    parts.make_spin_projection = [this] { return spin_projection(); };
    return parts;
  }

  SpinProjection<Backend> spin_projection() {
    constexpr int packed_columns = 4;  // by a stored product
    const StoredPlan& plan = shared_.stored();
    const FormatOptions options;
    RowsOfRank rows({*plan.spin_rows, plan.spin_row_lengths, *find_storage_format("csr"), options}, shares_,
                    {.progress = {}, .stop = shared_.building(false).stop});
    const auto s_squared = std::make_shared<Matrix>(backend_, rows, shares_, 0, exchange_);
    return {.s_squared = [s_squared](ConstView x, View y) { s_squared->multiply(x, y); },
            .batch = packed_columns};
  }

  const SharedProblem& shared_;
  RowShares shares_;
  typename Platform::Device device_;
  RowMap map_;
  Backend backend_;
  typename Platform::Exchange exchange_;
  Array<double> diagonal_;  ///< for the preconditioner, own rows
  bool is_first_here_;      ///< of the ranks of its process
  StoredSizes sizes_;
  std::unique_ptr<Matrix> h_;
  FinderPartOn<Backend> part_;
};

/// The share that a plan asks for.
template <class Platform>
MakeShare make_shares_on() {
  return [](const Communicator& ranks, const SharedProblem& shared) -> std::unique_ptr<FinderShare> {
    if (shared.is_stored()) return std::make_unique<StoredShare<Platform>>(ranks, shared);
    return std::make_unique<DirectShare<Platform>>(ranks, shared);
  };
}

}  // namespace cisolve
