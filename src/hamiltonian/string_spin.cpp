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
/// @param upward_alone  half of them: those whose source has the higher one of the two orbitals; S^2 is symmetric
template <class Visit>
void StringSpin::for_each_exchange(std::int32_t alpha, bool upward_alone, const Visit& visit) const {
  const Strings& alphas = space_.alpha();
  std::vector<StringProduct::Run> targets, sources;
  space_.list_runs(alpha, targets);
  for (const auto& [source, code] : alphas.singles()[alpha]) {
    const int p = ExcitationCode::hole(code), q = ExcitationCode::particle(code);
    if (upward_alone && q < p) continue;
    const double sign = ExcitationCode::is_negative(code) ? 1.0 : -1.0;
    space_.list_runs(source, sources);
    for (const SinglesByPair::Group& group : beta_(q, p)) {
      if (space_.irrep() != any_irrep && (alphas.irrep(source) ^ group.source_irrep) != space_.irrep())
        continue;
      for (const StringProduct::Run& from : sources) {
        for (const StringProduct::Run& to : targets) visit(group, to, from, sign);
      }
    }
  }
}

void StringSpin::fill_rows(std::int32_t alpha, const double* x, double* y) const {
  for_each_diagonal(alpha, [&](std::int64_t row, double element) { y[row] = element * x[row]; });
  for_each_exchange(alpha, false, [&](const auto& group, const auto& to, const auto& from, double sign) {
    for_each_single(beta_, group, to, from, [&](std::int64_t row, std::int64_t column, std::uint32_t code) {
      y[row] += ExcitationCode::with_phase(sign * x[column], code);
    });
  });
}

Matrix StringSpin::expectation(std::span<const double> vectors, int count) const {
  if (std::ssize(vectors) != size() * count) throw DimensionError("StringSpin: vectors do not fit the space");
  // Parts whose number doesn't depend on that of the threads are summed in their order.
  constexpr std::int64_t num_parts = 512;
  const std::int64_t alphas = space_.alpha().size();
  std::vector<Matrix> parts(num_parts);
  space_.alpha().singles();
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t part = 0; part < num_parts; ++part) {
    Matrix sum(count, count);
    for (auto a = static_cast<std::int32_t>(alphas * part / num_parts); a < alphas * (part + 1) / num_parts;
         ++a) {
      for (int j = 0; j < count; ++j) {
        const double* y = vectors.data() + j * size();
        for (int i = 0; i <= j; ++i) {
          const double* x = vectors.data() + i * size();
          double diagonal = 0.0, others = 0.0;
          for_each_diagonal(a,
                            [&](std::int64_t row, double element) { diagonal += element * x[row] * y[row]; });
          for_each_exchange(a, true, [&](const auto& group, const auto& to, const auto& from, double sign) {
            const double half = sum_singles(beta_, group, to, from, x, y);
            others += sign * (half + (i == j ? half : sum_singles(beta_, group, to, from, y, x)));
          });
          sum(i, j) += diagonal + others;
        }
      }
    }
    parts[part] = std::move(sum);
  }
  Matrix result(count, count);
  for (int j = 0; j < count; ++j) {
    for (int i = 0; i <= j; ++i) {
      for (const Matrix& part : parts) result(i, j) += part(i, j);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

}  // namespace cisolve
