// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "cuda/hamiltonian/direct/excitations/sources.hpp"

namespace cisolve::cuda::direct {

/// A place in a table. They have 32 bits on the device.
/// @throws ResourceError
std::int32_t index_of(std::size_t size);

/// Elements of the factors of an excitation.
inline std::int64_t factor_width(std::int64_t pairs) { return (pairs + 7) / 8 * 8 + factor_padding; }

/// Pairs at a time, at most `most`: as equal parts as possible, whole eights if there is room.
std::int32_t even_part(std::int64_t num_pairs, std::int64_t most);

/// What pairs rs a block of threads works on at a time.
struct Part {
  const Pattern* pattern;
  std::int32_t first, count;     ///< pairs
  std::int32_t num_excitations;  ///< of any string of the major class, in whole steps
  std::int32_t first_range;  ///< of the class's first string, whose ranges are there where it is an own one
};

/// The excitations of major strings, listed as they are asked for.
class ExcitationLists {
public:
  ExcitationLists(const Sources& sources, ExcitationArrays<HostArray>& to) : sources_(sources), to_(to) {}

  /// Excitations of every major string through pairs of an irrep into the rows of a panel, by string; of those of other
  /// ranks only how many.
  /// @param split  those from blocks alone that the layout prefers
  const std::vector<Range>& all(const Side& side, int source_class, int irrep, bool split);

  /// The most excitations of any string of a class, in whole steps.
  static std::int32_t most_excitations(const Side& side, int c, const std::vector<Range>& all);

  /// Some pairs of a pattern, with the excitations that own strings need: where only pq >= rs count (`half`), those from the first
  /// on. Nothing is listed if there are none.
  Part make_part(const Side& side, int c, const Pattern& pattern, const std::vector<Range>& all,
                 std::int32_t first, std::int32_t count, bool half);

  /// Lists the pairs of a part; the place of the first.
  std::int32_t add_pairs(const Part& part);

private:
  const Sources& sources_;
  ExcitationArrays<HostArray>& to_;
  std::map<std::tuple<int, int, int, bool>, std::vector<Range>> lists_;
};

}  // namespace cisolve::cuda::direct
