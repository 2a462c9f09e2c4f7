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

/// visit(row, element) for the rows of an alpha string.
template <class Visit>
void StringSpin::for_each_diagonal(std::int32_t alpha, const Visit& visit) const {
  std::vector<int> shared(space_.num_orbitals(), 0);
  for (const std::uint8_t p : space_.alpha().orbitals(alpha)) shared[p] = 2;
  const double ms = 0.5 * (space_.num_alpha() - space_.num_beta());
  for (int level = 0; level < space_.num_levels(); ++level) {
    std::int64_t row = space_.run_offset(level, alpha);
    for (const std::int32_t beta : space_.run_betas(level, alpha)) {
      int open = space_.num_alpha() + space_.num_beta();
      for (const std::uint8_t p : space_.beta().orbitals(beta)) open -= shared[p];
      visit(row++, ms * ms + 0.5 * open);
    }
  }
}

/// visit(excitations of beta strings, target run, source run, sign of the alpha excitation) for all that lead to an
/// alpha string.
template <class Visit>
void StringSpin::for_each_exchange(std::int32_t alpha, const Visit& visit) const {
  const Strings& alphas = space_.alpha();
  const int irrep = space_.irrep();
  std::vector<StringProduct::Run> targets, sources;
  space_.list_runs(alpha, targets);
  for (const auto& [source, code] : alphas.singles()[alpha]) {
    const int p = ExcitationCode::hole(code), q = ExcitationCode::particle(code);
    const double sign = ExcitationCode::is_negative(code) ? 1.0 : -1.0;
    space_.list_runs(source, sources);
    for (const SinglesByPair::Group& group : beta_(q, p)) {
      if (irrep != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != irrep) continue;
      for (const StringProduct::Run& from : sources) {
        for (const StringProduct::Run& to : targets) visit(group, to, from, sign);
      }
    }
  }
}

void StringSpin::fill_rows(std::int32_t alpha, const double* x, double* y) const {
  for_each_diagonal(alpha, [&](std::int64_t row, double element) { y[row] = element * x[row]; });
  for_each_exchange(alpha, [&](const auto& group, const auto& to, const auto& from, double sign) {
    for_each_single(beta_, group, to, from, [&](std::int64_t row, std::int64_t column, std::uint32_t code) {
      y[row] += ExcitationCode::with_phase(sign * x[column], code);
    });
  });
}

}  // namespace cisolve
