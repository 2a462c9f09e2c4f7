// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/solver/operator.hpp"
#include "solver/dense.hpp"

namespace cisolve {

inline void require_finite(const Matrix& a, const std::string& what) {
  if (!dense::all_finite(a)) throw Error("davidson: " + what + " holds a number that is not finite");
}

/// Orthonormalises `candidates` against the first `size` columns of `basis` (orthonormal) and each
/// other, and writes what is independent behind those columns. Block classical Gram-Schmidt, repeated
/// until it changes nothing any more, with canonical orthogonalisation inside the block.
///
/// @param candidates  n x p, overwritten
/// @param work        n x p, overwritten
/// @param floor       see DavidsonConfig::orthogonality_floor
/// @return the number of columns written, at most p
/// @throws Error if a candidate is not finite
template <class Backend>
int append_orthonormal(const Backend& backend, typename Backend::View basis, int size,
                       typename Backend::View candidates, typename Backend::View work, double floor) {
  // Exact arithmetic needs one pass, rounding two, near-dependent directions three; the last one verifies.
  constexpr int max_passes = 5;
  constexpr double orthonormal = 1e-13;
  std::vector<double> factors = backend.norms(candidates);
  for (double& factor : factors) factor = factor > 0.0 ? 1.0 / factor : 1.0;
  backend.scale(candidates, factors);
  for (int pass = 0; pass < max_passes && candidates.columns > 0; ++pass) {
    double overlap = 0.0;
    if (size > 0) {
      Matrix projection = backend.gram(basis.slice(0, size), candidates);
      require_finite(projection, "a basis vector");
      for (int k = 0; k < projection.columns(); ++k) {
        for (int i = 0; i < size; ++i) {
          overlap = std::max(overlap, std::abs(projection(i, k)));
          projection(i, k) = -projection(i, k);
        }
      }
      backend.combine(basis.slice(0, size), projection, 1.0, candidates);
    }
    const Matrix gram = backend.gram(candidates, candidates);
    require_finite(gram, "a basis vector");
    if (pass > 0 && overlap < orthonormal && dense::distance_to_identity(gram) < orthonormal) break;
    const Matrix s = dense::orthonormaliser(gram, floor);
    backend.combine(candidates, s, 0.0, work.slice(0, s.columns()));
    std::swap(candidates, work);
    candidates = candidates.slice(0, s.columns());
    work = work.slice(0, s.columns());
  }
  if (candidates.columns > 0) backend.copy(candidates, basis.slice(size, candidates.columns));
  return candidates.columns;
}

/// The same for directions that shall lie in a subspace: projected before, and once more if taking them
/// out of the basis has made their rest outside large.
/// @param threshold  see DavidsonConfig::filter_threshold
template <class Backend>
int append_filtered(const Backend& backend, typename Backend::View basis, int size,
                    typename Backend::View candidates, typename Backend::View work, double floor,
                    const SubspaceFilter<Backend>* filter, double threshold) {
  if (filter == nullptr) return append_orthonormal(backend, basis, size, candidates, work, floor);
  constexpr int max_passes = 3;
  int added = 0;
  for (int pass = 0; pass < max_passes && candidates.columns > 0; ++pass) {
    std::vector<double> factors = backend.norms(candidates);
    for (double& factor : factors) factor = factor > 0.0 ? 1.0 / factor : 1.0;
    backend.scale(candidates, factors);
    if (!(filter->contamination(candidates) <= threshold)) {
      filter->apply(candidates);
      // What had nothing in the subspace is now rounding error.
      std::vector<double> kept = backend.norms(candidates);
      for (double& factor : kept) factor = factor < floor ? 0.0 : 1.0;
      backend.scale(candidates, kept);
    }
    added = append_orthonormal(backend, basis, size, candidates, work, floor);
    const auto written = basis.slice(size, added);
    if (added == 0 || filter->contamination(written) <= threshold) break;
    candidates = candidates.slice(0, added);
    work = work.slice(0, added);
    backend.copy(written, candidates);
  }
  return added;
}

}  // namespace cisolve
