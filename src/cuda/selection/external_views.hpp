// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/selection/determinant_runs.hpp"

// What the kernels of external sums are given. All pointers are device memory.
namespace cisolve::cuda {

/// The strings of one spin of a list, and what their excitations are worked out from.
struct SpinView {
  const std::uint64_t* strings;         ///< [size * words]
  const std::int64_t* offsets;          ///< [size + 1] into `members`
  const RunMember* members;             ///< the determinants of each string
  const double* energies;               ///< [size] of a string by itself, hartree
  const double* fields;                 ///< [size * orbitals] of StringMoves
  const double* one;                    ///< h_pq, [pairs]
  const double* within;                 ///< (pq|rs) within the spin, [pairs * pairs]
  const std::int64_t* move_offsets;     ///< of SameSpinMoves, by the pair of holes
  const std::uint16_t* move_particles;  ///< p1 | p2 << 8
  const double* move_values;
  const double* move_energies;
  std::int32_t size;
  std::int32_t electrons;
};

/// A list with its wavefunctions and the Hamiltonian.
struct ListView {
  SpinView alpha, beta;
  const double* between;       ///< (pq|rs), alpha pairs by beta pairs
  const std::uint8_t* irreps;  ///< [orbitals]
  const std::int64_t*
      single_offsets;  ///< [beta strings * 8 + 1]: single excitations by the irrep of their orbitals
  const std::uint32_t* singles;  ///< hole | particle << 8 | (1 if the phase is negative) << 16
  const std::int64_t*
      contributions;              ///< [alpha strings * 8] single excitations of all determinants of a string
  const double* coefficients;     ///< [determinants * roots]
  double core_energy, threshold;  ///< hartree
  double scale;                   ///< sums are integers: multiples of 1 / scale
  std::uint64_t none;             ///< a word that is no string's
  std::uint32_t num_pairs;
  std::int32_t num_orbitals, roots;
};

/// A listed alpha string from which an excitation leads to the alpha string of a unit.
struct UnitSource {
  static constexpr std::uint32_t self = 0xffffffffU, twofold = 0xfffffffeU;

  double value;  ///< of a double excitation; of a symmetric single one within the spin, without a phase
  std::int32_t string;
  std::int32_t unit;
  std::uint32_t
      code;  ///< hole | particle << 8 | phase << 16 | irrep << 17 of a single excitation, or what it is
};

/// By what units are sampled; see unit_weights.hpp.
struct WeightsView {
  unsigned long long* of_units;  ///< [units] multiples of 1 / scale; null: weights are not wanted
  const double* of_strings;      ///< [alpha strings] squares of the coefficients
  const double* pair_strengths;  ///< [pairs]
  double typical, scale;
};

/// Units of a part of the alpha strings that externals have: those that listed ones or their single excitations are and
/// whose hash is of the part.
struct PartView {
  std::uint32_t number, of;       ///< part `number` of so many
  std::uint64_t* keys;            ///< [capacity] open addressing
  std::int32_t* ids;              ///< beside keys: numbers of the units
  std::uint64_t mask;             ///< capacity - 1
  std::int32_t* count;            ///< units that there are
  std::uint64_t* strings;         ///< [units * words]
  std::uint32_t* num_sources;     ///< [units], as are the next
  unsigned long long* num_items;  ///< determinants of the sources
  unsigned long long* expected;   ///< contributions
  std::int32_t* own;              ///< the listed string that the unit is, or below 0
  std::uint32_t* placed;          ///< sources that are written
  const std::int64_t* first_source;
  UnitSource* sources;
  std::int64_t* item_counts;          ///< [sources]
  std::uint32_t* inside;              ///< bits: double excitations of listed strings that lead to a unit
  const std::int64_t* inside_begins;  ///< [alpha strings] first bit
  const unsigned long long* outside;  ///< [alpha strings] double excitations that lead to no unit of any part
  double mean_doubles;                ///< of beta strings
  WeightsView weights;
  const std::int32_t* numbers;  ///< [units] of those that have their sources placed, below 0: none; null: all
};

/// Sums of the externals of some units: hash tables side by side, one for each unit.
struct SumTable {
  std::uint64_t* keys;
  std::uint64_t* strings;    ///< [slots * words], if there are several words
  double* energies;          ///< of the strings, hartree
  unsigned long long* sums;  ///< [slots * roots]
};

/// What a table holds of the strings of its unit: those whose hash, as a fraction, is between number / of and (number + 1) / of.
struct Portion {
  std::uint32_t number = 0, of = 1;
};

/// Units that are summed together: alpha strings of a part, or listed beta strings.
struct BatchView {
  std::int64_t first, count;               ///< units
  std::int64_t first_source, last_source;  ///< of a part
  std::int64_t first_item, last_item;      ///< of sources; of a beta batch, members of its strings
  const std::int64_t* item_begins;         ///< [sources + 1] of the part
  std::int64_t own_items;                  ///< determinants of the units that are listed
  const std::int64_t* own_begins;          ///< [count + 1] of those, where each unit's begin
  const std::int64_t* slots;               ///< [count + 1] where the unit's table begins
  const std::uint64_t* strings;            ///< of all units
  double* energies;                        ///< [count] of the units' strings with the core, hartree
  double* fields;              ///< [count * orbitals] of the other string, in the field of the unit's
  std::uint8_t* overflows;     ///< [count] units whose table was too small
  std::uint32_t* externals;    ///< [count + 1] that were collected; the last: whether any table was too small
  unsigned long long* totals;  ///< [count * roots * TotalsView::per_root] of each unit; null: not wanted
  SumTable table;
  Portion portion;  ///< of all tables; externals that are not of it are passed over
  bool is_alpha;
};

/// Where collected sums go: integers, so that no order matters. Large ones and the rest: value = high / 2^24 + low / 2^54.
struct TotalsView {
  static constexpr int per_root = 4, others = 3;
  static constexpr double high_scale = 0x1.0p24, low_scale = 0x1.0p54;

  unsigned long long*
      values;  ///< [roots][energy high, low, variance high, low], externals, intruders, contributions
};

/// Externals that are chosen.
struct ChoiceView {
  /// Bins of the histogram: measures by exponent and 4 bits of mantissa, so that bins are within 6% of each other.
  static constexpr int bin_shift = 48, bins = 1 << 15;

  std::uint64_t* determinants;  ///< [capacity * 2 * words]
  double* measures;
  unsigned long long* count;
  double* threshold;              ///< what is no larger is not chosen; rises
  unsigned long long* histogram;  ///< [bins] of all measures above the threshold so far
  bool by_amplitude;
};

/// What collecting does with the externals of a batch: adds them to all, or to the totals of their units, or chooses some.
enum class Collected { totals, totals_of_units, totals_and_histogram, chosen };

}  // namespace cisolve::cuda
