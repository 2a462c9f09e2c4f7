// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "problem/definition_parts.hpp"

namespace cisolve::definition {
namespace {

/// CSFs that share a configuration: rows first_row, first_row + 1, ...
template <int Words>
struct Shells {
  Configuration<Words> configuration;
  std::int64_t first_row = 0;
  std::span<const std::int64_t> couplings;  ///< of each
};

/// A determinant in a CSF.
template <int Words>
struct Term {
  Determinant<Words> determinant;
  std::size_t assignment = 0;  ///< of spins, as SpinFunctions numbers them
  double sign = 1.0;
};

/// CSFs as the sums over determinants of Ms = S that they are.
template <int Words>
class CsfRows final : public DefinitionRows {
public:
  CsfRows(const Integrals& integrals, const BasisSummary& summary, const FunctionList& functions,
          double threshold)
      : integrals_(integrals), threshold_(threshold), list_(read(integrals, summary, functions)) {
    int most_open = 0;
    for (const auto& c : list_.configurations) most_open = std::max(most_open, c.num_open());
    const SpinCouplings couplings(list_.two_s, most_open);
    const std::span<const std::int64_t> numbers = list_.couplings;
    for (std::size_t first = 0, last; first < numbers.size(); first = last) {
      const Configuration<Words>& configuration = list_.configurations[first];
      for (last = first + 1; last < numbers.size() && list_.configurations[last] == configuration;) ++last;
      shells_.push_back(
          {configuration, static_cast<std::int64_t>(first), numbers.subspan(first, last - first)});
      const int open = configuration.num_open();
      if (!functions_.contains(open)) functions_.emplace(open, make_spin_functions(couplings, open));
    }
  }

  std::int64_t size() const override { return std::ssize(list_.couplings); }

  double hamiltonian_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.clear();
    const Shells<Words>& bra = shells_of(row);
    const SpinFunctions& bra_spins = spins_of(bra);
    const auto coupling = static_cast<int>(bra.couplings[static_cast<std::size_t>(row - bra.first_row)]);
    std::vector<Term<Words>> bra_terms = terms_of(bra);
    std::erase_if(bra_terms, [&](const auto& term) {
      return bra_spins.coefficients(static_cast<int>(term.assignment), coupling) == 0.0;
    });
    constexpr int most = 2;  // electrons that an element of H moves
    double looks = static_cast<double>(shells_.size()), products = 0.0;
    std::vector<double> values;
    for (const Shells<Words>& ket : shells_) {
      if (excitation_degree(ket.configuration, bra.configuration) > most) continue;
      const SpinFunctions& ket_spins = spins_of(ket);
      const std::vector<Term<Words>> ket_terms = terms_of(ket);
      looks += static_cast<double>(bra_terms.size() * ket_terms.size());
      values.assign(ket.couplings.size(), 0.0);
      for (const Term<Words>& left : bra_terms) {
        const double of_left =
            left.sign * bra_spins.coefficients(static_cast<int>(left.assignment), coupling);
        for (const Term<Words>& right : ket_terms) {
          const double h = matrix_element(integrals_, left.determinant, right.determinant);
          if (h == 0.0) continue;
          products += static_cast<double>(values.size());
          for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] += of_left * right.sign * h *
                         ket_spins.coefficients(static_cast<int>(right.assignment),
                                                static_cast<int>(ket.couplings[k]));
          }
        }
      }
      for (std::size_t k = 0; k < values.size(); ++k)
        add_element(ket.first_row + static_cast<std::int64_t>(k), values[k], threshold_, elements);
    }
    constexpr double of_pair = 4.0 * of_look;
    return of_pair * looks + of_look * products + of_element * static_cast<double>(elements.size());
  }

  void spin_row(std::int64_t row, std::vector<Element>& elements) const override {
    const double spin = 0.5 * list_.two_s;
    elements.assign(1, {row, spin * (spin + 1.0)});
  }

  void irreps(std::int64_t first, std::span<std::int8_t> irreps) const override {
    for (std::size_t k = 0; k < irreps.size(); ++k) {
      const auto& configuration = list_.configurations[static_cast<std::size_t>(first) + k];
      irreps[k] = static_cast<std::int8_t>(irrep_of(configuration.singly, integrals_.irreps));
    }
  }

private:
  static CsfList<Words> read(const Integrals& integrals, const BasisSummary& summary,
                             const FunctionList& functions) {
    const auto n = static_cast<std::size_t>(summary.dimension);
    if (functions.steps.size() != n * static_cast<std::size_t>(integrals.num_orbitals))
      throw InputError("its CSFs are damaged: there is not a step per CSF and orbital");
    CsfList<Words> list = csfs_of<Words>({FunctionKind::csf, summary.dimension, {}, {}, functions.steps});
    const int electrons = list.configurations.front().num_electrons();
    for (const auto& c : list.configurations) {
      if (c.num_electrons() != electrons)
        throw InputError("its CSFs are damaged: they differ in their electrons");
    }
    return list;
  }

  const Shells<Words>& shells_of(std::int64_t row) const {
    return *(std::ranges::upper_bound(shells_, row, {}, &Shells<Words>::first_row) - 1);
  }
  const SpinFunctions& spins_of(const Shells<Words>& shells) const {
    return functions_.at(shells.configuration.num_open());
  }

  std::vector<Term<Words>> terms_of(const Shells<Words>& shells) const {
    const SpinFunctions& spins = spins_of(shells);
    std::vector<Term<Words>> terms;
    for (std::size_t a = 0; a < spins.alpha.size(); ++a) {
      const Determinant<Words> d = determinant_of(shells.configuration, spins.alpha[a]);
      terms.push_back({d, a, is_interleaving_negative(d) ? -1.0 : 1.0});
    }
    return terms;
  }

  const Integrals& integrals_;
  double threshold_;
  CsfList<Words> list_;
  std::vector<Shells<Words>> shells_;
  std::map<int, SpinFunctions> functions_;  ///< by number of open shells
};

}  // namespace

template <int Words>
std::unique_ptr<DefinitionRows> csf_rows(const Integrals& integrals, const BasisSummary& summary,
                                         const FunctionList& functions, double threshold) {
  return std::make_unique<CsfRows<Words>>(integrals, summary, functions, threshold);
}

#define INSTANTIATE(W)                                                                        \
  template std::unique_ptr<DefinitionRows> csf_rows<W>(const Integrals&, const BasisSummary&, \
                                                       const FunctionList&, double);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::definition
