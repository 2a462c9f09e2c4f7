// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "cuda/sampling/group.hpp"
#include "cuda/sampling/steps.hpp"
#include "cuda/sampling/tables.hpp"

// Tables made anew from the places of the electrons, by the threads of a group. What a group makes does not depend on
// where it runs, so that chains go on from their places to the last bit.

namespace cisolve::cuda::sampling {

/// What the table of pairs is made of: T is W = M^-1, then solution M^-1 B, then factors times these less A.
struct PairSource {
  const WalkView& walk;
  const TrialView& trial;
  const PlacesView& at;

  CISOLVE_GROUP int order() const { return walk.up + trial.ghosts; }
  CISOLVE_GROUP int columns() const { return walk.sites; }
  CISOLVE_GROUP int slots() const { return walk.sites - walk.up; }
  /// Rows of the solution that are in the table, before those of the slots.
  CISOLVE_GROUP int kept_rows() const { return walk.down; }
  CISOLVE_GROUP double phi(int i, int j) const { return trial.phi[trial.place[i] - trial.place[j]]; }
  CISOLVE_GROUP double ghost(int g, int site) const { return trial.ghost[g * walk.sites + site]; }

  CISOLVE_GROUP double matrix(int a, int b) const {
    const int pairs = walk.up;
    if (a < pairs) return b < pairs ? phi(at.up[a], at.down[b]) : ghost(b - pairs, at.up[a]);
    return b < pairs ? ghost(a - pairs, at.down[b]) : 0.0;
  }
  CISOLVE_GROUP double right_side(int a, int j) const {
    const int pairs = walk.up;
    if (j < pairs) return a == j ? 1.0 : 0.0;
    const int hole = at.down[j];  // down electrons are as many, so that this is slot j - pairs
    return a < pairs ? phi(at.up[a], hole) : ghost(a - pairs, hole);
  }
  CISOLVE_GROUP double factor(int b, int slot) const {
    const int site = at.up[walk.up + slot];
    return b < walk.up ? phi(site, at.down[b]) : ghost(b - walk.up, site);
  }
  CISOLVE_GROUP double rest(int slot, int j) const {
    return j < walk.up ? 0.0 : -phi(at.up[walk.up + slot], at.down[j]);
  }
};

/// What the table of one spin of a fermi-sea is made of.
struct SeaSource {
  const WalkView& walk;
  const TrialView& trial;
  const Site* sites;  ///< of this spin
  int electrons;

  CISOLVE_GROUP int order() const { return electrons; }
  CISOLVE_GROUP int columns() const { return electrons; }
  CISOLVE_GROUP int slots() const { return walk.sites - electrons; }
  CISOLVE_GROUP int kept_rows() const { return 0; }
  CISOLVE_GROUP double orbital(int site, int k) const {
    return trial.orbitals[std::ptrdiff_t{site} * trial.orbital_stride + k];
  }
  CISOLVE_GROUP double matrix(int p, int k) const { return orbital(sites[p], k); }
  CISOLVE_GROUP double right_side(int p, int j) const { return p == j ? 1.0 : 0.0; }
  CISOLVE_GROUP double factor(int k, int slot) const { return orbital(sites[electrons + slot], k); }
  CISOLVE_GROUP double rest(int, int) const { return 0.0; }
};

/// L U = P M in place, M a column after another in scratch; row i of L U is row `scratch.rows[i]` of M.
template <class Group>
CISOLVE_GROUP void factorise(const Group& group, const Scratch& scratch, int order, double* shared) {
  const std::ptrdiff_t stride = scratch.matrix_stride;
  double* m = scratch.matrix;
  for (int i = group.rank(); i < order; i += Group::size) scratch.rows[i] = i;
  group.sync();
  for (int k = 0; k < order; ++k) {
    double* column = m + k * stride;
    double largest = -1.0;
    int pivot = k;
    for (int i = k + group.rank(); i < order; i += Group::size) {
      if (fabs(column[i]) > largest) {
        largest = fabs(column[i]);
        pivot = i;
      }
    }
    pivot = group.index_of_largest(largest, pivot, shared);
    if (pivot != k) {
      for (int j = group.rank(); j < order; j += Group::size) {
        const double upper = m[j * stride + k];
        m[j * stride + k] = m[j * stride + pivot];
        m[j * stride + pivot] = upper;
      }
      if (group.is_first()) {
        const int row = scratch.rows[k];
        scratch.rows[k] = scratch.rows[pivot];
        scratch.rows[pivot] = row;
      }
      group.sync();
    }
    const double inverse = 1.0 / column[k];
    for (int i = k + 1 + group.rank(); i < order; i += Group::size) column[i] *= inverse;
    group.sync();
    for (int j = k + 1 + group.warp(); j < order; j += Group::warps) {
      double* to = m + j * stride;
      const double upper = to[k];
      for (int i = k + 1 + group.lane(); i < order; i += Group::lanes)
        to[i] = minus_product(to[i], column[i], upper);
    }
    group.sync();
  }
}

/// Rows of so many of a triangular system that are solved together.
inline constexpr int solved_rows = 4;

/// sums -= M(first.., k) x(k), k from `begin` to `end`.
CISOLVE_GROUP inline void subtract_known(const Scratch& scratch, const double* x, int first, int begin,
                                         int end, double (&sums)[solved_rows]) {
  const double* m = scratch.matrix + first;
  for (int k = begin; k < end; ++k) {
    const double known = x[std::ptrdiff_t{k} * scratch.solution_stride];
    CISOLVE_UNROLL for (int v = 0; v < solved_rows; ++v) {
      sums[v] = minus_product(sums[v], m[std::ptrdiff_t{k} * scratch.matrix_stride + v], known);
    }
  }
}

/// Rows of a column from `first` on, or zeros beyond the last.
CISOLVE_GROUP inline void read_rows(const Scratch& scratch, int order, const double* x, int first,
                                    double (&values)[solved_rows]) {
  CISOLVE_UNROLL for (int v = 0; v < solved_rows; ++v) {
    values[v] = first + v < order ? x[std::ptrdiff_t{first + v} * scratch.solution_stride] : 0.0;
  }
}

CISOLVE_GROUP inline void write_rows(const Scratch& scratch, int order, double* x, int first,
                                     const double (&values)[solved_rows]) {
  CISOLVE_UNROLL for (int v = 0; v < solved_rows; ++v) {
    if (first + v < order) x[std::ptrdiff_t{first + v} * scratch.solution_stride] = values[v];
  }
}

/// One column of the solution of L U x = x, a thread's own.
CISOLVE_GROUP inline void solve_column(const Scratch& scratch, int order, double* x) {
  const auto element = [&](int i, int k) {
    return scratch.matrix[std::ptrdiff_t{k} * scratch.matrix_stride + i];
  };
  double sums[solved_rows];
  for (int first = 0; first < order; first += solved_rows) {
    read_rows(scratch, order, x, first, sums);
    subtract_known(scratch, x, first, 0, first, sums);
    CISOLVE_UNROLL for (int v = 1; v < solved_rows; ++v) {
      CISOLVE_UNROLL for (int k = 0; k < v; ++k) {
        if (first + v < order) sums[v] = minus_product(sums[v], element(first + v, first + k), sums[k]);
      }
    }
    write_rows(scratch, order, x, first, sums);
  }
  for (int first = (order - 1) / solved_rows * solved_rows; first >= 0; first -= solved_rows) {
    read_rows(scratch, order, x, first, sums);
    subtract_known(scratch, x, first, first + solved_rows, order, sums);
    CISOLVE_UNROLL for (int v = solved_rows - 1; v >= 0; --v) {
      if (first + v < order) {
        CISOLVE_UNROLL for (int k = v + 1; k < solved_rows; ++k) {
          if (first + k < order) sums[v] = minus_product(sums[v], element(first + v, first + k), sums[k]);
        }
        sums[v] /= element(first + v, first + v);
      }
    }
    write_rows(scratch, order, x, first, sums);
  }
}

/// The matrix, its factors, and the solution for the table's right sides.
template <class Group, class Source>
CISOLVE_GROUP void solve(const Group& group, const Source& source, const Scratch& scratch, double* shared) {
  const int order = source.order(), columns = source.columns(), slots = source.slots();
  for (int b = group.warp(); b < order; b += Group::warps) {
    for (int a = group.lane(); a < order; a += Group::lanes)
      scratch.matrix[std::ptrdiff_t{b} * scratch.matrix_stride + a] = source.matrix(a, b);
    for (int s = group.lane(); s < slots; s += Group::lanes)
      scratch.factors[std::ptrdiff_t{b} * scratch.factor_stride + s] = source.factor(b, s);
  }
  group.sync();
  factorise(group, scratch, order, shared);
  for (int j = group.rank(); j < columns; j += Group::size) {
    double* x = scratch.solution + j;
    for (int a = 0; a < order; ++a)
      x[std::ptrdiff_t{a} * scratch.solution_stride] = source.right_side(scratch.rows[a], j);
    solve_column(scratch, order, x);
  }
  group.sync();
}

/// Largest difference of old and new elements, and largest new element.
struct Drift {
  double difference = 0.0, largest = 0.0;

  CISOLVE_GROUP void compare(double before, double now) {
    const double change = fabs(before - now);
    if (!(change <= difference)) difference = change >= 0.0 ? change : INFINITY;
    largest = fmax(largest, fabs(now));
  }
  CISOLVE_GROUP double value() const { return largest > 0.0 ? difference / largest : 0.0; }
};

/// Slots whose rows of a table are made together.
inline constexpr int made_rows = 8;

/// A table, [rows][stride], from the solution. Each thread makes some columns.
template <class Group, class Source>
CISOLVE_GROUP void store_table(const Group& group, const Source& source, const Scratch& scratch, double* t,
                               int stride, Drift& drift) {
  const int order = source.order(), columns = source.columns(), slots = source.slots();
  const auto store = [&](int i, int j, double value) {
    double& to = t[std::ptrdiff_t{i} * stride + j];
    drift.compare(to, value);
    to = value;
  };
  for (int j = group.rank(); j < columns; j += Group::size) {
    const double* x = scratch.solution + j;
    for (int q = 0; q < source.kept_rows(); ++q) store(q, j, x[std::ptrdiff_t{q} * scratch.solution_stride]);
    for (int first = 0; first < slots; first += made_rows) {
      double sums[made_rows];
      CISOLVE_UNROLL for (int v = 0; v < made_rows; ++v) {
        sums[v] = first + v < slots ? source.rest(first + v, j) : 0.0;
      }
      for (int b = 0; b < order; ++b) {
        const double known = x[std::ptrdiff_t{b} * scratch.solution_stride];
        const double* factors = scratch.factors + std::ptrdiff_t{b} * scratch.factor_stride + first;
        CISOLVE_UNROLL for (int v = 0; v < made_rows; ++v) { sums[v] = fma(factors[v], known, sums[v]); }
      }
      CISOLVE_UNROLL for (int v = 0; v < made_rows; ++v) {
        if (first + v < slots) store(source.kept_rows() + first + v, j, sums[v]);
      }
    }
  }
  group.sync();
}

/// 1 / (|M|_1 |M^-1|_1) of a matrix; 0 where it can't be told.
template <class Group, class Source>
CISOLVE_GROUP double reciprocal_condition(const Group& group, const Source& source, const Scratch& scratch,
                                          double* shared) {
  const int order = source.order();
  double of_matrix = 0.0, of_inverse = 0.0;
  for (int b = group.rank(); b < order; b += Group::size) {
    double sum = 0.0;
    for (int a = 0; a < order; ++a) {
      const double value = source.matrix(a, b);
      scratch.matrix[std::ptrdiff_t{b} * scratch.matrix_stride + a] = value;
      sum += fabs(value);
    }
    of_matrix = sum > of_matrix ? sum : of_matrix;
  }
  group.sync();
  factorise(group, scratch, order, shared);
  for (int j = group.rank(); j < order; j += Group::size) {
    double* x = scratch.solution + j;
    for (int a = 0; a < order; ++a)
      x[std::ptrdiff_t{a} * scratch.solution_stride] = scratch.rows[a] == j ? 1.0 : 0.0;
    solve_column(scratch, order, x);
    double sum = 0.0;
    for (int a = 0; a < order; ++a) sum += fabs(x[std::ptrdiff_t{a} * scratch.solution_stride]);
    if (!(sum <= of_inverse)) of_inverse = is_finite(sum) ? sum : INFINITY;
  }
  of_matrix = group.largest(of_matrix, shared);
  of_inverse = group.largest(of_inverse, shared);
  const double reciprocal = 1.0 / (of_matrix * of_inverse);
  group.sync();
  return is_finite(reciprocal) ? reciprocal : 0.0;
}

}  // namespace cisolve::cuda::sampling
