// SPDX-License-Identifier: MIT
// The kernels of row_kernels.hpp for one instruction set: included by core/each_instruction_set.hpp.

namespace cisolve::CISOLVE_SET {
namespace {

/// Nonzeros whose products are summed side by side: one sum alone would wait for each of its additions.
constexpr std::size_t chains = 4;

/// Elements of x are loaded one by one: gather instructions, which a compiler makes of a plain loop, take more than twice as
/// long on some processors.
CISOLVE_TARGET void add_1(const RowPart& part, const double* x, double* sums) {
  double partial[chains] = {};
  std::size_t at = 0;
  for (; at + chains <= part.size; at += chains) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < chains; ++k) partial[k] += part.values[at + k] * x[part.columns[at + k]];
  }
  for (; at < part.size; ++at) partial[0] += part.values[at] * x[part.columns[at]];
  sums[0] += (partial[0] + partial[1]) + (partial[2] + partial[3]);
}

/// A vector register; g++ does not find it by itself in an array of sums.
template <std::size_t lanes>
using Lanes [[gnu::vector_size(lanes * sizeof(double))]] = double;

template <std::size_t width>
CISOLVE_TARGET void add_several(const RowPart& part, const double* packed, double* sums) {
  constexpr std::size_t in_register = CISOLVE_VECTOR_BYTES / sizeof(double);
  constexpr std::size_t lanes = width < in_register ? width : in_register;
  constexpr std::size_t count = width / lanes;
  Lanes<lanes> partial[chains][count];
  __builtin_memset(partial, 0, sizeof partial);
  std::size_t at = 0;
  for (; at + chains <= part.size; at += chains) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < chains; ++k) {
      const double* from = packed + static_cast<std::size_t>(part.columns[at + k]) * width;
#pragma GCC unroll 4
      for (std::size_t v = 0; v < count; ++v) {
        Lanes<lanes> x;
        __builtin_memcpy(&x, from + v * lanes, sizeof x);
        partial[k][v] += part.values[at + k] * x;
      }
    }
  }
  for (; at < part.size; ++at) {
    const double* from = packed + static_cast<std::size_t>(part.columns[at]) * width;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < count; ++v) {
      Lanes<lanes> x;
      __builtin_memcpy(&x, from + v * lanes, sizeof x);
      partial[0][v] += part.values[at] * x;
    }
  }
#pragma GCC unroll 4
  for (std::size_t v = 0; v < count; ++v) {
    const Lanes<lanes> sum = (partial[0][v] + partial[1][v]) + (partial[2][v] + partial[3][v]);
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[v * lanes + lane] += sum[lane];
  }
}

}  // namespace

constexpr RowKernels row_kernels = {&add_1, &add_several<2>, &add_several<4>};

}  // namespace cisolve::CISOLVE_SET
