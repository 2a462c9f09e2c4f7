// SPDX-License-Identifier: MIT
// The kernels of table_kernels.hpp for one instruction set: included by core/each_instruction_set.hpp.

namespace cisolve::sampling::CISOLVE_SET {
namespace {

/// A vector register. May alias doubles.
using Register __attribute__((vector_size(CISOLVE_VECTOR_BYTES), may_alias)) = double;
constexpr int register_lanes = CISOLVE_VECTOR_BYTES / 8;
constexpr int per_line = lanes / register_lanes;

// Tiles of a product whose sums stay in registers: 16 of 32 with AVX-512, 8 of 16 else.
constexpr int tile_rows = register_lanes == 2 ? 2 : 4;
constexpr int tile_lines = register_lanes == 8 ? 4 : 1;

using Pair __attribute__((vector_size(16))) = double;
using Quad __attribute__((vector_size(32))) = double;

CISOLVE_TARGET inline const Register* registers_at(const double* p) {
  return reinterpret_cast<const Register*>(p);
}
CISOLVE_TARGET inline Register* registers_at(double* p) { return reinterpret_cast<Register*>(p); }

/// Sum over the lanes, in a tree.
CISOLVE_TARGET inline double total(Register v) {
#if CISOLVE_VECTOR_BYTES == 64
  const Quad q = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const Pair p = __builtin_shufflevector(q, q, 0, 1) + __builtin_shufflevector(q, q, 2, 3);
#elif CISOLVE_VECTOR_BYTES == 32
  const Pair p = __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
#else
  const Pair p = v;
#endif
  return p[0] + p[1];
}

/// Products of pending ranks, lane by lane.
CISOLVE_TARGET inline Register pending_products(const DelayedTable& table, Entry at) {
  const Register* c = registers_at(table.c + std::ptrdiff_t{at.row} * table.ranks);
  const Register* r = registers_at(table.r_columns + std::ptrdiff_t{at.column} * table.ranks);
  Register sum = c[0] * r[0];
  for (int v = 1; v * register_lanes < table.pending; ++v) sum += c[v] * r[v];
  return sum;
}

CISOLVE_TARGET inline double stored(const DelayedTable& table, int row, int column) {
  return table.t[row * table.stride + column];
}

CISOLVE_TARGET double look_up(const DelayedTable& table, Entry at) {
  return stored(table, at.row, at.column) - total(pending_products(table, at));
}

CISOLVE_TARGET double look_up_pair(const DelayedTable& table, Entry a, Entry b) {
  const Entry ab = {a.row, b.column}, ba = {b.row, a.column};
  const Register aa_sum = pending_products(table, a), bb_sum = pending_products(table, b);
  const Register ab_sum = pending_products(table, ab), ba_sum = pending_products(table, ba);
  const double aa_now = stored(table, a.row, a.column) - total(aa_sum);
  const double bb_now = stored(table, b.row, b.column) - total(bb_sum);
  const double ab_now = stored(table, ab.row, ab.column) - total(ab_sum);
  const double ba_now = stored(table, ba.row, ba.column) - total(ba_sum);
  return aa_now * bb_now - ab_now * ba_now;
}

/// Registers from `at` on of vectors less the pending ranks: to[v] -= sum_k factors[v][k] ranks[k].
template <int vectors, int count>
CISOLVE_TARGET inline void subtract_pending(double* const (&to)[vectors],
                                            const double* const (&factors)[vectors], const double* ranks,
                                            std::ptrdiff_t stride, int pending, std::ptrdiff_t at) {
  Register sums[vectors][count];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 4
    for (int w = 0; w < count; ++w) sums[v][w] = registers_at(to[v])[at + w];
  }
  for (int k = 0; k < pending; ++k) {
    const Register* rank = registers_at(ranks + k * stride) + at;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const double factor = factors[v][k];
#pragma GCC unroll 4
      for (int w = 0; w < count; ++w) sums[v][w] -= factor * rank[w];
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 4
    for (int w = 0; w < count; ++w) registers_at(to[v])[at + w] = sums[v][w];
  }
}

template <int vectors>
CISOLVE_TARGET inline void subtract_all_pending(double* const (&to)[vectors],
                                                const double* const (&factors)[vectors], const double* ranks,
                                                std::ptrdiff_t stride, int pending) {
  const std::ptrdiff_t count = stride / register_lanes;
  std::ptrdiff_t at = 0;
  for (; at + 4 <= count; at += 4) subtract_pending<vectors, 4>(to, factors, ranks, stride, pending, at);
  for (; at < count; ++at) subtract_pending<vectors, 1>(to, factors, ranks, stride, pending, at);
}

/// Rows of T_now to the next ranks of R, columns to those of C.
template <int vectors>
CISOLVE_TARGET inline void extract(const DelayedTable& table, const Entry (&at)[vectors],
                                   double* const (&r)[vectors], double* const (&c)[vectors]) {
  const double* row_factors[vectors];
  const double* column_factors[vectors];
  for (int v = 0; v < vectors; ++v) {
    row_factors[v] = table.c + std::ptrdiff_t{at[v].row} * table.ranks;
    column_factors[v] = table.r_columns + std::ptrdiff_t{at[v].column} * table.ranks;
    const Register* t = registers_at(table.t + at[v].row * table.stride);
    for (std::ptrdiff_t j = 0; j < table.stride / register_lanes; ++j) registers_at(r[v])[j] = t[j];
    for (std::ptrdiff_t i = table.rows; i < table.column_stride; ++i) c[v][i] = 0.0;
  }
  const double* t = table.t;
  for (int i = 0; i < table.rows; ++i, t += table.stride) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) c[v][i] = t[at[v].column];
  }
  subtract_all_pending(r, row_factors, table.r, table.stride, table.pending);
  subtract_all_pending(c, column_factors, table.c_columns, table.column_stride, table.pending);
}

/// Ranks that are there along rows and columns, to where they are read along ranks.
template <int vectors>
CISOLVE_TARGET inline void spread(DelayedTable& table, const double* const (&r)[vectors],
                                  const double* const (&c)[vectors]) {
  double* to = table.c + table.pending;
  for (int i = 0; i < table.rows; ++i, to += table.ranks) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) to[v] = c[v][i];
  }
  to = table.r_columns + table.pending;
  for (int j = 0; j < table.columns; ++j, to += table.ranks) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) to[v] = r[v][j];
  }
  table.pending += vectors;
}

CISOLVE_TARGET void append_hop(DelayedTable& table, Entry a, double sign) {
  double* c = table.c_columns + table.pending * table.column_stride;
  double* r = table.r + table.pending * table.stride;
  extract<1>(table, {a}, {r}, {c});
  const double inverse = 1.0 / r[a.column];
  c[a.row] += sign;
  r[a.column] -= sign;
  for (std::ptrdiff_t j = 0; j < table.stride / register_lanes; ++j) registers_at(r)[j] *= inverse;
  spread<1>(table, {r}, {c});
}

CISOLVE_TARGET void append_exchange(DelayedTable& table, Entry a, Entry b) {
  double* c0 = table.c_columns + table.pending * table.column_stride;
  double* c1 = c0 + table.column_stride;
  double* r0 = table.r + table.pending * table.stride;
  double* r1 = r0 + table.stride;
  extract<2>(table, {a, b}, {r0, r1}, {c0, c1});
  const double aa = r0[a.column], ab = r0[b.column], ba = r1[a.column], bb = r1[b.column];
  const double inverse = 1.0 / (aa * bb - ab * ba);
  c0[a.row] += 1.0;
  c1[b.row] -= 1.0;
  r0[a.column] -= 1.0;
  r1[b.column] += 1.0;
  for (std::ptrdiff_t j = 0; j < table.stride / register_lanes; ++j) {
    const Register first = registers_at(r0)[j], second = registers_at(r1)[j];
    registers_at(r0)[j] = inverse * (bb * first - ab * second);
    registers_at(r1)[j] = inverse * (aa * second - ba * first);
  }
  spread<2>(table, {r0, r1}, {c0, c1});
}

/// Rows from `row` on and lines of columns from `column` on, whose sums stay in registers.
template <int rows, int lines>
CISOLVE_TARGET inline void subtract_tile(const Product& product, int row, std::ptrdiff_t column) {
  constexpr int count = lines * per_line;
  Register sums[rows][count];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v)
      sums[i][v] = registers_at(product.t + (row + i) * product.t_stride + column)[v];
  }
  const double* a = product.a + row * product.a_stride;
  const double* b = product.b + column;
  for (int k = 0; k < product.depth; ++k, b += product.b_stride) {
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const double factor = a[i * product.a_stride + k];
#pragma GCC unroll 4
      for (int v = 0; v < count; ++v) sums[i][v] -= factor * registers_at(b)[v];
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < count; ++v)
      registers_at(product.t + (row + i) * product.t_stride + column)[v] = sums[i][v];
  }
}

template <int rows, int lines>
CISOLVE_TARGET inline void subtract_rest(const Product& product, int row, std::ptrdiff_t column) {
  if constexpr (lines > 0) {
    if (product.columns - column == lines * lanes)
      subtract_tile<rows, lines>(product, row, column);
    else
      subtract_rest<rows, lines - 1>(product, row, column);
  }
}

template <int rows>
CISOLVE_TARGET inline void subtract_rows(const Product& product, int row) {
  std::ptrdiff_t column = 0;
  for (; product.columns - column >= tile_lines * lanes; column += tile_lines * lanes)
    subtract_tile<rows, tile_lines>(product, row, column);
  subtract_rest<rows, tile_lines - 1>(product, row, column);
}

CISOLVE_TARGET void subtract_product(const Product& product) {
  int row = 0;
  for (; product.rows - row >= tile_rows; row += tile_rows) subtract_rows<tile_rows>(product, row);
  for (; row < product.rows; ++row) subtract_rows<1>(product, row);
}

CISOLVE_TARGET void flush(DelayedTable& table) {
  if (table.pending == 0) return;
  subtract_product({table.t, table.stride, table.c, table.ranks, table.r, table.stride, table.rows,
                    table.stride, table.pending});
  std::fill_n(table.c, std::ptrdiff_t{table.rows} * table.ranks, 0.0);
  std::fill_n(table.r_columns, table.stride * table.ranks, 0.0);
  table.pending = 0;
}

/// 64-bit lanes, of which the low words matter.
using Words __attribute__((vector_size(CISOLVE_VECTOR_BYTES))) = std::uint64_t;

/// Products of the low words. As 64-bit products, of which compilers do not see that the high words are zeros, they would
/// take several times as long.
CISOLVE_TARGET inline Words word_products(Words a, Words b) {
#if !defined(__x86_64__)
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#elif CISOLVE_VECTOR_BYTES == 64
  return reinterpret_cast<Words>(
      _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif CISOLVE_VECTOR_BYTES == 32
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

CISOLVE_TARGET void draw_words(const StepStream& stream) {
  constexpr int per_vector = CISOLVE_VECTOR_BYTES / 8, vectors = step_group / per_vector;
  constexpr Words zeros = {};
  const Words multiplier_0 = zeros + 0xD2511F53, multiplier_1 = zeros + 0xCD9E8D57;
  for (int at = 0; at < stream.count; at += step_group) {
    Words c0[vectors], c1[vectors], c2[vectors], c3[vectors];
    for (int v = 0; v < vectors; ++v) {
      for (int i = 0; i < per_vector; ++i)
        c0[v][i] = stream.first + static_cast<std::uint64_t>(at + v * per_vector + i);
      c1[v] = c0[v] >> 32;
      c2[v] = zeros + stream.chain;
      c3[v] = zeros;
    }
    auto k0 = static_cast<std::uint32_t>(stream.seed), k1 = static_cast<std::uint32_t>(stream.seed >> 32);
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        const Words p0 = word_products(multiplier_0, c0[v]), p1 = word_products(multiplier_1, c2[v]);
        c0[v] = (p1 >> 32) ^ c1[v] ^ (zeros + k0);
        c1[v] = p1;
        c2[v] = (p0 >> 32) ^ c3[v] ^ (zeros + k1);
        c3[v] = p0;
      }
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    for (int v = 0; v < vectors; ++v) {
      for (int i = 0; i < per_vector; ++i) {
        const int to = at + v * per_vector + i;
        stream.words[0][to] = static_cast<std::uint32_t>(c0[v][i]);
        stream.words[1][to] = static_cast<std::uint32_t>(c1[v][i]);
        stream.words[2][to] = static_cast<std::uint32_t>(c2[v][i]);
        stream.words[3][to] = static_cast<std::uint32_t>(c3[v][i]);
      }
    }
  }
}

}  // namespace

constexpr TableKernels kernels = {&look_up, &look_up_pair,     &append_hop, &append_exchange,
                                  &flush,   &subtract_product, &draw_words};

}  // namespace cisolve::sampling::CISOLVE_SET
