// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cisolve/sampling/trial_state.hpp"
#include "sampling/configuration.hpp"

namespace cisolve::sampling {

/// O_a = d ln|psi| / d a of a trial state's varied parameters in a configuration.
class DerivativeTerms {
public:
  /// @param trial  outlives it
  explicit DerivativeTerms(const TrialState& trial);

  /// @param walker  settled
  /// @param to      [varied parameters]
  template <class Walker>
  void measure(const Configuration& at, const Walker& walker, double* to) {
    if (has_jastrow_) count_pairs(at);
    for (std::size_t a = 0; a < trial_.varied.size(); ++a) {
      const TrialParameter which = trial_.varied[a];
      if (which.is_of_pairs())
        to[a] = trial_.phi_derivatives[a].empty() ? 0.0 : of_pairs(at, walker, trial_.phi_derivatives[a]);
      else if (which.is_of_jastrow())
        to[a] = of_jastrow(which);
      else
        to[a] = at.double_occupancies;
    }
  }

private:
  /// sum_pq W(q, p) d phi(u_p, d_q), W = M^-1.
  template <class Walker>
  double of_pairs(const Configuration& at, const Walker& walker,
                  const std::vector<double>& phi_derivative) const {
    const int pairs = trial_.electrons.up;
    const double* derivative = phi_derivative.data() + trial_.phi.centre;
    double total = 0.0;
    for (int q = 0; q < pairs; ++q) {
      const int down = trial_.phi.place[at.down.occupied()[q]];
      const auto term = [&](int p) {
        return walker.inverse(q, p) * derivative[trial_.phi.place[at.up.occupied()[p]] - down];
      };
      // Four sums, none of which waits for another.
      double sums[4] = {};
      int p = 0;
      for (; p + 4 <= pairs; p += 4) {
        for (int lane = 0; lane < 4; ++lane) sums[lane] += term(p + lane);
      }
      for (; p < pairs; ++p) sums[0] += term(p);
      total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    return total;
  }

  /// Sums of (n_i - 1)(n_j - 1), or of Sz_i Sz_j, over the pairs of a shell.
  double of_jastrow(TrialParameter which) const {
    return which.kind == TrialParameter::jastrow ? charges_[which.shell] : 0.25 * spins_[which.shell];
  }
  void count_pairs(const Configuration& at);

  const TrialState& trial_;
  bool has_jastrow_ = false;
  std::vector<int> charged_, spinning_;  ///< sites that are not singly occupied, and those that are
  std::vector<int> charges_, spins_;     ///< [shells + 1] sums of (n_i - 1)(n_j - 1) and of 4 Sz_i Sz_j
};

}  // namespace cisolve::sampling
