// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "cisolve/lapw/radial.hpp"
#include "cisolve/lapw/synthetic.hpp"
#include "lapw_benchmark.hpp"

namespace cisolve::bench {
namespace {

using namespace lapw;

class SyntheticLapw : public LapwProblem {
public:
  explicit SyntheticLapw(const SyntheticSize& size) : tins_(synthetic_tins(size)), source_(size) {
    for (std::int64_t atom = 0; atom < size.atoms; ++atom)
      types_.push_back(static_cast<int>(atom % size.types));
    constexpr double share = 0.4;
    for (const double kinetic : synthetic_kinetic(size)) h_.push_back(share * kinetic);
    s_.assign(h_.size(), share);
    problem_ = {.atom_types = types_, .tins = tins_, .coefficients = &source_};
    problem_.outside.h_diagonal = h_;
    problem_.outside.s_diagonal = s_;
  }
  const MatrixProblem& problem() const override { return problem_; }

private:
  std::vector<MuffinTin> tins_;
  SyntheticCoefficients source_;
  std::vector<int> types_;
  std::vector<double> h_, s_;
  MatrixProblem problem_;
};

/// Two kinds of atoms in turns on a simple cubic grid, flat potential, and a non-spherical part of pseudo-random numbers.
class GridLapw : public LapwProblem {
public:
  explicit GridLapw(const LapwOptions& options) {
    constexpr double spacing = 5.0, radius = 2.2;  // bohr
    const int edge = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(options.atoms)) - 1e-9));
    const double length = spacing * edge;
    crystal_.lattice.a = {{{length, 0, 0}, {0, length, 0}, {0, 0, length}}};
    for (int atom = 0; atom < options.atoms; ++atom) {
      const int x = atom % edge, y = atom / edge % edge, z = atom / (edge * edge);
      crystal_.atoms.push_back({.type = (x + y + z) % options.types,
                                .position = {(x + 0.1) / edge, (y + 0.2) / edge, (z + 0.3) / edge}});
    }
    for (int type = 0; type < options.types; ++type) add_type(options, radius, type);
    const Vector3 k = {0.11, 0.23, 0.37};
    // A cutoff that gives more plane waves than are asked for: the first of them are taken.
    double k_max = std::cbrt(6.0 * std::numbers::pi * std::numbers::pi * static_cast<double>(options.waves) /
                             crystal_.lattice.volume());
    std::vector<Index3> waves;
    while (std::ssize(waves) < options.waves) {
      k_max *= 1.01;
      waves = plane_waves(crystal_.lattice, k, k_max);
    }
    waves.resize(static_cast<std::size_t>(options.waves));
    matching_ = match_waves(crystal_, k, std::move(waves));
    const std::vector<Index3> lists[] = {matching_.g};
    tables_ = make_interstitial(crystal_, nullptr, largest_differences(lists), 2.0 * k_max);
    source_.emplace(crystal_, matching_);
    for (const AtomType& type : crystal_.types) tins_.push_back(muffin_tin(type));
    for (const AtomSite& atom : crystal_.atoms) types_.push_back(atom.type);
    problem_ = {.atom_types = types_, .tins = tins_, .coefficients = &*source_};
    problem_.outside.tables = &tables_;
    problem_.crystal = &crystal_;
    problem_.matching = &matching_;
  }
  const MatrixProblem& problem() const override { return problem_; }

private:
  void add_type(const LapwOptions& options, double radius, int number) {
    AtomType type{.name = std::to_string(number + 1),
                  .radius = radius - 0.1 * number,
                  .lmax = options.lmax,
                  .lmax_nonspherical = options.lmax};
    type.energy.assign(static_cast<std::size_t>(options.lmax) + 1, 0.15 + 0.1 * number);
    crystal_.types.push_back(type);
    const int atom =
        static_cast<int>(std::ranges::find(crystal_.atoms, number, &AtomSite::type) - crystal_.atoms.begin());
    AtomType& added = crystal_.types.back();
    added.lmax_nonspherical = -1;
    solve_radial(added, *potential_at(crystal_, atom, {}), RadialEquation::schroedinger);
    added.lmax_nonspherical = options.lmax;
    const SyntheticSize size{
        .atoms = 1, .waves = 1, .lmax = options.lmax, .types = number + 1, .hpd_share = 0.0};
    const MuffinTin random = synthetic_tins(size).back();
    added.nonspherical = {random.t_aa, random.t_ab, random.t_bb};
    for (ComplexMatrix* part : {&added.nonspherical.aa, &added.nonspherical.ab, &added.nonspherical.bb}) {
      for (int j = 0; j < part->columns(); ++j) (*part)(j, j) = 0.0;
    }
  }

  Crystal crystal_;
  MatchingTables matching_;
  Interstitial tables_;
  std::optional<MatchingCoefficients> source_;
  std::vector<MuffinTin> tins_;
  std::vector<int> types_;
  MatrixProblem problem_;
};

}  // namespace

std::unique_ptr<LapwProblem> make_lapw_problem(const LapwOptions& options) {
  if (options.crystal) return std::make_unique<GridLapw>(options);
  return std::make_unique<SyntheticLapw>(SyntheticSize{
      .atoms = options.atoms, .waves = options.waves, .lmax = options.lmax, .types = options.types});
}

}  // namespace cisolve::bench
