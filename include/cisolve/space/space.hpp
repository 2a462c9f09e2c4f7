// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/core/hash.hpp"
#include "cisolve/space/bit_string.hpp"
#include "cisolve/space/string_product.hpp"
#include "cisolve/space/string_table.hpp"

namespace cisolve {

class SingleOccupancyOrder;

/// A set of determinants in the order that files, checkpoints and matrices use: reference
/// determinants first, then by excitation level, alpha string, beta string.
template <int Words>
class Space {
public:
  virtual ~Space() = default;

  virtual std::int64_t size() const = 0;

  /// Row of a determinant, or -1 if it is not in the space.
  virtual std::int64_t find(const Determinant<Words>& determinant) const = 0;

  /// Writes determinants first .. first + out.size() - 1 to `out`.
  virtual void enumerate(std::int64_t first, std::span<Determinant<Words>> out) const = 0;

  /// Number of reference determinants, which are the leading rows.
  virtual std::int64_t num_references() const = 0;

  /// Determinants per excitation level, from level 0.
  virtual std::vector<std::int64_t> level_counts() const = 0;

  /// Hash that tells this space from any other: determinants and their order.
  virtual std::uint64_t fingerprint() const = 0;

  virtual int num_orbitals() const = 0;
  virtual int num_alpha() const = 0;
  virtual int num_beta() const = 0;

  /// Zero-based irrep of every determinant, or any_irrep.
  virtual int irrep() const = 0;

  /// This space if it is made of blocks, else null.
  virtual const StringProduct* as_product() const { return nullptr; }

  /// The order of this space if it is all determinants without double occupation
  /// (space/single_occupancy.hpp), else null.
  virtual const SingleOccupancyOrder* as_single_occupancy() const { return nullptr; }

  Determinant<Words> determinant(std::int64_t row) const {
    Determinant<Words> d;
    enumerate(row, {&d, 1});
    return d;
  }
};

/// A complete active space: all ways to share out the electrons that doubly occupied orbitals leave.
template <int Words>
struct ActiveSpace {
  BitString<Words> doubly;
  BitString<Words> active;
  int irrep = any_irrep;  ///< zero-based, that its determinants are kept to
};

/// What a space of determinants is made from: orbitals, references, excitation level, irrep, bounds.
template <int Words>
struct SpaceSelection {
  int num_orbitals = 0;
  std::vector<int> irreps;                               ///< zero-based labels, one per orbital
  std::vector<Determinant<Words>> references;            ///< at least one; equal electron numbers
  int excitation_level = 0;                              ///< spin-orbital substitutions; >= max: full
  int irrep = any_irrep;                                 ///< zero-based
  std::optional<OccupationBound<Words>> max_holes = {};  ///< of both spins together, as is the next
  std::optional<OccupationBound<Words>> max_particles = {};
  bool spin_complete = false;  ///< all determinants of every configuration reached
  /// References are all determinants of this that keep the bounds, by alpha, then beta string, but the first alone is
  /// named; for level 0.
  std::optional<ActiveSpace<Words>> cas = {};
  /// All determinants in which no orbital holds two electrons: the t-J model's space. Of the references the numbers of
  /// electrons alone matter; with any irrep, without bounds and without a CAS.
  bool single_occupancy = false;
};

/// The same selection with strings of another number of words, which hold all of its orbitals.
template <int To, int From>
SpaceSelection<To> with_words(const SpaceSelection<From>& from) {
  const auto bound = [](const std::optional<OccupationBound<From>>& b) {
    return b ? std::optional(OccupationBound<To>{with_words<To>(b->orbitals), b->count}) : std::nullopt;
  };
  SpaceSelection<To> to{.num_orbitals = from.num_orbitals,
                        .irreps = from.irreps,
                        .references = {},
                        .excitation_level = from.excitation_level,
                        .irrep = from.irrep,
                        .max_holes = bound(from.max_holes),
                        .max_particles = bound(from.max_particles),
                        .spin_complete = from.spin_complete,
                        .cas = {},
                        .single_occupancy = from.single_occupancy};
  if (from.cas)
    to.cas = {with_words<To>(from.cas->doubly), with_words<To>(from.cas->active), from.cas->irrep};
  for (const Determinant<From>& d : from.references) to.references.push_back(with_words<To>(d));
  return to;
}

/// Whether a determinant keeps the bounds on holes and particles, and that on double occupation if there is one.
template <int Words>
bool keeps_bounds(const SpaceSelection<Words>& selection, const Determinant<Words>& determinant);

/// Largest excitation level with any determinant: full CI. Without double occupation all are at level 0.
template <int Words>
int max_excitation_level(const SpaceSelection<Words>& selection);

/// Whether a selection makes a ProductSpace by what it says: one reference, with or without bounds on holes
/// and particles, whose open shells, if the space is completed in spin, are few and all of one spin; or full CI without
/// bounds (then out of the first reference, as the references then fix the order of the rows alone). A CAS is made of
/// blocks, too, but has the order of a list of its determinants.
template <int Words>
bool is_product(const SpaceSelection<Words>& selection);

/// Exact size of the ProductSpace out of the first reference, of a CAS, or of all determinants without double occupation,
/// per level, before anything is generated.
template <int Words>
std::vector<double> count_determinants(const SpaceSelection<Words>& selection);

/// Exact number of the references that a CAS is, of those of the space's irrep and of others.
/// @throws DimensionError if the selection has no CAS
template <int Words>
double count_references(const SpaceSelection<Words>& selection);

/// The first of the references that a CAS is; none if there are none.
/// @throws DimensionError if the selection has no CAS
template <int Words>
std::optional<Determinant<Words>> first_reference(const SpaceSelection<Words>& selection);

/// Exact size of the space out of any references, per level, spin completion left out. Takes about
/// the time of generating it, but only the memory of its strings; none without double occupation.
/// @throws DimensionError if there are 2^63 determinants or more without double occupation; count_determinants doesn't
template <int Words>
std::vector<std::int64_t> count_listed(const SpaceSelection<Words>& selection);

/// A space made of blocks, with the bits of its strings.
template <int Words>
class ProductSpace final : public Space<Words>, public StringProduct {
public:
  /// Generates all determinants within a level of one reference that keep the bounds, completed if asked for.
  /// @throws DimensionError unless there is exactly one reference, and is_product
  explicit ProductSpace(const SpaceSelection<Words>& selection);

  /// Arranges listed determinants as blocks, the same rows in the same order; null if blocks would hardly be
  /// larger than a few determinants each, so that a list is as good, or the rows aren't in the order of
  /// files.
  /// @param selection     what was listed
  /// @param determinants  in the order of rows
  /// @param level_counts  of the determinants, by level
  static std::unique_ptr<ProductSpace> from_list(const SpaceSelection<Words>& selection,
                                                 std::span<const Determinant<Words>> determinants,
                                                 std::span<const std::int64_t> level_counts);

  /// The blocks that from_list would arrange all determinants of a CAS as, which are not listed; null likewise.
  /// @throws DimensionError if the selection has no CAS
  static std::unique_ptr<ProductSpace> from_cas(const SpaceSelection<Words>& selection);

  std::int64_t size() const override { return run_offsets_.back(); }
  std::int64_t find(const Determinant<Words>& determinant) const override;
  void enumerate(std::int64_t first, std::span<Determinant<Words>> out) const override;
  std::int64_t num_references() const override;
  std::vector<std::int64_t> level_counts() const override;
  std::uint64_t fingerprint() const override;
  int num_orbitals() const override { return selection_.num_orbitals; }
  int num_alpha() const override { return selection_.references[0].alpha.count(); }
  int num_beta() const override { return selection_.references[0].beta.count(); }
  int irrep() const override { return selection_.irrep; }
  Array<std::int32_t> local_order() const override;
  const StringProduct* as_product() const override { return this; }

  const StringTable<Words>& alpha() const override { return alpha_; }
  const StringTable<Words>& beta() const override { return beta_; }

private:
  ProductSpace(const SpaceSelection<Words>& selection, int num_levels, StringTable<Words> alpha,
               StringTable<Words> beta, std::vector<BetaList> lists, std::vector<std::int32_t> run_lists);
  class ListMaker;
  class BlockFinder;

  void drop_empty_levels();
  void hash_runs(Hasher& hasher) const;

  SpaceSelection<Words> selection_;
  bool levels_add_ = true;  ///< a determinant's level is the sum of its strings' levels
  StringTable<Words> alpha_;
  StringTable<Words> beta_;
};

/// Any list of distinct determinants, in the order given.
template <int Words>
class ListSpace final : public Space<Words> {
public:
  /// @param determinants    in the order of rows
  /// @param num_orbitals    that strings are over
  /// @param irrep           zero-based, of every determinant, or any_irrep
  /// @param num_references  leading rows that are references
  /// @param level_counts    determinants per excitation level, if known
  /// @throws DimensionError if a determinant appears twice, or electron numbers differ
  ListSpace(std::vector<Determinant<Words>> determinants, int num_orbitals, int irrep,
            std::int64_t num_references, std::vector<std::int64_t> level_counts);

  std::int64_t size() const override { return static_cast<std::int64_t>(determinants_.size()); }
  std::int64_t find(const Determinant<Words>& determinant) const override {
    return index_.find(determinants_, determinant);
  }
  void enumerate(std::int64_t first, std::span<Determinant<Words>> out) const override;
  std::int64_t num_references() const override { return num_references_; }
  std::vector<std::int64_t> level_counts() const override { return level_counts_; }
  std::uint64_t fingerprint() const override;
  int num_orbitals() const override { return num_orbitals_; }
  int num_alpha() const override { return num_alpha_; }
  int num_beta() const override { return num_beta_; }
  int irrep() const override { return irrep_; }

  const std::vector<Determinant<Words>>& determinants() const { return determinants_; }

private:
  std::vector<Determinant<Words>> determinants_;
  KeyIndex<Determinant<Words>> index_;
  int num_orbitals_ = 0;
  int num_alpha_ = 0;
  int num_beta_ = 0;
  int irrep_ = any_irrep;
  std::int64_t num_references_ = 0;
  std::vector<std::int64_t> level_counts_;
};

/// A ProductSpace where is_product says so or the determinants turn out to be made of blocks, else a
/// ListSpace.
///
/// The space of several references is the union of what is reached from each, each determinant once, in
/// the order of files; its level is the smallest over the references. References that a bound or the irrep
/// excludes generate, but are not in the space. Determinants that complete a configuration may lie above the
/// excitation level.
template <int Words>
std::unique_ptr<Space<Words>> make_space(const SpaceSelection<Words>& selection);

}  // namespace cisolve
