// SPDX-License-Identifier: MIT
#include "cisolve/space/spin_couplings.hpp"

#include <cmath>
#include <limits>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

/// All strings of `length` bits of which `ones` are set.
std::vector<std::uint64_t> strings_ascending(int length, int ones) {
  if (ones == 0) return {0};
  std::vector<std::uint64_t> strings;
  for (std::uint64_t s = (std::uint64_t{1} << ones) - 1; s < std::uint64_t{1} << length;) {
    strings.push_back(s);
    // The next larger number with as many ones (Gosper's hack, HAKMEM 175).
    const std::uint64_t lowest = s & (~s + 1);
    const std::uint64_t ripple = s + lowest;
    s = (((ripple ^ s) >> 2) / lowest) | ripple;
  }
  return strings;
}

}  // namespace

SpinCouplings::SpinCouplings(int two_s, int max_open)
    : two_s_(two_s), max_open_(max_open), width_(two_s + max_open + 2),
      completions_(static_cast<std::size_t>(max_open + 1) * width_, 0) {
  if (two_s < 0 || max_open < 0)
    throw DimensionError("SpinCouplings: spin and open shells must not be negative");
  completions_[two_s] = 1;
  for (int left = 1; left <= max_open; ++left) {
    for (int spin = 0; spin <= left + two_s; ++spin) {
      std::int64_t& sum =
          completions_[static_cast<std::size_t>(left) * width_ + static_cast<std::size_t>(spin)];
      // Saturates beyond 64 open shells, which no space that can be generated has.
      if (__builtin_add_overflow(completions(left - 1, spin + 1), completions(left - 1, spin - 1), &sum)) {
        sum = std::numeric_limits<std::int64_t>::max();
      }
    }
  }
}

void SpinCouplings::steps(std::int64_t coupling, std::span<SpinStep> steps) const {
  int spin = 0;
  int left = static_cast<int>(steps.size());
  for (SpinStep& step : steps) {
    --left;
    const std::int64_t ups = completions(left, spin + 1);
    step = coupling < ups ? SpinStep::up : SpinStep::down;
    if (step == SpinStep::down) coupling -= ups;
    spin += step == SpinStep::up ? 1 : -1;
  }
}

std::int64_t SpinCouplings::number(std::span<const SpinStep> steps) const {
  std::int64_t number = 0;
  int spin = 0;
  int left = static_cast<int>(steps.size());
  for (const SpinStep step : steps) {
    --left;
    if (step == SpinStep::down) number += completions(left, spin + 1);
    spin += step == SpinStep::up ? 1 : -1;
  }
  return number;
}

double clebsch_gordan_half(int two_s_before, int two_sigma, int two_s, int two_m) {
  const bool up = two_s == two_s_before + 1;
  if (two_s_before < 0 || two_s < 0 || (!up && two_s != two_s_before - 1)) return 0.0;
  if (std::abs(two_m) > two_s || std::abs(two_m - two_sigma) > two_s_before) return 0.0;
  const double width = 2.0 * (two_s_before + 1);
  const double with = std::sqrt((two_s_before + 1 + two_m) / width);
  const double against = std::sqrt((two_s_before + 1 - two_m) / width);
  if (up) return two_sigma > 0 ? with : against;
  return two_sigma > 0 ? -against : with;
}

SpinFunctions make_spin_functions(const SpinCouplings& couplings, int open, int wanted_two_m) {
  if (open > couplings.max_open() || open > 62)
    throw DimensionError("make_spin_functions: too many open shells");
  const int two_s = couplings.two_s();
  if (std::abs(wanted_two_m) > two_s || (two_s - wanted_two_m) % 2 != 0)
    throw DimensionError("make_spin_functions: no component of the spin has this Ms");
  SpinFunctions functions;
  const std::int64_t count = couplings.count(open);
  if (count == 0) return functions;
  const int num_alpha = (open + wanted_two_m) / 2;
  functions.alpha = strings_ascending(open, num_alpha);
  functions.coefficients = Matrix(static_cast<int>(functions.alpha.size()), static_cast<int>(count));
  std::vector<SpinStep> steps(open);
  for (std::int64_t c = 0; c < count; ++c) {
    couplings.steps(c, steps);
    for (std::size_t a = 0; a < functions.alpha.size(); ++a) {
      double coefficient = 1.0;
      int spin = 0;
      int two_m = 0;
      for (int k = 0; k < open && coefficient != 0.0; ++k) {
        const int sigma = (functions.alpha[a] >> k & 1U) != 0 ? 1 : -1;
        const int next = spin + (steps[k] == SpinStep::up ? 1 : -1);
        two_m += sigma;
        coefficient *= clebsch_gordan_half(spin, sigma, next, two_m);
        spin = next;
      }
      functions.coefficients(static_cast<int>(a), static_cast<int>(c)) = coefficient;
    }
  }
  return functions;
}

template <int Words>
Determinant<Words> determinant_of(const Configuration<Words>& configuration, std::uint64_t alpha) {
  Determinant<Words> d{configuration.doubly, configuration.doubly};
  configuration.singly.for_each([&](int p) {
    ((alpha & 1U) != 0 ? d.alpha : d.beta).set(p);
    alpha >>= 1;
  });
  return d;
}

template <int Words>
bool is_interleaving_negative(const Determinant<Words>& determinant) {
  int passed = 0;  // beta creators that alpha creators pass on their way to the front
  determinant.alpha.for_each([&](int p) { passed += determinant.beta.count_between(-1, p); });
  return (passed & 1) != 0;
}

#define INSTANTIATE(W)                                                            \
  template Determinant<W> determinant_of(const Configuration<W>&, std::uint64_t); \
  template bool is_interleaving_negative(const Determinant<W>&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
