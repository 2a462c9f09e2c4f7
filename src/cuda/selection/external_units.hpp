// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/integral_tables.hpp"
#include "cisolve/selection/determinant_runs.hpp"
#include "cisolve/selection/moves.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/selection/external_sums.hpp"
#include "cuda/selection/external_views.hpp"
#include "cuda/selection/spin_arrays.hpp"

namespace cisolve::cuda {

/// Units in turn, what each is expected to have, and where its sources and their items begin.
struct UnitList {
  std::vector<unsigned long long> expected;  ///< contributions; of beta strings that are not summed 0
  std::vector<std::uint32_t> sources;        ///< how many there are; empty: none, likewise
  std::vector<unsigned long long> items;     ///< determinants of these
  std::vector<std::int64_t> first_source, first_item;  ///< [units + 1]; empty: they have none
  std::vector<std::int32_t> own;       ///< listed alpha string of each unit, or below 0; likewise
  std::vector<double> weights, draws;  ///< of a sample; empty: there is none
  unsigned long long weight = 0;       ///< of all, as integers, which add up to the same in any order

  std::int64_t size() const { return std::ssize(expected); }
};

/// Some of the units of a part.
struct UnitSubset {
  std::vector<std::int32_t> numbers;   ///< of each unit of the part, below 0 if it is not of these
  std::vector<std::uint64_t> strings;  ///< [units * words]
  UnitList list;
};

/// How externals are cut into units, on the current device, and what leads to them.
///
/// Units are the alpha strings that listed ones or single excitations of these are, part by part by their hashes: all that
/// leads to an external with such a string is a source of the unit. What is left are double excitations of alpha strings that
/// lead to no unit: the listed beta strings, beside which they stand, are units of their own.
template <int Words>
class ExternalUnits {
public:
  /// @param determinants  the list, distinct; is copied, as are the others
  /// @throws CudaError; ResourceError if the device has not that much memory left
  ExternalUnits(const Stream& stream, const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                const SameSpinMoves& beta_moves, std::span<const Determinant<Words>> determinants,
                const ExternalSumsConfig& config);

  const DeterminantRuns<Words>& runs() const { return runs_; }
  const ListView& list() const { return list_; }
  std::uint32_t parts() const { return parts_; }
  /// Externals that a unit may have at most.
  double most_externals(bool is_alpha) const { return is_alpha ? most_beta_ : most_alpha_; }
  std::int64_t num_determinants() const { return num_determinants_; }

  /// Begins a sum.
  /// @param coefficients  [determinants][roots]
  void begin(const std::vector<double>& coefficients, std::size_t roots);
  /// From now on units have weights, see unit_weights.hpp. @return those of the beta strings
  std::vector<double> weigh(const std::vector<double>& coefficients);
  /// What is 1 in UnitList::weight.
  double weight_scale() const { return weights_.scale; }

  /// The units of a part, without places for their sources.
  UnitList find_part(std::uint32_t number);
  /// The part that was found last, with the sources of all its units.
  /// @param list  gets their places
  PartView place_part(std::uint32_t number, UnitList& list);
  /// With those of some.
  PartView place_some(std::uint32_t number, UnitSubset& subset);
  /// The strings of the part that was found last. @return [units * words]
  std::vector<std::uint64_t> strings_of_part(std::size_t units) const;
  /// The beta strings, after all parts were found.
  UnitList find_outside();
  /// For these.
  PartView outside_view() { return part_view(0); }
  const std::int64_t* item_begins() const { return item_begins_.data(); }

  /// Has more parts from now on, by this factor.
  void cut_finer(std::uint32_t factor);

private:
  void list_singles();
  void list_moves();
  void choose_parts(const ExternalSumsConfig& config);
  void set_scale(const std::vector<double>& coefficients, std::size_t roots);
  PartView part_view(std::uint32_t number);
  void place_sources(UnitList& list, PartView& part);

  const Stream& stream_;
  DeterminantRuns<Words> runs_;
  std::int64_t num_determinants_;
  DeviceArray<double> within_alpha_, within_beta_, between_;
  std::optional<SpinArrays> alpha_, beta_;
  DeviceArray<std::uint8_t> irreps_;
  DeviceArray<std::int64_t> single_offsets_, contributions_, inside_begins_;
  DeviceArray<std::uint32_t> singles_, inside_;
  std::size_t inside_words_ = 0;
  DeviceArray<double> pair_strengths_;
  double typical_ = 0.0;        ///< of unit_weights.hpp
  double most_strength_ = 0.0;  ///< of all excitations of a string together
  double num_moves_ = 0.0, mean_doubles_ = 0.0, connections_ = 0.0, largest_element_ = 0.0;
  double most_alpha_ = 0.0, most_beta_ = 0.0, most_units_ = 0.0;  ///< strings
  std::uint32_t parts_ = 1;
  DeviceArray<std::byte> workspace_;
  ListView list_{};

  // Of one sum.
  DeviceArray<double> coefficients_, string_weights_;
  WeightsView weights_{};

  // Of a part.
  DeviceArray<unsigned long long> counter_, num_items_, expected_, unit_weights_;
  DeviceArray<std::uint64_t> keys_, unit_strings_, subset_strings_;
  std::uint64_t unit_mask_ = 0;
  DeviceArray<std::int32_t> ids_, unit_count_, own_, numbers_, subset_own_;
  DeviceArray<std::uint32_t> num_sources_, placed_;
  DeviceArray<std::int64_t> first_source_, item_begins_;
  DeviceArray<UnitSource> sources_;
  DeviceArray<unsigned long long> outside_, expected_outside_;  ///< of all parts
};

}  // namespace cisolve::cuda
