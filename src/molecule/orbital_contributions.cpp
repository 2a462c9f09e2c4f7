// SPDX-License-Identifier: MIT
#include "cisolve/molecule/orbital_contributions.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <utility>

#include "cisolve/core/thread_scope.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "molecule/eigen_views.hpp"
#include "molecule/orthonormal_coefficients.hpp"

namespace cisolve {
namespace {

/// Period of an element: principal quantum number of its valence s and p shells.
int period(int charge) {
  constexpr int noble_gases[] = {2, 10, 18, 36, 54, 86};
  return 1 + static_cast<int>(std::ranges::lower_bound(noble_gases, charge) - std::begin(noble_gases));
}

/// The first of the atoms that symmetry makes equal, for each atom.
std::vector<int> first_of_equals(const SymmetryFrame& frame) {
  std::vector<int> first(frame.geometry.atoms.size());
  for (std::size_t a = 0; a < first.size(); ++a) {
    first[a] = static_cast<int>(a);
    for (const std::vector<int>& image : frame.images) first[a] = std::min(first[a], image[a]);
  }
  return first;
}

/// "O", "H2+H3", "4 C": of each set of equal atoms, by its first.
std::map<int, std::string> names_of_equals(const SymmetryFrame& frame, const std::vector<int>& first) {
  const std::vector<std::string> names = atom_names(frame.geometry);
  std::map<int, std::vector<int>> sets;
  for (std::size_t a = 0; a < first.size(); ++a) sets[first[a]].push_back(static_cast<int>(a));
  std::map<int, std::string> result;
  for (const auto& [representative, atoms] : sets) {
    if (atoms.size() > 2) {
      result[representative] =
          fmt::format("{} {}", atoms.size(), atom_symbol(frame.geometry.atoms[representative]));
    } else {
      result[representative] = names[atoms.front()] + (atoms.size() == 2 ? "+" + names[atoms.back()] : "");
    }
  }
  return result;
}

/// The kind of each basis function: the atoms that it stands for and its shell.
std::vector<std::string> kinds_of_functions(const GaussianBasis& basis, const SymmetryFrame& frame) {
  const std::vector<int> first = first_of_equals(frame);
  const std::map<int, std::string> names = names_of_equals(frame, first);
  std::map<std::pair<int, int>, int> counts;  // shells of an atom and an angular momentum so far
  std::vector<std::string> of_function(static_cast<std::size_t>(basis.num_functions));
  for (const GaussianShell& shell : basis.shells) {
    const int element = frame.geometry.atoms[shell.atom].element();
    const int number = counts[{shell.atom, shell.angular_momentum}]++;
    const std::string kind =
        names.at(first[shell.atom]) + " " + shell_name(element, shell.angular_momentum, number);
    std::fill_n(of_function.begin() + shell.first_function, shell.num_functions(), kind);
  }
  return of_function;
}

std::string largest(const std::map<std::string, double>& parts, const ContributionConfig& config) {
  std::vector<std::pair<std::string, double>> sorted(parts.begin(), parts.end());
  constexpr double tie = 1e-9;  // rounding shall not decide what stands first
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second + tie; });
  std::string text;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k > 0 && (sorted[k].second < config.least || static_cast<int>(k) >= config.most)) break;
    text += fmt::format("{}{} {:.2f}", k == 0 ? "" : ", ", sorted[k].first, sorted[k].second);
  }
  return text;
}

}  // namespace

std::string shell_name(int charge, int angular_momentum, int number) {
  constexpr std::string_view letters = "spdfghiklmno";
  const int l = angular_momentum;
  const int valence = std::max(l + 1, period(charge) - std::max(l - 1, 0));
  return fmt::format("{}{}", std::min(l + 1 + number, valence),
                     letters.substr(static_cast<std::size_t>(l), 1));
}

std::vector<std::string> orbital_contributions(const GaussianBasis& basis, const SymmetryFrame& frame,
                                               const Matrix& coefficients, const ContributionConfig& config) {
  const ThreadScope one_thread(detail::threads_for_small_matrices);
  const Eigen::MatrixXd c = detail::orthonormal_coefficients({basis, frame.geometry, coefficients});
  const std::vector<std::string> of_function = kinds_of_functions(basis, frame);
  std::vector<std::string> texts;
  for (Eigen::Index k = 0; k < c.cols(); ++k) {
    std::map<std::string, double> parts;
    for (Eigen::Index f = 0; f < c.rows(); ++f) parts[of_function[f]] += c(f, k) * c(f, k);
    texts.push_back(largest(parts, config));
  }
  return texts;
}

}  // namespace cisolve
