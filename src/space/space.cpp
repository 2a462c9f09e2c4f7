// SPDX-License-Identifier: MIT
#include "cisolve/space/space.hpp"

#include <algorithm>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"

namespace cisolve {
namespace {

template <int Words>
void check(const SpaceSelection<Words>& selection) {
  if (selection.references.empty()) throw DimensionError("space: no reference determinant");
  if (selection.irreps.size() != static_cast<std::size_t>(selection.num_orbitals)) {
    throw DimensionError("space: one irrep label per orbital is needed");
  }
  if (selection.num_orbitals > BitString<Words>::max_orbitals) {
    throw DimensionError("space: more orbitals than a string has bits");
  }
  for (const Determinant<Words>& d : selection.references) {
    if (d.alpha.count() != selection.references[0].alpha.count() ||
        d.beta.count() != selection.references[0].beta.count()) {
      throw DimensionError("space: references differ in their numbers of electrons");
    }
  }
}

/// Largest level of one spin's strings.
int max_level(int num_electrons, int num_orbitals) {
  return std::min(num_electrons, num_orbitals - num_electrons);
}

template <int Words>
StringSelection<Words> strings_of(const SpaceSelection<Words>& selection, const BitString<Words>& reference) {
  return {
      .num_orbitals = selection.num_orbitals,
      .reference = reference,
      .max_level = std::min(selection.excitation_level, max_level(reference.count(), selection.num_orbitals)),
      .irreps = selection.irreps,
      .class_by_irrep = selection.irrep != any_irrep};
}

template <int Words>
const SpaceSelection<Words>& checked_single_reference(const SpaceSelection<Words>& selection) {
  check(selection);
  if (selection.references.size() != 1) throw DimensionError("ProductSpace: one reference is needed");
  return selection;
}

}  // namespace

template <int Words>
int max_excitation_level(const SpaceSelection<Words>& selection) {
  return max_level(selection.references[0].alpha.count(), selection.num_orbitals) +
         max_level(selection.references[0].beta.count(), selection.num_orbitals);
}

template <int Words>
std::vector<double> count_determinants(const SpaceSelection<Words>& selection) {
  check(selection);
  const Determinant<Words>& reference = selection.references[0];
  const int levels = std::min(selection.excitation_level, max_excitation_level(selection)) + 1;
  const auto strings = [&](const BitString<Words>& s) {
    std::vector<bool> occupied(static_cast<std::size_t>(selection.num_orbitals));
    for (int p = 0; p < selection.num_orbitals; ++p) occupied[static_cast<std::size_t>(p)] = s.test(p);
    return count_strings(selection.num_orbitals, occupied, strings_of(selection, s).max_level,
                         selection.irreps);
  };
  const auto alpha = strings(reference.alpha);
  const auto beta = strings(reference.beta);
  std::vector<double> counts(static_cast<std::size_t>(levels), 0.0);
  for (std::size_t a = 0; a < alpha.size(); ++a) {
    for (std::size_t b = 0; b < beta.size() && a + b < counts.size(); ++b) {
      for (std::size_t g = 0; g < 8; ++g) {
        for (std::size_t k = 0; k < 8; ++k) {
          if (selection.irrep != any_irrep && (g ^ k) != static_cast<std::size_t>(selection.irrep)) continue;
          counts[a + b] += alpha[a][g] * beta[b][k];
        }
      }
    }
  }
  return counts;
}

template <int Words>
ProductSpace<Words>::ProductSpace(const SpaceSelection<Words>& selection)
    : selection_(checked_single_reference(selection)),
      num_levels_(std::min(selection.excitation_level, max_excitation_level(selection)) + 1),
      alpha_(strings_of(selection, selection.references[0].alpha)),
      beta_(strings_of(selection, selection.references[0].beta)) {
  run_offsets_.reserve(run_number(num_levels_, 0) + 1);
  std::int64_t rows = 0;
  for (int level = 0; level < num_levels_; ++level) {
    for (std::int32_t a = 0; a < alpha_.size(); ++a) {
      run_offsets_.push_back(rows);
      rows += static_cast<std::int64_t>(run_betas(level, a).size());
    }
  }
  run_offsets_.push_back(rows);
}

template <int Words>
std::span<const std::int32_t> ProductSpace<Words>::run_betas(int level, std::int32_t alpha) const {
  const int irrep = selection_.irrep == any_irrep ? 0 : selection_.irrep ^ alpha_.irrep(alpha);
  return beta_.members(level - alpha_.level(alpha), irrep);
}

template <int Words>
std::int64_t ProductSpace<Words>::run_of_row(std::int64_t row) const {
  return std::upper_bound(run_offsets_.begin(), run_offsets_.end(), row) - run_offsets_.begin() - 1;
}

template <int Words>
std::int64_t ProductSpace<Words>::find(const Determinant<Words>& determinant) const {
  const std::int32_t a = alpha_.find(determinant.alpha);
  if (a < 0) return -1;
  const std::int32_t b = beta_.find(determinant.beta);
  if (b < 0) return -1;
  const int level = alpha_.level(a) + beta_.level(b);
  if (level >= num_levels_) return -1;
  if (selection_.irrep != any_irrep && (alpha_.irrep(a) ^ beta_.irrep(b)) != selection_.irrep) return -1;
  return run_offset(level, a) + beta_.position(b);
}

template <int Words>
void ProductSpace<Words>::enumerate(std::int64_t first, std::span<Determinant<Words>> out) const {
  std::size_t done = 0;
  for (std::int64_t run = out.empty() ? 0 : run_of_row(first); done < out.size(); ++run) {
    const auto level = static_cast<int>(run / alpha_.size());
    const auto a = static_cast<std::int32_t>(run % alpha_.size());
    const auto betas = run_betas(level, a);
    for (auto j = static_cast<std::size_t>(std::max<std::int64_t>(first - run_offset(level, a), 0));
         j < betas.size() && done < out.size(); ++j) {
      out[done++] = {alpha_[a], beta_[betas[j]]};
    }
  }
}

template <int Words>
std::int64_t ProductSpace<Words>::num_references() const {
  return run_offsets_[run_number(1, 0)];
}

template <int Words>
std::vector<std::int64_t> ProductSpace<Words>::level_counts() const {
  std::vector<std::int64_t> counts;
  for (int level = 0; level < num_levels_; ++level) {
    counts.push_back(run_offsets_[run_number(level + 1, 0)] - run_offsets_[run_number(level, 0)]);
  }
  return counts;
}

template <int Words>
std::uint64_t ProductSpace<Words>::fingerprint() const {
  // Determined by the selection; listing it is as good as hashing every determinant.
  Hasher hasher;
  hasher.add("product");
  hasher.add(std::int64_t{selection_.num_orbitals});
  hasher.add(std::int64_t{num_levels_});
  hasher.add(std::int64_t{selection_.irrep});
  hasher.add(mix(selection_.references[0]));
  if (selection_.irrep != any_irrep) {
    for (const int irrep : selection_.irreps) hasher.add(std::int64_t{irrep});
  }
  return hasher.digest();
}

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
bool is_product(const SpaceSelection<Words>& selection) {
  check(selection);
  const bool full = selection.excitation_level >= max_excitation_level(selection);
  if (selection.references.size() > 1 && !full) return false;
  const Determinant<Words>& reference = selection.references[0];
  if (selection.spin_complete && !full && reference.alpha != reference.beta) return false;
  const auto may_exceed = [&](const OccupationBound<Words>& bound, int of_reference) {
    const int most = std::min(2 * bound.orbitals.count(), of_reference + selection.excitation_level);
    return most > bound.count;
  };
  const auto electrons = [&](const BitString<Words>& orbitals) {
    return (reference.alpha & orbitals).count() + (reference.beta & orbitals).count();
  };
  if (const auto& holes = selection.max_holes) {
    if (may_exceed(*holes, 2 * holes->orbitals.count() - electrons(holes->orbitals))) return false;
  }
  const auto& particles = selection.max_particles;
  return !particles || !may_exceed(*particles, electrons(particles->orbitals));
}

template <int Words>
std::unique_ptr<Space<Words>> make_space(const SpaceSelection<Words>& selection) {
  if (!is_product(selection)) return make_multireference_space(selection);
  SpaceSelection<Words> single = selection;
  single.references.resize(1);
  return std::make_unique<ProductSpace<Words>>(single);
}

template class ProductSpace<1>;
template class ProductSpace<2>;
template class ListSpace<1>;
template class ListSpace<2>;
template int max_excitation_level(const SpaceSelection<1>&);
template int max_excitation_level(const SpaceSelection<2>&);
template std::vector<double> count_determinants(const SpaceSelection<1>&);
template std::vector<double> count_determinants(const SpaceSelection<2>&);
template bool keeps_bounds(const SpaceSelection<1>&, const Determinant<1>&);
template bool keeps_bounds(const SpaceSelection<2>&, const Determinant<2>&);
template bool is_product(const SpaceSelection<1>&);
template bool is_product(const SpaceSelection<2>&);
template std::unique_ptr<Space<1>> make_space(const SpaceSelection<1>&);
template std::unique_ptr<Space<2>> make_space(const SpaceSelection<2>&);

}  // namespace cisolve
