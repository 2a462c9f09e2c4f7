// SPDX-License-Identifier: MIT
// What a frame's operations do to basis functions.
#include <algorithm>
#include <bit>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/symmetry.hpp"

namespace cisolve {

int irrep_of_parity(const SymmetryFrame& frame, int parity) {
  const int x = parity & 1, y = parity >> 1 & 1, z = parity >> 2 & 1;
  const std::string& group = frame.group.name();
  if (group == "D2h") return parity;
  if (group == "C2v") return x | y << 1;
  if (group == "C2h") return z | (x ^ y) << 1;
  if (group == "D2") return (x ^ z) | (y ^ z) << 1;
  if (group == "C1") return 0;
  return std::popcount(static_cast<unsigned>(parity & frame.operations[1])) & 1;  // Cs, C2, Ci: one operation
}

std::vector<FunctionImages> function_images(const GaussianBasis& basis, const SymmetryFrame& frame) {
  const auto parities = function_parities(basis);
  std::vector<int> first_shell(frame.geometry.atoms.size(), 0);  // of each atom
  for (int s = static_cast<int>(basis.shells.size()) - 1; s >= 0; --s) {
    first_shell[basis.shells[s].atom] = s;
  }
  std::vector<FunctionImages> all;
  for (std::size_t o = 0; o < frame.operations.size(); ++o) {
    FunctionImages& images = all.emplace_back();
    images.image.resize(basis.num_functions);
    images.sign.resize(basis.num_functions);
    for (std::size_t s = 0; s < basis.shells.size(); ++s) {
      const GaussianShell& shell = basis.shells[s];
      const int target =
          first_shell[frame.images[o][shell.atom]] + static_cast<int>(s) - first_shell[shell.atom];
      images.shell_image.push_back(target);
      for (int k = 0; k < shell.num_functions(); ++k) {
        const std::size_t f = shell.first_function + k;
        const auto flips = static_cast<unsigned>(frame.operations[o] & parities[f]);
        images.image[f] = basis.shells[target].first_function + k;
        images.sign[f] = (std::popcount(flips) & 1) != 0 ? -1.0 : 1.0;
      }
    }
  }
  return all;
}

SymmetryOrbitals make_symmetry_orbitals(const GaussianBasis& basis, const SymmetryFrame& frame) {
  const int n = basis.num_functions;
  const auto images = function_images(basis, frame);
  SymmetryOrbitals orbitals{Matrix(n, n), {}};
  for (int irrep = 0; irrep < frame.group.num_irreps(); ++irrep) {
    int parity = 0;
    while (irrep_of_parity(frame, parity) != irrep) ++parity;
    for (int f = 0; f < n; ++f) {
      // Of the functions that the operations carry into each other, the first makes the combination.
      const bool is_first =
          std::all_of(images.begin(), images.end(), [&](const FunctionImages& i) { return i.image[f] >= f; });
      if (!is_first) continue;
      const int column = static_cast<int>(orbitals.irreps.size());
      bool vanishes = column == n;
      for (std::size_t o = 0; o < images.size() && !vanishes; ++o) {
        const bool odd = (std::popcount(static_cast<unsigned>(frame.operations[o] & parity)) & 1) != 0;
        const std::size_t from = f;
        orbitals.vectors(images[o].image[from], column) += (odd ? -1.0 : 1.0) * images[o].sign[from];
      }
      vanishes = vanishes || orbitals.vectors(f, column) == 0.0;
      if (!vanishes) orbitals.irreps.push_back(irrep);
    }
  }
  if (static_cast<int>(orbitals.irreps.size()) != n)
    throw Error("symmetry orbitals: the irreps do not add up");
  return orbitals;
}

}  // namespace cisolve
