// SPDX-License-Identifier: MIT
#include "tasks/ci/sector_roots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "cisolve/analysis/size_correction.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/vectors/host_backend.hpp"
#ifdef CISOLVE_HAVE_CUDA
#include "cuda/vectors/cuda_backend.hpp"
#endif

namespace cisolve {

Array<double> columns_of(const Array<double>& vectors, std::int64_t rows,
                         const std::vector<std::size_t>& kept) {
  const auto n = static_cast<std::size_t>(rows);
  Array<double> columns(n * kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(n * kept[k]), n,
                columns.begin() + static_cast<std::ptrdiff_t>(n * k));
  }
  return columns;
}

std::vector<std::size_t> SectorRoots::choose(const SolveResult& found, const std::vector<StateLabel>& labels,
                                             int wanted) const {
  constexpr double nearest = 1.0;  // multiplicities of one number of electrons are 2 apart
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < found.energies.size(); ++k) {
    if (selects_by_spin() &&
        std::abs(multiplicity_of(labels[k].s_squared) - *problem_.job->multiplicity) > nearest) {
      continue;
    }
    const bool beyond = selects_by_spin() && std::ssize(kept) >= wanted;
    if (beyond && found.energies[k] - found.energies[kept.back()] > cluster_.width) break;
    kept.push_back(k);
  }
  return kept;
}

void SectorRoots::take(SolveResult found, const std::vector<StateLabel>& labels,
                       const std::vector<std::size_t>& kept) {
  constexpr int most_leading = 5;
  constexpr double least_weight = 0.01;
  const auto n = static_cast<std::size_t>(problem_.basis->size());
  for (const std::size_t k : kept) {
    const auto vector = std::span<const double>(found.vectors).subspan(k * n, n);
    Root& root = sector_.roots.emplace_back();
    root.energy = found.energies[k];
    root.residual_norm = found.residual_norms[k];
    root.converged = found.converged[k];
    root.s_squared = labels[k].s_squared;
    root.irrep = labels[k].irrep + 1;
    root.irrep_name =
        labels[k].irrep == mixed_irrep ? "mixed" : problem_.job->point_group.irrep_name(labels[k].irrep + 1);
    root.leading = problem_.basis->leading(vector, most_leading, least_weight);
  }
  sector_.vectors = std::make_shared<HeldVectors>(
      kept.size() == found.energies.size() ? std::move(found.vectors)
                                           : columns_of(found.vectors, problem_.basis->size(), kept),
      problem_.basis->size(), static_cast<int>(kept.size()));
  if (kept.empty()) warn(result_, fmt::format("there is no root{}", states_name(*problem_.job)));
}

bool SectorRoots::is_exact() const {
  const auto& selection = problem_.job->selection;
  return sector_.space.excitation_level == full_excitation && !selection.max_holes &&
         !selection.max_particles;
}

template <class Backend>
void SectorRoots::correct(const Backend& backend, const Operator<Backend>& h) {
  const auto references = static_cast<std::size_t>(sector_.space.reference_dimension);
  std::vector<std::int64_t> rows(references);
  std::iota(rows.begin(), rows.end(), 0);
  const auto indices = backend.make_indices(rows);
  auto part = backend.allocate(is_exact() ? 0 : h.size(), 1);
  auto product = backend.allocate(part.rows(), 1);
  std::vector<std::size_t> without;
  std::vector<double> coefficients(references);
  for (std::size_t k = 0; k < sector_.roots.size(); ++k) {
    Root& root = sector_.roots[k];
    sector_.vectors->read(static_cast<int>(k), 0, coefficients);
    const double weight =
        std::inner_product(coefficients.begin(), coefficients.end(), coefficients.begin(), 0.0);
    SizeCorrection q;
    if (!is_exact()) {
      double energy = 0.0;
      if (weight > 0.0) {
        Matrix values(static_cast<int>(references), 1);
        std::copy(coefficients.begin(), coefficients.end(), values.data());
        backend.fill(part.view(), 0.0);
        backend.scatter(values, indices, part.view());
        h.apply(std::as_const(part).view(), product.view());
        energy = backend.gram(part.view(), product.view())(0, 0) / weight;
      }
      q = size_correction(weight, root.energy, energy, problem_.job->num_electrons);
    }
    root.reference_weight = weight;
    root.davidson_q = q.davidson;
    root.renormalised_q = q.renormalised;
    root.pople_q = q.pople;
    if (std::isnan(q.davidson)) without.push_back(k + 1);
  }
  if (!without.empty()) warn_of_no_correction(without);
}

void SectorRoots::warn_of_no_correction(const std::vector<std::size_t>& roots) {
  const std::string where =
      is_one_of_several_ ? fmt::format(" of the sector of {}", sector_name(*problem_.job)) : "";
  if (sector_.space.reference_dimension == 0) {
    warn(result_, fmt::format("no +Q correction of the roots{}: no reference is in the space", where));
    return;
  }
  warn(result_, fmt::format("no +Q correction of root{} {}{}: the references have a weight below 0.5",
                            roots.size() > 1 ? "s" : "", fmt::join(roots, ", "), where));
}

template void SectorRoots::correct(const HostBackend&, const Operator<HostBackend>&);
#ifdef CISOLVE_HAVE_CUDA
template void SectorRoots::correct(const cuda::CudaBackend&, const Operator<cuda::CudaBackend>&);
#endif

}  // namespace cisolve
