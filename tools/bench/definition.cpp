// SPDX-License-Identifier: MIT
#include "definition.hpp"

#include <map>

#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/space/spin_couplings.hpp"

namespace cisolve::bench {
namespace {

/// The CSFs of a configuration over its determinants of Ms = S.
template <int Words>
struct Expansion {
  std::vector<Determinant<Words>> determinants;
  Matrix csfs;  ///< shape [determinants x CSFs]
};

template <int Words>
Expansion<Words> expand(const Configuration<Words>& configuration, SpinFunctions functions) {
  Expansion<Words> result{{}, std::move(functions.coefficients)};
  for (int a = 0; a < result.csfs.rows(); ++a) {
    const auto& d = result.determinants.emplace_back(determinant_of(configuration, functions.alpha[a]));
    for (int k = 0; is_interleaving_negative(d) && k < result.csfs.columns(); ++k)
      result.csfs(a, k) = -result.csfs(a, k);
  }
  return result;
}

}  // namespace

template <int Words>
std::vector<double> row_by_definition(const Integrals& v, const ConfigurationSpace<Words>& space,
                                      std::int64_t row) {
  std::map<int, SpinFunctions> of_open;
  const auto expanded = [&](std::int32_t i) {
    const auto& configuration = space.configuration(i);
    const auto [at, is_new] = of_open.try_emplace(configuration.num_open());
    if (is_new) at->second = make_spin_functions(space.couplings(), configuration.num_open());
    return expand(configuration, at->second);
  };
  const std::int32_t number = space.configuration_of_row(row);
  const Expansion<Words> bra = expanded(number);
  const auto coupling = static_cast<int>(row - space.offset(number));
  std::vector<double> elements(space.size(), 0.0);
  for (std::int32_t i = 0; i < space.num_configurations(); ++i) {
    if (excitation_degree(space.configuration(i), space.configuration(number)) > 2) continue;
    const Expansion<Words> ket = expanded(i);
    for (int b = 0; b < ket.csfs.rows(); ++b) {
      double sum = 0.0;  // <CSF|H|determinant b>
      for (int a = 0; a < bra.csfs.rows(); ++a) {
        sum += bra.csfs(a, coupling) * matrix_element(v, bra.determinants[a], ket.determinants[b]);
      }
      for (int k = 0; k < ket.csfs.columns(); ++k) elements[space.offset(i) + k] += sum * ket.csfs(b, k);
    }
  }
  return elements;
}

template <int Words>
std::vector<double> row_by_definition(const Integrals& v, const Space<Words>& space, std::int64_t row) {
  std::vector<Determinant<Words>> all(space.size());
  space.enumerate(0, all);
  std::vector<double> elements;
  for (const auto& d : all) elements.push_back(matrix_element(v, all[row], d));
  return elements;
}

#define INSTANTIATE(W)                                                                             \
  template std::vector<double> row_by_definition(const Integrals&, const Space<W>&, std::int64_t); \
  template std::vector<double> row_by_definition(const Integrals&, const ConfigurationSpace<W>&,   \
                                                 std::int64_t);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::bench
