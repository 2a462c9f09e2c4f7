// SPDX-License-Identifier: MIT
#include "molecule/scf_steps.hpp"

#include <limits>
#include <utility>

#include "molecule/lowest_root.hpp"
#include "molecule/orbital_rotations.hpp"

namespace cisolve::detail {
namespace {

using Eigen::VectorXd;

/// A block of rotations and the search for its lowest eigenvalue.
class BlockRoot : public LowestRoot {
public:
  explicit BlockRoot(RotationBlock block) : LowestRoot(block.diagonal()), block_(std::move(block)) {}
  const RotationBlock& block() const { return block_; }

private:
  RotationBlock block_;
};

/// Iterates all blocks together, their densities in one pass over the integrals.
void iterate(const OrbitalPoint& point, const Repulsion& repulsion, std::vector<BlockRoot>& roots) {
  for (;;) {
    std::vector<BlockRoot*> open;
    std::vector<std::pair<const RotationBlock*, const VectorXd*>> vectors;
    for (BlockRoot& root : roots) {
      if (root.finished()) continue;
      open.push_back(&root);
      vectors.emplace_back(&root.block(), &root.next());
    }
    if (open.empty()) return;
    const auto products = hessian_products(point, repulsion, vectors);
    for (std::size_t k = 0; k < open.size(); ++k) open[k]->add(products[k]);
  }
}

}  // namespace

Instability lowest_eigenvalue(const OrbitalPoint& point, const Repulsion& repulsion, int num_irreps) {
  const bool closed_shell = point.alpha == point.beta;
  std::vector<BlockRoot> roots;
  for (int irrep = 0; irrep < num_irreps; ++irrep) {
    for (const bool opposite : {false, true}) {
      if (opposite && !closed_shell) continue;
      RotationBlock block(point, irrep, opposite);
      if (block.size() > 0) roots.emplace_back(std::move(block));
    }
  }
  iterate(point, repulsion, roots);
  Instability lowest;
  lowest.eigenvalue = std::numeric_limits<double>::infinity();
  for (const BlockRoot& root : roots) {
    if (root.value() < lowest.eigenvalue)
      lowest = {root.value(), root.block().irrep(), root.block().opposite_spins()};
  }
  if (roots.empty()) lowest.eigenvalue = 0.0;
  return lowest;
}

InternalMode lowest_internal_mode(const OrbitalPoint& point, const Repulsion& repulsion) {
  RotationBlock block(point, 0, false);
  if (block.size() == 0) return {};
  std::vector<BlockRoot> root;
  root.emplace_back(std::move(block));
  iterate(point, repulsion, root);
  return {root.front().value(), root.front().block().kappa(root.front().vector())};
}

}  // namespace cisolve::detail
