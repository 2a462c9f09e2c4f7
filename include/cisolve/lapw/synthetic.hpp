// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cisolve/core/host_device.hpp"
#include "cisolve/lapw/coefficients.hpp"
#include "cisolve/lapw/muffin_tin.hpp"

namespace cisolve::lapw {

/// Pseudo-random A, B and T of any size, the same to the bit on host and device, for benchmarks and tests.
struct SyntheticSize {
  std::int64_t atoms = 1, waves = 1;
  int lmax = 0;
  int types = 1;           ///< atom a has type a mod types
  double hpd_share = 0.5;  ///< of types whose T_AA is positive definite
  std::uint64_t seed = 1;
  double k_max = 4.0;  ///< 1/bohr, of the kinetic energies
};

// The generator: splitmix64 of seed, stream and number (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014,
// doi:10.1145/2660193.2660195). Kernels take these functions as they are.
namespace synthetic {

CISOLVE_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Where the numbers of a stream begin.
CISOLVE_HOST_DEVICE constexpr std::uint64_t stream(std::uint64_t seed, std::uint64_t number) {
  return mix(seed) + mix(number);
}

/// Number i of a stream, uniform in [-1, 1).
CISOLVE_HOST_DEVICE constexpr double uniform(std::uint64_t stream, std::uint64_t i) {
  return static_cast<double>(mix(stream + i) >> 11) * 0x1p-52 - 1.0;
}

inline constexpr std::uint64_t a_stream = 1, b_stream = 2;  ///< of A and B

}  // namespace synthetic

/// N_l = 0.09 / (l + 1)^2; T_AA about +-0.5, T_AB about 1/2, T_BB about +-0.5 N_l.
std::vector<MuffinTin> synthetic_tins(const SyntheticSize& size);

class SyntheticCoefficients : public CoefficientSource {
public:
  explicit SyntheticCoefficients(const SyntheticSize& size);
  std::int64_t waves() const override { return size_.waves; }
  void fill(int atom, int lmax, std::int64_t first, std::int64_t last, Complex* a, Complex* b,
            std::int64_t ld) const override;
  const SyntheticSize& size() const { return size_; }

private:
  SyntheticSize size_;
};

/// What stands for the interstitial: 0.4 on the diagonal of S, 0.4 t_g on that of H, t_g = k_max^2/2 ((g+1)/N)^(2/3).
std::vector<double> synthetic_kinetic(const SyntheticSize& size);

}  // namespace cisolve::lapw
