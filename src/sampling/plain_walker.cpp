// SPDX-License-Identifier: MIT
#include "sampling/plain_walker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cisolve::sampling {
namespace {

using DenseRows = std::vector<std::vector<double>>;

/// Gauss-Jordan elimination with row pivots: the determinant of m, which `right` loses as M^-1 right.
SignedLog eliminate(DenseRows m, DenseRows* right) {
  SignedLog determinant{1.0, 0.0};
  const std::size_t order = m.size();
  for (std::size_t k = 0; k < order; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < order; ++i) {
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    }
    if (m[pivot][k] == 0.0) return {};
    if (pivot != k) {
      std::swap(m[pivot], m[k]);
      if (right != nullptr) std::swap((*right)[pivot], (*right)[k]);
      determinant.sign = -determinant.sign;
    }
    const double diagonal = m[k][k];
    if (diagonal < 0.0) determinant.sign = -determinant.sign;
    determinant.log += std::log(std::abs(diagonal));
    for (std::size_t i = right != nullptr ? 0 : k + 1; i < order; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / diagonal;
      for (std::size_t j = k; j < order; ++j) m[i][j] -= factor * m[k][j];
      if (right == nullptr) continue;
      for (std::size_t j = 0; j < order; ++j) (*right)[i][j] -= factor * (*right)[k][j];
    }
  }
  if (right == nullptr) return determinant;
  for (std::size_t i = 0; i < order; ++i) {
    for (double& value : (*right)[i]) value /= m[i][i];
  }
  return determinant;
}

DenseRows identity(std::size_t order) {
  DenseRows rows(order, std::vector<double>(order, 0.0));
  for (std::size_t i = 0; i < order; ++i) rows[i][i] = 1.0;
  return rows;
}

double norm(const DenseRows& rows) {
  double largest = 0.0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    double sum = 0.0;
    for (const auto& row : rows) sum += std::abs(row[j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

std::vector<PlainWalker::Rows> PlainWalker::matrices(const Configuration& at) const {
  const std::vector<int>&up = at.up.occupied(), &down = at.down.occupied();
  const auto orbitals_at = [&](const std::vector<int>& sites) {
    Rows m(sites.size(), std::vector<double>(sites.size()));
    for (std::size_t p = 0; p < sites.size(); ++p) {
      for (std::size_t k = 0; k < sites.size(); ++k) m[p][k] = trial_.orbitals(sites[p], static_cast<int>(k));
    }
    return m;
  };
  if (trial_.is_sea()) return {orbitals_at(up), orbitals_at(down)};
  const auto pairs = up.size(), order = pairs + static_cast<std::size_t>(trial_.num_ghosts());
  Rows m(order, std::vector<double>(order, 0.0));
  for (std::size_t a = 0; a < pairs; ++a) {
    for (std::size_t b = 0; b < pairs; ++b) m[a][b] = trial_.phi(up[a], down[b]);
    for (int g = 0; g < trial_.num_ghosts(); ++g) {
      m[a][pairs + static_cast<std::size_t>(g)] = trial_.ghost(g)[up[a]];
      m[pairs + static_cast<std::size_t>(g)][a] = trial_.ghost(g)[down[a]];
    }
  }
  return {m};
}

SignedLog PlainWalker::determinants(const Configuration& at) const {
  SignedLog product{1.0, 0.0};
  for (const Rows& m : matrices(at)) {
    const SignedLog factor = eliminate(m, nullptr);
    product.sign *= factor.sign;
    product.log += factor.log;
  }
  return product;
}

double PlainWalker::ratio(const Configuration& at, const Move& move) const {
  Configuration after = at;
  after.apply(move);
  const SignedLog before = determinants(at), now = determinants(after);
  return before.sign * now.sign * std::exp(now.log - before.log);
}

double PlainWalker::reciprocal_condition(const Configuration& at) const {
  double smallest = 1.0;
  for (const Rows& m : matrices(at)) {
    Rows inverse = identity(m.size());
    if (eliminate(m, &inverse).sign == 0.0) return 0.0;
    if (!m.empty()) smallest = std::min(smallest, 1.0 / (norm(m) * norm(inverse)));
  }
  return smallest;
}

void PlainWalker::settle(const Configuration& at) {
  if (trial_.is_sea()) return;
  const Rows m = matrices(at).front();
  inverse_ = identity(m.size());
  eliminate(m, &inverse_);
}

}  // namespace cisolve::sampling
