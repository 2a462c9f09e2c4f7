// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cisolve/lapw/radial.hpp"

namespace cisolve::lapw {

/// Two kinds of atoms that differ in all that they can differ in, in a lattice without symmetry.
class TwoKinds {
public:
  explicit TwoKinds(double k_max = 2.2) {
    crystal_.lattice.a = {{{6.1, 0.2, 0.0}, {-0.3, 5.8, 0.4}, {0.1, 0.5, 6.4}}};
    crystal_.types = {{.name = "X", .radius = 1.5, .lmax = 5, .lmax_nonspherical = 3, .energy = {}},
                      {.name = "Y", .radius = 1.3, .lmax = 4, .lmax_nonspherical = -1, .energy = {}}};
    for (AtomType& type : crystal_.types) {
      for (int l = 0; l <= type.lmax; ++l) type.energy.push_back(0.2 + 0.03 * l);
    }
    const double c = std::cos(0.4), s = std::sin(0.4);
    crystal_.atoms = {
        {.type = 0, .position = {0.1, 0.2, 0.05}, .rotation = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}},
        {.type = 1, .position = {0.6, 0.55, 0.62}},
        {.type = 1, .position = {0.62, 0.1, 0.15}, .rotation = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}}};
    potential_.g = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 1}, {0, -1, -1}, {0, 0, 0}};
    potential_.v = {{-0.1, 0.03}, {-0.1, -0.03}, {0.05, 0.0}, {0.05, 0.0}, {-0.2, 0.0}};
    for (int type = 0; type < 2; ++type)
      solve_radial(crystal_.types[type], *potential_at(crystal_, type, potential_),
                   RadialEquation::schroedinger);
    const Vector3 k = {0.13, -0.21, 0.37};
    waves_ = match_waves(crystal_, k, plane_waves(crystal_.lattice, k, k_max));
    const std::vector<Index3> lists[] = {waves_.g};
    tables_ = make_interstitial(crystal_, &potential_, largest_differences(lists), 2.0 * k_max);
    source_.emplace(crystal_, waves_);
    for (const AtomType& type : crystal_.types) tins_.push_back(muffin_tin(type));
    for (const AtomSite& atom : crystal_.atoms) types_.push_back(atom.type);
    problem_ = {.atom_types = types_,
                .tins = tins_,
                .coefficients = &*source_,
                .outside = {.tables = &tables_, .potential = &potential_},
                .crystal = &crystal_,
                .matching = &waves_};
  }
  TwoKinds(const TwoKinds&) = delete;
  TwoKinds& operator=(const TwoKinds&) = delete;

  const MatrixProblem& problem() const { return problem_; }
  const Crystal& crystal() const { return crystal_; }

private:
  Crystal crystal_;
  FourierPotential potential_;
  MatchingTables waves_;
  Interstitial tables_;
  std::optional<MatchingCoefficients> source_;
  std::vector<MuffinTin> tins_;
  std::vector<int> types_;
  MatrixProblem problem_;
};

}  // namespace cisolve::lapw
