// SPDX-License-Identifier: MIT
#include "molecule/molden_functions.hpp"

#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace cisolve::detail {
namespace {

/// Cartesian functions in the order of the format's description, which has none beyond g.
constexpr std::string_view s_functions[] = {""};
constexpr std::string_view p_functions[] = {"x", "y", "z"};
constexpr std::string_view d_functions[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
constexpr std::string_view f_functions[] = {"xxx", "yyy", "zzz", "xyy", "xxy",
                                            "xxz", "xzz", "yzz", "yyz", "xyz"};
constexpr std::string_view g_functions[] = {"xxxx", "yyyy", "zzzz", "xxxy", "xxxz", "yyyx", "yyyz", "zzzx",
                                            "zzzy", "xxyy", "xxzz", "yyzz", "xxyz", "yyxz", "zzxy"};
constexpr std::array<std::span<const std::string_view>, molden_largest_angular_momentum + 1> cartesian = {
    s_functions, p_functions, d_functions, f_functions, g_functions};

MoldenFunction cartesian_function(std::string_view name) {
  std::array<int, 3> powers = {0, 0, 0};
  for (const char axis : name) ++powers[static_cast<std::size_t>(axis - 'x')];
  const auto [x, y, z] = powers;
  const int l = x + y + z;
  const int before = (l - x) * (l - x + 1) / 2;  // functions with a higher power of x
  return {before + z, std::sqrt(odd_factorial(l) / (odd_factorial(x) * odd_factorial(y) * odd_factorial(z)))};
}

}  // namespace

double odd_factorial(int n) { return n < 2 ? 1.0 : (2.0 * n - 1.0) * odd_factorial(n - 1); }

std::vector<MoldenFunction> molden_functions(int angular_momentum, bool spherical) {
  std::vector<MoldenFunction> functions;
  const int l = angular_momentum;
  if (!spherical) {
    for (const std::string_view name : cartesian[static_cast<std::size_t>(l)])
      functions.push_back(cartesian_function(name));
    return functions;
  }
  functions.push_back({l, 1.0});
  for (int m = 1; m <= l; ++m) {
    functions.push_back({l + m, 1.0});
    functions.push_back({l - m, 1.0});
  }
  return functions;
}

double contraction_overlap(const GaussianShell& a, const GaussianShell& b) {
  const double power = a.angular_momentum + 1.5;
  double sum = 0.0;
  for (std::size_t i = 0; i < a.exponents.size(); ++i) {
    for (std::size_t j = 0; j < b.exponents.size(); ++j) {
      const double x = a.exponents[i], y = b.exponents[j];
      sum += a.coefficients[i] * b.coefficients[j] *
             std::pow(2.0 * std::sqrt(x) * std::sqrt(y) / (x + y), power);
    }
  }
  return sum;
}

}  // namespace cisolve::detail
