// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "cisolve/lapw/eigenstates.hpp"
#include "cisolve/solver/davidson.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "lapw/blas.hpp"
#include "lapw/eigen_tools.hpp"

namespace cisolve::lapw {
namespace {

using Backend = ComplexHostBackend;

/// H or S of an engine, as the solver sees it.
class EngineOperator : public Operator<Backend> {
public:
  EngineOperator(const Engine& engine, Engine::Which which, const Operator<Backend>* metric)
      : engine_(engine), which_(which), metric_(metric), diagonal_(engine.size(), 1) {
    const std::vector<double> diagonal = engine.diagonal(which);
    std::ranges::copy(diagonal, diagonal_.view().data);
  }

  std::int64_t size() const override { return engine_.size(); }
  void apply(Backend::ConstView x, Backend::View y) const override {
    for (int k = 0; k < x.columns;) {
      const bool is_dense = x.stride == size() && y.stride == size();
      const int columns = is_dense ? x.columns - k : 1;
      engine_.apply(which_, x.column(k), y.column(k), columns);
      k += columns;
    }
  }
  Backend::ConstView diagonal() const override { return diagonal_.view(); }
  BasicMatrix<Complex> dense_block(std::span<const std::int64_t> rows) const override {
    const HermitianPair block = engine_.block(rows);
    const int order = static_cast<int>(std::ssize(rows));
    BasicMatrix<Complex> result(order, order);
    std::ranges::copy(which_ == Engine::Which::h ? block.h : block.s, result.data());
    return result;
  }
  const Operator<Backend>* metric() const override { return metric_; }
  bool precondition(std::span<const double> /*energies*/, Backend::View y) const override {
    if (metric_ == nullptr) return false;
    if (y.stride == size()) {
      engine_.solve(y.data, y.columns);
    } else {
      for (int k = 0; k < y.columns; ++k) engine_.solve(y.column(k), 1);
    }
    return true;
  }

private:
  const Engine& engine_;
  Engine::Which which_;
  const Operator<Backend>* metric_;
  Backend::Block diagonal_;
};

/// Energies below the spectrum, where H - sigma S has a Cholesky factor.
class Shift {
public:
  Shift(Engine& engine, std::vector<std::string>& notes) : engine_(engine), notes_(notes) {}

  /// Tries from somewhat below an upper bound of the lowest energy on, twice as far each time.
  bool find(double bound) {
    constexpr int most_tries = 14;
    double distance = 0.1;  // hartree
    for (int attempt = 0; attempt < most_tries; ++attempt, distance *= 2.0) {
      if (try_at(bound - distance)) return true;
    }
    return false;
  }

  /// Nearer to the lowest state, once it is about known.
  void refine(double lowest_energy) {
    constexpr double below = 0.1, far = 0.4;  // hartree
    const double before = sigma_;
    if (lowest_energy - before > far && !try_at(lowest_energy - below)) try_at(before);
  }

private:
  bool try_at(double sigma) {
    const bool works = engine_.factor(sigma);
    notes_.push_back(fmt::format("H - sigma S at sigma = {:.4f} hartree: {}", sigma,
                                 works ? "positive definite" : "not positive definite"));
    if (works) sigma_ = sigma;
    return works;
  }

  Engine& engine_;
  std::vector<std::string>& notes_;
  double sigma_ = 0.0;
};

/// The lowest states of the plane waves of least kinetic energy, which come first.
struct Start {
  Backend::Block vectors;
  double lowest = 0.0;  ///< energy, an upper bound of the lowest
};
Start make_start(const Engine& engine, std::int64_t columns) {
  const std::int64_t n = engine.size(), order = std::min(n, std::max<std::int64_t>(4 * columns, 200));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(order));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  HermitianPair block = engine.block(rows);
  Start start{.vectors = Backend::Block(n, static_cast<int>(columns))};
  Complex* vectors = start.vectors.view().data;
  std::fill_n(vectors, n * columns, Complex());
  if (!blas::potrf(order, block.s.data(), order)) {
    start.lowest = engine.diagonal(Engine::Which::h)[0] / engine.diagonal(Engine::Which::s)[0];
    for (std::int64_t k = 0; k < columns; ++k) vectors[k * (n + 1)] = 1.0;
    return start;
  }
  std::vector<double> energies(static_cast<std::size_t>(columns));
  blas::hegst(order, block.h.data(), order, block.s.data(), order);
  blas::heev(order, block.h.data(), order, columns, energies.data(), vectors, n);
  blas::trsm(blas::Op::adjoint, order, columns, block.s.data(), order, vectors, n);
  start.lowest = energies.front();
  return start;
}

}  // namespace

Eigenstates solve_by_davidson(Engine& engine, const EigenOptions& options) {
  require_finite(engine);
  const std::int64_t n = engine.size(), roots = std::min(options.roots, n);
  if (roots == 0) return solve_directly(engine, options);
  Eigenstates states;
  const bool is_regular = timed(states, "solver: Cholesky", [&] { return engine.factor_overlap(); });
  if (!is_regular) return solve_directly(engine, options);
  states.overlap = timed(states, "solver: ends of overlap", [&] { return overlap_ends(engine); });
  if (is_nearly_singular(states.overlap)) return solve_directly(engine, options);
  const Start start = make_start(engine, std::min(n, roots + std::max<std::int64_t>(2, roots / 4)));
  Shift shift(engine, states.notes);
  const bool has_shift = timed(states, "solver: shift", [&] { return shift.find(start.lowest); });
  if (!has_shift) {
    Eigenstates direct = solve_directly(engine, options);
    direct.notes = std::move(states.notes);
    direct.notes.emplace_back("no shift below the spectrum was found: solved directly");
    return direct;
  }
  const EngineOperator metric(engine, Engine::Which::s, nullptr), h(engine, Engine::Which::h, &metric);
  DavidsonConfig config;
  config.num_roots = static_cast<int>(roots);
  config.tolerance = options.tolerance;
  config.max_iterations = options.max_iterations;
  config.exploration_margin = 0.0;  // plane waves that a root could be missed for are in the start block
  const auto observe = [&](const SolverState<Backend>& state) {
    constexpr int patience = 10;
    if (state.record.iteration == patience) shift.refine(state.record.energies.front());
    return options.stop && options.stop() ? SolverAction::stop : SolverAction::proceed;
  };
  EigenResult<Backend> found = timed(states, "solver: Davidson", [&] {
    return davidson<Backend>(Backend{}, h, start.vectors.view(), BasicModelSpace<Complex>{}, config, observe);
  });
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(roots, std::ssize(found.energies)));
  states.solver = "davidson";
  states.interrupted = found.status == SolverStatus::interrupted;
  states.stagnated = found.status == SolverStatus::stagnated;
  states.iterations = static_cast<int>(std::ssize(found.history));
  states.energies.assign(found.energies.begin(), found.energies.begin() + static_cast<std::ptrdiff_t>(count));
  states.vectors = Array<Complex>(static_cast<std::size_t>(n) * count);
  std::copy_n(found.vectors.view().data, states.vectors.size(), states.vectors.data());
  judge(engine, states);
  for (const double norm : states.residual_norms)
    states.converged.push_back(norm <= 1.01 * options.tolerance);
  return states;
}

}  // namespace cisolve::lapw
