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
  const int target_level = alphas.level(alpha);
  const OrbitalList particles = OrbitalList::occupied(target);
  const OrbitalList holes = OrbitalList::empty(target, space_.num_orbitals());
  for (const int p : particles) {
    for (const int q : holes) {
      const std::int32_t source = alphas.find(target.moved(p, q));
      if (source < 0) continue;
      const double sign = is_negative(target, p, q) ? 1.0 : -1.0;
      const int source_level = alphas.level(source);
      for (const StringSingles::Group& group : beta_(q, p)) {
        const int from = source_level + group.source_level;
        const int to = target_level + group.target_level;
        if (from >= space_.num_levels() || to >= space_.num_levels()) continue;
        if (space_.irrep() != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != space_.irrep()) continue;
        const double* read = x + space_.run_offset(from, source);
        double* write = y + space_.run_offset(to, alpha);
        for (std::int64_t k = group.first; k < group.first + group.size; ++k) {
          const auto at = static_cast<std::size_t>(k);
          write[beta_.targets[at]] += sign * beta_.signs[at] * read[beta_.sources[at]];
        }
      }
    }
  }
}

template class StringSpin<1>;
template class StringSpin<2>;

}  // namespace cisolve
