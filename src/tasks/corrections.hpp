// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/analysis/size_correction.hpp"
#include "cisolve/solver/operator.hpp"
#include "cisolve/tasks/ci_result.hpp"

namespace cisolve {

/// Adds reference weight and +Q to each root: that needs the energy of its part in the reference space, a
/// product with H.
/// @param num_electrons   correlated; 0: the space is exact, and nothing is to be estimated
/// @param num_references  leading rows that are the references
/// @return the roots, from 1, that have no correction
template <class Backend>
std::vector<std::size_t> add_corrections(const Backend& backend, const Operator<Backend>& h, int num_electrons,
                                         std::int64_t num_references, CiResult::States& states) {
  const auto n = static_cast<std::size_t>(h.size());
  auto part = backend.allocate(h.size(), 1);
  auto product = backend.allocate(h.size(), 1);
  std::vector<double> host(n, 0.0);
  std::vector<std::size_t> without;
  for (std::size_t k = 0; k < states.energy.size(); ++k) {
    std::copy_n(states.vectors.begin() + static_cast<std::ptrdiff_t>(k * n), num_references, host.begin());
    backend.from_host(host, part.view());
    const double weight = backend.gram(part.view(), part.view())(0, 0);
    double energy = 0.0;
    if (weight > 0.0) {
      h.apply(std::as_const(part).view(), product.view());
      energy = backend.gram(part.view(), product.view())(0, 0) / weight;
    }
    const SizeCorrection q = num_electrons == 0
                                 ? SizeCorrection{}
                                 : size_correction(weight, states.energy[k], energy, num_electrons);
    states.reference_weight.push_back(weight);
    states.davidson_q.push_back(q.davidson);
    states.renormalised_q.push_back(q.renormalised);
    states.pople_q.push_back(q.pople);
    if (std::isnan(q.davidson)) without.push_back(k + 1);
  }
  return without;
}

}  // namespace cisolve
