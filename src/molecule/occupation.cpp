// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"

namespace cisolve::detail {
namespace {

struct Level {
  double energy;
  int irrep;
};

/// All orbitals by energy; within a group of degenerate ones by irrep.
std::vector<Level> sorted_levels(const std::vector<std::vector<double>>& energies, double degeneracy) {
  std::vector<Level> levels;
  for (std::size_t irrep = 0; irrep < energies.size(); ++irrep) {
    for (const double e : energies[irrep]) levels.push_back({e, static_cast<int>(irrep)});
  }
  std::sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.energy < b.energy; });
  for (auto first = levels.begin(); first != levels.end();) {
    auto last = first + 1;
    while (last != levels.end() && last->energy - (last - 1)->energy < degeneracy) ++last;
    std::stable_sort(first, last, [](const Level& a, const Level& b) { return a.irrep < b.irrep; });
    first = last;
  }
  return levels;
}

std::vector<int> checked(const std::vector<int>& given, const std::string& key, const SymmetryFrame& frame) {
  const int irreps = frame.group.num_irreps();
  if (static_cast<int>(given.size()) > irreps) {
    throw InputError(fmt::format("{}: found {} numbers, but the point group {} has {} irreps", key,
                                 given.size(), frame.group.name(), irreps));
  }
  std::vector<int> padded = given;
  padded.resize(irreps, 0);
  return padded;
}

int sum(const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); }

}  // namespace

Occupation given_occupation(const ScfConfig& config, const SymmetryFrame& frame,
                            const std::vector<int>& sizes) {
  const int singly = config.num_alpha - config.num_beta;
  Occupation occupation;
  occupation.doubly = checked(*config.doubly_occupied, config.names.doubly, frame);
  if (config.singly_occupied) {
    occupation.singly = checked(*config.singly_occupied, config.names.singly, frame);
  } else {
    occupation.singly.assign(occupation.doubly.size(), 0);
  }
  const auto refuse = [&](const std::string& key, int found, int expected, const char* what) {
    throw InputError(
        fmt::format("{}: {} orbitals, but {} electrons with multiplicity {} have {} {} occupied orbitals",
                    key, found, config.num_alpha + config.num_beta, singly + 1, expected, what));
  };
  if (sum(occupation.doubly) != config.num_beta) {
    refuse(config.names.doubly, sum(occupation.doubly), config.num_beta, "doubly");
  }
  if (sum(occupation.singly) != singly) refuse(config.names.singly, sum(occupation.singly), singly, "singly");
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (occupation.doubly[k] + occupation.singly[k] > sizes[k]) {
      throw InputError(fmt::format("{}: {} occupied orbitals of {}, but the basis has {}",
                                   config.names.doubly, occupation.doubly[k] + occupation.singly[k],
                                   frame.group.irrep_name(static_cast<int>(k) + 1), sizes[k]));
    }
  }
  return occupation;
}

Occupation lowest_occupation(const std::vector<std::vector<double>>& energies, int num_doubly, int num_singly,
                             double degeneracy, std::optional<std::pair<int, int>>* competing) {
  const auto levels = sorted_levels(energies, degeneracy);
  Occupation occupation{std::vector<int>(energies.size(), 0), std::vector<int>(energies.size(), 0)};
  const auto doubly = static_cast<std::size_t>(num_doubly),
             filled = static_cast<std::size_t>(num_doubly + num_singly);
  for (std::size_t k = 0; k < filled; ++k) {
    ++(k < doubly ? occupation.doubly : occupation.singly)[levels[k].irrep];
  }
  for (const std::size_t limit : {doubly, filled}) {
    if (competing == nullptr || limit == 0 || limit >= levels.size()) continue;
    const Level &below = levels[limit - 1], &above = levels[limit];
    if (below.irrep == above.irrep || std::abs(above.energy - below.energy) >= degeneracy) continue;
    *competing = {below.irrep, above.irrep};
  }
  return occupation;
}

}  // namespace cisolve::detail
