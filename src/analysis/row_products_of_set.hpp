// SPDX-License-Identifier: MIT
// The kernel of RowProducts for one instruction set: included by core/each_instruction_set.hpp.

namespace cisolve::CISOLVE_SET {
namespace {

/// RowProducts::Multiply
template <std::int64_t bras, std::int64_t kets>
CISOLVE_TARGET void multiply_rows(const double* bra, const double* ket, std::int64_t columns,
                                  double (&products)[bras][kets]) {
  using Register __attribute__((vector_size(CISOLVE_VECTOR_BYTES), may_alias)) = double;
  constexpr std::int64_t lanes = CISOLVE_VECTOR_BYTES / 8;
  constexpr std::int64_t at_a_time = lanes == 8 ? kets : kets / 2;  // whose sums stay in registers
  for (std::int64_t first = 0; first < kets; first += at_a_time) {
    Register sums[bras][at_a_time];
#pragma GCC unroll 4
    for (std::int64_t a = 0; a < bras; ++a) {
#pragma GCC unroll 4
      for (std::int64_t b = 0; b < at_a_time; ++b) sums[a][b] = Register{};
    }
    for (std::int64_t k = 0; k < columns; k += lanes) {
      Register of_ket[at_a_time];
#pragma GCC unroll 4
      for (std::int64_t b = 0; b < at_a_time; ++b)
        of_ket[b] = *reinterpret_cast<const Register*>(ket + (first + b) * columns + k);
#pragma GCC unroll 4
      for (std::int64_t a = 0; a < bras; ++a) {
        const Register of_bra = *reinterpret_cast<const Register*>(bra + a * columns + k);
#pragma GCC unroll 4
        for (std::int64_t b = 0; b < at_a_time; ++b) sums[a][b] += of_bra * of_ket[b];
      }
    }
#pragma GCC unroll 4
    for (std::int64_t a = 0; a < bras; ++a) {
#pragma GCC unroll 4
      for (std::int64_t b = 0; b < at_a_time; ++b) {
        double sum = 0.0;
        for (std::int64_t lane = 0; lane < lanes; ++lane) sum += sums[a][b][lane];
        products[a][first + b] = sum;
      }
    }
  }
}

}  // namespace
}  // namespace cisolve::CISOLVE_SET
