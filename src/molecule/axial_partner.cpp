// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>

#include "molecule/eigen_views.hpp"
#include "molecule/scf_orbitals.hpp"
#include "molecule/scf_search.hpp"

namespace cisolve::detail {
namespace {

bool is_on_z(const SymmetryFrame& frame) {
  const auto is_off = [](const auto& at) { return at.position[0] != 0.0 || at.position[1] != 0.0; };
  const Surroundings& around = frame.geometry.surroundings;
  if (std::ranges::any_of(frame.geometry.atoms, is_off) || std::ranges::any_of(around.charges, is_off) ||
      around.field[0] != 0.0 || around.field[1] != 0.0)
    return false;
  return frame.group.name() == "D2h" || frame.group.name() == "C2v";  // whose irreps tell x from y
}

/// Of each function of a shell the one that it becomes where x and y change places, and its sign.
std::vector<std::pair<int, double>> exchanged_functions(const GaussianShell& shell) {
  const int l = shell.angular_momentum;
  std::vector<std::pair<int, double>> images;
  if (shell.spherical) {
    // cos(m phi) and sin(|m| phi), for m = -l .. l, with phi to pi/2 - phi.
    for (int m = -l; m <= l; ++m) {
      const int n = std::abs(m);
      const double sign = n / 2 % 2 == 0 ? 1.0 : -1.0;
      if (n % 2 != 0) {
        images.emplace_back(l - m, sign);
      } else {
        images.emplace_back(l + m, m < 0 ? -sign : sign);
      }
    }
    return images;
  }
  // xx, xy, xz, yy, yz, zz.
  const auto number = [l](int x, int y) {
    const int rest = l - x;
    return rest * (rest + 1) / 2 + rest - y;
  };
  for (int x = l; x >= 0; --x) {
    for (int y = l - x; y >= 0; --y) images.emplace_back(number(y, x), 1.0);
  }
  return images;
}

/// Bits 0 and 1, of x and of y, change places.
int exchanged_irrep(int irrep) { return (irrep & ~3) | (irrep & 1) << 1 | (irrep >> 1 & 1); }

}  // namespace

std::optional<OccupiedOrbitals> axial_partner(const ScfSetting& setting, const ScfState& state) {
  if (!is_on_z(setting.molecule.frame)) return std::nullopt;
  Occupation partner = state.occupation;
  for (int irrep = 0; irrep < setting.basis.num_irreps(); ++irrep) {
    partner.doubly[exchanged_irrep(irrep)] = state.occupation.doubly[irrep];
    partner.singly[exchanged_irrep(irrep)] = state.occupation.singly[irrep];
  }
  if (std::pair(partner.doubly, partner.singly) <=
      std::pair(state.occupation.doubly, state.occupation.singly))
    return std::nullopt;
  const ScfOrbitals canonical = canonical_orbitals(setting, state);
  ScfOrbitals exchanged = canonical;
  for (int& irrep : exchanged.irreps) irrep = exchanged_irrep(irrep);
  for (const GaussianShell& shell : setting.molecule.basis.shells) {
    const auto images = exchanged_functions(shell);
    for (std::size_t f = 0; f < images.size(); ++f) {
      as_eigen(exchanged.coefficients).row(shell.first_function + images[f].first) =
          images[f].second * as_eigen(canonical.coefficients).row(shell.first_function + static_cast<int>(f));
    }
  }
  return carry_occupied(exchanged, setting.basis, setting.one_electron.overlap);
}

}  // namespace cisolve::detail
