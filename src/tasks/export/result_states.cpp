// SPDX-License-Identifier: MIT
#include "tasks/export/result_states.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/problem/listed_states.hpp"
#include "tasks/ci/function_lists.hpp"

namespace cisolve {
namespace {

using Numbers = std::vector<std::size_t>;

/// Determinants or CSFs of a sector, one by one.
FunctionView require_functions(const CiResult& result, const CiResult::Sector& sector,
                               const std::filesystem::path& file) {
  if (!sector.vectors)
    throw InputError(file.string() + " holds no vectors; it was written with output.vectors = false");
  const CiResult::Space& space = sector.space;
  const FunctionView functions = functions_of(space);
  const auto rows = static_cast<std::size_t>(space.dimension), words = static_cast<std::size_t>(space.words);
  const std::size_t orbitals = static_cast<std::size_t>(result.system.n_orbitals);
  const bool is_listed = functions.kind == FunctionKind::csf
                             ? space.steps.size() == rows * orbitals
                             : space.alpha.size() == rows * words && space.beta.size() == space.alpha.size();
  if (rows == 0 || !is_listed) throw InputError(file.string() + " does not list its determinants or CSFs");
  return functions;
}

/// Roots of one sector in determinants, handed to `use` with their space.
template <class Use>
void with_determinants(const CiResult& result, const CiResult::Sector& sector, const Numbers& roots,
                       const std::filesystem::path& file, Use&& use) {
  const FunctionView functions = require_functions(result, sector, file);
  std::vector<Array<double>> buffers(roots.size());
  std::vector<std::span<const double>> vectors;
  for (std::size_t k = 0; k < roots.size(); ++k)
    vectors.push_back(sector.vectors->view(static_cast<int>(roots[k]), 1, buffers[k]));
  const std::vector<int> irreps = active_irreps(result);
  with_string_words(result.system.n_orbitals, [&]<int Words>() {
    std::optional<ListedStates<Words>> states;
    try {
      states = in_determinants<Words>(functions, irreps, vectors);
    } catch (const Error& error) {
      throw InputError(fmt::format("{} is damaged: {}", file.string(), error.what()));
    }
    use(*states);
  });
}

}  // namespace

std::vector<int> active_irreps(const CiResult& result) {
  std::vector<int> irreps;
  for (const std::int32_t irrep : result.system.orbital_irreps) irreps.push_back(irrep - 1);
  return irreps;
}

Numbers chosen_roots(const CiResult& result, const ExportOptions& options,
                     const std::filesystem::path& file) {
  if (result.roots.empty()) throw InputError(file.string() + " holds no roots");
  Numbers roots(1, 0);
  if (options.average) {
    roots.resize(result.roots.size());
    std::iota(roots.begin(), roots.end(), std::size_t{0});
  } else if (options.root) {
    if (*options.root < 1 || *options.root > std::ssize(result.roots)) {
      throw InputError(fmt::format("--root {}: {} has the roots 1 to {}", *options.root, file.string(),
                                   result.roots.size()));
    }
    roots.front() = static_cast<std::size_t>(*options.root - 1);
  }
  return roots;
}

std::string states_text(const Numbers& roots, const ExportOptions& options) {
  return options.average ? fmt::format("the average of {} roots", roots.size())
                         : fmt::format("root {}", roots.front() + 1);
}

DeterminantVector<most_string_words> determinants_of_root(const CiResult& result, std::size_t root,
                                                          const std::filesystem::path& file) {
  const CiResult::RootNumber number = result.roots[root];
  DeterminantVector<most_string_words> found;
  with_determinants(
      result, result.sectors[number.sector], {number.root}, file,
      [&]<int Words>(ListedStates<Words>& states) {
        for (std::int64_t row = 0; row < states.space->size(); ++row)
          found.determinants.push_back(with_words<most_string_words>(states.space->determinant(row)));
        found.coefficients = std::move(states.vectors);
      });
  return found;
}

NaturalOrbitals natural_orbitals_of(const CiResult& result, const Numbers& roots,
                                    const std::filesystem::path& file) {
  const std::vector<int> irreps = active_irreps(result);
  const int n = result.system.n_orbitals;
  Matrix density(n, n);
  const double weight = 1.0 / static_cast<double>(roots.size());
  for (std::size_t s = 0; s < result.sectors.size(); ++s) {
    Numbers in_sector;
    for (const std::size_t root : roots) {
      if (result.roots[root].sector == s) in_sector.push_back(result.roots[root].root);
    }
    if (in_sector.empty()) continue;
    with_determinants(result, result.sectors[s], in_sector, file,
                      [&]<int Words>(const ListedStates<Words>& states) {
                        const int count = static_cast<int>(in_sector.size());
                        const DensityMatrices densities =
                            density_matrices<Words>(*states.space, irreps, states.vectors, count);
                        for (int k = 0; k < count; ++k) {
                          for (int q = 0; q < n; ++q) {
                            for (int p = 0; p < n; ++p) density(p, q) += weight * densities(k, k)(p, q);
                          }
                        }
                      });
  }
  return natural_orbitals(density, irreps);
}

}  // namespace cisolve
