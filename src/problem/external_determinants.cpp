// SPDX-License-Identifier: MIT
#include "cisolve/problem/external_determinants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/selection/heat_bath.hpp"
#include "cisolve/selection/moves.hpp"

namespace cisolve {
namespace {

/// The determinants of a basis, and where those beside them lie.
template <int Words>
struct Inside {
  Inside(const Basis& basis, const IntegralTables& of_orbitals) : tables(of_orbitals), alpha_moves(tables) {
    if (tables.is_unrestricted()) own_beta_moves.emplace(tables.beta());
    const FunctionList list = basis.list(false);
    determinants = determinants_of<Words>({.kind = FunctionKind::determinant,
                                           .size = basis.size(),
                                           .alpha = list.alpha,
                                           .beta = list.beta,
                                           .steps = {}});
  }

  const SameSpinMoves& beta_moves() const { return own_beta_moves ? *own_beta_moves : alpha_moves; }
  ExternalSpace<Words> outside() const { return {tables, alpha_moves, beta_moves(), determinants}; }

  const IntegralTables& tables;
  SameSpinMoves alpha_moves;
  std::optional<SameSpinMoves> own_beta_moves;
  std::vector<Determinant<Words>> determinants;
};

/// work(Inside) with strings of as many words as the orbitals need.
template <class Work>
auto with_inside(const Basis& basis, const IntegralTables& tables, std::size_t elements, const Work& work) {
  if (basis.kind() == FunctionKind::csf)
    throw InputError(
        "determinants outside of a space are those of a space of determinants, and this one is of CSFs");
  const int orbitals = basis.definition().integrals->num_orbitals;
  if (tables.num_orbitals() != orbitals)
    throw DimensionError(fmt::format("externals: the integrals are over {} orbitals, the basis over {}",
                                     tables.num_orbitals(), orbitals));
  if (elements == 0 || elements % static_cast<std::size_t>(basis.size()) != 0)
    throw DimensionError("externals: one coefficient per determinant and wavefunction is needed");
  return with_string_words(orbitals, [&]<int Words>() { return work(Inside<Words>(basis, tables)); });
}

template <int Words>
void append(ExternalDeterminants& to, const Determinant<Words>& determinant) {
  to.alpha.insert(to.alpha.end(), determinant.alpha.words.begin(), determinant.alpha.words.end());
  to.beta.insert(to.beta.end(), determinant.beta.words.begin(), determinant.beta.words.end());
  ++to.size;
}

}  // namespace

ExternalDeterminants connected_determinants(const Basis& basis, const IntegralTables& tables,
                                            std::span<const double> vectors, double epsilon,
                                            const ExternalOptions& options) {
  return with_inside(basis, tables, vectors.size(), [&]<int Words>(const Inside<Words>& inside) {
    double largest = 0.0;
    for (const double c : vectors) largest = std::max(largest, std::abs(c));
    // No move below this can reach epsilon.
    const OppositeSpinMoves opposite(tables, largest > 0.0 ? epsilon / largest : 0.0);
    ExternalDeterminants found;
    for (const Determinant<Words>& d :
         heat_bath_selection<Words>(tables, inside.alpha_moves, inside.beta_moves(), opposite,
                                    inside.determinants, vectors, epsilon, options))
      append(found, d);
    return found;
  });
}

SecondOrder sum_over_externals(const Basis& basis, const IntegralTables& tables,
                               const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                               ExternalDeterminants& chosen, const ExternalOptions& options) {
  return with_inside(
      basis, tables, wavefunctions.vectors.size(), [&]<int Words>(const Inside<Words>& inside) {
        std::vector<External<Words>> externals;
        const SecondOrder sum = inside.outside().sum(wavefunctions, choice, externals, options);
        chosen = {};
        for (const External<Words>& external : externals) {
          append(chosen, external.determinant);
          chosen.measures.push_back(external.measure);
        }
        return sum;
      });
}

SecondOrder estimate_over_externals(const Basis& basis, const IntegralTables& tables,
                                    const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                    const ExternalOptions& options) {
  return with_inside(basis, tables, wavefunctions.vectors.size(), [&](const auto& inside) {
    return inside.outside().estimate(wavefunctions, config, options);
  });
}

}  // namespace cisolve
