// SPDX-License-Identifier: MIT
#include "cisolve/problem/listed_states.hpp"

#include <algorithm>
#include <map>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// All determinants of Ms = S of the configurations that some CSFs have.
template <int Words>
std::vector<Determinant<Words>> determinants_of(const CsfList<Words>& csfs, int num_orbitals) {
  std::vector<Configuration<Words>> configurations = csfs.configurations;
  std::ranges::sort(configurations);
  configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
  const SpinCouplings couplings(csfs.two_s, num_orbitals);
  std::map<int, SpinFunctions> spins;  // by open shells
  std::vector<Determinant<Words>> determinants;
  for (const Configuration<Words>& configuration : configurations) {
    const auto [at, is_new] = spins.try_emplace(configuration.num_open());
    if (is_new) at->second = make_spin_functions(couplings, configuration.num_open());
    for (const std::uint64_t alpha : at->second.alpha)
      determinants.push_back(determinant_of(configuration, alpha));
  }
  return determinants;
}

template <int Words>
std::unique_ptr<Space<Words>> space_of(std::vector<Determinant<Words>> determinants,
                                       std::span<const int> irreps) {
  const auto irrep_of_row = [&](const Determinant<Words>& d) {
    return irrep_of(d.alpha, irreps) ^ irrep_of(d.beta, irreps);
  };
  const int irrep = irrep_of_row(determinants.front());
  const bool is_pure =
      std::ranges::all_of(determinants, [&](const auto& d) { return irrep_of_row(d) == irrep; });
  return std::make_unique<ListSpace<Words>>(std::move(determinants), static_cast<int>(irreps.size()),
                                            is_pure ? irrep : any_irrep, 0, std::vector<std::int64_t>{});
}

}  // namespace

template <int Words>
ListedStates<Words> in_determinants(const FunctionView& functions, std::span<const int> irreps,
                                    std::span<const std::span<const double>> vectors) {
  if (functions.size < 1) throw DimensionError("in_determinants: there is no function");
  for (const auto& vector : vectors) {
    if (std::ssize(vector) != functions.size)
      throw DimensionError("in_determinants: a vector does not fit the functions");
  }
  ListedStates<Words> states;
  if (functions.kind == FunctionKind::csf) {
    const CsfList<Words> csfs = csfs_of<Words>(functions);
    states.space = space_of<Words>(determinants_of(csfs, static_cast<int>(irreps.size())), irreps);
    states.vectors = project_on_determinants<Words>(*states.space, csfs, vectors);
    return states;
  }
  states.space = space_of<Words>(determinants_of<Words>(functions), irreps);
  for (const auto& vector : vectors)
    states.vectors.insert(states.vectors.end(), vector.begin(), vector.end());
  return states;
}

#define INSTANTIATE(W)                                                                \
  template ListedStates<W> in_determinants(const FunctionView&, std::span<const int>, \
                                           std::span<const std::span<const double>>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
