// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "problem/definition_parts.hpp"
#include "problem/spin_operators.hpp"

namespace cisolve::definition {
namespace {

constexpr int most_moved = 2;  // electrons by an element of H

/// CSFs that share a configuration, which are all of its spin, and its determinants.
template <int Words>
struct Shells {
  Configuration<Words> configuration;
  std::int64_t first_csf = 0, first_determinant = 0;
  std::span<const std::int64_t> couplings;  ///< of each CSF
};

/// The spin functions of a number of open shells, those of an assignment of spins side by side.
struct Spins {
  explicit Spins(SpinFunctions functions)
      : alpha(std::move(functions.alpha)), couplings(functions.coefficients.columns()) {
    for (int a = 0; a < functions.coefficients.rows(); ++a) {
      for (int k = 0; k < couplings; ++k) coefficients.push_back(functions.coefficients(a, k));
    }
  }
  const double* of(std::size_t assignment) const {
    return coefficients.data() + assignment * static_cast<std::size_t>(couplings);
  }

  std::vector<std::uint64_t> alpha;  ///< as SpinFunctions has it
  int couplings;
  std::vector<double> coefficients;  ///< [assignments x couplings]
};

/// A determinant with its coefficient in what a row is of.
template <int Words>
struct Term {
  Determinant<Words> determinant;
  double coefficient = 1.0;
};

/// A sum over determinants of a configuration, by their assignments of spins.
class Amplitudes {
public:
  void add(std::size_t assignment, double value) {
    if (assignment >= values_.size()) values_.resize(assignment + 1, 0.0);
    if (values_[assignment] == 0.0) touched_.push_back(assignment);
    values_[assignment] += value;
  }
  bool empty() const { return touched_.empty(); }

  /// Its overlaps with the spin functions; nothing is left of the sum. @return multiplications
  double take(const Spins& spins, std::vector<double>& overlaps) {
    overlaps.assign(static_cast<std::size_t>(spins.couplings), 0.0);
    const auto products = static_cast<double>(touched_.size() * overlaps.size());
    for (const std::size_t assignment : touched_) {
      const double value = std::exchange(values_[assignment], 0.0);
      const double* coefficients = spins.of(assignment);
      for (std::size_t k = 0; k < overlaps.size(); ++k) overlaps[k] += value * coefficients[k];
    }
    touched_.clear();
    return products;
  }

private:
  std::vector<double> values_;
  std::vector<std::size_t> touched_;
};

/// Calls visit(determinant) for the determinants of a configuration among which are all that H connects with one. Of the
/// shells open in both, as many may be turned as H can move electrons beyond those that change the configuration; the
/// other open shells may have any spin.
/// @param num_alpha  of the determinants
template <int Words, class Visit>
void for_each_near(const Determinant<Words>& bra, const Configuration<Words>& ket, int num_alpha,
                   Visit&& visit) {
  const Configuration<Words> of_bra = configuration_of(bra);
  const int turns = most_moved - excitation_degree(ket, of_bra);
  const BitString<Words> common = ket.singly & of_bra.singly;
  const auto visit_alpha = [&](const BitString<Words>& alpha) {
    visit(Determinant<Words>{ket.doubly | alpha, ket.doubly | (ket.singly & ~alpha)});
  };
  std::vector<int> others;
  (ket.singly & ~common).for_each([&](int p) { others.push_back(p); });
  const BitString<Words> alphas = common & bra.alpha, betas = common & bra.beta;
  for (std::uint64_t spins = 0; spins < std::uint64_t{1} << others.size(); ++spins) {
    BitString<Words> alpha = alphas;
    for (std::size_t k = 0; k < others.size(); ++k) {
      if ((spins >> k & 1U) != 0) alpha.set(others[k]);
    }
    const int missing = num_alpha - ket.doubly.count() - alpha.count();
    const auto without = [&](int p) {
      BitString<Words> turned = alpha;
      turned.reset(p);
      return turned;
    };
    const auto with = [](BitString<Words> turned, int p) {
      turned.set(p);
      return turned;
    };
    if (missing == 0) visit_alpha(alpha);
    if (missing == 1 && turns >= 1) betas.for_each([&](int q) { visit_alpha(with(alpha, q)); });
    if (missing == -1 && turns >= 1) alphas.for_each([&](int p) { visit_alpha(without(p)); });
    if (missing == 0 && turns >= 2) {
      alphas.for_each([&](int p) { betas.for_each([&](int q) { visit_alpha(with(without(p), q)); }); });
    }
  }
}

/// CSFs as the sums over determinants of Ms = S that they are. Rows are those of the determinants; where a threshold
/// leaves out elements between CSFs, those of the CSFs.
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
    std::int64_t determinants = 0;
    for (std::size_t first = 0, last; first < numbers.size(); first = last) {
      const Configuration<Words>& configuration = list_.configurations[first];
      for (last = first + 1; last < numbers.size() && list_.configurations[last] == configuration;) ++last;
      const int open = configuration.num_open();
      const auto of_configuration = numbers.subspan(first, last - first);
      require_all(of_configuration, couplings.count(open));
      shells_.push_back({configuration, static_cast<std::int64_t>(first), determinants, of_configuration});
      auto at = spins_.find(open);
      if (at == spins_.end()) at = spins_.emplace(open, Spins(make_spin_functions(couplings, open))).first;
      determinants += std::ssize(at->second.alpha);
    }
    num_rows_ = by_csf() ? size() : determinants;
    num_alpha_ = (list_.configurations.front().num_electrons() + list_.two_s) / 2;
    require_different();
  }

  std::int64_t size() const override { return std::ssize(list_.couplings); }
  std::int64_t num_rows() const override { return num_rows_; }

  double hamiltonian_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.clear();
    const Shells<Words>& bra = shells_of(row);
    const std::vector<Term<Words>> terms = terms_of(bra, row);
    double looks = static_cast<double>(shells_.size()), connected = 0.0, products = 0.0;
    Amplitudes amplitudes;
    std::vector<double> values;
    for (const Shells<Words>& ket : shells_) {
      if (excitation_degree(ket.configuration, bra.configuration) > most_moved) continue;
      for (const Term<Words>& term : terms) {
        for_each_near(
            term.determinant, ket.configuration, num_alpha_, [&](const Determinant<Words>& determinant) {
              looks += 1.0;
              const double h = matrix_element(integrals_, term.determinant, determinant);
              if (h == 0.0) return;
              connected += 1.0;
              amplitudes.add(assignment_of(ket, determinant), sign_of(determinant) * term.coefficient * h);
            });
      }
      products += append(ket, amplitudes, values, threshold_, elements);
    }
    constexpr double of_candidate = 10.0 * of_look, of_product = 0.5 * of_look;
    return of_candidate * looks + of_element * connected + of_product * products +
           of_product * static_cast<double>(elements.size());
  }

  double spin_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.clear();
    const Shells<Words>& shells = shells_of(row);
    double looks = 0.0;
    Amplitudes amplitudes;
    for (const Term<Words>& term : terms_of(shells, row)) {
      for_each_of_s_squared(term.determinant, [&](const Determinant<Words>& d, double value) {
        looks += 1.0;
        amplitudes.add(assignment_of(shells, d), sign_of(d) * term.coefficient * value);
      });
    }
    std::vector<double> values;
    const double products = append(shells, amplitudes, values, 0.0, elements);
    return of_element * looks + of_look * products;
  }

  void unit_row(std::int64_t row, std::vector<Element>& elements) const override {
    if (by_csf()) return elements.assign(1, {row, 1.0});
    elements.clear();
    const Shells<Words>& shells = shells_of(row);
    const Term<Words> term = terms_of(shells, row).front();
    Amplitudes one;
    one.add(assignment_of(shells, term.determinant), sign_of(term.determinant));
    std::vector<double> values;
    append(shells, one, values, 0.0, elements);
  }

  std::int64_t row_of(std::int64_t function) const override {
    if (by_csf()) return function;
    const auto& shells = *(std::ranges::upper_bound(shells_, function, {}, &Shells<Words>::first_csf) - 1);
    const Spins& spins = spins_of(shells);
    const std::int64_t coupling = shells.couplings[static_cast<std::size_t>(function - shells.first_csf)];
    std::size_t largest = 0;
    const auto magnitude = [&](std::size_t a) { return std::abs(spins.of(a)[coupling]); };
    for (std::size_t a = 1; a < spins.alpha.size(); ++a) {
      if (magnitude(a) > magnitude(largest)) largest = a;
    }
    return shells.first_determinant + static_cast<std::int64_t>(largest);
  }

  void irreps(std::int64_t first, std::span<std::int8_t> irreps) const override {
    for (std::size_t k = 0; k < irreps.size(); ++k) {
      const auto& configuration = list_.configurations[static_cast<std::size_t>(first) + k];
      irreps[k] = static_cast<std::int8_t>(irrep_of(configuration.singly, integrals_.irreps));
    }
  }

private:
  static void require(bool condition, std::string_view what) {
    if (!condition) throw InputError(fmt::format("its CSFs are damaged: {}", what));
  }

  static CsfList<Words> read(const Integrals& integrals, const BasisSummary& summary,
                             const FunctionList& functions) {
    const auto n = static_cast<std::size_t>(summary.dimension);
    require(functions.steps.size() == n * static_cast<std::size_t>(integrals.num_orbitals),
            "there is not a step per CSF and orbital");
    CsfList<Words> list = csfs_of<Words>({FunctionKind::csf, summary.dimension, {}, {}, functions.steps});
    const int electrons = list.configurations.front().num_electrons();
    for (const auto& c : list.configurations)
      require(c.num_electrons() == electrons, "they differ in their electrons");
    return list;
  }

  /// All couplings of a configuration, once each.
  static void require_all(std::span<const std::int64_t> couplings, std::int64_t count) {
    std::vector<std::int64_t> sorted(couplings.begin(), couplings.end());
    std::ranges::sort(sorted);
    require(std::ssize(sorted) == count && std::ranges::adjacent_find(sorted) == sorted.end(),
            "a configuration has not each of its CSFs once");
  }

  void require_different() const {
    std::vector<Configuration<Words>> sorted;
    for (const Shells<Words>& shells : shells_) sorted.push_back(shells.configuration);
    std::ranges::sort(sorted);
    require(std::ranges::adjacent_find(sorted) == sorted.end(), "a configuration is there twice");
  }

  bool by_csf() const { return threshold_ > 0.0; }

  const Shells<Words>& shells_of(std::int64_t row) const {
    const auto first = by_csf() ? &Shells<Words>::first_csf : &Shells<Words>::first_determinant;
    return *(std::ranges::upper_bound(shells_, row, {}, first) - 1);
  }
  const Spins& spins_of(const Shells<Words>& shells) const {
    return spins_.at(shells.configuration.num_open());
  }
  static double sign_of(const Determinant<Words>& d) { return is_interleaving_negative(d) ? -1.0 : 1.0; }

  static std::size_t assignment_of(const Spins& spins, const Configuration<Words>& configuration,
                                   const Determinant<Words>& d) {
    std::uint64_t alpha = 0, bit = 1;
    configuration.singly.for_each([&](int p) {
      if (d.alpha.test(p)) alpha |= bit;
      bit <<= 1U;
    });
    return static_cast<std::size_t>(std::ranges::lower_bound(spins.alpha, alpha) - spins.alpha.begin());
  }
  std::size_t assignment_of(const Shells<Words>& shells, const Determinant<Words>& d) const {
    return assignment_of(spins_of(shells), shells.configuration, d);
  }

  /// The determinants of a row: one, or those of a CSF.
  std::vector<Term<Words>> terms_of(const Shells<Words>& shells, std::int64_t row) const {
    const Spins& spins = spins_of(shells);
    if (!by_csf()) {
      const auto assignment = static_cast<std::size_t>(row - shells.first_determinant);
      return {{determinant_of(shells.configuration, spins.alpha[assignment])}};
    }
    const std::int64_t coupling = shells.couplings[static_cast<std::size_t>(row - shells.first_csf)];
    std::vector<Term<Words>> terms;
    for (std::size_t a = 0; a < spins.alpha.size(); ++a) {
      const Determinant<Words> d = determinant_of(shells.configuration, spins.alpha[a]);
      if (spins.of(a)[coupling] != 0.0) terms.push_back({d, sign_of(d) * spins.of(a)[coupling]});
    }
    return terms;
  }

  /// Appends the overlaps of a sum with the CSFs of a configuration. @return multiplications
  double append(const Shells<Words>& shells, Amplitudes& amplitudes, std::vector<double>& values,
                double threshold, std::vector<Element>& elements) const {
    if (amplitudes.empty()) return 0.0;
    const double products = amplitudes.take(spins_of(shells), values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      add_element(shells.first_csf + static_cast<std::int64_t>(k),
                  values[static_cast<std::size_t>(shells.couplings[k])], threshold, elements);
    }
    return products;
  }

  const Integrals& integrals_;
  double threshold_;
  CsfList<Words> list_;
  std::vector<Shells<Words>> shells_;
  std::map<int, Spins> spins_;  ///< by number of open shells
  std::int64_t num_rows_ = 0;
  int num_alpha_ = 0;
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
