// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/kramers.hpp"
#include "cisolve/hamiltonian/spinor_rows.hpp"

namespace cisolve::bench {

/// Functions adapted to time reversal, in the order of quaternion or real rows, as sums of at most two determinants.
class AdaptedFunctions {
public:
  explicit AdaptedFunctions(const KramersPairs& pairs) {
    const double half = std::sqrt(0.5);
    for (const KramersPairs::Pair& pair : pairs.pairs()) {
      const double sign = pairs.place(pair.second).negative ? -1.0 : 1.0;
      if (pair.first == pair.second) {
        functions_.push_back({pair.first, pair.first, 1.0, 0.0});
      } else if (pairs.has_odd_electrons()) {
        functions_.push_back({pair.first, pair.first, 1.0, 0.0});
        functions_.push_back({pair.second, pair.second, sign, 0.0});
      } else {
        functions_.push_back({pair.first, pair.second, half, sign * half});
        functions_.push_back({pair.first, pair.second, Complex(0.0, half), Complex(0.0, -sign * half)});
      }
    }
  }

  /// From determinants to the functions.
  std::vector<Complex> adapt(const std::vector<Complex>& x) const {
    const std::size_t n = functions_.size();
    std::vector<Complex> result(x.size());
    for (std::size_t first = 0; first < x.size(); first += n) {
      for (std::size_t i = 0; i < n; ++i) {
        const Function& f = functions_[i];
        result[first + i] = std::conj(f.a) * x[first + static_cast<std::size_t>(f.first)] +
                            std::conj(f.b) * x[first + static_cast<std::size_t>(f.second)];
      }
    }
    return result;
  }

  /// From the functions to determinants.
  std::vector<Complex> expand(const std::vector<Complex>& x) const {
    const std::size_t n = functions_.size();
    std::vector<Complex> result(x.size());
    for (std::size_t first = 0; first < x.size(); first += n) {
      for (std::size_t i = 0; i < n; ++i) {
        const Function& f = functions_[i];
        result[first + static_cast<std::size_t>(f.first)] += f.a * x[first + i];
        result[first + static_cast<std::size_t>(f.second)] += f.b * x[first + i];
      }
    }
    return result;
  }

  /// H(indices, indices) over the functions.
  BasicMatrix<Complex> dense_block(const ComplexRowSource& rows,
                                   std::span<const std::int64_t> indices) const {
    std::vector<std::int64_t> determinants;
    for (const std::int64_t i : indices) {
      const Function& f = functions_[static_cast<std::size_t>(i)];
      determinants.insert(determinants.end(), {f.first, f.second});
    }
    const BasicMatrix<Complex> h = cisolve::dense_block(rows, determinants);
    const auto n = static_cast<int>(indices.size());
    BasicMatrix<Complex> block(n, n);
    for (int i = 0; i < n; ++i) {
      const Function& bra = functions_[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
      for (int j = 0; j < n; ++j) {
        const Function& ket = functions_[static_cast<std::size_t>(indices[static_cast<std::size_t>(j)])];
        block(i, j) = std::conj(bra.a) * (h(2 * i, 2 * j) * ket.a + h(2 * i, 2 * j + 1) * ket.b) +
                      std::conj(bra.b) * (h(2 * i + 1, 2 * j) * ket.a + h(2 * i + 1, 2 * j + 1) * ket.b);
      }
    }
    return block;
  }

private:
  struct Function {
    std::int32_t first, second;
    Complex a, b;  ///< a |first> + b |second>
  };
  std::vector<Function> functions_;
};

}  // namespace cisolve::bench
