// SPDX-License-Identifier: MIT
#include "problem/complex_root_finder.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace cisolve {
namespace {

using Complex = std::complex<double>;

std::span<const Complex> as_complex(std::span<const double> vector) {
  return {reinterpret_cast<const Complex*>(vector.data()), vector.size() / 2};
}

/// Vectors with i times each of them behind it.
std::vector<double> with_multiples(std::span<const double> vectors, std::int64_t rows) {
  std::vector<double> both;
  both.reserve(2 * vectors.size());
  for (std::size_t first = 0; first < vectors.size(); first += static_cast<std::size_t>(rows)) {
    const auto vector = vectors.subspan(first, static_cast<std::size_t>(rows));
    both.insert(both.end(), vector.begin(), vector.end());
    for (const Complex& c : as_complex(vector)) {
      both.push_back(-c.imag());
      both.push_back(c.real());
    }
  }
  return both;
}

/// The part of a vector that no complex multiple of others makes.
class Independent {
public:
  /// @param least  norm that a normalised vector must have left
  Independent(std::size_t rows, double least) : rows_(rows), least_(least) {}

  /// Takes a vector unless those taken before make it up.
  bool take(std::span<const double> vector) {
    std::vector<double> left(vector.begin(), vector.end());
    const std::span<Complex> c(reinterpret_cast<Complex*>(left.data()), rows_ / 2);
    for (int pass = 0; pass < 2; ++pass) {  // once more against rounding
      for (std::size_t first = 0; first < kept.size(); first += rows_) {
        const auto other = as_complex(std::span<const double>(kept).subspan(first, rows_));
        Complex overlap = 0.0;
        for (std::size_t k = 0; k < c.size(); ++k) overlap += std::conj(other[k]) * c[k];
        for (std::size_t k = 0; k < c.size(); ++k) c[k] -= overlap * other[k];
      }
    }
    double norm = 0.0;
    for (const double x : left) norm += x * x;
    norm = std::sqrt(norm);
    if (norm < least_) return false;
    for (const double x : left) kept.push_back(x / norm);
    return true;
  }

  std::vector<double> kept;  ///< [rows x vectors]

private:
  std::size_t rows_;
  double least_;
};

class ComplexRootFinder final : public RootFinder {
public:
  explicit ComplexRootFinder(std::unique_ptr<RootFinder> real)
      : real_(std::move(real)), summary_(real_->hamiltonian()) {
    // Of a complex element there are four real ones, or two where it is real or imaginary.
    summary_.rows /= 2;
  }

  const HamiltonianSummary& hamiltonian() const override { return summary_; }
  const ModelSpace& model_space() override { return real_->model_space(); }
  void limit_model_space(std::int64_t rows) override { real_->limit_model_space(2 * rows); }
  std::int64_t num_states() const override { return real_->num_states() / 2; }
  bool separates_spins() const override { return false; }
  bool may_project_on_spin() const override { return false; }
  void project_on_spin() override {}

  Roots solve(const Search& search) override {
    Search doubled = search;
    doubled.num_roots = 2 * search.num_roots;
    const std::int64_t rows = 2 * summary_.rows;
    std::vector<double> start;
    if (!search.continues) {
      if (search.start) start = with_multiples(all_columns(*search.start), rows);
      doubled.start = seen_vectors(start, rows);
    }
    Roots all = real_->solve(doubled);
    const std::size_t n = rows;
    // Some of the vectors of a degenerate level may be there and others not: those that differ are roots.
    constexpr double least = 0.3;
    Independent independent(n, least);
    Roots roots;
    std::vector<double> vector(n);
    for (std::size_t k = 0; k < all.energies.size(); ++k) {
      all.vectors->read(static_cast<int>(k), 0, vector);
      if (!independent.take(vector)) continue;
      roots.energies.push_back(all.energies[k]);
      roots.converged.push_back(all.converged[k]);
    }
    all.vectors.reset();
    roots.status = all.status;
    roots.history = std::move(all.history);
    roots.num_applications = all.num_applications;
    roots.residual_norms = real_->residual_norms(independent.kept, roots.energies);
    Array<double> kept(independent.kept.size());
    std::ranges::copy(independent.kept, kept.begin());
    roots.vectors =
        std::make_shared<HeldVectors>(std::move(kept), rows, static_cast<int>(roots.energies.size()));
    return roots;
  }

  void apply(std::span<const double> x, std::span<double> y) const override { real_->apply(x, y); }
  std::optional<int> device() const override { return real_->device(); }
  void apply_there(const double* x, int columns, double* y) const override {
    real_->apply_there(x, columns, y);
  }

  using RootFinder::probe;
  using RootFinder::residual_norms;

  std::vector<double> residual_norms(std::span<const double> vectors,
                                     std::span<const double> energies) const override {
    return real_->residual_norms(vectors, energies);
  }

  MissedRootProbe probe(std::span<const double> vectors, double lowest, double highest,
                        std::int64_t most_products, std::vector<double>& below) const override {
    return real_->probe(with_multiples(vectors, 2 * summary_.rows), lowest, highest, most_products, below);
  }

  double expectation(std::span<const std::int64_t> rows,
                     std::span<const double> coefficients) const override {
    return real_->expectation(rows, coefficients);
  }

  std::optional<SpinDensities> spin_densities(const VectorSource&, bool) const override {
    return std::nullopt;
  }

private:
  std::unique_ptr<RootFinder> real_;
  HamiltonianSummary summary_;
};

}  // namespace

std::unique_ptr<RootFinder> make_complex_root_finder(std::unique_ptr<RootFinder> real) {
  return std::make_unique<ComplexRootFinder>(std::move(real));
}

}  // namespace cisolve
