// SPDX-License-Identifier: MIT
#include "sparse/column_tiles.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t slices_per_block = 64;  // of the CodedMatrix: 2048 rows are sorted together

/// What a row of a block has in a tile, or a part of that; sorts by tile, then by length, longest first.
struct Piece {
  std::int32_t tile;
  std::uint16_t length;  ///< words
  std::uint16_t row;     ///< of the block

  bool operator<(const Piece& other) const {
    if (tile != other.tile) return tile < other.tile;
    return length != other.length ? length > other.length : row < other.row;
  }
};
static_assert(slices_per_block * coded_lanes <= 65536 && widest_tile <= 65535);

std::int64_t chunks_of(const Piece& piece) {
  return (piece.length + coded_chunk_words - 1) / coded_chunk_words;
}

/// The pieces of the row in a lane of a slice, in the order of the tiles.
void add_pieces(const CodedMatrix& a, std::size_t slice, std::size_t lane, std::int64_t width,
                std::uint16_t row, std::vector<Piece>& pieces) {
  constexpr std::size_t lanes = coded_lanes, chunk_words = coded_chunk_words;
  const CodedWord* const words = a.words_of(static_cast<std::int64_t>(slice)) + lane * chunk_words;
  const auto chunks = static_cast<std::size_t>(a.chunk_offsets[slice + 1] - a.chunk_offsets[slice]);
  std::int64_t column = a.bases[slice * lanes * coded_parts + lane];
  std::int64_t tile = -1, end = -1;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t at = 0; at < chunk_words; ++at) {
      const CodedWord word = words[chunk * lanes * chunk_words + at];
      const bool only_moves = code_of(word) == 0;
      column += a.has_wide_jumps && only_moves ? std::int64_t{65536} * delta_of(word) : delta_of(word);
      if (only_moves) continue;
      if (column >= end || pieces.back().length == longest_piece) {
        tile = column / width;
        end = (tile + 1) * width;
        pieces.push_back({static_cast<std::int32_t>(tile), 0, row});
      }
      ++pieces.back().length;
    }
  }
}

/// The pieces of a block of slices of the CodedMatrix, sorted.
class BlockPieces {
public:
  BlockPieces(const CodedMatrix& a, std::int64_t block, std::int64_t width)
      : first_(block * slices_per_block), last_(std::min(first_ + slices_per_block, a.num_slices())) {
    for (std::int64_t slice = first_; slice < last_; ++slice) {
      std::size_t most = 0;
      for (std::int64_t lane = 0; lane < coded_lanes; ++lane) {
        const std::size_t before = pieces_.size();
        add_pieces(a, static_cast<std::size_t>(slice), static_cast<std::size_t>(lane), width,
                   static_cast<std::uint16_t>((slice - first_) * coded_lanes + lane), pieces_);
        most = std::max(most, pieces_.size() - before);
      }
      most_of_slice_.push_back(static_cast<std::int64_t>(most));
    }
    std::sort(pieces_.begin(), pieces_.end());
  }

  std::int64_t first_slice() const { return first_; }
  std::int64_t last_slice() const { return last_; }
  std::int64_t size() const { return std::ssize(pieces_); }
  /// Most pieces of a row of each slice.
  const std::vector<std::int64_t>& most_of_slice() const { return most_of_slice_; }

  /// visit(first, last) for the pieces of each tile slice.
  template <class Visit>
  void for_each_slice(const Visit& visit) const {
    for (auto first = pieces_.begin(); first != pieces_.end();) {
      const auto end = pieces_.end() - first > coded_lanes ? first + coded_lanes : pieces_.end();
      const auto last =
          std::find_if(first, end, [&](const Piece& piece) { return piece.tile != first->tile; });
      visit(first, last);
      first = last;
    }
  }

private:
  std::int64_t first_, last_;
  std::vector<Piece> pieces_;
  std::vector<std::int64_t> most_of_slice_;
};

/// Gives the pieces of a block their places, and tile slices their numbers of chunks, one behind.
/// @param begin  (tile) first tile slice of the block there
template <class Begin>
void place_pieces(const BlockPieces& pieces, ColumnTiles& tiles, const Begin& begin) {
  const std::int64_t first = pieces.first_slice();
  std::fill(tiles.sums.data() + tiles.sum_offsets[first] * coded_lanes,
            tiles.sums.data() + tiles.sum_offsets[pieces.last_slice()] * coded_lanes, -1);
  std::vector<std::int64_t> number(slices_per_block * coded_lanes, 0);  // of each row's next piece
  std::int32_t tile = -1;
  std::int64_t next = 0;
  pieces.for_each_slice([&](auto piece, auto end) {
    if (piece->tile != tile) next = begin(piece->tile);
    tile = piece->tile;
    tiles.word_offsets[static_cast<std::size_t>(next) + 1] = chunks_of(*piece);  // the longest
    for (std::int64_t lane = 0; piece != end; ++piece, ++lane) {
      const std::int64_t slice = first + piece->row / coded_lanes;
      const std::int64_t at = tiles.sum_offsets[slice] + number[piece->row]++;
      tiles.sums[at * coded_lanes + piece->row % coded_lanes] =
          static_cast<std::int32_t>(next * coded_lanes + lane);
    }
    ++next;
  });
}

}  // namespace

ColumnTiles make_column_tiles(const CodedMatrix& a, std::int32_t width) {
  if (width < 1 || width > widest_tile) throw DimensionError("column tiles: the width is out of range");
  const std::int64_t slices = a.num_slices();
  const std::int64_t num_blocks = (slices + slices_per_block - 1) / slices_per_block;
  const std::int64_t num_tiles = (a.num_columns + width - 1) / width;
  ColumnTiles tiles;
  tiles.width = width;
  tiles.sum_offsets = Array<std::int64_t>(static_cast<std::size_t>(slices) + 1);
  tiles.sum_offsets[0] = 0;
  // Of each block, the tile slices in each tile; then where these begin.
  std::vector<std::int64_t> begins(static_cast<std::size_t>(num_tiles * num_blocks + 1), 0);
  const auto slot = [&](std::int64_t tile, std::int64_t block) {
    return static_cast<std::size_t>(tile * num_blocks + block);
  };
  std::atomic<std::int64_t> num_pieces{0};
  parallel_for(num_blocks, 1, [&](std::int64_t block) {
    const BlockPieces pieces(a, block, width);
    std::copy(pieces.most_of_slice().begin(), pieces.most_of_slice().end(),
              tiles.sum_offsets.data() + pieces.first_slice() + 1);
    pieces.for_each_slice([&](auto piece, auto) { ++begins[slot(piece->tile, block)]; });
    num_pieces += pieces.size();
  });
  tiles.num_pieces = num_pieces;

  std::int64_t num_slices = 0;
  for (std::int64_t& begin : begins) num_slices += std::exchange(begin, num_slices);
  if (num_slices >= most_tile_slices) throw DimensionError("column tiles: there are too many slices");
  tiles.first_slices = Array<std::int32_t>(static_cast<std::size_t>(num_tiles) + 1);
  for (std::int64_t tile = 0; tile < num_tiles; ++tile)
    tiles.first_slices[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(begins[slot(tile, 0)]);
  tiles.first_slices[static_cast<std::size_t>(num_tiles)] = static_cast<std::int32_t>(num_slices);
  for (std::size_t slice = 0; slice < static_cast<std::size_t>(slices); ++slice)
    tiles.sum_offsets[slice + 1] += tiles.sum_offsets[slice];

  tiles.word_offsets = Array<std::int64_t>(static_cast<std::size_t>(num_slices) + 1);
  tiles.word_offsets[0] = 0;
  tiles.sums = Array<std::int32_t>(static_cast<std::size_t>(tiles.sum_offsets[slices]) * coded_lanes);
  parallel_for(num_blocks, 1, [&](std::int64_t block) {
    // Found again: all pieces together would take more than the words.
    place_pieces(BlockPieces(a, block, width), tiles,
                 [&](std::int64_t tile) { return begins[slot(tile, block)]; });
  });
  for (std::size_t slice = 0; slice < static_cast<std::size_t>(num_slices); ++slice)
    tiles.word_offsets[slice + 1] += tiles.word_offsets[slice];
  return tiles;
}

double mean_piece(const CodedMatrix& a, std::int32_t width) {
  constexpr std::int64_t most_samples = 64;
  const std::int64_t slices = a.num_slices(), samples = std::min(slices, most_samples);
  std::vector<Piece> pieces;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const std::int64_t slice = (2 * sample + 1) * slices / (2 * samples);
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(coded_lanes); ++lane)
      add_pieces(a, static_cast<std::size_t>(slice), lane, width, 0, pieces);
  }
  if (pieces.empty()) return 0.0;
  const auto words = [](std::int64_t sum, const Piece& piece) { return sum + piece.length; };
  return static_cast<double>(std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0}, words)) /
         static_cast<double>(pieces.size());
}

}  // namespace cisolve
