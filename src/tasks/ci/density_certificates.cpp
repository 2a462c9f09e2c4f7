// SPDX-License-Identifier: MIT
#include "tasks/ci/density_certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "cisolve/analysis/spin_density.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/analysis/two_particle_density.hpp"

namespace cisolve {
namespace {

/// D^alpha and D^beta of a root, as /density/one has them.
SpinDensity one_particle(const CiResult::Density& density, std::size_t k) {
  const int n = density.n_orbitals;
  SpinDensity found{Matrix(n, n), Matrix(n, n)};
  const double* from = density.one.data() + 2 * k * static_cast<std::size_t>(n) * n;
  for (Matrix* matrix : {&found.alpha, &found.beta}) {
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) (*matrix)(p, q) = *from++;
    }
  }
  return found;
}

double trace(const Matrix& matrix) {
  double sum = 0.0;
  for (int p = 0; p < matrix.rows(); ++p) sum += matrix(p, p);
  return sum;
}

double largest_difference(const Matrix& found, const Matrix& expected, double factor) {
  double largest = 0.0;
  for (int q = 0; q < found.columns(); ++q) {
    // Written so that what is not a number is not lost.
    for (int p = 0; p < found.rows(); ++p) {
      const double difference = std::abs(found(p, q) - factor * expected(p, q));
      if (!(difference <= largest)) largest = difference;
    }
  }
  return largest;
}

/// The density matrices of one root.
class RootCheck {
public:
  RootCheck(const CiResult& result, std::size_t k, Certificate& certificate)
      : result_(result), k_(k), certificate_(certificate), one_(one_particle(*result.density, k)) {
    const int ms2 = result.sectors[result.roots[k].sector].ms2;
    alpha_ = (result.system.n_electrons + ms2) / 2;
    beta_ = result.system.n_electrons - alpha_;
  }

  /// Numbers of electrons, and sum_r G[p,q,r,r] = (N - 1) D[p,q].
  void traces() {
    double& error = certificate_.density_error;
    error = std::max(std::abs(trace(one_.alpha) - alpha_), std::abs(trace(one_.beta) - beta_));
    if (std::isnan(trace(one_.alpha) + trace(one_.beta))) error = Certificate::none;
    if (const TwoParticleDensity* two = two_particle()) {
      const PartialTraces found = partial_traces(*two);
      const double others = alpha_ + beta_ - 1.0;
      for (const double difference : {largest_difference(found.alpha, one_.alpha, others),
                                      largest_difference(found.beta, one_.beta, others)}) {
        if (!(difference <= error)) error = difference;
      }
    }
    // Of a vector whose norm is as far from 1 as a certificate allows.
    const double limit = 10.0 * CertificateConfig().orthonormality * std::max(1, alpha_ + beta_);
    require(error, limit,
            [&] { return fmt::format("the traces of its density matrices are {:.1e} off", error); });
  }

  void energy(const Integrals& integrals, double threshold) {
    const TwoParticleDensity* two = two_particle();
    if (two == nullptr) return;
    const double found = certificate_.density_energy =
        cisolve::energy(integrals, one_.alpha, one_.beta, *two);
    if (threshold > 0.0) return;
    const double claimed = result_.root(k_).energy;
    require(std::abs(found - claimed), energy_limit(), [&] {
      return fmt::format("the energy of its density matrices is {:.10f} hartree, not {:.10f}", found,
                         claimed);
    });
  }

  void spin(const OrbitalSpins& spins) {
    const TwoParticleDensity* two = two_particle();
    const double claimed = result_.root(k_).s_squared;
    if (two == nullptr || !spins.has_s_squared() || std::isnan(claimed)) return;
    constexpr double same = 1e-5;  // hbar^2, as of what verify finds by rows
    const double found = spins.unrestricted
                             ? s_squared(*two, one_.alpha, one_.beta, alpha_, beta_, *spins.overlap)
                             : s_squared(*two, alpha_, beta_);
    require(std::abs(found - claimed), same, [&] {
      return fmt::format("<S^2> of its density matrices is {:.6f}, not {:.6f}", found, claimed);
    });
  }

private:
  const TwoParticleDensity* two_particle() const {
    return result_.density->two.empty() ? nullptr : &result_.density->two[k_];
  }

  /// Hartree. Roots that were turned into each other have the energies that they had before.
  double energy_limit() const {
    double limit = 1e-8;
    for (std::size_t j = 0; j < result_.roots.size(); ++j) {
      const double apart = std::abs(result_.root(k_).energy - result_.root(j).energy);
      if (j != k_ && apart <= ClusterConfig{}.width) limit = std::max(limit, 1.5 * apart);
    }
    return limit;
  }

  /// What is not a number is not at most anything.
  template <class Text>
  void require(double value, double limit, const Text& text) {
    if (value <= limit) return;
    certificate_.passed = false;
    certificate_.failure += (certificate_.failure.empty() ? "" : "; ") + text();
  }

  const CiResult& result_;
  std::size_t k_;
  Certificate& certificate_;
  SpinDensity one_;
  int alpha_ = 0, beta_ = 0;
};

}  // namespace

void certify_densities(const Integrals& integrals, double threshold, CiResult& result) {
  if (!result.density) return;
  using Kind = CiResult::Density::Kind;
  const std::size_t roots = result.roots.size();
  for (std::size_t k = 0; k < roots; ++k) {
    const auto [sector, number] = result.roots[k];
    std::optional<Certificate>& certificate = result.sectors[sector].roots[number].certificate;
    const bool is_there = result.density->kind[k * roots + k] == static_cast<std::uint8_t>(Kind::same_ms);
    if (!is_there || !certificate) continue;
    RootCheck check(result, k, *certificate);
    check.traces();
    check.energy(integrals, threshold);
    check.spin(orbital_spins(integrals));
  }
}

}  // namespace cisolve
