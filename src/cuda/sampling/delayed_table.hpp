// SPDX-License-Identifier: MIT
#pragma once

#include "cuda/sampling/tables.hpp"

namespace cisolve::cuda::sampling {

/// Which elements of its matrices a lane has in D = A B + C, A 8 x 4, B 4 x 8, C and D 8 x 8 (mma.m8n8k4 of doubles); of D
/// those of two columns next to each other.
struct MatrixLane {
  int lane = 0;

  CISOLVE_HOST_DEVICE int a_row() const { return lane / 4; }
  CISOLVE_HOST_DEVICE int a_depth() const { return lane % 4; }
  CISOLVE_HOST_DEVICE int b_depth() const { return lane % 4; }
  CISOLVE_HOST_DEVICE int b_column() const { return lane / 4; }
  CISOLVE_HOST_DEVICE int d_row() const { return lane / 4; }
  CISOLVE_HOST_DEVICE int d_column() const { return lane % 4 * 2; }
};

/// What another multiprocessor may have written, so not from the first-level cache.
CISOLVE_GROUP inline double load_shared_by_all(const double* p) {
#ifdef __CUDACC__
  return __ldcg(p);
#else
  return *p;
#endif
}

#ifdef __CUDACC__

/// T -= C R of a table in device memory by matrix units, T being read and written once.
struct MatrixProduct {
  double* t = nullptr;
  const double* c = nullptr;  ///< in shared memory
  const double* r = nullptr;  ///< in shared memory
  int order = 0, t_stride = 0, stride = 0;
  int depth = 0;  ///< a multiple of 4

  static constexpr int tile_columns = 8;  // of 8

  /// A strip of 8 rows by a warp, in tiles of 64 columns one after another.
  __device__ void subtract_strip(int number, int first_row) const {
    const MatrixLane lane{number};
    const int row = first_row + lane.d_row();
    const bool is_there = row < order;
    double* to = t + std::ptrdiff_t{is_there ? row : first_row} * t_stride + lane.d_column();
    const double* a = c + lane.a_depth() * stride + first_row + lane.a_row();
    for (int first = 0; first < t_stride; first += 8 * tile_columns) {
      double2 sums[tile_columns];
#pragma unroll
      for (int v = 0; v < tile_columns; ++v) {
        if (first + 8 * v < t_stride) sums[v] = __ldcg(reinterpret_cast<const double2*>(to + first + 8 * v));
      }
      const double* b = r + lane.b_depth() * stride + first + lane.b_column();
      for (int k = 0; k < depth; k += 4) {
        const double factor = -a[k * stride];
#pragma unroll
        for (int v = 0; v < tile_columns; ++v) {
          if (first + 8 * v < t_stride) multiply_add(sums[v], factor, b[k * stride + 8 * v]);
        }
      }
#pragma unroll
      for (int v = 0; v < tile_columns; ++v) {
        if (is_there && first + 8 * v < t_stride)
          __stcg(reinterpret_cast<double2*>(to + first + 8 * v), sums[v]);
      }
    }
  }

  /// d += a b.
  __device__ static void multiply_add(double2& d, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};\n"
        : "+d"(d.x), "+d"(d.y)
        : "d"(a), "d"(b));
  }
};

/// Out of line, so that its registers are not wanted everywhere. Warps take strips.
template <class Group>
__device__ __noinline__ void subtract_product(Group group, MatrixProduct product) {
  __builtin_assume(__isShared(product.c));
  __builtin_assume(__isShared(product.r));
  __builtin_assume(__isGlobal(product.t));
  for (int row = group.warp() * 8; row < product.order; row += Group::warps * 8)
    product.subtract_strip(group.lane(), row);
}

#endif

/// A square table in device memory whose changes wait in shared memory: T_now = T - C R. All threads of a group have the
/// same copy of this, and the arrays are theirs.
struct DelayedTable {
  double* t = nullptr;  ///< [order][t_stride], aligned to 16 bytes, columns padded to 8
  double* c = nullptr;  ///< [most][stride], the transpose of C
  double* r = nullptr;  ///< [most][stride], behind c
  int order = 0, t_stride = 0, stride = 0;
  int most = 0;     ///< ranks; a multiple of 4
  int pending = 0;  ///< ranks

  /// Of c and r: not below the padded order, and 4 or 12 beyond a multiple of 16, so that the threads of a matrix product
  /// find their elements in different banks.
  CISOLVE_HOST_DEVICE static int stride_for(int order) { return ScratchPool::padded(order) + 4; }

  CISOLVE_GROUP double stored(int i, int j) const {
    return load_shared_by_all(t + std::ptrdiff_t{i} * t_stride + j);
  }
  CISOLVE_GROUP double at(int i, int j) const {
    double value = stored(i, j);
    for (int k = 0; k < pending; ++k) value = minus_product(value, c[k * stride + i], r[k * stride + j]);
    return value;
  }
  CISOLVE_GROUP double at(Entry entry) const { return at(entry.row, entry.column); }

  CISOLVE_GROUP Ratios around(Entry a, Entry b) const {
    Ratios x{stored(a.row, a.column), stored(a.row, b.column), stored(b.row, a.column),
             stored(b.row, b.column)};
    for (int k = 0; k < pending; ++k) {
      const double* ck = c + k * stride;
      const double* rk = r + k * stride;
      const double ca = ck[a.row], cb = ck[b.row], ra = rk[a.column], rb = rk[b.column];
      x.aa = minus_product(x.aa, ca, ra);
      x.ab = minus_product(x.ab, ca, rb);
      x.ba = minus_product(x.ba, cb, ra);
      x.bb = minus_product(x.bb, cb, rb);
    }
    x.value = ratio_of_two(x);
    return x;
  }

  template <class Group>
  CISOLVE_GROUP void settle(const Group& group) {
    if (pending > 0) flush(group);
  }
  CISOLVE_GROUP int row_stride() const { return t_stride; }
  /// The table for look-ups while nothing is pending.
  CISOLVE_GROUP EagerTable<1> settled() const { return {t, nullptr, nullptr, order, order, t_stride}; }

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const Hop& hop) {
    if (pending + 1 > most) flush(group);
    const double inverse = 1.0 / hop.ratio;
    append<1>(group, hop.at, hop.at, [&](bool is_row, int x, const double(&values)[1]) {
      if (is_row)
        r[pending * stride + x] = inverse * (values[0] - (x == hop.at.column ? hop.sign : 0.0));
      else
        c[pending * stride + x] = values[0] + (x == hop.at.row ? hop.sign : 0.0);
    });
    pending += 1;
  }

  template <class Group>
  CISOLVE_GROUP void update(const Group& group, const Exchange& exchange) {
    if (pending + 2 > most) flush(group);
    const Entry a = exchange.a, b = exchange.b;
    const InverseOfTwo inverse(exchange.ratios);
    append<2>(group, a, b, [&](bool is_row, int x, const double(&values)[2]) {
      if (is_row) {
        const double r0 = values[0] - (x == a.column ? 1.0 : 0.0);
        const double r1 = values[1] + (x == b.column ? 1.0 : 0.0);
        r[pending * stride + x] = inverse.first(r0, r1);
        r[(pending + 1) * stride + x] = inverse.second(r0, r1);
      } else {
        c[pending * stride + x] = values[0] + (x == a.row ? 1.0 : 0.0);
        c[(pending + 1) * stride + x] = values[1] - (x == b.row ? 1.0 : 0.0);
      }
    });
    pending += 2;
  }

private:
  /// Elements of columns and rows of T_now through these entries to `put(is_row, number, values)`. Several of each thread
  /// are under way together, so that they wait for the memory once.
  template <int ranks, class Group, class Put>
  CISOLVE_GROUP void append(const Group& group, Entry a, Entry b, const Put& put) {
    constexpr int together = Group::size > 128 ? 2 : 4;
    for (int first = group.rank(); first < 2 * order; first += together * Group::size) {
      double values[together][ranks];
      int own[together], factors[together][ranks];  // from c on
      CISOLVE_UNROLL for (int u = 0; u < together; ++u) {
        const int item = first + u * Group::size;
        const bool is_row = item >= order;
        const int x = item < 2 * order ? (is_row ? item - order : item) : 0;
        own[u] = (is_row ? most * stride : 0) + x;
        CISOLVE_UNROLL for (int v = 0; v < ranks; ++v) {
          const Entry e = v == 0 ? a : b;
          factors[u][v] = is_row ? e.row : most * stride + e.column;
          values[u][v] = is_row ? stored(e.row, x) : stored(x, e.column);
        }
      }
      const double* of_rank = c;
      for (int k = 0; k < pending; ++k, of_rank += stride) {
        CISOLVE_UNROLL for (int u = 0; u < together; ++u) {
          const double factor = of_rank[own[u]];
          CISOLVE_UNROLL for (int v = 0; v < ranks; ++v) {
            values[u][v] = minus_product(values[u][v], factor, of_rank[factors[u][v]]);
          }
        }
      }
      CISOLVE_UNROLL for (int u = 0; u < together; ++u) {
        const int item = first + u * Group::size;
        if (item < 2 * order) put(item >= order, item < order ? item : item - order, values[u]);
      }
    }
  }

  /// T = T_now; nothing is pending. Begins and ends with all threads together.
  template <class Group>
  CISOLVE_GROUP void flush(const Group& group) {
    const int depth = (pending + 3) / 4 * 4;
    for (int k = pending; k < depth; ++k) {
      for (int x = group.rank(); x < stride; x += Group::size) c[k * stride + x] = r[k * stride + x] = 0.0;
    }
    group.sync();
    subtract_pending(group, depth);
    pending = 0;
    group.sync();
  }

  template <class Group>
  CISOLVE_GROUP void subtract_pending(const Group& group, int depth) {
#ifdef __CUDACC__
    subtract_product(group, MatrixProduct{t, c, r, order, t_stride, stride, depth});
#else
    for (int i = group.rank(); i < order; i += Group::size) {
      for (int j = 0; j < order; ++j) {
        double& value = t[std::ptrdiff_t{i} * t_stride + j];
        for (int k = 0; k < depth; ++k) value = minus_product(value, c[k * stride + i], r[k * stride + j]);
      }
    }
#endif
  }
};

}  // namespace cisolve::cuda::sampling
