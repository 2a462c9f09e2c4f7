// SPDX-License-Identifier: MIT
#include "spinor_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/kramers.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "random.hpp"

namespace cisolve::bench {
namespace {

ComplexIntegrals random_kramers_integrals(int num_spinors, std::uint64_t seed) {
  constexpr double size = 0.05;
  Random random(seed);
  const auto draw = [&] {
    const double real = 2.0 * random.uniform() - 1.0;
    return size * Complex(real, 2.0 * random.uniform() - 1.0);
  };
  ComplexIntegrals v(num_spinors, true);
  for (Complex& element : v.one) element = draw();
  for (Complex& element : v.two) element = draw();
  for (int p = 0; p < num_spinors; ++p) {
    const int pair = p / 2;
    v.h(p, p) += static_cast<double>(pair);
  }
  return with_kramers_symmetry(v);
}

}  // namespace

SpinorProblem load_spinor_problem(const SpinorOptions& options) {
  if (!options.file.empty()) {
    FcidumpFile file = read_fcidump(options.file);
    if (!file.complex || !file.complex->are_spinors)
      throw InputError(options.file + ": it has integrals over orbitals with spin, not over spinors");
    return {std::move(*file.complex), file.num_electrons, options.file};
  }
  if (options.num_electrons < 0 || options.num_electrons > options.num_spinors) {
    throw InputError(fmt::format("--random: {} electrons don't fit into {} spinors", options.num_electrons,
                                 options.num_spinors));
  }
  return {random_kramers_integrals(options.num_spinors, options.seed), options.num_electrons,
          fmt::format("{} electrons in {} random spinors, seed {}", options.num_electrons,
                      options.num_spinors, options.seed)};
}

}  // namespace cisolve::bench
