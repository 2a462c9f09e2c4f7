// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/spin_links.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/shared_matrix.hpp"
#include "core/stopwatch.hpp"
#include "problem/finder_part.hpp"
#include "problem/finder_steps.hpp"
#include "problem/operators.hpp"

namespace cisolve {

/// A root finder on one kind of memory; see operators.hpp for what a Platform is. Each is instantiated by one source.
template <class Platform>
class RootFinderOn final : public RootFinder {
public:
  using Backend = typename Platform::Backend;
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  RootFinderOn(const Problem& problem, StoredPlan plan, const BuildOptions& options)
      : problem_(problem), backend_(Platform::make_backend(plan.placement.ordinal)),
        ordinal_(plan.placement.ordinal), num_roots_(plan.placement.solver.num_roots), spin_(problem.spin) {
    const Stopwatch building;
    {
      const std::vector<double> diagonal = problem.basis->diagonal();
      diagonal_ = Array<double>(diagonal.size());
      std::ranges::copy(diagonal, diagonal_.begin());
    }
    // What commutes with S^2 serves the projection; for the rest it is as good as the diagonal itself.
    if (spin_) averaged_diagonal_ = averages();
    const std::shared_ptr<const StoredMatrix> given = plan.matrix;
    std::unique_ptr<StoredMatrix> matrix = build(plan, options);
    summary_.build_seconds = building.seconds();
    std::unique_ptr<StoredMatrix> s_squared;
    if (spin_) s_squared = find_storage_format("csr")->build(*plan.spin_rows, plan.spin_row_lengths, {}, {});
    const Stopwatch moving;
    const std::int64_t besides =
        std::max<std::int64_t>(plan.placement.device_bytes - plan.placement.matrix_bytes, 0);
    FinderParts<Backend> parts =
        parts_of(plan.placement, stored_product<Platform>(backend_, std::move(matrix), besides));
    if (spin_) parts.diagonal = averaged_diagonal_;
    parts.dense_block = [&basis = *problem.basis](std::span<const std::int64_t> rows) {
      return basis.dense_block(rows);
    };
    if (given) describe(*given, plan);  // which may have been counted on its way to a device
    parts.make_spin_projection = [&] {
      constexpr int packed_columns = 4;  // by a stored product
      return SpinProjection<Backend>{stored_product<Platform>(backend_, std::move(s_squared), 0),
                                     packed_columns};
    };
    part_ = std::make_unique<FinderPartOn<Backend>>(backend_, std::move(parts));
    if (spin_) part_->keep_spin(false);
    finish(moving);
  }

  RootFinderOn(const Problem& problem, DirectPlan plan)
      : problem_(problem), backend_(Platform::make_backend(plan.placement.ordinal)),
        ordinal_(plan.placement.ordinal), num_roots_(plan.placement.solver.num_roots),
        spin_(std::move(plan.spin)) {
    const Stopwatch building;
    const StringProduct& space = *problem.basis->as_product();
    diagonal_ = string_diagonal(space, *problem.tables);
    plan.product->use_diagonal(diagonal_);
    summary_ = describe_direct(plan, facts_of(diagonal_).zeros);
    summary_.build_seconds = building.seconds();
    const SpinParity parity = plan.product->parity();
    const double shift = plan.product->shift();
    const Stopwatch moving;
    const auto direct =
        std::make_shared<HeldDirect<Platform>>(HeldDirect<Platform>{Platform::hold_direct(backend_, plan)});
    FinderParts<Backend> parts = parts_of(plan.placement, [direct](ConstView x, View y) {
      direct->product->multiply(x, y, direct->workspace);
    });
    parts.dense_block = [&basis = *problem.basis, parity, shift](std::span<const std::int64_t> rows) {
      return basis.dense_block(rows, parity, shift);
    };
    if (parity != SpinParity::none) {
      parts.parity_dimension = parity_dimension(space, parity);
      parts.project_parity = [direct](View x) { direct->product->project(x, direct->workspace); };
    }
    if constexpr (Backend::memory != Memory::host)
      parts.make_s_squared = [this, direct] { return s_squared_there(direct); };
    parts.make_spin_projection = [this, direct] { return projection_from_strings(direct); };
    part_ = std::make_unique<FinderPartOn<Backend>>(backend_, std::move(parts));
    if (plan.keeps_spin) part_->keep_spin(!spin_->has_lower_spins());
    finish(moving);
  }

  const HamiltonianSummary& hamiltonian() const override { return summary_; }

  const ModelSpace& model_space() override {
    if (start_) return start_->model;
    const auto choose = [&](const ModelRowsConfig& config) {
      return problem_.basis->model_rows(diagonal_, config);
    };
    start_ = find_start(*problem_.basis, *part_, choose, spin_, num_roots_, most_model_rows_);
    return start_->model;
  }

  void limit_model_space(std::int64_t rows) override { most_model_rows_ = rows; }

  std::int64_t num_states() const override { return part_->num_states(); }
  bool separates_spins() const override { return spin_.has_value(); }
  bool may_project_on_spin() const override { return part_->may_project_on_spin(); }
  void project_on_spin() override { part_->project_on_spin(); }

  Roots solve(const Search& search) override {
    const ModelSpace& model = model_space();
    return part_->solve(search, model, start_->coefficients);
  }

  void apply(std::span<const double> x, std::span<double> y) const override {
    if (const int columns = columns_of(part_->local_rows(), x, y); columns > 0) part_->apply(x, columns, y);
  }

  std::optional<int> device() const override {
    if constexpr (Backend::memory == Memory::host) return std::nullopt;
    return ordinal_;
  }

  void apply_there(const double* x, int columns, double* y) const override {
    Platform::await_others();
    part_->apply_there(x, columns, y);
  }

  std::vector<double> residual_norms(std::span<const double> vectors,
                                     std::span<const double> energies) const override {
    return part_->residual_norms(seen(vectors), energies);
  }
  std::vector<double> residual_norms(const VectorSource& vectors,
                                     std::span<const double> energies) const override {
    return part_->residual_norms(vectors, energies);
  }

  MissedRootProbe probe(std::span<const double> vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    return part_->probe(seen(vectors), lowest, highest, most_products, below);
  }
  MissedRootProbe probe(const VectorSource& vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    return part_->probe(vectors, lowest, highest, most_products, below);
  }

  std::optional<std::vector<double>> resolve_spins(VectorSource& vectors, std::span<const double> energies,
                                                   const ClusterConfig& config,
                                                   std::vector<bool>& rotated) override {
    return part_->resolve_spins(vectors, energies, config, rotated);
  }

  std::vector<LeadingDeterminant> leading(const VectorSource& vectors, int column, int most,
                                          double minimum_weight) const override {
    if (Backend::memory == Memory::host || dynamic_cast<const BackendVectors<Backend>*>(&vectors) == nullptr)
      return RootFinder::leading(vectors, column, most, minimum_weight);
    return part_->leading(vectors, column, most, minimum_weight);
  }

  double expectation(std::span<const std::int64_t> rows,
                     std::span<const double> coefficients) const override {
    return part_->expectation(rows, coefficients);
  }

  std::optional<SpinDensities> spin_densities(const VectorSource& vectors, bool pairs) const override {
    const StringProduct* space = problem_.basis->as_product();
    if (space == nullptr) return std::nullopt;
    return Platform::spin_densities(backend_, *space, vectors, pairs);
  }

private:
  /// Builds the matrix, and frees what only building needed: that makes room for the vectors.
  std::unique_ptr<StoredMatrix> build(StoredPlan& plan, const BuildOptions& options) {
    if (plan.matrix) return std::make_unique<SharedMatrix>(std::move(plan.matrix));
    const RegionCounter rows(*plan.rows, problem_.basis->summary().reference_dimension);
    auto matrix = plan.format->build(rows, plan.row_lengths, plan.format_options, options);
    summary_ = describe_stored(plan, stored_sizes(*matrix), rows.statistics());
    plan.rows.reset();
    plan.row_lengths = {};
    return matrix;
  }

  /// What was built before, row by row, or is not stored at all: nobody looked at its regions.
  void describe(const StoredMatrix& matrix, const StoredPlan& plan) {
    const auto rows = static_cast<double>(matrix.num_rows());
    summary_.storage = matrix.format();
    summary_.rows = matrix.num_rows();
    summary_.nonzeros = matrix.num_nonzeros();
    summary_.bytes = matrix.bytes();
    summary_.csr_bytes = 12 * summary_.nonzeros + 8 * (summary_.rows + 1);
    summary_.ell_bytes = plan.sizes.ell_bytes;
    summary_.sparsity = 1.0 - static_cast<double>(summary_.nonzeros) / (rows * rows);
    summary_.reference_sparsity = summary_.expansion_sparsity = std::numeric_limits<double>::quiet_NaN();
    summary_.device = plan.placement.device;
  }

  /// What both kinds of plan give.
  FinderParts<Backend> parts_of(const Placement& placement, Product<Backend> product) const {
    FinderParts<Backend> parts;
    parts.size = std::ssize(diagonal_);
    parts.product = std::move(product);
    parts.diagonal = diagonal_;
    const DiagonalFacts facts = facts_of(diagonal_);
    parts.lowest = facts.lowest;
    parts.highest = facts.highest;
    parts.solver = placement.solver;
    parts.spin = spin_;
    return parts;
  }

  /// Of the diagonal, over configurations.
  std::vector<double> averages() const {
    return problem_.basis->averaged_diagonal(RowMap::whole(std::ssize(diagonal_)), diagonal_);
  }

  SeenVectors seen(std::span<const double> vectors) const {
    const std::int64_t rows = part_->local_rows();
    return {vectors, rows, static_cast<int>(std::ssize(vectors) / rows)};
  }

  using Direct = std::shared_ptr<HeldDirect<Platform>>;

  /// S^2 on a device, or null where that has no room for its tables.
  Product<Backend> s_squared_there(const Direct& direct) const {
    if (problem_.basis->definition().integrals->is_unrestricted()) return nullptr;
    try {
      direct->product->prepare_spin(*problem_.basis->as_product());
    } catch (const ResourceError&) {
      return nullptr;
    }
    return [direct](ConstView x, View y) { direct->product->multiply_s_squared(x, y, direct->workspace); };
  }

  /// With S^2 from strings, and a preconditioner that commutes with it. Where a device has no room for what S^2 needs,
  /// vectors go to the host for it, and back.
  SpinProjection<Backend> projection_from_strings(const Direct& direct) const {
    SpinProjection<Backend> projection;
    projection.averaged_diagonal = averages();
    if constexpr (Backend::memory != Memory::host) {
      projection.s_squared = s_squared_there(direct);
      if (projection.s_squared) return projection;
    }
    const auto s_squared = std::make_shared<const StringSpin>(*problem_.basis->as_product());
    const std::size_t n = diagonal_.size();
    if constexpr (Backend::memory == Memory::host) {
      projection.s_squared = [s_squared, n](ConstView x, View y) {
        for (int k = 0; k < x.columns; ++k) s_squared->multiply({x.column(k), n}, {y.column(k), n});
      };
    } else {
      struct Buffers {
        Array<double> x, y;
      };
      const auto host = std::make_shared<Buffers>(Buffers{Array<double>(n), Array<double>(n)});
      projection.s_squared = [&backend = backend_, s_squared, host](ConstView x, View y) {
        for (int k = 0; k < x.columns; ++k) {
          backend.to_host(x.slice(k, 1), host->x);
          s_squared->multiply(host->x, host->y);
          backend.from_host(host->y, y.slice(k, 1));
        }
      };
    }
    return projection;
  }

  void finish(const Stopwatch& moving) {
    if constexpr (Backend::memory != Memory::host) {
      backend_.synchronize();
      summary_.transfer_seconds = moving.seconds();
    }
  }

  const Problem& problem_;
  Backend backend_;
  int ordinal_;    ///< of the device
  int num_roots_;  ///< planned for
  HamiltonianSummary summary_;
  std::optional<SpinStructure> spin_;
  Array<double> diagonal_;  ///< of H, hartree
  std::vector<double> averaged_diagonal_;
  std::unique_ptr<FinderPartOn<Backend>> part_;
  std::int64_t most_model_rows_ = 0;  ///< as limited; 0: not
  std::optional<ModelStart> start_;   ///< once it has been asked for
};

template <class Platform>
std::unique_ptr<RootFinder> make_root_finder_on(const Problem& problem, Plan plan,
                                                const BuildOptions& options) {
  if (auto* direct = std::get_if<DirectPlan>(&plan))
    return std::make_unique<RootFinderOn<Platform>>(problem, std::move(*direct));
  return std::make_unique<RootFinderOn<Platform>>(problem, std::move(std::get<StoredPlan>(plan)), options);
}

}  // namespace cisolve
