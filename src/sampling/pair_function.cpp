// SPDX-License-Identifier: MIT
#include "sampling/pair_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cisolve/core/error.hpp"

namespace cisolve::sampling {
namespace {

// Form factors of the gap are sums of two cosines: below this they are zeros with rounding.
constexpr double smallest_form = 1e-12;
// Band energies where phi_k would be 0/0 or depend on the last digit of mu.
constexpr double smallest_energy = 1e-10;

/// Band and gap of one momentum.
struct PairMomentum {
  std::array<double, 2> k = {};                     // units of pi
  double second = 0.0, third = 0.0;                 // - d xi / d t2, - d xi / d t3
  double xi = 0.0, gap = 0.0, quasiparticle = 0.0;  // E_k
  double phi = 0.0;
  bool is_singular = false;
};

double cosine(double turns) { return std::cos(std::numbers::pi * turns); }
double sine(double turns) { return std::sin(std::numbers::pi * turns); }

PairMomentum pair_momentum(const std::array<double, 2>& k, bool is_chain, const TrialParameters& parameters) {
  PairMomentum pair{.k = k};
  const double cx = cosine(k[0]), cy = is_chain ? 0.0 : cosine(k[1]);
  pair.second = is_chain ? 2.0 * cosine(2.0 * k[0]) : 4.0 * cx * cy;
  pair.third = 2.0 * (is_chain ? cosine(3.0 * k[0]) : cosine(2.0 * k[0]) + cosine(2.0 * k[1]));
  pair.xi = -2.0 * (cx + cy) - parameters.t2 * pair.second - parameters.t3 * pair.third - parameters.mu;
  double form = 0.5;
  if (parameters.pairing == Pairing::d) form = 0.5 * (cx - cy);
  if (parameters.pairing == Pairing::extended_s) form = 0.5 * (cx + cy);
  if (std::abs(form) < smallest_form) form = 0.0;
  pair.gap = parameters.delta * form;
  pair.quasiparticle = std::hypot(pair.xi, pair.gap);
  if (pair.gap == 0.0) {
    pair.is_singular = pair.xi < 0.0;
    if (std::abs(pair.xi) < smallest_energy)
      throw InputError(
          fmt::format("at the momentum ({:.6g}, {:.6g}) pi both the gap and the energy of the trial band are "
                      "zero, so that its pairs are undefined; change mu, boundary or lattice",
                      k[0], k[1]));
    return pair;
  }
  // The same number twice, each where it does not cancel.
  pair.phi =
      pair.xi > 0.0 ? pair.gap / (pair.xi + pair.quasiparticle) : (pair.quasiparticle - pair.xi) / pair.gap;
  return pair;
}

/// d phi_k / d parameter.
double derivative(const PairMomentum& pair, TrialParameter which, double delta) {
  if (pair.gap == 0.0) return 0.0;
  const double by_energy = pair.phi / pair.quasiparticle;  // - d phi / d xi
  switch (which.kind) {
    case TrialParameter::delta:
      return by_energy * pair.xi / delta;
    case TrialParameter::mu:
      return by_energy;
    case TrialParameter::t2:
      return by_energy * pair.second;
    case TrialParameter::t3:
      return by_energy * pair.third;
    case TrialParameter::log_gutzwiller:
    case TrialParameter::jastrow:
    case TrialParameter::spin_jastrow:
      break;
  }
  return 0.0;
}

/// N^-1 sum_k f_k cos k.D for all differences D of places of sites.
class CosineSums {
public:
  CosineSums(const Cluster& cluster, const std::vector<PairMomentum>& pairs) : pairs_(pairs) {
    for (int i = 0; i < cluster.sites(); ++i) {
      const LatticeVector r = cluster.position(i);
      extent_.x = std::max(extent_.x, r.x);
      extent_.y = std::max(extent_.y, r.y);
    }
    const int width = 2 * extent_.x + 1;
    for (int i = 0; i < cluster.sites(); ++i)
      place_.push_back(cluster.position(i).x + width * cluster.position(i).y);
  }

  const std::vector<int>& place() const { return place_; }
  int centre() const { return extent_.x + (2 * extent_.x + 1) * extent_.y; }

  std::vector<double> sum(const std::vector<double>& f) const {
    const int width = 2 * extent_.x + 1, height = 2 * extent_.y + 1;
    std::vector<double> values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    std::vector<double> cos_x(width), sin_x(width);
    for (std::size_t q = 0; q < pairs_.size(); ++q) {
      if (f[q] == 0.0) continue;
      const std::array<double, 2>& k = pairs_[q].k;
      const double scale = f[q] / static_cast<double>(pairs_.size());
      for (int x = 0; x < width; ++x) {
        cos_x[x] = scale * cosine(k[0] * (x - extent_.x));
        sin_x[x] = scale * sine(k[0] * (x - extent_.x));
      }
      for (int y = 0; y < height; ++y) {
        const double cos_y = cosine(k[1] * (y - extent_.y)), sin_y = sine(k[1] * (y - extent_.y));
        double* row = values.data() + static_cast<std::ptrdiff_t>(y) * width;
        for (int x = 0; x < width; ++x) row[x] += cos_x[x] * cos_y - sin_x[x] * sin_y;
      }
    }
    return values;
  }

private:
  const std::vector<PairMomentum>& pairs_;
  LatticeVector extent_ = {};
  std::vector<int> place_;
};

/// Whether k + k' is a reciprocal vector.
bool are_opposite(const std::array<double, 2>& k, const std::array<double, 2>& other) {
  const auto is_even = [](double turns) { return std::abs(std::remainder(turns, 2.0)) < 1e-9; };
  return is_even(k[0] + other[0]) && is_even(k[1] + other[1]);
}

/// Each singular momentum without those that are the negative of one before.
std::vector<SingularMomentum> singular_momenta(const std::vector<PairMomentum>& pairs) {
  std::vector<SingularMomentum> singular;
  for (const PairMomentum& pair : pairs) {
    if (!pair.is_singular) continue;
    const bool is_there = std::ranges::any_of(
        singular, [&](const SingularMomentum& other) { return are_opposite(pair.k, other.k); });
    if (!is_there) singular.push_back({pair.k, are_opposite(pair.k, pair.k)});
  }
  return singular;
}

void make_ghosts(const Cluster& cluster, TrialState& state) {
  const auto add = [&](double (*wave)(double), const std::array<double, 2>& k) {
    for (int i = 0; i < cluster.sites(); ++i) {
      const LatticeVector r = cluster.position(i);
      state.ghosts.push_back(wave(k[0] * r.x + k[1] * r.y));
    }
  };
  for (const SingularMomentum& singular : state.singular) {
    add(&cosine, singular.k);
    if (!singular.is_own_negative) add(&sine, singular.k);
  }
}

void require_amplitudes(const std::vector<double>& amplitudes, const TrialState& state) {
  const int pairs = state.electrons.up, ghosts = state.num_ghosts();
  if (ghosts > pairs)
    throw InputError(
        fmt::format("{} momenta lie below the Fermi level where the gap is zero, more than the {} pairs of "
                    "electrons; lower mu, take more electrons, or give pair_cutoff a number",
                    ghosts, pairs));
  const auto momenta = std::ranges::count_if(amplitudes, [](double phi) { return phi != 0.0; });
  if (momenta + ghosts >= pairs) return;
  throw InputError(
      fmt::format("the trial state vanishes: {} pairs of electrons, but only {} momenta with a pair "
                  "amplitude that is not "
                  "zero; change pairing, mu, boundary or lattice",
                  pairs, momenta + ghosts));
}

}  // namespace

void make_pairs(const Cluster& cluster, TrialState& state) {
  std::vector<PairMomentum> pairs;
  for (const auto& k : cluster.momenta())
    pairs.push_back(pair_momentum(k, cluster.dimensions() == 1, state.parameters));
  state.singular = singular_momenta(pairs);
  if (!state.parameters.pair_cutoff) make_ghosts(cluster, state);
  const CosineSums sums(cluster, pairs);
  std::vector<double> amplitudes(pairs.size());
  const double cutoff = state.parameters.pair_cutoff.value_or(0.0);
  std::ranges::transform(pairs, amplitudes.begin(),
                         [&](const PairMomentum& pair) { return pair.is_singular ? cutoff : pair.phi; });
  require_amplitudes(amplitudes, state);
  state.phi = {sums.place(), sums.centre(), sums.sum(amplitudes)};
  for (const TrialParameter which : state.varied) {
    std::ranges::transform(pairs, amplitudes.begin(), [&](const PairMomentum& pair) {
      return derivative(pair, which, state.parameters.delta);
    });
    const bool is_zero = std::ranges::all_of(amplitudes, [](double f) { return f == 0.0; });
    state.phi_derivatives.push_back(is_zero ? std::vector<double>{} : sums.sum(amplitudes));
  }
}

}  // namespace cisolve::sampling
