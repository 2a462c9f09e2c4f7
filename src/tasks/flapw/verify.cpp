// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/flapw/file.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using lapw::Complex;

/// Of a matrix whose lower triangle is given: row i of it times x.
Complex row_times(const Array<Complex>& matrix, std::int64_t n, std::int64_t i, const Complex* x) {
  Complex sum = 0.0;
  for (std::int64_t j = 0; j <= i; ++j) sum += matrix[static_cast<std::size_t>(j * n + i)] * x[j];
  for (std::int64_t j = i + 1; j < n; ++j)
    sum += std::conj(matrix[static_cast<std::size_t>(i * n + j)]) * x[j];
  return sum;
}

struct Residual {
  double norm = 0.0;           ///< |H c - lambda S c|
  double normalisation = 0.0;  ///< c^H S c - 1
};

Residual residual_of(const StoredStates& stored, std::size_t state) {
  const std::int64_t n = stored.matrices.n;
  const Complex* c = stored.vectors.data() + static_cast<std::int64_t>(state) * n;
  double square = 0.0, in_metric = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Complex s = row_times(stored.matrices.s, n, i, c);
    square += std::norm(row_times(stored.matrices.h, n, i, c) - stored.energies[state] * s);
    in_metric += (std::conj(c[i]) * s).real();
  }
  return {std::sqrt(square), in_metric - 1.0};
}

/// @throws InputError  a point that is done has nothing to be verified
void require_states(const FlapwResult& result, const std::filesystem::path& file) {
  for (int k = 1; k <= std::ssize(result.points); ++k) {
    if (!result.points[k - 1].is_done()) continue;
    if (result.points[k - 1].status == "matrices")
      throw InputError(fmt::format("'{}' has no states to look at: flapw.roots = 0 asked for H and S alone",
                                   file.string()));
    if (!holds_states(file, k))
      throw InputError(fmt::format(
          "'{}' does not hold H and S with the vectors of k-point {}: residuals can be calculated "
          "again of runs with output.matrices = true and output.vectors = true",
          file.string(), k));
  }
}

}  // namespace

bool verify_flapw(const std::filesystem::path& file, std::ostream& report, bool /*thorough*/) {
  const FlapwResult result = read_flapw(file);
  require_states(result, file);
  report::print_wrapped(report, "", fmt::format("Residuals of {}", file.string()));
  report << "k-point root   energy/hartree   residual  c^H S c - 1\n";
  bool all_hold = true;
  for (int k = 1; k <= std::ssize(result.points); ++k) {
    if (!result.points[k - 1].is_done()) {
      report << fmt::format("  k-point {} is not done\n", k);
      all_hold = false;
      continue;
    }
    const StoredStates stored = read_stored_states(file, k);
    for (std::size_t state = 0; state < stored.energies.size(); ++state) {
      const Residual residual = residual_of(stored, state);
      // Both sums have rounding of their own.
      constexpr double rounding = 1e-9;
      const bool holds = residual.norm <= 1.1 * stored.residual_norms[state] + rounding &&
                         std::abs(residual.normalisation) <= rounding;
      all_hold = all_hold && holds;
      report << fmt::format("{:7} {:4} {:16.10f}    {:.1e}     {:8.1e}  {}\n", k, state + 1,
                            stored.energies[state], residual.norm, residual.normalisation,
                            holds ? "holds" : "FAILS");
    }
  }
  report << (all_hold ? "\nAll hold.\n" : "\nNot all hold.\n");
  return all_hold;
}

}  // namespace cisolve
