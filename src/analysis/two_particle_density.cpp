// SPDX-License-Identifier: MIT
#include "cisolve/analysis/two_particle_density.hpp"

#include <utility>

#include "analysis/listed_pair_density.hpp"
#include "analysis/string_pair_density.hpp"
#include "cisolve/core/error.hpp"

namespace cisolve {

TwoParticleDensity::TwoParticleDensity(int n)
    : num_orbitals(n), aa(num_pairs() * num_pairs()), bb(aa.size()),
      ab(static_cast<std::size_t>(n) * n * n * n) {}

std::int64_t TwoParticleDensity::bytes(int num_orbitals) {
  const std::int64_t n = num_orbitals, pairs = n * (n - 1) / 2;
  return 8 * (2 * pairs * pairs + n * n * n * n);
}

double TwoParticleDensity::same_spin(const std::vector<double>& packed, int p, int q, int r, int s) const {
  if (p == r || q == s) return 0.0;
  const double sign = (p > r) == (q > s) ? 1.0 : -1.0;
  return sign *
         packed[pair(std::max(p, r), std::min(p, r)) * num_pairs() + pair(std::max(q, s), std::min(q, s))];
}

template <int Words>
TwoParticleDensity two_particle_density(const Space<Words>& space, std::span<const double> vector,
                                        std::int64_t max_bytes) {
  if (std::ssize(vector) != space.size())
    throw DimensionError("two_particle_density: the vector does not fit the space");
  if (const StringProduct* product = space.as_product())
    return string_pair_density(*product, vector, max_bytes);
  return listed_pair_density(space, vector, max_bytes);
}

std::vector<double> spin_summed(const TwoParticleDensity& density) {
  const int n = density.num_orbitals;
  std::vector<double> sum(density.ab.size());
#pragma omp parallel for collapse(2) schedule(static)
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      double* to = sum.data() + (static_cast<std::size_t>(p) * n + q) * n * n;
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
          *to++ = density.alpha_alpha(p, q, r, s) + density.beta_beta(p, q, r, s) +
                  density.alpha_beta(p, q, r, s) + density.alpha_beta(r, s, p, q);
        }
      }
    }
  }
  return sum;
}

PartialTraces partial_traces(const TwoParticleDensity& density) {
  const int n = density.num_orbitals;
  PartialTraces traces{Matrix(n, n), Matrix(n, n)};
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        traces.alpha(p, q) += density.alpha_alpha(p, q, r, r) + density.alpha_beta(p, q, r, r);
        traces.beta(p, q) += density.beta_beta(p, q, r, r) + density.alpha_beta(r, r, p, q);
      }
    }
  }
  return traces;
}

double energy(const Integrals& integrals, const Matrix& alpha, const Matrix& beta,
              const TwoParticleDensity& density) {
  const int n = integrals.num_orbitals;
  for (const Matrix* one : {&alpha, &beta}) {
    if (density.num_orbitals != n || one->rows() != n || one->columns() != n)
      throw DimensionError("energy: integrals and density matrices are of different numbers of orbitals");
  }
  double sum = integrals.core_energy;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q)
      sum += integrals.h(Spin::alpha, p, q) * alpha(p, q) + integrals.h(Spin::beta, p, q) * beta(p, q);
  }
  // Of one spin each element stands for four, two of them with the other exchange: half of that is one of each.
  const auto antisymmetrised = [&](Spin spin, int p, int q, int r, int s) {
    return integrals.eri(spin, p, q, r, s) - integrals.eri(spin, p, s, r, q);
  };
  for (int p = 0; p < n; ++p) {
    for (int r = 0; r < p; ++r) {
      const std::size_t row = TwoParticleDensity::pair(p, r) * density.num_pairs();
      for (int q = 0; q < n; ++q) {
        for (int s = 0; s < q; ++s) {
          const std::size_t at = row + TwoParticleDensity::pair(q, s);
          sum += antisymmetrised(Spin::alpha, p, q, r, s) * density.aa[at] +
                 antisymmetrised(Spin::beta, p, q, r, s) * density.bb[at];
        }
      }
    }
  }
  const double* opposite = density.ab.data();
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) sum += integrals.mixed(Spin::alpha, p, q, r, s) * *opposite++;
      }
    }
  }
  return sum;
}

double energy(const Integrals& integrals, const Matrix& one_particle, const TwoParticleDensity& density) {
  if (integrals.is_unrestricted())
    throw DimensionError("energy: the spins have orbitals of their own, and need a density matrix each");
  return energy(integrals, one_particle, Matrix(one_particle.rows(), one_particle.columns()), density);
}

double s_squared(const TwoParticleDensity& density, int num_alpha, int num_beta) {
  const double ms = 0.5 * (num_alpha - num_beta);
  double sum = ms * (ms + 1.0) + num_beta;
  for (int p = 0; p < density.num_orbitals; ++p) {
    for (int q = 0; q < density.num_orbitals; ++q) sum -= density.alpha_beta(p, q, q, p);
  }
  return sum;
}

double s_squared(const TwoParticleDensity& density, const Matrix& alpha, const Matrix& beta, int num_alpha,
                 int num_beta, const SpinOverlap& overlap) {
  const int n = density.num_orbitals;
  const double ms = 0.5 * (num_alpha - num_beta);
  double sum = ms * (ms - 1.0) + overlap.constant;
  const Matrix& u = overlap.active;
  // |S_- c|^2: an electron goes from p to q, or came there from r to s.
  for (int p = 0; p < n; ++p) {
    for (int r = 0; r < n; ++r) {
      double joined = 0.0;  // (U U^T)_pr
      for (int q = 0; q < n; ++q) joined += u(p, q) * u(r, q);
      sum += joined * alpha(p, r);
      sum += overlap.virtuals(p, r) * alpha(p, r) - overlap.core(p, r) * beta(p, r);
      for (int q = 0; q < n; ++q) {
        for (int s = 0; s < n; ++s) sum -= u(p, q) * u(r, s) * density.alpha_beta(r, p, q, s);
      }
    }
  }
  return sum;
}

#define INSTANTIATE(W) \
  template TwoParticleDensity two_particle_density(const Space<W>&, std::span<const double>, std::int64_t);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
