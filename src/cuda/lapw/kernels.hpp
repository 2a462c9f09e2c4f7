// SPDX-License-Identifier: MIT
#pragma once

#include <cuComplex.h>

#include <cstdint>

#include "cuda/core/stream.hpp"

// Kernels of FLAPW. Matrices are column-major; of H and S the lower triangle counts. All is enqueued.
namespace cisolve::cuda::lapw {

// --- coefficients

/// Atoms of a block whose coefficients a kernel makes: where each of them stands.
struct AtomPlace {
  std::int64_t row = 0;   ///< of its A in the array of the block
  std::int32_t atom = 0;  ///< from 0
  std::int32_t type = 0;
};

/// What matching coefficients are made from, in device memory; see MatchingCoefficients.
struct MatchingView {
  std::int64_t waves = 0;
  std::int64_t first = 0;                             ///< wave that coefficients are made from on
  const double* waves_k = nullptr;                    ///< k + G in units of b, three rows of N
  const double* positions = nullptr;                  ///< three numbers of each atom, fractional
  const std::int32_t* rotation = nullptr;             ///< of each atom, its table of harmonics
  const cuDoubleComplex* const* harmonics = nullptr;  ///< conj Y, functions x N each
  const std::int32_t* functions = nullptr;            ///< rows of each of these tables
  const double* const* f = nullptr;                   ///< of each type, (lmax + 1) rows of N
  const double* const* g = nullptr;
  double prefactor = 0.0;
};

/// A and B of some atoms of one type, `functions` rows each; B stands `to_b` rows below A.
void fill_matching(const Stream& stream, const MatchingView& view, const AtomPlace* places, int atoms,
                   int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t to_b);

/// Those of the synthetic generator.
struct SyntheticView {
  std::int64_t waves = 0, rows = 0;  ///< N, K
  std::int64_t first = 0;            ///< wave that they are made from on
  std::uint64_t stream_a = 0, stream_b = 0;
  std::int32_t functions = 0;  ///< of an atom in K
  double scale = 0.0;
};
void fill_synthetic(const Stream& stream, const SyntheticView& view, const AtomPlace* places, int atoms,
                    int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t to_b);

/// Rows of all columns times a number each: of `count` groups of rows, which begin `period` rows apart, the first
/// `functions` ones.
/// @param factors  one per row of a group
void scale_rows(const Stream& stream, cuDoubleComplex* x, std::int64_t ld, std::int64_t columns, int count,
                int functions, int period, const double* factors);

// --- the pass over pairs of plane waves

struct SphericalView {
  std::int32_t lmax = 0;
  const double* f = nullptr;  ///< (lmax + 1) rows of N
  const double* g = nullptr;
  const double* norm = nullptr;                ///< N_l
  const double* energy = nullptr;              ///< E_l
  const cuDoubleComplex* structure = nullptr;  ///< middle of the table of sum exp(-2 pi i D.p)
};

struct PassView {
  std::int64_t waves = 0;
  std::int64_t first = 0, columns = 0;       ///< of the lower triangle, those that are made
  const std::int64_t* offsets = nullptr;     ///< of the plane waves in tables over differences
  const double* squares = nullptr;           ///< |kappa|^2
  const double* directions = nullptr;        ///< three rows of N
  const cuDoubleComplex* theta = nullptr;    ///< middle of the table; null: nothing lies between the spheres
  const cuDoubleComplex* v_theta = nullptr;  ///< null: no potential there
  const SphericalView* types = nullptr;      ///< in device memory
  std::int32_t num_types = 0;                ///< 0: without the spherical part
  double factor = 0.0;                       ///< 4 pi / Omega
};
/// @param h, s  elements (first, first)
void plane_wave_pass(const Stream& stream, const PassView& view, cuDoubleComplex* h, cuDoubleComplex* s,
                     std::int64_t ld);

/// Diagonals, or zeros where they are null; zeros elsewhere in the first columns of the lower triangle.
void set_diagonals(const Stream& stream, std::int64_t n, std::int64_t columns, const double* h_diagonal,
                   const double* s_diagonal, cuDoubleComplex* h, cuDoubleComplex* s, std::int64_t ld);

// --- H and S as solvers need them

/// Lower triangle of out = a - sigma b; b may be null.
void combine_lower(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, double sigma,
                   const cuDoubleComplex* b, cuDoubleComplex* out);

/// The upper triangle from the lower one.
void mirror(const Stream& stream, std::int64_t n, cuDoubleComplex* a);

/// Sums of |element|^2 of each column of a Hermitian matrix whose lower triangle is given, those below the diagonal twice.
void column_squares(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, double* sums);

/// out(i, j) = element (rows[i], rows[j]) of a Hermitian matrix whose lower triangle is given.
void gather_block(const Stream& stream, std::int64_t n, const cuDoubleComplex* a, const std::int64_t* rows,
                  std::int64_t count, cuDoubleComplex* out);

/// Columns times a number each.
void scale_columns(const Stream& stream, std::int64_t rows, std::int64_t columns, const double* factors,
                   cuDoubleComplex* x);

}  // namespace cisolve::cuda::lapw
