// SPDX-License-Identifier: MIT
#include "tasks/orbitals/final_orbitals.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "cisolve/analysis/natural_orbitals.hpp"
#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Eigen::Map<const MatrixXd> view_of(const Matrix& m) { return {m.data(), m.rows(), m.columns()}; }

/// The largest coefficient of each orbital positive.
void set_sign(Eigen::Ref<Eigen::VectorXd> coefficients) {
  Index largest = 0;
  coefficients.cwiseAbs().maxCoeff(&largest);
  if (coefficients[largest] < 0.0) coefficients = -coefficients;
}

/// Orbitals of one class and irrep become eigenvectors of the Fock matrix, ascending.
void diagonalise(const std::vector<int>& orbitals, const MatrixXd& fock, MatrixXd& turn) {
  if (orbitals.empty()) return;
  const MatrixXd block = fock(orbitals, orbitals);
  turn(orbitals, orbitals) = symmetric_eigenpairs(0.5 * (block + block.transpose())).vectors;
}

/// Active orbitals of a subspace become natural ones, each in the first free place of its irrep.
/// @param members      of the subspace, numbers among the active ones
/// @param occupations  of the active orbitals: set for the members
void make_natural(const std::vector<int>& members, const std::vector<int>& active,
                  const ClassifiedOrbitals& orbitals, const MatrixXd& one, MatrixXd& turn,
                  Eigen::VectorXd& occupations) {
  const int count = static_cast<int>(members.size());
  Matrix block(count, count);
  Eigen::Map<MatrixXd>(block.data(), count, count) = one(members, members);
  std::vector<int> irreps, places;
  for (const int u : members) {
    places.push_back(active[static_cast<std::size_t>(u)]);
    irreps.push_back(orbitals.irreps[static_cast<std::size_t>(places.back())]);
  }
  const NaturalOrbitals natural = natural_orbitals(block, irreps);
  std::vector<bool> taken(members.size(), false);
  for (std::size_t k = 0; k < members.size(); ++k) {
    std::size_t place = 0;
    while (taken[place] || irreps[place] != natural.irreps[k]) ++place;
    taken[place] = true;
    turn(places, places[place]) = view_of(natural.coefficients).row(static_cast<Index>(k)).transpose();
    occupations[members[place]] = natural.occupations[k];
  }
}

/// make_natural of all subspaces, whose places are taken by ascending rank; without ranks as they come.
void make_natural(const std::vector<int>& active, const ClassifiedOrbitals& orbitals, const Matrix& one,
                  std::span<const int> ranks, MatrixXd& turn, Eigen::VectorXd& occupations) {
  std::map<int, std::vector<int>> subspaces;
  for (std::size_t u = 0; u < active.size(); ++u) {
    const auto p = static_cast<std::size_t>(active[u]);
    subspaces[orbitals.subspaces.empty() ? 0 : orbitals.subspaces[p]].push_back(static_cast<int>(u));
  }
  for (auto& [number, members] : subspaces) {
    if (!ranks.empty())
      std::ranges::stable_sort(members, {}, [&](int u) { return ranks[static_cast<std::size_t>(u)]; });
    make_natural(members, active, orbitals, view_of(one), turn, occupations);
  }
}

/// Fills in what turned orbitals are.
void complete(const MatrixXd& turned, const MatrixXd& turn, const MatrixXd& fock,
              const std::vector<int>& active, const Eigen::VectorXd& occupations, FinalSet& result) {
  for (Index p = 0; p < turned.cols(); ++p) {
    result.energies.push_back(turn.col(p).dot(fock * turn.col(p)));
    result.occupations.push_back(
        result.orbitals.classes[static_cast<std::size_t>(p)] == OrbitalClass::inactive ? 2.0 : 0.0);
  }
  for (std::size_t u = 0; u < active.size(); ++u)
    result.occupations[static_cast<std::size_t>(active[u])] = occupations[static_cast<Index>(u)];
  std::copy_n(turned.data(), turned.size(), result.orbitals.coefficients.data());
}

}  // namespace

FinalSet natural_set(const ClassifiedOrbitals& orbitals, const Matrix& fock, const Matrix& one,
                     std::span<const int> ranks) {
  const std::vector<int> active = orbitals.of(OrbitalClass::active);
  FinalSet result{orbitals, {}, {}, true};
  const MatrixXd f = view_of(fock);
  MatrixXd turn = MatrixXd::Identity(f.rows(), f.cols());
  Eigen::VectorXd occupations = view_of(one).diagonal();
  make_natural(active, orbitals, one, ranks, turn, occupations);
  MatrixXd turned = view_of(orbitals.coefficients) * turn;
  for (const int p : active) set_sign(turned.col(p));
  complete(turned, turn, f, active, occupations, result);
  return result;
}

FinalSet final_set(const ClassifiedOrbitals& orbitals, const Matrix& fock, const Matrix& one,
                   FinalOrbitals how, std::span<const int> fixed) {
  const std::vector<int> active = orbitals.of(OrbitalClass::active);
  const auto is_fixed = [&](int p) { return std::ranges::count(fixed, p) > 0; };
  FinalSet result{orbitals, {}, {}, how == FinalOrbitals::natural && std::ranges::none_of(active, is_fixed)};
  const MatrixXd f = view_of(fock);
  MatrixXd turn = MatrixXd::Identity(f.rows(), f.cols());
  const int num_irreps = 1 + *std::ranges::max_element(orbitals.irreps);
  for (const OrbitalClass which : {OrbitalClass::inactive, OrbitalClass::empty}) {
    for (int irrep = 0; irrep < num_irreps && how != FinalOrbitals::unchanged; ++irrep) {
      std::vector<int> block = orbitals.of(which);
      std::erase_if(
          block, [&](int p) { return orbitals.irreps[static_cast<std::size_t>(p)] != irrep || is_fixed(p); });
      diagonalise(block, f, turn);
    }
  }
  Eigen::VectorXd occupations = view_of(one).diagonal();
  if (result.active_turned) make_natural(active, orbitals, one, {}, turn, occupations);
  MatrixXd turned = view_of(orbitals.coefficients) * turn;
  for (Index p = 0; p < turned.cols(); ++p) {
    const bool is_active = orbitals.classes[static_cast<std::size_t>(p)] == OrbitalClass::active;
    const bool has_turned = !is_fixed(static_cast<int>(p)) && how != FinalOrbitals::unchanged;
    if (is_active ? result.active_turned : has_turned)
      set_sign(turned.col(p));  // vectors go with active ones
  }
  complete(turned, turn, f, active, occupations, result);
  return result;
}

}  // namespace cisolve
