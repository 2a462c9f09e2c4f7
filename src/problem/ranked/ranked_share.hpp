// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "cisolve/core/array.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/hamiltonian/string_shares.hpp"
#include "cisolve/ranks/rows.hpp"
#include "cisolve/vectors/ranked_backend.hpp"
#include "problem/finder_part.hpp"
#include "problem/ranked/ranked_finder.hpp"

namespace cisolve {

/// A rank's share of H applied string by string, on one kind of memory. A Platform says which:
///   Base, its backend; Device, what is current on a thread: Device(ranks, placement), make_current(), make_base(); Direct, the
///   rank's product: Direct(backend, shared, own diagonal), multiply(x, y), project(x), shift(), abort(); where vectors
///   are on a device, prepare_spin(space), multiply_s_squared(x, y); densities(backend, space, own vectors, columns, pairs);
///   spin_densities(base, space, vectors, pairs).
template <class Platform>
class DirectShare final : public FinderShare {
public:
  using Backend = RankedBackend<typename Platform::Base>;
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  DirectShare(const Communicator& ranks, const SharedProblem& shared)
      : shared_(shared), device_(ranks, shared.placement()), map_(rows_of_rank(ranks, shared)),
        backend_(ranks, map_, device_.make_base()),
        diagonal_(string_diagonal(*shared.problem().basis->as_product(), *shared.problem().tables, map_)),
        facts_(facts_of_all(ranks, facts_of(diagonal_))), direct_(backend_, shared, diagonal_),
        part_(backend_, parts()) {
    const auto& plan = shared.direct();
    if (plan.keeps_spin) part_.keep_spin(!shared.spin()->has_lower_spins());
    backend_.synchronize();
  }

  const RowMap& map() const override { return map_; }
  FinderPart& part() override { return part_; }
  void make_current() const override { device_.make_current(); }
  void abort() noexcept override { direct_.abort(); }
  std::span<const double> diagonal() const override { return diagonal_; }
  DiagonalFacts diagonal_facts() const override { return facts_; }
  std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const override {
    return Platform::spin_densities(backend_.base(), *shared_.problem().basis->as_product(), vectors, pairs);
  }

  std::optional<SpinDensities> densities_together(const VectorSource& own, std::span<const int> columns,
                                                  bool pairs) override {
    return direct_.densities(backend_, *shared_.problem().basis->as_product(), own, columns, pairs);
  }

private:
  static RowMap rows_of_rank(const Communicator& ranks, const SharedProblem& shared) {
    const auto& plan = shared.direct();
    return rows_of(*shared.problem().basis->as_product(), plan.product->tables().blocks,
                   {ranks.size(), ranks.rank()});
  }

  FinderParts<Backend> parts() {
    const Basis& basis = *shared_.problem().basis;
    const SpinParity parity = shared_.direct().product->parity();
    FinderParts<Backend> parts;
    parts.size = map_.rows();
    parts.product = [this](ConstView x, View y) { direct_.multiply(x, y); };
    parts.diagonal = diagonal_;
    parts.lowest = facts_.lowest;
    parts.highest = facts_.highest;
    parts.dense_block = [&basis, parity, shift = direct_.shift()](std::span<const std::int64_t> rows) {
      return basis.dense_block(rows, parity, shift);
    };
    parts.solver = shared_.placement().solver;
    parts.spin = shared_.spin();
    if (parity != SpinParity::none) {
      parts.parity_dimension = parity_dimension(*basis.as_product(), parity);
      parts.project_parity = [this](View x) { direct_.project(x); };
    }
    if constexpr (Backend::memory != Memory::host)
      parts.make_s_squared = [this] { return s_squared_there(); };
    parts.make_spin_projection = [this] { return spin_projection(); };
    return parts;
  }

  /// S^2 on devices, or null where one has no room for its tables.
  Product<Backend> s_squared_there() {
    const Basis& basis = *shared_.problem().basis;
    if (basis.definition().integrals->is_unrestricted() || !direct_.prepare_spin(*basis.as_product()))
      return nullptr;
    return [this](ConstView x, View y) { direct_.multiply_s_squared(x, y); };
  }

  SpinProjection<Backend> spin_projection() {
    SpinProjection<Backend> projection;
    projection.averaged_diagonal = shared_.problem().basis->averaged_diagonal(map_, diagonal_);
    if constexpr (Backend::memory != Memory::host) projection.s_squared = s_squared_there();
    if (!projection.s_squared) projection.s_squared = s_squared_on_host();
    return projection;
  }

  /// From whole vectors.
  Product<Backend> s_squared_on_host() {
    struct Buffers {
      Array<double> own, whole;
    };
    const auto host =
        std::make_shared<Buffers>(Buffers{Array<double>(static_cast<std::size_t>(map_.local_rows())),
                                          Array<double>(static_cast<std::size_t>(map_.rows()))});
    const StringSpin& s_squared = shared_.string_spin();
    return [this, &s_squared, host](ConstView x, View y) {
      for (int k = 0; k < x.columns; ++k) {
        backend_.to_host(x.slice(k, 1), host->own);
        gather_rows(backend_.ranks(), map_, host->own, host->whole);
        s_squared.multiply_rows(map_, host->whole, host->own);
        backend_.from_host(host->own, y.slice(k, 1));
      }
    };
  }

  const SharedProblem& shared_;
  typename Platform::Device device_;
  RowMap map_;
  Backend backend_;
  Array<double> diagonal_;  ///< of H, own rows
  DiagonalFacts facts_;
  typename Platform::Direct direct_;
  FinderPartOn<Backend> part_;
};

}  // namespace cisolve
