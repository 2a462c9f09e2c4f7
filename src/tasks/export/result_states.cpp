// SPDX-License-Identifier: MIT
#include "tasks/export/result_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cisolve/analysis/spin_density.hpp"
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

/// Roots of one sector in determinants.
template <int Words>
ListedStates<Words> listed_states(const CiResult& result, const CiResult::Sector& sector,
                                  const Numbers& roots, const std::filesystem::path& file) {
  const FunctionView functions = require_functions(result, sector, file);
  std::vector<Array<double>> buffers(roots.size());
  std::vector<std::span<const double>> vectors;
  for (std::size_t k = 0; k < roots.size(); ++k)
    vectors.push_back(sector.vectors->view(static_cast<int>(roots[k]), 1, buffers[k]));
  try {
    return in_determinants<Words>(functions, active_irreps(result), vectors);
  } catch (const Error& error) {
    throw InputError(fmt::format("{} is damaged: {}", file.string(), error.what()));
  }
}

/// Roots of one sector in determinants, handed to `use` with their space.
template <class Use>
void with_determinants(const CiResult& result, const CiResult::Sector& sector, const Numbers& roots,
                       const std::filesystem::path& file, Use&& use) {
  with_string_words(result.system.n_orbitals, [&]<int Words>() {
    ListedStates<Words> states = listed_states<Words>(result, sector, roots, file);
    use(states);
  });
}

bool has_vectors(const CiResult& result) {
  return std::ranges::all_of(result.sectors, [](const CiResult::Sector& sector) {
    return sector.vectors != nullptr || sector.roots.empty();
  });
}

/// Puts a matrix into a row-major array.
void put(const Matrix& from, bool transposed, double* to) {
  for (int p = 0; p < from.rows(); ++p) {
    for (int q = 0; q < from.columns(); ++q) *to++ = transposed ? from(q, p) : from(p, q);
  }
}

/// Adds density matrices of a pair of roots, by their numbers in the result.
void put_pair(const SpinDensity& density, std::size_t bra, std::size_t ket, std::size_t num_roots,
              CiResult::Density& to) {
  const std::size_t square = to.one.size() / (2 * num_roots);
  for (const bool transposed : {false, true}) {
    const std::size_t first = 2 * square * (transposed ? ket * num_roots + bra : bra * num_roots + ket);
    put(density.alpha, transposed, to.transition.data() + first);
    put(density.beta, transposed, to.transition.data() + first + square);
  }
  if (bra != ket) return;
  put(density.alpha, false, to.one.data() + 2 * square * bra);
  put(density.beta, false, to.one.data() + 2 * square * bra + square);
}

/// Density matrices from the vectors.
template <int Words>
void add_densities(const CiResult& result, const std::filesystem::path& file, CiResult::Density& to) {
  using Kind = CiResult::Density::Kind;
  const std::vector<int> irreps = active_irreps(result);
  const std::size_t num_roots = result.roots.size();
  std::vector<Numbers> numbers(result.sectors.size());  // in the result, of the roots of each sector
  for (Numbers& of_sector : numbers)
    of_sector.resize(result.sectors[&of_sector - numbers.data()].roots.size());
  for (std::size_t k = 0; k < num_roots; ++k) numbers[result.roots[k].sector][result.roots[k].root] = k;
  std::vector<ListedStates<Words>> states(result.sectors.size());
  for (std::size_t a = 0; a < states.size(); ++a) {
    Numbers all(numbers[a].size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (all.empty()) continue;
    states[a] = listed_states<Words>(result, result.sectors[a], all, file);
    for (std::size_t b = 0; b <= a; ++b) {
      if (numbers[b].empty() || result.sectors[a].ms2 != result.sectors[b].ms2) continue;
      const auto of = [&](std::size_t s) {
        return VectorsOver<Words>{*states[s].space, states[s].vectors, static_cast<int>(numbers[s].size())};
      };
      const SpinDensities found = spin_densities<Words>(of(a), of(b), irreps);
      for (std::size_t k = 0; k < numbers[a].size(); ++k) {
        for (std::size_t l = 0; l < numbers[b].size(); ++l) {
          const std::size_t bra = numbers[a][k], ket = numbers[b][l];
          put_pair(found(static_cast<int>(k), static_cast<int>(l)), bra, ket, num_roots, to);
          to.kind[bra * num_roots + ket] = to.kind[ket * num_roots + bra] =
              static_cast<std::uint8_t>(Kind::same_ms);
        }
      }
    }
  }
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

std::optional<CiResult::Density> densities_of(const CiResult& result, const std::filesystem::path& file) {
  CiResult::Density found;
  if (result.density) {
    const CiResult::Density& held = *result.density;
    found.n_orbitals = held.n_orbitals;
    found.one = held.one;
    found.transition = held.transition;
    found.kind = held.kind;
    return found;
  }
  if (!has_vectors(result)) return std::nullopt;
  const std::size_t n = static_cast<std::size_t>(result.system.n_orbitals), roots = result.roots.size();
  found.n_orbitals = result.system.n_orbitals;
  found.one.resize(roots * 2 * n * n);
  found.transition.resize(roots * roots * 2 * n * n);
  found.kind.resize(roots * roots);
  with_string_words(result.system.n_orbitals,
                    [&]<int Words>() { add_densities<Words>(result, file, found); });
  return found;
}

std::optional<TwoParticleDensity> two_particle_density_of(const CiResult& result, std::size_t root,
                                                          const std::filesystem::path& file) {
  if (result.density && root < result.density->two.size()) return result.density->two[root];
  const CiResult::RootNumber number = result.roots[root];
  const CiResult::Sector& sector = result.sectors[number.sector];
  constexpr std::int64_t most_rows = 1'000'000;  // of a list minutes, and gigabytes of pairs taken away
  if (!sector.vectors || sector.space.dimension > most_rows) return std::nullopt;
  constexpr std::int64_t sums_under_way = std::int64_t{1} << 29;
  std::optional<TwoParticleDensity> found;
  with_determinants(result, sector, {number.root}, file, [&]<int Words>(const ListedStates<Words>& states) {
    found = two_particle_density<Words>(*states.space, states.vectors, sums_under_way);
  });
  return found;
}

NaturalOrbitals natural_orbitals_of(const CiResult& result, const Numbers& roots,
                                    const std::filesystem::path& file) {
  const std::vector<int> irreps = active_irreps(result);
  const int n = result.system.n_orbitals;
  Matrix density(n, n);
  const std::vector<double> of_average = result.average_weights();
  for (std::size_t s = 0; s < result.sectors.size(); ++s) {
    Numbers in_sector;
    std::vector<double> weights;
    for (const std::size_t root : roots) {
      if (result.roots[root].sector != s) continue;
      in_sector.push_back(result.roots[root].root);
      weights.push_back(roots.size() == 1 ? 1.0 : of_average[root]);
    }
    if (in_sector.empty()) continue;
    with_determinants(result, result.sectors[s], in_sector, file,
                      [&]<int Words>(const ListedStates<Words>& states) {
                        const int count = static_cast<int>(in_sector.size());
                        const DensityMatrices densities =
                            density_matrices<Words>(*states.space, irreps, states.vectors, count);
                        for (int k = 0; k < count; ++k) {
                          const double weight = weights[static_cast<std::size_t>(k)];
                          for (int q = 0; q < n; ++q) {
                            for (int p = 0; p < n; ++p) density(p, q) += weight * densities(k, k)(p, q);
                          }
                        }
                      });
  }
  return natural_orbitals(density, irreps);
}

}  // namespace cisolve
