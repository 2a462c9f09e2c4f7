// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/matrix.hpp"
#include "cisolve/space/configuration.hpp"

namespace cisolve {

/// How an open shell is coupled to those before it, as files say it.
enum class SpinStep : std::uint8_t {
  up = 1,   ///< S + 1/2
  down = 2  ///< S - 1/2
};

/// The genealogical (Yamanouchi-Kotani) couplings of open shells to a total spin S: paths of steps
/// S +- 1/2 that begin at 0, never go below it, and end at S. The couplings of a number of open shells
/// are numbered in lexicographic order of their steps, lowest orbital first, up before down.
/// @see R. Pauncz, Spin Eigenfunctions (1979), ch. 2 and 5
class SpinCouplings {
public:
  /// @param two_s     2 S, at least 0
  /// @param max_open  open shells asked about, at most
  SpinCouplings(int two_s, int max_open);

  int two_s() const { return two_s_; }
  int max_open() const { return max_open_; }

  /// Number of couplings of s = `open` open shells: f(s, S) = C(s, s/2 - S) - C(s, s/2 - S - 1); 0 where s <
  /// 2S or s - 2S is odd.
  std::int64_t count(int open) const { return completions(open, 0); }

  /// Number of ways to go on from 2 S' = two_spin to 2 S with so many open shells left: what numbers paths. A
  /// path whose next step is down comes after all that go up from there.
  std::int64_t completions(int left, int two_spin) const {
    if (two_spin < 0 || two_spin > left + two_s_) return 0;
    return completions_[static_cast<std::size_t>(left) * width_ + static_cast<std::size_t>(two_spin)];
  }

  /// Writes the steps of one coupling of steps.size() open shells.
  void steps(std::int64_t coupling, std::span<SpinStep> steps) const;

  /// Number of a coupling: the inverse of steps().
  std::int64_t number(std::span<const SpinStep> steps) const;

private:
  int two_s_;
  int max_open_;
  std::size_t width_;
  std::vector<std::int64_t> completions_;  ///< [max_open + 1][width]
};

/// <S' M' 1/2 sigma | S M> for spin 1/2 coupled to S', M' = M - sigma; Condon-Shortley phases. All
/// arguments doubled; 0 where the spins do not fit.
/// @see D. A. Varshalovich et al., Quantum Theory of Angular Momentum (1988), table 8.1
double clebsch_gordan_half(int two_s_before, int two_sigma, int two_s, int two_m);

/// The spin functions of one number of open shells at one Ms, as sums over assignments of alpha and beta:
/// a coupling is the sum over assignments of its coefficient times the product of the open shells'
/// creators, lowest orbital first.
struct SpinFunctions {
  std::vector<std::uint64_t>
      alpha;            ///< bit k: open shell k, counted from the lowest orbital, is alpha; ascending
  Matrix coefficients;  ///< shape [assignments x couplings], orthonormal columns
};

/// The spin functions of `open` open shells at one Ms.
/// @param couplings  of the wanted S
/// @param open       open <= max_open() and <= 62
/// @param two_m      2 Ms, from -2S to 2S in steps of 2
SpinFunctions make_spin_functions(const SpinCouplings& couplings, int open, int two_m);

/// The spin functions of `open` open shells at Ms = S.
inline SpinFunctions make_spin_functions(const SpinCouplings& couplings, int open) {
  return make_spin_functions(couplings, open, couplings.two_s());
}

/// The determinant of a configuration whose open shells have the given spins (bits as in SpinFunctions).
template <int Words>
Determinant<Words> determinant_of(const Configuration<Words>& configuration, std::uint64_t alpha);

/// True if the product of creators in the order 1 alpha, 1 beta, 2 alpha, 2 beta, ... is minus the
/// determinant, in which all alpha creators stand before all beta creators. CSFs are built in the former.
template <int Words>
bool is_interleaving_negative(const Determinant<Words>& determinant);

}  // namespace cisolve
