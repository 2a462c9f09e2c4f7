// SPDX-License-Identifier: MIT
// S^2 = Ms^2 + (open shells) / 2 - sum over p != q of (a+_p a_q)_alpha (a+_q a_p)_beta, a row of a panel at a time: what
// its alpha string becomes is in shared memory, and neighbouring threads have neighbouring beta strings.
#include "cuda/core/launch.cuh"
#include "cuda/hamiltonian/direct/spin/spin_part.hpp"

namespace cisolve::cuda::direct {
namespace {

constexpr int threads = 256;
constexpr int most_orbitals = 256;  // that a number of eight bits can have

/// An alpha string, as a block of threads sees it.
struct AlphaString {
  const Moved* moved;  ///< [electron][orbital that it goes to]
  const std::uint8_t* orbitals;
  const bool* is_occupied;  ///< [orbitals]
};

/// S^2 between one determinant and all of x.
__device__ double element_of_product(const SpinArrays<Pointer>& a, const SpinNumbers& n,
                                     const AlphaString& alpha, std::int32_t beta, double own,
                                     const double* __restrict__ x) {
  int in_both = 0;
  double sum = 0.0;
  for (int j = 0; j < n.num_beta; ++j) {
    const std::int64_t strings = n.beta_strings;
    const int q = a.beta_occupied[j * strings + beta];
    if (alpha.is_occupied[q]) {
      ++in_both;
      continue;
    }
    for (int k = 0; k < n.num_alpha; ++k) {
      const int p = alpha.orbitals[k];
      const Moved of_beta =
          a.beta_moved[(static_cast<std::int64_t>(j) * n.num_orbitals + p) * strings + beta];
      if (of_beta.code == Moved::none) continue;
      const Moved of_alpha = alpha.moved[k * n.num_orbitals + q];
      if (of_alpha.code == Moved::none) continue;
      const std::int64_t first =
          a.first_rows[static_cast<std::int64_t>(of_beta.class_number) * n.alpha_classes +
                       of_alpha.class_number];
      if (first < 0) continue;
      const SpinPanel panel = a.panels[of_beta.class_number];
      const double value =
          x[panel.offset + (first + (of_alpha.code >> 1)) * panel.stride + (of_beta.code >> 1)];
      sum += ((of_alpha.code ^ of_beta.code) & 1) != 0 ? value : -value;
    }
  }
  const double ms = 0.5 * (n.num_alpha - n.num_beta);
  const int open = n.num_alpha + n.num_beta - 2 * in_both;
  return (ms * ms + 0.5 * open) * own + sum;
}

__global__ void __launch_bounds__(threads) spin_kernel(const SpinArrays<Pointer> a, const SpinNumbers n,
                                                       const double* __restrict__ x, double* __restrict__ y) {
  extern __shared__ Moved moved[];
  __shared__ bool is_occupied[most_orbitals];
  __shared__ std::uint8_t orbitals[most_orbitals];
  const SpinRow row = a.rows[blockIdx.x];
  const int thread = static_cast<int>(threadIdx.x);
  const int size = n.num_alpha * n.num_orbitals;
  for (int i = thread; i < size; i += threads)
    moved[i] = a.alpha_moved[static_cast<std::int64_t>(row.alpha) * size + i];
  for (int p = thread; p < n.num_orbitals; p += threads) is_occupied[p] = false;
  __syncthreads();
  for (int k = thread; k < n.num_alpha; k += threads) {
    orbitals[k] = a.alpha_occupied[static_cast<std::int64_t>(row.alpha) * n.num_alpha + k];
    is_occupied[orbitals[k]] = true;
  }
  __syncthreads();
  const AlphaString alpha{moved, orbitals, is_occupied};
  const SpinPanel panel = a.panels[row.panel];
  const double* own = x + panel.offset + static_cast<std::int64_t>(row.row) * panel.stride;
  for (int column = thread; column < panel.columns; column += threads) {
    y[row.y + column] = element_of_product(a, n, alpha, panel.first_string + column, own[column], x);
  }
}

}  // namespace

void SpinPart::multiply(const Stream& stream, const double* x, double* y) const {
  const std::size_t of_alpha = static_cast<std::size_t>(numbers_.num_alpha) *
                               static_cast<std::size_t>(numbers_.num_orbitals) * sizeof(Moved);
  Launch{stream, static_cast<unsigned>(arrays_.rows.size()), threads, of_alpha}(
      spin_kernel, pointers_to(arrays_), numbers_, x, y);
}

}  // namespace cisolve::cuda::direct
