// SPDX-License-Identifier: MIT
#include <algorithm>

#include "cisolve/lapw/synthetic.hpp"
#include "cuda/core/launch.cuh"
#include "cuda/lapw/kernels.hpp"

namespace cisolve::cuda::lapw {
namespace {

// Threads go along the rows of some columns at a time, and blocks on to further columns.
constexpr int row_threads = 64, column_threads = 4;
constexpr unsigned most_blocks = 64;  // along the columns, of each atom

__device__ std::int64_t first_column() {
  return static_cast<std::int64_t>(blockIdx.x) * column_threads + threadIdx.y;
}
__device__ std::int64_t column_step() { return static_cast<std::int64_t>(gridDim.x) * column_threads; }

/// l of function number `row`: the root of l^2 <= row < (l + 1)^2.
__device__ int momentum_of(int row) {
  int l = static_cast<int>(sqrtf(static_cast<float>(row)));
  if (l * l > row) --l;
  if ((l + 1) * (l + 1) <= row) ++l;
  return l;
}

__global__ void __launch_bounds__(row_threads* column_threads)
    matching_kernel(MatchingView view, const AtomPlace* places, int functions, cuDoubleComplex* x,
                    std::int64_t ld, std::int64_t to_b) {
  const AtomPlace place = places[blockIdx.y];
  const double* position = view.positions + 3 * place.atom;
  const int table = view.rotation[place.atom];
  const cuDoubleComplex* harmonics = view.harmonics[table];
  const int stride = view.functions[table];
  const double *f = view.f[place.type], *g = view.g[place.type];
  for (std::int64_t wave = view.first + first_column(); wave < view.waves; wave += column_step()) {
    // One lane of each warp has the phase for all.
    double sine = 0.0, cosine = 0.0;
    if (threadIdx.x % 32 == 0) {
      double turns = 0.0;
      for (int i = 0; i < 3; ++i) turns += view.waves_k[i * view.waves + wave] * position[i];
      sincospi(2.0 * (turns - rint(turns)), &sine, &cosine);
    }
    sine = view.prefactor * __shfl_sync(0xffffffffU, sine, 0);
    cosine = view.prefactor * __shfl_sync(0xffffffffU, cosine, 0);
    cuDoubleComplex* a = x + (wave - view.first) * ld + place.row;
    for (int row = static_cast<int>(threadIdx.x); row < functions; row += row_threads) {
      const int l = momentum_of(row);
      const cuDoubleComplex y = harmonics[wave * stride + row];
      const double f_l = f[l * view.waves + wave], g_l = g[l * view.waves + wave];
      const double re = cosine * y.x - sine * y.y, im = cosine * y.y + sine * y.x;
      a[row] = {re * f_l, im * f_l};
      a[to_b + row] = {re * g_l, im * g_l};
    }
  }
}

__device__ cuDoubleComplex synthetic_number(std::uint64_t stream, std::uint64_t i, double scale) {
  return {scale * cisolve::lapw::synthetic::uniform(stream, 2 * i),
          scale * cisolve::lapw::synthetic::uniform(stream, 2 * i + 1)};
}

__global__ void __launch_bounds__(row_threads* column_threads)
    synthetic_kernel(SyntheticView view, const AtomPlace* places, int functions, cuDoubleComplex* x,
                     std::int64_t ld, std::int64_t to_b) {
  const AtomPlace place = places[blockIdx.y];
  for (std::int64_t wave = view.first + first_column(); wave < view.waves; wave += column_step()) {
    const auto first =
        static_cast<std::uint64_t>(wave * view.rows + static_cast<std::int64_t>(view.functions) * place.atom);
    cuDoubleComplex* a = x + (wave - view.first) * ld + place.row;
    for (int row = static_cast<int>(threadIdx.x); row < functions; row += row_threads) {
      const std::uint64_t number = first + static_cast<std::uint64_t>(row);
      a[row] = synthetic_number(view.stream_a, number, view.scale);
      a[to_b + row] = synthetic_number(view.stream_b, number, view.scale);
    }
  }
}

__global__ void __launch_bounds__(row_threads* column_threads)
    scale_rows_kernel(cuDoubleComplex* x, std::int64_t ld, std::int64_t columns, int functions, int period,
                      const double* factors) {
  for (std::int64_t column = first_column(); column < columns; column += column_step()) {
    cuDoubleComplex* of_atom = x + column * ld + static_cast<std::int64_t>(blockIdx.y) * period;
    for (int row = static_cast<int>(threadIdx.x); row < functions; row += row_threads) {
      of_atom[row].x *= factors[row];
      of_atom[row].y *= factors[row];
    }
  }
}

constexpr int most_atoms = 65535;  // of a launch, in y

/// start(launch, first atom) over atoms, as many at a time as a grid holds: columns in x, atoms in y.
template <class Start>
void over_atoms(const Stream& stream, std::int64_t columns, int atoms, const Start& start) {
  const auto blocks = static_cast<unsigned>((columns + column_threads - 1) / column_threads);
  for (int first = 0; first < atoms; first += most_atoms) {
    const auto count = static_cast<unsigned>(std::min(most_atoms, atoms - first));
    start(Launch{stream, dim3(std::min(blocks, most_blocks), count), dim3(row_threads, column_threads)},
          first);
  }
}

}  // namespace

void fill_matching(const Stream& stream, const MatchingView& view, const AtomPlace* places, int atoms,
                   int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t to_b) {
  over_atoms(stream, view.waves - view.first, atoms, [&](const Launch& launch, int first) {
    launch(matching_kernel, view, places + first, functions, x, ld, to_b);
  });
}

void fill_synthetic(const Stream& stream, const SyntheticView& view, const AtomPlace* places, int atoms,
                    int functions, cuDoubleComplex* x, std::int64_t ld, std::int64_t to_b) {
  over_atoms(stream, view.waves - view.first, atoms, [&](const Launch& launch, int first) {
    launch(synthetic_kernel, view, places + first, functions, x, ld, to_b);
  });
}

void scale_rows(const Stream& stream, cuDoubleComplex* x, std::int64_t ld, std::int64_t columns, int count,
                int functions, int period, const double* factors) {
  over_atoms(stream, columns, count, [&](const Launch& launch, int first) {
    launch(scale_rows_kernel, x + static_cast<std::int64_t>(first) * period, ld, columns, functions, period,
           factors);
  });
}

}  // namespace cisolve::cuda::lapw
