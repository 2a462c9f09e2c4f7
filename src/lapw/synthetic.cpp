// SPDX-License-Identifier: MIT
#include "cisolve/lapw/synthetic.hpp"

#include <cmath>

namespace cisolve::lapw {
namespace {

constexpr std::uint64_t first_t_stream = 16;

Complex complex_number(std::uint64_t stream, std::uint64_t i) {
  return {synthetic::uniform(stream, 2 * i), synthetic::uniform(stream, 2 * i + 1)};
}

/// M[i, j] = z(i n + j) / sqrt(n)
ComplexMatrix random_matrix(std::uint64_t seed, std::uint64_t number, int n) {
  const std::uint64_t stream = synthetic::stream(seed, number);
  ComplexMatrix m(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      m(i, j) = complex_number(stream, static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(n) +
                                           static_cast<std::uint64_t>(j)) /
                std::sqrt(static_cast<double>(n));
  }
  return m;
}

/// factor (m + m^H)/2
ComplexMatrix hermitian_part(const ComplexMatrix& m, double factor) {
  ComplexMatrix h(m.rows(), m.columns());
  for (int j = 0; j < m.columns(); ++j) {
    for (int i = 0; i < m.rows(); ++i) h(i, j) = factor * 0.5 * (m(i, j) + std::conj(m(j, i)));
  }
  return h;
}

MuffinTin synthetic_tin(const SyntheticSize& size, int type) {
  const auto rounded = [&](int t) { return std::floor(t * size.hpd_share + 1e-12); };
  const double energy = rounded(type + 1) > rounded(type) ? 0.5 : -0.5;
  const int n = num_functions(size.lmax);
  const auto stream = [&](int q) {
    return first_t_stream + 3 * static_cast<std::uint64_t>(type) + static_cast<std::uint64_t>(q);
  };
  MuffinTin tin;
  tin.lmax = size.lmax;
  for (int l = 0; l <= size.lmax; ++l) tin.udot_norm.push_back(0.09 / ((l + 1.0) * (l + 1.0)));
  tin.t_aa = hermitian_part(random_matrix(size.seed, stream(0), n), 0.1);
  tin.t_ab = random_matrix(size.seed, stream(1), n);
  tin.t_bb = hermitian_part(random_matrix(size.seed, stream(2), n), 0.01);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) tin.t_ab(i, j) *= 0.03;
  }
  for (int l = 0; l <= size.lmax; ++l) {
    for (int row = l * l; row < (l + 1) * (l + 1); ++row) {
      tin.t_aa(row, row) += energy;
      tin.t_ab(row, row) += 0.5;
      tin.t_bb(row, row) += energy * tin.udot_norm[l];
    }
  }
  return tin;
}

}  // namespace

std::vector<MuffinTin> synthetic_tins(const SyntheticSize& size) {
  std::vector<MuffinTin> tins;
  for (int type = 0; type < size.types; ++type) tins.push_back(synthetic_tin(size, type));
  return tins;
}

SyntheticCoefficients::SyntheticCoefficients(const SyntheticSize& size) : size_(size) {}

void SyntheticCoefficients::fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a,
                                 Complex* b, std::int64_t ld) const {
  const auto n = static_cast<std::uint64_t>(num_functions(size_.lmax));
  const std::uint64_t rows = n * static_cast<std::uint64_t>(size_.atoms);
  const double scale = 1.0 / std::sqrt(static_cast<double>(rows));
  const std::uint64_t of_a = synthetic::stream(size_.seed, synthetic::a_stream),
                      of_b = synthetic::stream(size_.seed, synthetic::b_stream);
  const int functions = num_functions(lmax);
  for (std::int64_t wave = first; wave < last; ++wave) {
    const std::uint64_t at = static_cast<std::uint64_t>(wave) * rows + n * static_cast<std::uint64_t>(atom);
    const std::int64_t to = (wave - first) * ld;
    for (int row = 0; row < functions; ++row) {
      a[to + row] = scale * complex_number(of_a, at + static_cast<std::uint64_t>(row));
      b[to + row] = scale * complex_number(of_b, at + static_cast<std::uint64_t>(row));
    }
  }
}

std::vector<double> synthetic_kinetic(const SyntheticSize& size) {
  std::vector<double> kinetic;
  for (std::int64_t g = 0; g < size.waves; ++g)
    kinetic.push_back(0.5 * size.k_max * size.k_max *
                      std::pow(static_cast<double>(g + 1) / static_cast<double>(size.waves), 2.0 / 3.0));
  return kinetic;
}

}  // namespace cisolve::lapw
