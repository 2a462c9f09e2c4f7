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
#include "cisolve/sparse/hybrid_matrix.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/shared_matrix.hpp"
#include "core/stopwatch.hpp"
#include "problem/backend_vectors.hpp"
#include "problem/operators.hpp"
#include "problem/parity_filter.hpp"
#include "problem/search_start.hpp"
#include "problem/spin_gate.hpp"

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
        ordinal_(plan.placement.ordinal), solver_(plan.placement.solver), spin_(problem.spin) {
    const Stopwatch building;
    {
      const std::vector<double> diagonal = problem.basis->diagonal();
      diagonal_ = Array<double>(diagonal.size());
      std::ranges::copy(diagonal, diagonal_.begin());
    }
    // What commutes with S^2 serves the projection; for the rest it is as good as the diagonal itself.
    if (spin_) averaged_diagonal_ = problem.basis->averaged_diagonal(diagonal_);
    const std::shared_ptr<const StoredMatrix> given = plan.matrix;
    std::unique_ptr<StoredMatrix> matrix = build(plan, options);
    summary_.build_seconds = building.seconds();
    std::unique_ptr<StoredMatrix> s_squared;
    if (spin_) s_squared = find_storage_format("csr")->build(*plan.spin_rows, plan.spin_row_lengths, {}, {});
    const Stopwatch moving;
    const std::int64_t besides =
        std::max<std::int64_t>(plan.placement.device_bytes - plan.placement.matrix_bytes, 0);
    h_ = std::make_unique<HamiltonianOperator<Backend>>(
        backend_, stored_product<Platform>(backend_, std::move(matrix), besides),
        spin_ ? std::span<const double>(averaged_diagonal_) : diagonal_,
        [&basis = *problem.basis](std::span<const std::int64_t> rows) { return basis.dense_block(rows); });
    if (given) describe(*given, plan);  // which may have been counted on its way to a device
    constexpr int packed_columns = 4;   // by a stored product
    if (spin_) {
      filter_by_spin(stored_product<Platform>(backend_, std::move(s_squared), 0), packed_columns);
      project_on_spin();
    }
    finish(moving);
  }

  RootFinderOn(const Problem& problem, DirectPlan plan)
      : problem_(problem), backend_(Platform::make_backend(plan.placement.ordinal)),
        ordinal_(plan.placement.ordinal), solver_(plan.placement.solver), spin_(std::move(plan.spin)) {
    const Stopwatch building;
    const StringProduct& space = *problem.basis->as_product();
    diagonal_ = string_diagonal(space, *problem.tables);
    plan.product->use_diagonal(diagonal_);
    describe(plan);
    summary_.build_seconds = building.seconds();
    const SpinParity parity = plan.product->parity();
    const double shift = plan.product->shift();
    const Stopwatch moving;
    const auto direct =
        std::make_shared<HeldDirect<Platform>>(HeldDirect<Platform>{Platform::hold_direct(backend_, plan)});
    h_ = std::make_unique<HamiltonianOperator<Backend>>(
        backend_, [direct](ConstView x, View y) { direct->product->multiply(x, y, direct->workspace); },
        diagonal_,
        [&basis = *problem.basis, parity, shift](std::span<const std::int64_t> rows) {
          return basis.dense_block(rows, parity, shift);
        });
    if (parity != SpinParity::none) {
      by_parity_ = std::make_unique<ParityFilter<Backend>>(
          backend_, h_->size(), parity_dimension(space, parity),
          [direct](View x) { direct->product->project(x, direct->workspace); });
      filter_ = by_parity_.get();
    }
    if (plan.keeps_spin) {
      prepare_projection();
      if (spin_->has_lower_spins()) {
        project_on_spin();
      } else {
        gate_ = std::make_unique<SpinGate<Backend>>(*by_spin_, filter_);
        filter_ = gate_.get();
      }
    }
    finish(moving);
  }

  const HamiltonianSummary& hamiltonian() const override { return summary_; }

  const ModelSpace& model_space() override {
    if (!model_) make_model_space(solver_.num_roots);
    return *model_;
  }

  void limit_model_space(std::int64_t rows) override { most_model_rows_ = rows; }

  std::int64_t num_states() const override {
    if (spin_) return spin_->dimension;
    return filter_ != nullptr ? filter_->dimension() : h_->size();
  }

  bool separates_spins() const override { return spin_.has_value(); }
  bool may_project_on_spin() const override { return spin_ && (!by_spin_ || gate_); }

  void project_on_spin() override {
    if (!by_spin_) {
      prepare_projection();
      solver_.max_columns = std::max<std::int64_t>(solver_.max_columns - 1, 1);  // the filter's
    }
    gate_.reset();
    filter_ = by_spin_.get();
    if (!by_parity_) return;
    by_parity_->restrict_to(*by_spin_);
    filter_ = by_parity_.get();
  }

  Roots solve(const Search& search) override {
    DavidsonConfig config = solver_;
    if (search.num_roots > 0) config.num_roots = search.num_roots;
    if (search.tolerance > 0.0) config.tolerance = search.tolerance;
    if (search.max_iterations > 0) config.max_iterations = search.max_iterations;
    config.num_roots = static_cast<int>(std::min<std::int64_t>(config.num_roots, num_states()));
    config.resumes = search.continues;
    const ModelSpace& model = model_space();
    const SearchStart<Backend> start(backend_, h_->size(), search, model, start_, config.num_roots);
    SolverObserver<Backend> observer;
    if (search.observer) {
      observer = [&](const SolverState<Backend>& state) {
        return search.observer({state.record, state.history, [&] {
                                  return std::make_unique<RestartColumns<Backend>>(backend_, h_->size(),
                                                                                   state.restart_vectors());
                                }});
      };
    }
    auto found =
        davidson<Backend>(backend_, *h_, start.block(), model, config, observer, search.history, filter_);
    Roots roots;
    roots.status = found.status;
    roots.energies = std::move(found.energies);
    roots.residual_norms = std::move(found.residual_norms);
    roots.converged = std::move(found.converged);
    roots.history = std::move(found.history);
    roots.num_applications = found.num_applications;
    roots.vectors = std::make_shared<const BackendVectors<Backend>>(backend_, std::move(found.vectors));
    return roots;
  }

  void apply(std::span<const double> x, std::span<double> y) const override {
    const std::int64_t n = h_->size();
    const auto columns = n == 0 ? 0 : static_cast<int>(std::ssize(x) / n);
    if (x.size() != y.size() || columns * n != std::ssize(x))
      throw DimensionError("RootFinder: vectors must have one element for each row");
    if (columns == 0) return;
    if constexpr (Backend::memory == Memory::host) {
      apply_there(x.data(), columns, y.data());
    } else {
      auto there = backend_.allocate(n, columns);
      auto product = backend_.allocate(n, columns);
      backend_.from_host(x, there.view());
      h_->apply(std::as_const(there).view(), product.view());
      backend_.to_host(std::as_const(product).view(), y);
    }
  }

  std::optional<int> device() const override {
    if constexpr (Backend::memory == Memory::host) return std::nullopt;
    return ordinal_;
  }

  void apply_there(const double* x, int columns, double* y) const override {
    const std::int64_t n = h_->size();
    Platform::await_others();
    h_->apply(ConstView{x, n, columns, n}, View{y, n, columns, n});
    if constexpr (Backend::memory != Memory::host) backend_.synchronize();
  }

  std::vector<double> residual_norms(std::span<const double> vectors,
                                     std::span<const double> energies) const override {
    const int count = static_cast<int>(energies.size());
    auto c = backend_.allocate(h_->size(), count);
    auto residual = backend_.allocate(h_->size(), count);
    backend_.from_host(vectors, c.view());
    h_->apply(std::as_const(c).view(), residual.view());
    Matrix shift(count, count);
    for (int k = 0; k < count; ++k) shift(k, k) = -energies[k];
    backend_.combine(std::as_const(c).view(), shift, 1.0, residual.view());
    return backend_.norms(std::as_const(residual).view());
  }

  MissedRootProbe probe(std::span<const double> vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    below.clear();
    constexpr std::int64_t fewest_columns = 24;  // that a small subspace takes
    const int count = static_cast<int>(std::ssize(vectors) / h_->size());
    const bool has_room = solver_.max_columns == 0 || solver_.max_columns - count >= fewest_columns;
    if ((spin_ && !by_spin_) || vectors.empty() || !has_room) return {};
    auto roots = backend_.allocate(h_->size(), count);
    backend_.from_host(vectors, roots.view());
    const auto [least, most] = std::minmax_element(diagonal_.begin(), diagonal_.end());
    // Above the mean energy of the states that no root is, which lies below the largest diagonal element by no less
    // than the roots do, were all of these the lowest: the mean of all states is that of the diagonal.
    const double others = std::max(1.0, static_cast<double>(h_->size()) - count);
    const double shift = 2.0 * (*most - *least + (*most - lowest) * (1.0 + count / others)) + 1.0;
    typename Backend::Block found;
    const MissedRootProbe probe =
        probe_missed_roots<Backend>(backend_, *h_, std::as_const(roots).view(), highest, shift, most_products,
                                    fewest_columns, filter_, &found);
    if (found.columns() > 0) {
      below.resize(static_cast<std::size_t>(h_->size()));
      backend_.to_host(std::as_const(found).view().slice(0, 1), below);
    }
    return probe;
  }

  double expectation(std::span<const std::int64_t> rows,
                     std::span<const double> coefficients) const override {
    Matrix values(static_cast<int>(rows.size()), 1);
    std::copy(coefficients.begin(), coefficients.end(), values.data());
    auto c = backend_.allocate(h_->size(), 1);
    auto product = backend_.allocate(h_->size(), 1);
    backend_.fill(c.view(), 0.0);
    backend_.scatter(values, backend_.make_indices(rows), c.view());
    h_->apply(std::as_const(c).view(), product.view());
    return backend_.gram(c.view(), product.view())(0, 0);
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
    const auto* hybrid = dynamic_cast<const StoredAs<HybridMatrix>*>(matrix.get());
    const RegionStatistics regions = rows.statistics();
    summary_.storage = matrix->format();
    summary_.rows = matrix->num_rows();
    summary_.nonzeros = plan.sizes.nonzeros;
    summary_.bytes = matrix->bytes();
    summary_.ell_width = hybrid != nullptr ? hybrid->matrix().ell_width : 0;
    summary_.tail_nonzeros = hybrid != nullptr ? hybrid->matrix().num_tail_nonzeros() : 0;
    summary_.csr_bytes = plan.sizes.csr_bytes;
    summary_.ell_bytes = plan.sizes.ell_bytes;
    summary_.reference_sparsity = regions.reference_sparsity();
    summary_.expansion_sparsity = regions.expansion_sparsity();
    summary_.sparsity = regions.sparsity();
    summary_.device = plan.placement.device;
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

  void describe(const DirectPlan& plan) {
    summary_.storage = direct_storage;
    summary_.rows = plan.product->size();
    std::int64_t zeros = 0;  // which the plan did not know
#pragma omp parallel for schedule(static) reduction(+ : zeros)
    for (std::size_t row = 0; row < diagonal_.size(); ++row) zeros += diagonal_[row] == 0.0 ? 1 : 0;
    summary_.nonzeros = plan.sizes.nonzeros - zeros;
    summary_.bytes = plan.placement.matrix_bytes;
    summary_.csr_bytes = plan.sizes.csr_bytes - 12 * zeros;
    const auto rows = static_cast<double>(summary_.rows);
    summary_.sparsity = 1.0 - static_cast<double>(summary_.nonzeros) / (rows * rows);
    // Nobody looked.
    summary_.reference_sparsity = summary_.expansion_sparsity = std::numeric_limits<double>::quiet_NaN();
    summary_.device = plan.placement.device;
  }

  void filter_by_spin(Product<Backend> s_squared, int batch) {
    by_spin_ = std::make_unique<EigenspaceFilter<Backend>>(
        backend_, std::move(s_squared), h_->size(), spin_->dimension, spin_->wanted, spin_->others, batch);
  }

  /// With S^2 from strings, and a preconditioner that commutes with it. S^2 is done on the host: vectors of a device
  /// go there and back.
  void prepare_projection() {
    averaged_diagonal_ = problem_.basis->averaged_diagonal(diagonal_);
    h_->use_diagonal(averaged_diagonal_);
    const auto s_squared = std::make_shared<const StringSpin>(*problem_.basis->as_product());
    const std::size_t n = h_->size();
    if constexpr (Backend::memory == Memory::host) {
      filter_by_spin(
          [s_squared, n](ConstView x, View y) {
            for (int k = 0; k < x.columns; ++k) s_squared->multiply({x.column(k), n}, {y.column(k), n});
          },
          1);
    } else {
      averaged_diagonal_ = std::vector<double>();  // it is on the device
      struct Buffers {
        Array<double> x, y;
      };
      const auto host = std::make_shared<Buffers>(Buffers{Array<double>(n), Array<double>(n)});
      filter_by_spin(
          [&backend = backend_, s_squared, host](ConstView x, View y) {
            for (int k = 0; k < x.columns; ++k) {
              backend.to_host(x.slice(k, 1), host->x);
              s_squared->multiply(host->x, host->y);
              backend.from_host(host->y, y.slice(k, 1));
            }
          },
          1);
    }
  }

  void finish(const Stopwatch& moving) {
    if constexpr (Backend::memory != Memory::host) {
      backend_.synchronize();
      summary_.transfer_seconds = moving.seconds();
    }
  }

  void make_model_space(int num_roots) {
    ModelRowsConfig rows;
    if (most_model_rows_ > 0) {  // references beyond that are left out, too
      constexpr std::int64_t room_for_configurations = 4;
      rows.minimum = std::min(rows.minimum, most_model_rows_);
      rows.maximum = std::min(rows.maximum, room_for_configurations * most_model_rows_);
    }
    constexpr std::int64_t least_per_root = 2;
    constexpr std::int64_t least = 8;
    rows.minimum = std::max(rows.minimum, least_per_root * num_roots + least);
    rows.maximum = std::max(rows.maximum, rows.minimum);
    rows.may_cut = !spin_;
    model_ = cisolve::make_model_space(*h_, problem_.basis->model_rows(diagonal_, rows));
    start_ = spin_
                 ? eigenvectors_within(*model_, problem_.basis->s_squared_block(model_->rows), spin_->wanted)
                 : model_->vectors;
  }

  const Problem& problem_;
  Backend backend_;
  int ordinal_;  ///< of the device
  HamiltonianSummary summary_;
  DavidsonConfig solver_;
  std::optional<SpinStructure> spin_;
  Array<double> diagonal_;  ///< of H, hartree
  std::vector<double> averaged_diagonal_;
  std::unique_ptr<HamiltonianOperator<Backend>> h_;
  std::unique_ptr<EigenspaceFilter<Backend>> by_spin_;
  std::unique_ptr<ParityFilter<Backend>> by_parity_;
  std::unique_ptr<SpinGate<Backend>> gate_;  ///< of either, while projecting all directions is not needed
  const SubspaceFilter<Backend>* filter_ = nullptr;
  std::int64_t most_model_rows_ = 0;  ///< as limited; 0: not
  std::optional<ModelSpace> model_;   ///< once it has been asked for
  Matrix start_;                      ///< coefficients over the model space's rows, best first, a column each
};

template <class Platform>
std::unique_ptr<RootFinder> make_root_finder_on(const Problem& problem, Plan plan,
                                                const BuildOptions& options) {
  if (auto* direct = std::get_if<DirectPlan>(&plan))
    return std::make_unique<RootFinderOn<Platform>>(problem, std::move(*direct));
  return std::make_unique<RootFinderOn<Platform>>(problem, std::move(std::get<StoredPlan>(plan)), options);
}

}  // namespace cisolve
