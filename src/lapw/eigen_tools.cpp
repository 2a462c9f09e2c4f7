// SPDX-License-Identifier: MIT
#include "lapw/eigen_tools.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/lapw/synthetic.hpp"
#include "lapw/blas.hpp"

namespace cisolve::lapw {
namespace {

using Vector = std::vector<Complex>;

Complex inner(const Vector& a, const Vector& b) {
  Complex sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(a[i]) * b[i];
  return sum;
}

double norm(const Vector& a) { return std::sqrt(inner(a, a).real()); }

void scale(Vector& a, double factor) {
  for (Complex& element : a) element *= factor;
}

/// A fixed vector of no special direction.
Vector start_vector(std::int64_t n) {
  Vector v(static_cast<std::size_t>(n));
  const std::uint64_t stream = synthetic::stream(1, 7);
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = {synthetic::uniform(stream, 2 * i), synthetic::uniform(stream, 2 * i + 1)};
  scale(v, 1.0 / norm(v));
  return v;
}

double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  const int order = static_cast<int>(diagonal.size());
  ComplexMatrix matrix(order, order);
  for (int i = 0; i < order; ++i) {
    matrix(i, i) = diagonal[i];
    if (i > 0) matrix(i, i - 1) = beside[i - 1];
  }
  std::vector<double> values(diagonal.size());
  blas::heev(order, matrix.data(), order, order, values.data(), nullptr, order);
  return values.back();
}

}  // namespace

double largest_eigenvalue(std::int64_t n, const std::function<void(const Complex* x, Complex* y)>& apply) {
  const int most = static_cast<int>(std::min<std::int64_t>(n, 60));
  constexpr double settled = 1e-3, invariant = 1e-12;
  std::vector<Vector> basis = {start_vector(n)};
  std::vector<double> diagonal, beside;
  double value = 0.0;
  for (int step = 0; step < most; ++step) {
    Vector next(static_cast<std::size_t>(n));
    apply(basis.back().data(), next.data());
    diagonal.push_back(inner(basis.back(), next).real());
    for (int pass = 0; pass < 2; ++pass) {
      for (const Vector& earlier : basis) {
        const Complex along = inner(earlier, next);
        for (std::size_t i = 0; i < next.size(); ++i) next[i] -= along * earlier[i];
      }
    }
    const double last = std::exchange(value, largest_of_tridiagonal(diagonal, beside));
    beside.push_back(norm(next));
    if (step > 4 && std::abs(value - last) < settled * std::abs(value)) break;
    if (beside.back() < invariant * std::abs(value)) break;
    scale(next, 1.0 / beside.back());
    basis.push_back(std::move(next));
  }
  return value;
}

OverlapSpectrum overlap_ends(const Engine& engine) {
  const std::int64_t n = engine.size();
  OverlapSpectrum ends;
  ends.highest =
      largest_eigenvalue(n, [&](const Complex* x, Complex* y) { engine.apply(Engine::Which::s, x, y, 1); });
  ends.lowest = 1.0 / largest_eigenvalue(n, [&](const Complex* x, Complex* y) {
                  std::copy_n(x, n, y);
                  engine.solve(y, 1);
                });
  ends.smallest_kept = ends.lowest;
  return ends;
}

void judge(const Engine& engine, Eigenstates& states) {
  const std::int64_t n = engine.size(), count = states.count();
  if (count == 0) return;
  const double h_norm = engine.frobenius_norm(Engine::Which::h),
               s_norm = engine.frobenius_norm(Engine::Which::s);
  constexpr std::int64_t most_columns = 256;  // at a time
  const std::int64_t width = std::min(most_columns, count);
  Array<Complex> h(static_cast<std::size_t>(n * width)), s(static_cast<std::size_t>(n * width));
  states.residual_norms.resize(states.energies.size());
  states.scaled_residuals.resize(states.energies.size());
  for (std::int64_t first = 0; first < count; first += width) {
    const std::int64_t columns = std::min(width, count - first);
    Complex* c = states.vectors.data() + first * n;
    engine.apply(Engine::Which::h, c, h.data(), columns);
    engine.apply(Engine::Which::s, c, s.data(), columns);
    parallel_for(columns, 1, [&](std::int64_t k) {
      const double energy = states.energies[first + k];
      double square = 0.0, in_metric = 0.0, of_residual = 0.0;
      for (std::int64_t i = k * n; i < (k + 1) * n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        square += std::norm(c[i]);
        in_metric += (std::conj(c[i]) * s[at]).real();
        of_residual += std::norm(h[at] - energy * s[at]);
      }
      const double factor = 1.0 / std::sqrt(in_metric);
      for (std::int64_t i = k * n; i < (k + 1) * n; ++i) c[i] *= factor;
      states.residual_norms[first + k] = std::sqrt(of_residual) * factor;
      states.scaled_residuals[first + k] =
          std::sqrt(of_residual / square) / (h_norm + std::abs(energy) * s_norm);
    });
  }
}

void require_finite(const Engine& engine) {
  for (const auto& [which, name] : {std::pair(Engine::Which::h, "H"), std::pair(Engine::Which::s, "S")}) {
    if (!std::isfinite(engine.frobenius_norm(which)))
      throw Error(std::string("the matrix ") + name + " has elements that are not finite");
  }
}

}  // namespace cisolve::lapw
