// SPDX-License-Identifier: MIT
#include "tasks/ci/found_roots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "cisolve/analysis/size_correction.hpp"
#include "tasks/ci/prepare.hpp"
#include "tasks/ci/replacement.hpp"

namespace cisolve {
namespace {

/// <c|block|c>
double expectation(const Matrix& block, std::span<const double> c) {
  double sum = 0.0;
  for (int j = 0; j < block.columns(); ++j) {
    for (int i = 0; i < block.rows(); ++i) sum += block(i, j) * c[i] * c[j];
  }
  return sum;
}

bool has_spinors(const CiJob& job) { return job.active->complex && job.active->complex->are_spinors; }

/// "3 -> 5": spinors count as alpha orbitals where replacements are told, but have no spin.
std::string replaced_spinors(std::string reference, std::string configuration,
                             const std::vector<std::string>& names) {
  std::ranges::replace(reference, '1', 'u');
  std::ranges::replace(configuration, '1', 'u');
  std::string text = replacement_text(reference, configuration, names, false);
  constexpr std::string_view spin = "(a)";
  for (std::size_t at = text.find(spin); at != std::string::npos; at = text.find(spin))
    text.erase(at, spin.size());
  return text;
}

}  // namespace

void FoundRoots::take(const RootFinder& finder, LabelledRoots found, const std::vector<std::size_t>& kept) {
  const std::vector<std::string> names = active_orbital_names(job_);
  for (const std::size_t k : kept) {
    const StateLabel& label = found.labels[k];
    Root& root = sector_.roots.emplace_back();
    root.energy = found.roots.energies[k];
    root.residual_norm = found.roots.residual_norms[k];
    root.converged = found.roots.converged[k];
    root.s_squared = label.s_squared;
    root.irrep = label.irrep + 1;
    root.irrep_name = label.irrep == mixed_irrep ? "mixed" : job_.point_group.irrep_name(label.irrep + 1);
    root.leading = leading(finder, *found.roots.vectors, static_cast<int>(k));
    for (LeadingConfiguration& found_here : root.leading) {
      found_here.replacement = has_spinors(job_)
                                   ? replaced_spinors(sector_.space.reference, found_here.occupation, names)
                                   : replacement_text(sector_.space.reference, found_here.occupation, names,
                                                      basis_.kind() == FunctionKind::csf);
    }
  }
  sector_.vectors = std::move(found.roots.vectors);
  if (kept.size() < found.labels.size())
    sector_.vectors =
        std::make_shared<ChosenVectors>(sector_.vectors, std::vector<int>(kept.begin(), kept.end()));
  if (kept.empty()) context_.warn(fmt::format("there is no root{}", states_name(job_)));
}

std::vector<LeadingConfiguration> FoundRoots::leading(const RootFinder& finder, const VectorSource& vectors,
                                                      int column) const {
  constexpr int most = 5;
  constexpr double least_weight = 0.01;
  if (basis_.components() > 1) {
    Array<double> buffer;
    return basis_.leading(vectors.view(column, 1, buffer), most, least_weight);
  }
  std::vector<LeadingConfiguration> found;
  for (const auto& [row, c] : finder.leading(vectors, column, most, least_weight))
    found.push_back({basis_.text_of(row), c, c * c});
  return found;
}

bool FoundRoots::is_exact() const {
  if (sector_.space.reference_dimension == sector_.space.dimension) return true;
  return sector_.space.excitation_level == full_excitation && !job_.selection.max_holes &&
         !job_.selection.max_particles;
}

void FoundRoots::correct(const RootFinder& finder) {
  const std::size_t references = sector_.space.reference_dimension * basis_.components();  // rows
  std::vector<std::int64_t> rows(is_exact() ? 0 : references);
  std::iota(rows.begin(), rows.end(), 0);
  // Of few references the block of H is made sooner than a product with all of it.
  const bool are_few = static_cast<std::int64_t>(references * references) <= basis_.size();
  Matrix block;
  if (are_few && !is_exact() && !sector_.selection && context_.config.threshold == 0.0)
    block = basis_.dense_block(rows);
  const auto mean_energy = [&](std::span<const double> c, double weight) {
    if (weight == 0.0) return 0.0;
    return (block.rows() > 0 ? expectation(block, c) : finder.expectation(rows, c)) / weight;
  };
  std::vector<double> part(references);
  for (std::size_t k = 0; k < sector_.roots.size(); ++k) {
    Root& root = sector_.roots[k];
    sector_.vectors->read(static_cast<int>(k), 0, part);
    const double weight = std::inner_product(part.begin(), part.end(), part.begin(), 0.0);
    root.reference_weight = weight;
    if (sector_.selection) continue;  // that is for perturbation theory to say
    SizeCorrection q;
    if (!is_exact()) q = size_correction(weight, root.energy, mean_energy(part, weight), job_.num_electrons);
    root.davidson_q = q.davidson;
    root.renormalised_q = q.renormalised;
    root.pople_q = q.pople;
  }
}

}  // namespace cisolve
