// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "cisolve/sampling/series.hpp"

namespace cisolve {

/// The integrated autocorrelation time of a series, in units of its values.
struct Autocorrelation {
  double tau = 0.5;           ///< 1/2: independent values
  double tau_error = 0.0;     ///< standard error of tau
  std::int64_t window = 0;    ///< largest lag that was summed
  bool window_found = false;  ///< false: the series is too short beside tau, which is a lower bound then
};

/// The mean of all values of a series: within a chain in order, then chains by number.
/// Of an empty series: 0.
double series_mean(const SeriesView& series);

/// Integrated autocorrelation time of all chains together, tau = 1/2 + sum_{l = 1 .. w} rho(l), where rho(l) =
/// Gamma(l) / Gamma(0) and Gamma(l) is the mean of (e_k - mean) (e_k+l - mean) over all pairs of all chains. The
/// window w is the first with w >= window_factor tau(w): further on rho is noise. Only lags up to w are calculated.
///
/// The error is tau sqrt(2 (2 w + 1) / n), n the number of values of all chains. A series without spread, of fewer
/// than two values a chain, or with values that are not finite has tau = 1/2. Tau is not let below 1 / (2 n), so
/// that a noisy sum of anticorrelated values gives no negative one.
/// @param mean           common to all chains
/// @param window_factor  > 0; 6 cuts off 0.25% (exp(-6)) of the sum of an exponential rho
/// @see A. D. Sokal, in Functional Integration (1997), doi:10.1007/978-1-4899-0319-8_6 (window); N. Madras, A. D.
///      Sokal, J. Stat. Phys. 50 (1988) 109, doi:10.1007/BF01022990, appendix C (window, error); U. Wolff, Comput.
///      Phys. Commun. 156 (2004) 143, doi:10.1016/S0010-4655(03)00467-3, arXiv:hep-lat/0306017 (chains pooled)
Autocorrelation integrated_autocorrelation(const SeriesView& series, double mean, double window_factor = 6.0);

}  // namespace cisolve
