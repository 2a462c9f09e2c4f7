// SPDX-License-Identifier: MIT
#include "tasks/ci/momenta.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>

#include "cisolve/core/parallel.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using ComplexMatrix = Eigen::MatrixXcd;

/// A translation by one site.
struct Translation {
  std::vector<int> images;
  std::vector<bool> turns_sign;  ///< an electron that leaves this site crosses an antiperiodic boundary
};

Translation make_translation(const Cluster& cluster, LatticeVector step) {
  Translation translation;
  for (int i = 0; i < cluster.sites(); ++i) {
    const LatticeVector r = cluster.position(i);
    const WrappedSite to = cluster.find({r.x + step.x, r.y + step.y});
    translation.images.push_back(to.site);
    translation.turns_sign.push_back(cluster.phase(to.wraps).real() < 0.0);
  }
  return translation;
}

/// Moves the electrons of one spin.
/// @param[in,out] negative  turned where the sign is -1: of boundaries, and of bringing creators in order again
std::uint64_t move(const Translation& translation, std::uint64_t string, bool& negative) {
  std::uint64_t moved = 0;
  for (; string != 0; string &= string - 1) {
    const auto site = static_cast<std::size_t>(std::countr_zero(string));
    const int image = translation.images[site];
    const std::uint64_t above = image < 63 ? moved >> (image + 1) : 0;
    const bool is_odd = (std::popcount(above) & 1) != 0;
    negative = negative != (is_odd != translation.turns_sign[site]);
    moved |= std::uint64_t{1} << image;
  }
  return moved;
}

/// <a|P|b> of all vectors.
Eigen::MatrixXd translation_matrix(const Translation& translation, const Basis& basis,
                                   const FunctionList& functions, std::span<const double> vectors,
                                   int count) {
  const std::size_t rows = functions.alpha.size();
  constexpr std::size_t at_once = std::size_t{1} << 16;
  const std::size_t pieces = (rows + at_once - 1) / at_once;
  std::vector<Eigen::MatrixXd> parts(pieces, Eigen::MatrixXd::Zero(count, count));
  parallel_for(static_cast<std::int64_t>(pieces), 1, [&](std::int64_t piece) {
    const std::size_t first = static_cast<std::size_t>(piece) * at_once,
                      last = std::min(first + at_once, rows);
    std::vector<std::uint64_t> alpha, beta;
    std::vector<bool> negative;
    for (std::size_t row = first; row < last; ++row) {
      bool is_negative = false;
      alpha.push_back(move(translation, functions.alpha[row], is_negative));
      beta.push_back(move(translation, functions.beta[row], is_negative));
      negative.push_back(is_negative);
    }
    const std::vector<std::int64_t> images = basis.find(alpha, beta);
    Eigen::MatrixXd& sum = parts[static_cast<std::size_t>(piece)];
    for (std::size_t k = 0; k < images.size(); ++k) {
      if (images[k] < 0) continue;
      for (int b = 0; b < count; ++b) {
        const double from = vectors[static_cast<std::size_t>(b) * rows + first + k];
        for (int a = 0; a < count; ++a) {
          const double to = vectors[static_cast<std::size_t>(a) * rows + static_cast<std::size_t>(images[k])];
          sum(a, b) += negative[k] ? -to * from : to * from;
        }
      }
    }
  });
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(count, count);
  for (const Eigen::MatrixXd& part : parts) total += part;
  return total;
}

/// k of an eigenvalue exp(-i pi k).
double momentum_of(std::complex<double> eigenvalue) {
  constexpr double tolerance = 1e-6, rounding = 1e-9;
  if (std::abs(std::abs(eigenvalue) - 1.0) > tolerance) return std::numeric_limits<double>::quiet_NaN();
  double k = -std::arg(eigenvalue) / std::numbers::pi;
  if (std::abs(k) < rounding) k = 0.0;
  return k <= -1.0 + tolerance ? k + 2.0 : k;
}

}  // namespace

std::vector<std::array<double, 2>> total_momenta(const Cluster& cluster, const Basis& basis,
                                                 std::span<const double> vectors, int count) {
  const FunctionList functions = basis.list(false);
  const bool is_chain = cluster.dimensions() == 1;
  const ComplexMatrix x =
      translation_matrix(make_translation(cluster, {1, 0}), basis, functions, vectors, count)
          .cast<std::complex<double>>();
  const ComplexMatrix y = is_chain ? ComplexMatrix::Identity(count, count)
                                   : ComplexMatrix(translation_matrix(make_translation(cluster, {0, 1}),
                                                                      basis, functions, vectors, count)
                                                       .cast<std::complex<double>>());
  // Unitary matrices that commute: eigenvectors of the Hermitian part of a combination, as exp(-ik) has the real part
  // p cos k + q sin k with a factor p + iq. Roots of unity are algebraic, and with powers of a transcendental number no two
  // pairs of eigenvalues coincide by accident. Of the part of a level that translations leave, the vectors that stay
  // within are eigenvectors all the same.
  constexpr double power = 1.0 / std::numbers::e;
  const std::complex<double> of_x(1.0, power), of_y(power * power, power * power * power);
  const ComplexMatrix combined = of_x * x + of_y * y;
  const ComplexMatrix states = symmetric_eigenpairs(0.5 * (combined + combined.adjoint())).vectors;
  std::vector<std::array<double, 2>> momenta;
  for (int k = 0; k < count; ++k) {
    const Eigen::VectorXcd v = states.col(k);
    momenta.push_back({momentum_of(v.dot(x * v)), is_chain ? 0.0 : momentum_of(v.dot(y * v))});
  }
  constexpr double unknown = 4.0;  // at the end
  std::ranges::sort(momenta, {}, [](const std::array<double, 2>& k) {
    return std::array{std::isnan(k[1]) ? unknown : k[1], std::isnan(k[0]) ? unknown : k[0]};
  });
  return momenta;
}

}  // namespace cisolve
