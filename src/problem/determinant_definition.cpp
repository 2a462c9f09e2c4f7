// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <bit>

#include "cisolve/hamiltonian/slater_condon.hpp"
#include "problem/definition_parts.hpp"
#include "problem/spin_operators.hpp"
#include "problem/string_runs.hpp"

namespace cisolve::definition {
namespace {

/// The beta strings of a space within two excitations of one.
template <int Words>
struct NearStrings {
  static constexpr int most = 2;  // electrons that an element of H moves

  NearStrings(const std::vector<BitString<Words>>& strings, const BitString<Words>& centre)
      : degree(strings.size()) {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      const int moved = (strings[i] & ~centre).count();
      degree[i] = static_cast<std::uint8_t>(std::min(moved, most + 1));
      for (int d = moved; d <= most; ++d) within[d].push_back(static_cast<std::int32_t>(i));
    }
  }

  std::vector<std::uint8_t> degree;
  std::array<std::vector<std::int32_t>, most + 1> within;  ///< ascending
};

template <int Words>
class DeterminantRows final : public DefinitionRows {
public:
  using Run = typename StringRuns<Words>::Run;

  DeterminantRows(const Integrals& integrals, const BasisSummary& summary, const FunctionList& functions,
                  double threshold)
      : integrals_(integrals), space_(summary, functions, integrals.num_orbitals), threshold_(threshold) {
    for (const BitString<Words>& beta : space_.beta())
      beta_irreps_.push_back(static_cast<std::int8_t>(irrep_of(beta, integrals.irreps)));
  }

  std::int64_t size() const override { return space_.size(); }
  std::int64_t num_rows() const override { return space_.size(); }
  std::int64_t row_of(std::int64_t function) const override { return function; }
  void unit_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.assign(1, {row, 1.0});
  }

  double hamiltonian_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.clear();
    const Determinant<Words> bra = space_.determinant(row);
    const NearStrings<Words> near(space_.beta(), bra.beta);
    const auto& alpha = space_.alpha();
    double looks = static_cast<double>(alpha.size() + space_.beta().size());
    for (std::size_t a = 0; a < alpha.size(); ++a) {
      const int left = NearStrings<Words>::most - (alpha[a] & ~bra.alpha).count();
      if (left < 0) continue;
      for (const std::int32_t r : space_.runs_of(static_cast<std::int32_t>(a))) {
        const Run& run = space_.runs()[r];
        const auto add = [&](std::int64_t place, std::int32_t beta) {
          const Determinant<Words> ket{alpha[a], space_.beta()[beta]};
          add_element(run.first_row + place, matrix_element(integrals_, bra, ket), threshold_, elements);
        };
        looks += visit_near(run, near, left, add);
      }
    }
    return of_look * looks + of_element * static_cast<double>(elements.size());
  }

  bool has_spin_rows() const override { return !integrals_.is_unrestricted(); }

  double spin_row(std::int64_t row, std::vector<Element>& elements) const override {
    elements.clear();
    double looks = 0.0;
    for_each_of_s_squared(space_.determinant(row), [&](const Determinant<Words>& d, double value) {
      looks += 1.0;
      const std::int64_t column = space_.find(d);
      if (column >= 0) elements.push_back({column, value});
    });
    return of_element * looks;
  }

  void irreps(std::int64_t first, std::span<std::int8_t> irreps) const override {
    std::int64_t row = first;
    for (const Run* run = &space_.run_of(first); row < first + std::ssize(irreps); ++run) {
      const int of_alpha = irrep_of(space_.alpha()[run->alpha], integrals_.irreps);
      const std::int64_t end = std::min(run->first_row + std::ssize(run->betas), first + std::ssize(irreps));
      for (; row < end; ++row) {
        const std::int32_t beta = run->betas[static_cast<std::size_t>(row - run->first_row)];
        irreps[static_cast<std::size_t>(row - first)] =
            static_cast<std::int8_t>(of_alpha ^ beta_irreps_[beta]);
      }
    }
  }

private:
  /// Calls visit(place, beta) for the beta strings of a run that are near enough: by looking at all of them, or for each
  /// of those that are near, whichever is less. @return strings looked at
  template <class Visit>
  static double visit_near(const Run& run, const NearStrings<Words>& near, int left, Visit&& visit) {
    const std::vector<std::int32_t>& wanted = near.within[left];
    const std::size_t steps = std::bit_width(run.betas.size());
    if (run.ascending && wanted.size() * steps < run.betas.size()) {
      for (const std::int32_t beta : wanted) {
        const std::int64_t place = StringRuns<Words>::place_in(run, beta);
        if (place >= 0) visit(place, beta);
      }
      return static_cast<double>(wanted.size() * steps);
    }
    for (std::size_t k = 0; k < run.betas.size(); ++k) {
      if (near.degree[run.betas[k]] <= left) visit(static_cast<std::int64_t>(k), run.betas[k]);
    }
    return static_cast<double>(run.betas.size());
  }

  const Integrals& integrals_;
  StringRuns<Words> space_;
  double threshold_;
  std::vector<std::int8_t> beta_irreps_;
};

}  // namespace

template <int Words>
std::unique_ptr<DefinitionRows> determinant_rows(const Integrals& integrals, const BasisSummary& summary,
                                                 const FunctionList& functions, double threshold) {
  return std::make_unique<DeterminantRows<Words>>(integrals, summary, functions, threshold);
}

#define INSTANTIATE(W)                                                                                \
  template std::unique_ptr<DefinitionRows> determinant_rows<W>(const Integrals&, const BasisSummary&, \
                                                               const FunctionList&, double);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::definition
