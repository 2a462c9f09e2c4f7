// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/selection/external_views.hpp"

namespace cisolve::cuda {

// The steps of a sum over externals. Everything is enqueued on the stream and returns; all throw CudaError if a kernel
// cannot be launched. Strings have `Words` words.

/// In place: counts[k] becomes the sum of those before; the last is the sum of all if it was 0.
/// @param workspace  grows as needed
void exclusive_sum(const Stream& stream, std::int64_t* counts, std::int64_t size,
                   DeviceArray<std::byte>& workspace);

/// Energies and fields of the strings of one spin.
template <int Words>
void launch_describe_strings(const Stream& stream, const SpinView& spin, int num_orbitals, double* energies,
                             double* fields);

/// Numbers of single excitations of the beta strings by irrep.
template <int Words>
void launch_count_singles(const Stream& stream, const ListView& list, std::int64_t* counts);
/// list.single_offsets is there.
template <int Words>
void launch_list_singles(const Stream& stream, const ListView& list, std::uint32_t* singles);

/// Single excitations, by irrep, of the determinants of each alpha string.
void launch_count_contributions(const Stream& stream, const ListView& list, std::int64_t* contributions);

/// Moves out of all pairs of occupied orbitals of each string.
template <int Words>
void launch_count_moves(const Stream& stream, const SpinView& spin, std::int64_t* counts);

/// How many units a part has at most; *count is 0 before.
template <int Words>
void launch_bound_units(const Stream& stream, const ListView& list, const PartView& part,
                        unsigned long long* count);
template <int Words>
void launch_find_units(const Stream& stream, const ListView& list, const PartView& part);
/// Counts the sources of each unit, and notes which double excitations lead to one.
template <int Words>
void launch_count_sources(const Stream& stream, const ListView& list, const PartView& part);
template <int Words>
void launch_place_sources(const Stream& stream, const ListView& list, const PartView& part);

/// Double excitations of the determinants of each beta string that lead to no unit.
template <int Words>
void launch_count_outside(const Stream& stream, const ListView& list, const PartView& part,
                          unsigned long long* of_alpha, unsigned long long* of_beta);

/// Energies and fields of the units of a batch.
template <int Words>
void launch_describe_units(const Stream& stream, const ListView& list, const BatchView& batch);

/// Sums of what other alpha strings bring to the units of a batch.
/// @param expected  contributions, about
/// @param chunk     determinants of sources that a warp takes, one after the other; 0: as their number asks for
template <int Words>
void launch_add_sources(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, double expected, std::int64_t chunk,
                        const TotalsView& totals);
/// Sums of beta excitations within units that are listed.
template <int Words>
void launch_add_own(const Stream& stream, const ListView& list, const PartView& part, const BatchView& batch,
                    const TotalsView& totals);
/// Sums of alpha excitations within listed beta strings, those that lead to no unit of a part.
/// @param expected  contributions
template <int Words>
void launch_add_outside(const Stream& stream, const ListView& list, const PartView& part,
                        const BatchView& batch, double expected, const TotalsView& totals);
/// Takes listed determinants out of the tables.
template <int Words>
void launch_remove_listed(const Stream& stream, const ListView& list, const PartView& part,
                          const BatchView& batch);

/// Goes through slots first .. last - 1 of the tables: adds to totals, and to the histogram of measures, or chooses; nothing if
/// a table was too small.
/// @param energies  [roots] of the wavefunctions
/// @param choice    totals: nothing is read of it
template <int Words>
void launch_collect(const Stream& stream, const ListView& list, const BatchView& batch, std::int64_t first,
                    std::int64_t last, const double* energies, Collected what, const TotalsView& totals,
                    const ChoiceView& choice);

/// Raises the threshold to the lowest bin that the `most` largest measures reach.
/// @param tolerance  relative, by which measures below that count as equal
void launch_raise_threshold(const Stream& stream, const ChoiceView& choice, std::int64_t most,
                            double tolerance);

/// Copies those chosen that are above the threshold.
template <int Words>
void launch_keep_above(const Stream& stream, const ChoiceView& from, std::int64_t count,
                       const ChoiceView& to);

}  // namespace cisolve::cuda
