// SPDX-License-Identifier: MIT
#include "cisolve/space/space.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/space/single_occupancy.hpp"
#include "space/listed_space.hpp"

namespace cisolve {

template <int Words>
ListSpace<Words>::ListSpace(std::vector<Determinant<Words>> determinants, int num_orbitals, int irrep,
                            std::int64_t num_references, std::vector<std::int64_t> level_counts)
    : determinants_(std::move(determinants)), index_(determinants_), num_orbitals_(num_orbitals),
      irrep_(irrep), num_references_(num_references), level_counts_(std::move(level_counts)) {
  if (determinants_.empty()) return;
  num_alpha_ = determinants_[0].alpha.count();
  num_beta_ = determinants_[0].beta.count();
  for (const Determinant<Words>& d : determinants_) {
    if (d.alpha.count() != num_alpha_ || d.beta.count() != num_beta_) {
      throw DimensionError("ListSpace: determinants differ in their numbers of electrons");
    }
  }
}

template <int Words>
void ListSpace<Words>::enumerate(std::int64_t first, std::span<Determinant<Words>> out) const {
  std::copy_n(determinants_.begin() + first, out.size(), out.begin());
}

template <int Words>
std::uint64_t ListSpace<Words>::fingerprint() const {
  Hasher hasher;
  hasher.add("list");
  for (const Determinant<Words>& d : determinants_) hasher.add(mix(d));
  return hasher.digest();
}

template <int Words>
bool keeps_bounds(const SpaceSelection<Words>& selection, const Determinant<Words>& determinant) {
  if (selection.single_occupancy && (determinant.alpha & determinant.beta).count() > 0) return false;
  const auto electrons = [&](const BitString<Words>& orbitals) {
    return (determinant.alpha & orbitals).count() + (determinant.beta & orbitals).count();
  };
  if (const auto& holes = selection.max_holes) {
    if (2 * holes->orbitals.count() - electrons(holes->orbitals) > holes->count) return false;
  }
  if (const auto& particles = selection.max_particles) {
    if (electrons(particles->orbitals) > particles->count) return false;
  }
  return true;
}

template <int Words>
std::unique_ptr<Space<Words>> make_space(const SpaceSelection<Words>& selection) {
  if (selection.single_occupancy) return std::make_unique<SingleOccupancySpace<Words>>(selection);
  if (is_product(selection)) {
    SpaceSelection<Words> single = selection;
    single.references.resize(1);
    return std::make_unique<ProductSpace<Words>>(single);
  }
  if (selection.cas) {
    if (auto blocks = ProductSpace<Words>::from_cas(selection)) return blocks;
  }
  ListedDeterminants<Words> listed = list_determinants(selection);
  if (selection.cas) return make_list(selection, std::move(listed));
  if (auto blocks = ProductSpace<Words>::from_list(selection, listed.determinants, listed.level_counts)) {
    return blocks;
  }
  return make_list(selection, std::move(listed));
}

#define INSTANTIATE(W)                                                         \
  template class ListSpace<W>;                                                 \
  template bool keeps_bounds(const SpaceSelection<W>&, const Determinant<W>&); \
  template std::unique_ptr<Space<W>> make_space(const SpaceSelection<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
