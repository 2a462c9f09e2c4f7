// SPDX-License-Identifier: MIT
#include "cisolve/hamiltonian/string_spin.hpp"

#include "cisolve/core/error.hpp"

namespace cisolve {

void StringSpin::multiply(std::span<const double> x, std::span<double> y) const {
  if (std::ssize(x) != size() || std::ssize(y) != size())
    throw DimensionError("StringSpin: one element per determinant is needed");
  const std::int32_t alphas = space_.alpha().size();
  space_.alpha().singles();
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int32_t alpha = 0; alpha < alphas; ++alpha) fill_rows(alpha, x.data(), y.data());
}

/// The rows of one alpha string.
void StringSpin::fill_rows(std::int32_t alpha, const double* x, double* y) const {
  const Strings& alphas = space_.alpha();
  const Strings& betas = space_.beta();
  std::vector<std::uint8_t> is_occupied(static_cast<std::size_t>(space_.num_orbitals()), 0);
  for (const std::uint8_t p : alphas.orbitals(alpha)) is_occupied[p] = 1;
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  for (int level = 0; level < space_.num_levels(); ++level) {
    std::int64_t row = space_.run_offset(level, alpha);
    for (const std::int32_t beta : space_.run_betas(level, alpha)) {
      int open = space_.num_alpha() + space_.num_beta();
      for (const std::uint8_t p : betas.orbitals(beta)) open -= 2 * is_occupied[p];
      y[row] = (ms * ms + 0.5 * open) * x[row];
      ++row;
    }
  }
  std::vector<StringProduct::Run> targets, sources;
  space_.list_runs(alpha, targets);
  for (const auto& [source, code] : alphas.singles()[alpha]) {
    const double sign = ExcitationCode::is_negative(code) ? 1.0 : -1.0;
    space_.list_runs(source, sources);
    for (const SinglesByPair::Group& group :
         beta_(ExcitationCode::particle(code), ExcitationCode::hole(code))) {
      if (space_.irrep() != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != space_.irrep())
        continue;
      for (const StringProduct::Run& from : sources) {
        for (const StringProduct::Run& to : targets) {
          for_each_single(beta_, group, to, from,
                          [&](std::int64_t row, std::int64_t column, double beta_sign) {
                            y[row] += sign * beta_sign * x[column];
                          });
        }
      }
    }
  }
}

}  // namespace cisolve
