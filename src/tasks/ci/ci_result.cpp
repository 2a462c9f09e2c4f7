// SPDX-License-Identifier: MIT
#include "cisolve/tasks/ci/ci_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cisolve {

CiResult::Solver CiResult::overall_solver() const {
  if (sectors.size() == 1) return sectors.front().solver;
  Solver all{.status = "converged", .start = {}, .num_applications = 0, .history = {}};
  for (const Sector& sector : sectors) {
    if (sector.solver.status != "converged") all.status = sector.solver.status;
    all.num_applications += sector.solver.num_applications;
  }
  return all;
}

void CiResult::order_roots() {
  roots.clear();
  for (std::size_t s = 0; s < sectors.size(); ++s) {
    for (std::size_t k = 0; k < sectors[s].roots.size(); ++k) roots.push_back({s, k});
  }
  std::ranges::stable_sort(
      roots, {}, [&](const RootNumber& number) { return sectors[number.sector].roots[number.root].energy; });
}

std::vector<double> CiResult::average_weights() const {
  const std::vector<double>& given = orbitals ? orbitals->weights : this->weights;
  const std::size_t listed = sectors.empty() ? 0 : given.size() / sectors.size();
  std::vector<double> found;
  double sum = 0.0;
  for (const RootNumber& number : roots) {  // those that complete a degenerate set are none of the average
    found.push_back(number.root < listed ? given[number.sector * listed + number.root] : 0.0);
    sum += found.back();
  }
  if (!(sum > 0.0)) return std::vector<double>(roots.size(), 1.0 / static_cast<double>(roots.size()));
  for (double& weight : found) weight /= sum;
  return found;
}

std::vector<std::string> CiResult::failed_certificates() const {
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < roots.size(); ++k) {
    const std::optional<Certificate>& certificate = root(k).certificate;
    if (certificate && !certificate->passed)
      sentences.push_back(fmt::format("root {} fails its certificate: {}", k + 1, certificate->failure));
  }
  return sentences;
}

}  // namespace cisolve
