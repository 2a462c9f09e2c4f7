// SPDX-License-Identifier: MIT
#include "sparse/coded_locality.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cisolve {
namespace {

constexpr std::int64_t sampled_slices = 64;
constexpr std::uint32_t columns_per_line = 16;

}  // namespace

double lines_per_step(const CodedMatrix& a) {
  constexpr std::size_t lanes = coded_lanes;
  const std::int64_t slices = a.num_slices();
  const std::int64_t samples = std::min(slices, sampled_slices);
  std::vector<std::int64_t> last_step(static_cast<std::size_t>(a.num_columns) / columns_per_line + 1, -1);
  std::int64_t steps = 0;
  std::int64_t lines = 0;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::size_t slice = (2 * sample + 1) * slices / (2 * samples);
    const CodedWord* words = a.words_of(static_cast<std::int64_t>(slice));
    std::array<std::uint32_t, lanes> columns;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      columns[lane] = static_cast<std::uint32_t>(a.bases[slice * lanes * coded_parts + lane]);
    }
    const std::int64_t chunks = a.chunk_offsets[slice + 1] - a.chunk_offsets[slice];
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk, words += lanes * coded_chunk_words) {
      for (std::size_t at = 0; at < coded_chunk_words; ++at, ++steps) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const CodedWord word = words[lane * coded_chunk_words + at];
          columns[lane] += delta_of(word) << (a.has_wide_jumps && code_of(word) == 0 ? 16 : 0);
          std::int64_t& last = last_step[columns[lane] / columns_per_line];
          if (last != steps) ++lines;
          last = steps;
        }
      }
    }
  }
  return steps == 0 ? 0.0 : static_cast<double>(lines) / static_cast<double>(steps);
}

}  // namespace cisolve
