// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/problem/root_finder.hpp"
#include "problem/backend_vectors.hpp"
#include "problem/found_analysis.hpp"
#include "problem/operators.hpp"
#include "problem/parity_filter.hpp"
#include "problem/search_start.hpp"
#include "problem/spin_gate.hpp"

namespace cisolve {

/// A rank's share of a root finder: what is done with vectors once H is there. Vectors have the rows of the rank, which are
/// all where there is one; else all ranks make the same calls in the same order, each with its own rows. What comes back
/// is the same on all but vectors. Members do what those of RootFinder do that are called alike.
class FinderPart {
public:
  virtual ~FinderPart() = default;

  virtual std::int64_t local_rows() const = 0;
  virtual std::int64_t num_states() const = 0;
  virtual bool may_project_on_spin() const = 0;
  virtual void project_on_spin() = 0;

  /// H over some rows, numbered over all ranks, diagonalised. By one rank alone.
  virtual ModelSpace make_model_space(std::vector<std::int64_t> rows) const = 0;

  /// @param coefficients  over the model space's rows, best first, a column each
  virtual Roots solve(const Search& search, const ModelSpace& model, const Matrix& coefficients) = 0;

  virtual void apply(std::span<const double> x, int columns, std::span<double> y) const = 0;
  virtual void apply_there(const double* x, int columns, double* y) const = 0;
  virtual std::vector<double> residual_norms(const VectorSource& vectors,
                                             std::span<const double> energies) const = 0;
  virtual MissedRootProbe probe(const VectorSource& vectors, double lowest, double highest,
                                std::int64_t most_products, std::vector<double>& below) const = 0;
  virtual std::optional<std::vector<double>> resolve_spins(VectorSource& vectors,
                                                           std::span<const double> energies,
                                                           const ClusterConfig& config,
                                                           std::vector<bool>& rotated) = 0;
  virtual std::vector<LeadingDeterminant> leading(const VectorSource& vectors, int column, int most,
                                                  double minimum_weight) const = 0;
  virtual double expectation(std::span<const std::int64_t> rows,
                             std::span<const double> coefficients) const = 0;
};

/// How a search is kept to states of one spin.
template <class Backend>
struct SpinProjection {
  Product<Backend> s_squared;
  int batch = 1;  ///< columns that it gains from
  /// Of H, local rows, for a preconditioner that commutes with it; empty: it has that already.
  std::vector<double> averaged_diagonal = {};
};

/// What a FinderPartOn is made from.
template <class Backend>
struct FinderParts {
  std::int64_t size = 0;  ///< order of H, over all ranks
  Product<Backend> product;
  std::span<const double> diagonal;    ///< of H or for the preconditioner, local rows; must outlive the part
  double lowest = 0.0, highest = 0.0;  ///< diagonal elements of H, over all ranks
  DenseBlock dense_block;
  DavidsonConfig solver;
  std::optional<SpinStructure> spin;
  std::int64_t parity_dimension = 0;                           ///< of the states of H's parity
  std::function<void(typename Backend::View)> project_parity;  ///< null: H has none
  std::function<SpinProjection<Backend>()>
      make_spin_projection;  ///< called at most once, where there is `spin`
  /// S^2 where the vectors are, or null: it is not applied there; called at most once. May be null itself.
  std::function<Product<Backend>()> make_s_squared;
};

/// A share on one kind of memory.
template <class Backend>
class FinderPartOn final : public FinderPart {
public:
  using View = typename Backend::View;
  using ConstView = typename Backend::ConstView;

  /// @param backend  must outlive this object
  FinderPartOn(const Backend& backend, FinderParts<Backend> parts)
      : backend_(backend), solver_(parts.solver), spin_(std::move(parts.spin)), lowest_(parts.lowest),
        highest_(parts.highest), make_spin_projection_(std::move(parts.make_spin_projection)),
        make_s_squared_(std::move(parts.make_s_squared)),
        h_(backend, std::move(parts.product), parts.size, parts.diagonal, std::move(parts.dense_block)) {
    if (!parts.project_parity) return;
    by_parity_ = std::make_unique<ParityFilter<Backend>>(backend_, local_rows(), parts.parity_dimension,
                                                         std::move(parts.project_parity));
    filter_ = by_parity_.get();
  }

  /// Keeps searches to the wanted spin from their start, where that was planned for.
  /// @param gated  projects only where other spins have come in
  void keep_spin(bool gated) {
    make_projection();
    if (!gated) return use_projection();
    gate_ = std::make_unique<SpinGate<Backend>>(*by_spin_, filter_);
    filter_ = gate_.get();
  }

  std::int64_t local_rows() const override { return h_.local_rows(); }

  std::int64_t num_states() const override {
    if (spin_) return spin_->dimension;
    return filter_ != nullptr ? filter_->dimension() : h_.size();
  }

  bool may_project_on_spin() const override { return spin_ && (!by_spin_ || gate_); }

  void project_on_spin() override {
    if (!by_spin_) {
      make_projection();
      solver_.max_columns = std::max<std::int64_t>(solver_.max_columns - 1, 1);  // the filter's
    }
    use_projection();
  }

  ModelSpace make_model_space(std::vector<std::int64_t> rows) const override {
    return cisolve::make_model_space(h_, std::move(rows));
  }

  Roots solve(const Search& search, const ModelSpace& model, const Matrix& coefficients) override {
    DavidsonConfig config = solver_;
    if (search.num_roots > 0) config.num_roots = search.num_roots;
    if (search.tolerance > 0.0) config.tolerance = search.tolerance;
    if (search.max_iterations > 0) config.max_iterations = search.max_iterations;
    config.num_roots = static_cast<int>(std::min<std::int64_t>(config.num_roots, num_states()));
    config.resumes = search.continues;
    const SearchStart<Backend> start(backend_, local_rows(), search, model, coefficients, config.num_roots);
    SolverObserver<Backend> observer;
    if (search.observer) {
      observer = [&](const SolverState<Backend>& state) {
        return search.observer({state.record, state.history, [&] {
                                  return std::make_unique<RestartColumns<Backend>>(backend_, local_rows(),
                                                                                   state.restart_vectors());
                                }});
      };
    }
    auto found =
        davidson<Backend>(backend_, h_, start.block(), model, config, observer, search.history, filter_);
    Roots roots;
    roots.status = found.status;
    roots.energies = std::move(found.energies);
    roots.residual_norms = std::move(found.residual_norms);
    roots.converged = std::move(found.converged);
    roots.history = std::move(found.history);
    roots.num_applications = found.num_applications;
    roots.vectors = std::make_shared<BackendVectors<Backend>>(backend_, std::move(found.vectors));
    return roots;
  }

  void apply(std::span<const double> x, int columns, std::span<double> y) const override {
    if constexpr (Backend::memory == Memory::host) {
      apply_there(x.data(), columns, y.data());
    } else {
      auto there = backend_.allocate(local_rows(), columns);
      auto product = backend_.allocate(local_rows(), columns);
      backend_.from_host(x, there.view());
      h_.apply(std::as_const(there).view(), product.view());
      backend_.to_host(std::as_const(product).view(), y);
    }
  }

  void apply_there(const double* x, int columns, double* y) const override {
    const std::int64_t n = local_rows();
    h_.apply(ConstView{x, n, columns, n}, View{y, n, columns, n});
    if constexpr (Backend::memory != Memory::host) backend_.synchronize();
  }

  std::vector<double> residual_norms(const VectorSource& vectors,
                                     std::span<const double> energies) const override {
    const int count = static_cast<int>(energies.size());
    typename Backend::Block copy;
    const ConstView c = brought_here(vectors, copy);
    auto residual = backend_.allocate(local_rows(), count);
    h_.apply(c, residual.view());
    Matrix shift(count, count);
    for (int k = 0; k < count; ++k) shift(k, k) = -energies[k];
    backend_.combine(c, shift, 1.0, residual.view());
    return backend_.norms(std::as_const(residual).view());
  }

  MissedRootProbe probe(const VectorSource& vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    below.clear();
    const int count = vectors.columns();
    constexpr std::int64_t fewest_columns = 24;  // that a small subspace takes
    const bool has_room = solver_.max_columns == 0 || solver_.max_columns - count >= fewest_columns;
    if ((spin_ && !by_spin_) || count == 0 || !has_room) return {};
    typename Backend::Block copy;
    const ConstView roots = brought_here(vectors, copy);
    // Above the mean energy of the states that no root is, which lies below the largest diagonal element by no less
    // than the roots do, were all of these the lowest: the mean of all states is that of the diagonal.
    const double others = std::max(1.0, static_cast<double>(h_.size()) - count);
    const double shift = 2.0 * (highest_ - lowest_ + (highest_ - lowest) * (1.0 + count / others)) + 1.0;
    typename Backend::Block found;
    const MissedRootProbe probe = probe_missed_roots<Backend>(backend_, h_, roots, highest, shift,
                                                              most_products, fewest_columns, filter_, &found);
    if (found.columns() > 0) {
      below.resize(static_cast<std::size_t>(local_rows()));
      backend_.to_host(std::as_const(found).view().slice(0, 1), below);
    }
    return probe;
  }

  std::optional<std::vector<double>> resolve_spins(VectorSource& vectors, std::span<const double> energies,
                                                   const ClusterConfig& config,
                                                   std::vector<bool>& rotated) override {
    auto* found = dynamic_cast<BackendVectors<Backend>*>(&vectors);
    if (found == nullptr || !found->in(backend_)) return std::nullopt;
    if (make_s_squared_) s_squared_ = std::exchange(make_s_squared_, nullptr)();
    if (!s_squared_) return std::nullopt;
    return cisolve::resolve_spins(backend_, s_squared_, h_.size(), found->block(), energies, config, rotated);
  }

  std::vector<LeadingDeterminant> leading(const VectorSource& vectors, int column, int most,
                                          double minimum_weight) const override {
    auto& found = dynamic_cast<const BackendVectors<Backend>&>(vectors);
    return leading_elements(backend_, found.in(backend_)->slice(column, 1), most, minimum_weight);
  }

  double expectation(std::span<const std::int64_t> rows,
                     std::span<const double> coefficients) const override {
    Matrix values(static_cast<int>(rows.size()), 1);
    std::copy(coefficients.begin(), coefficients.end(), values.data());
    auto c = backend_.allocate(local_rows(), 1);
    auto product = backend_.allocate(local_rows(), 1);
    backend_.fill(c.view(), 0.0);
    backend_.scatter(values, backend_.make_indices(rows), c.view());
    h_.apply(std::as_const(c).view(), product.view());
    return backend_.gram(c.view(), product.view())(0, 0);
  }

private:
  /// Vectors where they are, if a search found them; else they are copied.
  ConstView brought_here(const VectorSource& vectors, typename Backend::Block& copy) const {
    if (const auto* found = dynamic_cast<const BackendVectors<Backend>*>(&vectors)) {
      if (const auto there = found->in(backend_)) return *there;
    }
    copy = backend_.allocate(local_rows(), vectors.columns());
    Array<double> buffer;
    backend_.from_host(vectors.view(0, vectors.columns(), buffer), copy.view());
    return std::as_const(copy).view();
  }

  void make_projection() {
    SpinProjection<Backend> projection = make_spin_projection_();
    if (!projection.averaged_diagonal.empty()) h_.use_diagonal(std::move(projection.averaged_diagonal));
    by_spin_ = std::make_unique<EigenspaceFilter<Backend>>(backend_, std::move(projection.s_squared),
                                                           local_rows(), spin_->dimension, spin_->wanted,
                                                           spin_->others, projection.batch);
  }

  void use_projection() {
    gate_.reset();
    filter_ = by_spin_.get();
    if (!by_parity_) return;
    by_parity_->restrict_to(*by_spin_);
    filter_ = by_parity_.get();
  }

  const Backend& backend_;
  DavidsonConfig solver_;
  std::optional<SpinStructure> spin_;
  double lowest_, highest_;  ///< diagonal elements of H
  std::function<SpinProjection<Backend>()> make_spin_projection_;
  std::function<Product<Backend>()> make_s_squared_;  ///< null once it has been called
  Product<Backend> s_squared_;
  HamiltonianOperator<Backend> h_;
  std::unique_ptr<EigenspaceFilter<Backend>> by_spin_;
  std::unique_ptr<ParityFilter<Backend>> by_parity_;
  std::unique_ptr<SpinGate<Backend>> gate_;  ///< of either, while projecting all directions is not needed
  const SubspaceFilter<Backend>* filter_ = nullptr;
};

}  // namespace cisolve
