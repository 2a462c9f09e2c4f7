// SPDX-License-Identifier: MIT
#include "density_benchmark.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "random.hpp"
#include "spmv_benchmark.hpp"
#include "timing.hpp"

namespace cisolve::bench {
namespace {

std::vector<double> unit_vector(std::int64_t size) {
  Random random(1);
  std::vector<double> x(size);
  for (double& value : x) value = random.uniform() - 0.5;
  const double norm = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  for (double& value : x) value /= norm;
  return x;
}

/// @throws Error unless the densities of x give <x|H|x> and agree with each other
void check(const Integrals& integrals, const Matrix& one, const TwoParticleDensity& two, double expected) {
  constexpr double tolerance = 1e-10;
  const double found = energy(integrals, one, two);
  if (!(std::abs(found - expected) < tolerance * std::abs(expected)))
    throw Error(fmt::format("the densities give {} hartree instead of {}", found, expected));
  const int n = integrals.num_orbitals;
  double electrons = 0.0;
  for (int p = 0; p < n; ++p) electrons += one(p, p);
  const PartialTraces traces = partial_traces(two);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      const double trace = traces.alpha(p, q) + traces.beta(p, q);
      if (!(std::abs(trace - (electrons - 1.0) * one(p, q)) < tolerance * electrons))
        throw Error(fmt::format("the trace over one electron is {} at {}, {}, not {}", trace, p, q,
                                (electrons - 1.0) * one(p, q)));
    }
  }
}

}  // namespace

nlohmann::json run_density(const BenchJob& job, const DensityOptions& options) {
  const auto direct = direct_product_of(job);
  if (!direct)
    throw InputError("density: it needs a space made of blocks of strings and hamiltonian.threshold = 0");
  const Basis& basis = *job.problem->basis;
  const Integrals& integrals = *basis.definition().integrals;
  const std::int64_t size = basis.size(), max_bytes = options.sums_mib << 20;
  const std::vector<double> x = unit_vector(size);
  std::vector<double> y(size);
  DirectWorkspace workspace;
  const auto multiply = [&] {
    direct->product.multiply({x.data(), size, 1, size}, {y.data(), size, 1, size}, workspace);
  };
  multiply();
  check(integrals, basis.density_matrices(x, 1)(0, 0), basis.two_particle_density(x, max_bytes),
        std::inner_product(x.begin(), x.end(), y.begin(), 0.0));

  fmt::print("{}, {} threads\n", job.name, omp_get_max_threads());
  Timing timings[] = {{"product", {}}, {"one-particle", {}}, {"two-particle", {}}};
  for (int k = 0; k < options.repeats; ++k) {
    timings[0].time(multiply);
    timings[1].time([&] { basis.density_matrices(x, 1); });
    timings[2].time([&] { basis.two_particle_density(x, max_bytes); });
  }
  nlohmann::json results = {{"threads", omp_get_max_threads()}, {"determinants", size}};
  for (Timing& timing : timings) results["timings"].push_back(timing.report());
  return results;
}

}  // namespace cisolve::bench
