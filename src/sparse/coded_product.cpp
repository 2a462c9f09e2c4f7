// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstring>

#include "cisolve/sparse/coded_matrix.hpp"
#include "sparse/parallel_spmv.hpp"

namespace cisolve {
namespace {

constexpr std::size_t lanes = coded_lanes;
constexpr std::size_t chunk_words = coded_chunk_words;

/// A slice as the products see it.
struct Slice {
  const CodedWord* words;
  std::size_t num_chunks;
  const double* remainder_values;
  const ColumnIndex* remainder_columns;
  std::size_t num_remainder;
  const ColumnIndex* bases;
  const std::int32_t* rows;
};

Slice slice_of(const CodedMatrix& a, std::int64_t slice) {
  const std::size_t at = slice;
  return {a.words_of(slice),
          static_cast<std::size_t>(a.chunk_offsets[at + 1] - a.chunk_offsets[at]),
          a.remainder_values_of(slice),
          a.remainder_columns_of(slice),
          static_cast<std::size_t>(a.remainder_offsets[at + 1] - a.remainder_offsets[at]),
          a.bases.data() + at * lanes * coded_parts,
          a.permutation.data() + at * lanes};
}

template <bool wide_jumps>
inline std::uint32_t step_of(CodedWord word) {
  if constexpr (wide_jumps)
    return delta_of(word) << (code_of(word) == 0 ? 16 : 0);
  else
    return delta_of(word);
}

inline double value_of(const double* dictionary, CodedWord word) {
  const std::uint64_t sign = static_cast<std::uint64_t>(sign_of(word)) << 32;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(dictionary[code_of(word)]) ^ sign);
}

/// One vector: 32 rows side by side.
template <bool wide_jumps>
void multiply_slice(const Slice& slice, const double* dictionary, const double* x, ProductUpdate update,
                    double* y) {
  alignas(64) std::array<std::uint32_t, lanes> columns;
  alignas(64) std::array<double, lanes> sums{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    columns[lane] = static_cast<std::uint32_t>(slice.bases[lane]);
  }
  const CodedWord* words = slice.words;
  for (std::size_t chunk = 0; chunk < slice.num_chunks; ++chunk, words += lanes * chunk_words) {
#pragma omp simd
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const CodedWord first = words[chunk_words * lane];
      const CodedWord second = words[chunk_words * lane + 1];
      const CodedWord third = words[chunk_words * lane + 2];
      const CodedWord fourth = words[chunk_words * lane + 3];
      const std::uint32_t column0 = columns[lane] + step_of<wide_jumps>(first);
      const std::uint32_t column1 = column0 + step_of<wide_jumps>(second);
      const std::uint32_t column2 = column1 + step_of<wide_jumps>(third);
      const std::uint32_t column3 = column2 + step_of<wide_jumps>(fourth);
      columns[lane] = column3;
      double sum = sums[lane];
      sum += value_of(dictionary, first) * x[static_cast<std::int32_t>(column0)];
      sum += value_of(dictionary, second) * x[static_cast<std::int32_t>(column1)];
      sum += value_of(dictionary, third) * x[static_cast<std::int32_t>(column2)];
      sum += value_of(dictionary, fourth) * x[static_cast<std::int32_t>(column3)];
      sums[lane] = sum;
    }
  }
  for (std::size_t slot = 0; slot < slice.num_remainder; ++slot) {
    const double* values = slice.remainder_values + slot * lanes;
    const ColumnIndex* from = slice.remainder_columns + slot * lanes;
#pragma omp simd
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[lane] * x[from[lane]];
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (slice.rows[lane] >= 0) put(sums[lane], update, y[slice.rows[lane]]);
  }
}

/// One vector register; g++ does not find it by itself in an array of sums.
template <std::size_t width>
using Packed [[gnu::vector_size(width * sizeof(double))]] = double;

/// Several vectors packed [row][width], side by side; four rows at a time, whose words fill a cache line
/// and whose sums fill the pipeline.
template <std::size_t width, bool wide_jumps>
void multiply_slice_packed(const Slice& slice, const double* dictionary, const double* packed,
                           ProductUpdate update, HostView y) {
  constexpr std::size_t group = 4;
  for (std::size_t first = 0; first < lanes; first += group) {
    std::array<Packed<width>, group> sums{};
    const auto add = [&](std::size_t row, double value, std::size_t column) {
      Packed<width> x;
      std::memcpy(&x, packed + column * width, sizeof x);
      sums[row] += value * x;
    };
    std::array<std::uint32_t, group> columns;
    for (std::size_t row = 0; row < group; ++row) {
      columns[row] = static_cast<std::uint32_t>(slice.bases[first + row]);
    }
    const CodedWord* words = slice.words + chunk_words * first;
    for (std::size_t chunk = 0; chunk < slice.num_chunks; ++chunk, words += lanes * chunk_words) {
      for (std::size_t step = 0; step < chunk_words; ++step) {
        for (std::size_t row = 0; row < group; ++row) {
          const CodedWord word = words[row * chunk_words + step];
          columns[row] += step_of<wide_jumps>(word);
          add(row, value_of(dictionary, word), columns[row]);
        }
      }
    }
    for (std::size_t slot = 0; slot < slice.num_remainder; ++slot) {
      for (std::size_t row = 0; row < group; ++row) {
        const std::size_t at = slot * lanes + first + row;
        add(row, slice.remainder_values[at], static_cast<std::size_t>(slice.remainder_columns[at]));
      }
    }
    for (std::size_t row = 0; row < group; ++row) {
      const std::int32_t to = slice.rows[first + row];
      for (std::size_t k = 0; to >= 0 && k < static_cast<std::size_t>(y.columns); ++k) {
        put(sums[row][k], update, y.column(static_cast<int>(k))[to]);
      }
    }
  }
}

template <bool wide_jumps>
void multiply(const CodedMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace,
              ProductUpdate update) {
  const auto work_before = [&a](std::int64_t slice) {
    const std::size_t at = slice;
    return coded_chunk_words * a.chunk_offsets[at] + a.remainder_offsets[at] + slice;
  };
  const auto multiply_group = [&]<class Width>(Width, const double* packed, HostView to) {
    for_each_row(a.num_slices(), work_before, [&](std::int64_t slice) {
      if constexpr (Width::value == 1)
        multiply_slice<wide_jumps>(slice_of(a, slice), a.dictionary.data(), packed, update, to.data);
      else
        multiply_slice_packed<Width::value, wide_jumps>(slice_of(a, slice), a.dictionary.data(), packed,
                                                        update, to);
    });
  };
  for_each_column_group(x, y, workspace, multiply_group, a.order.data());
}

/// Row `lane` of a slice times one vector, word by word.
double row_product(const CodedMatrix& a, const Slice& slice, std::size_t lane, const double* x) {
  const auto x_at = [&](std::int64_t place) { return x[a.order.size() == 0 ? place : a.order[place]]; };
  double sum = 0.0;
  std::int64_t column = slice.bases[lane];
  for (std::size_t at = 0; at < slice.num_chunks * chunk_words; ++at) {
    const CodedWord word = slice.words[(at / chunk_words * lanes + lane) * chunk_words + at % chunk_words];
    const bool only_moves = code_of(word) == 0;
    column += a.has_wide_jumps && only_moves ? std::int64_t{65536} * delta_of(word) : delta_of(word);
    if (only_moves) continue;
    const double magnitude = a.dictionary[code_of(word)];
    sum += (sign_of(word) != 0 ? -magnitude : magnitude) * x_at(column);
  }
  for (std::size_t slot = 0; slot < slice.num_remainder; ++slot) {
    const std::size_t at = slot * lanes + lane;
    if (slice.remainder_values[at] != 0.0) {
      sum += slice.remainder_values[at] * x_at(slice.remainder_columns[at]);
    }
  }
  return sum;
}

}  // namespace

void spmv(const CodedMatrix& a, ConstHostView x, HostView y) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  for (std::int64_t at = 0; at < a.num_slices(); ++at) {
    const Slice slice = slice_of(a, at);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (slice.rows[lane] < 0) continue;
      for (int k = 0; k < x.columns; ++k) {
        y.column(k)[slice.rows[lane]] = row_product(a, slice, lane, x.column(k));
      }
    }
  }
}

void spmv(const CodedMatrix& a, ConstHostView x, HostView y, SpmvWorkspace& workspace, ProductUpdate update) {
  require_spmv_shapes(a.num_rows, a.num_columns, x, y);
  if (a.num_rows == 0) return;
  if (a.has_wide_jumps)
    multiply<true>(a, x, y, workspace, update);
  else
    multiply<false>(a, x, y, workspace, update);
}

}  // namespace cisolve
