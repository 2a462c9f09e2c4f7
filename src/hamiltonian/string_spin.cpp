// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_spin.hpp"

#include "cisolve/core/error.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {

template <int Words>
void StringSpin<Words>::multiply(std::span<const double> x, std::span<double> y) const {
  if (std::ssize(x) != size() || std::ssize(y) != size())
    throw DimensionError("StringSpin: one element per determinant is needed");
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int32_t alpha = 0; alpha < space_.alpha().size(); ++alpha) fill_rows(alpha, x.data(), y.data());
}

/// The rows of one alpha string.
template <int Words>
void StringSpin<Words>::fill_rows(std::int32_t alpha, const double* x, double* y) const {
  const StringTable<Words>& alphas = space_.alpha();
  const StringTable<Words>& betas = space_.beta();
  const BitString<Words>& target = alphas[alpha];
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  for (int level = 0; level < space_.num_levels(); ++level) {
    std::int64_t row = space_.run_offset(level, alpha);
    for (const std::int32_t beta : space_.run_betas(level, alpha)) {
      y[row] = (ms * ms + 0.5 * (target ^ betas[beta]).count()) * x[row];
      ++row;
    }
  }
  std::vector<StringRun<Words>> targets, sources;
  list_runs(space_, alpha, targets);
  const OrbitalList particles = OrbitalList::occupied(target);
  const OrbitalList holes = OrbitalList::empty(target, space_.num_orbitals());
  for (const int p : particles) {
    for (const int q : holes) {
      const std::int32_t source = alphas.find(target.moved(p, q));
      if (source < 0) continue;
      const double sign = is_negative(target, p, q) ? 1.0 : -1.0;
      list_runs(space_, source, sources);
      for (const StringSingles::Group& group : beta_(q, p)) {
        if (space_.irrep() != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != space_.irrep()) continue;
        for (const StringRun<Words>& from : sources) {
          for (const StringRun<Words>& to : targets) {
            for_each_single(beta_, group, to, from, [&](std::int64_t row, std::int64_t column, double beta_sign) {
              y[row] += sign * beta_sign * x[column];
            });
          }
        }
      }
    }
  }
}

template class StringSpin<1>;
template class StringSpin<2>;

}  // namespace cisolve
