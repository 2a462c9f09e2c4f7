// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "cisolve/core/host_device.hpp"
#include "cisolve/sampling/philox.hpp"
#include "cisolve/sampling/sampler.hpp"

// What kernels read and write, as plain structs of numbers and addresses.

namespace cisolve::cuda::sampling {

using Site = std::int16_t;

/// A Jastrow factor; see cisolve::JastrowFactor.
struct JastrowView {
  const Site* shells = nullptr;  ///< [sites x sites] numbers of shells; null: there is no factor
  const double* like = nullptr;  ///< [shells + 1]
  const double* unlike = nullptr;
  const double* offset = nullptr;  ///< [sites]
};

/// What proposals depend on besides the configuration; see cisolve::sampling::WalkRules.
struct WalkView {
  int sites = 0, up = 0, down = 0;
  bool is_t_j = false, is_sea = false;
  int directions = 0;
  std::uint64_t near_below = 0, exchange_below = 0;
  const Site* neighbours = nullptr;    ///< [sites x directions], -1: none
  double weight[3] = {1.0, 1.0, 1.0};  ///< g^dD, dD = -1, 0, 1
  JastrowView jastrow = {};
  std::uint64_t seed = 0;
};

/// Sites of up electrons by number, free ones by slot, the same of down electrons; then of each site the electron, or
/// ~slot, of each spin.
struct PlacesView {
  Site* up = nullptr;
  Site* down = nullptr;
  Site* at_up = nullptr;
  Site* at_down = nullptr;
};

CISOLVE_HOST_DEVICE inline PlacesView places_in(Site* all, int sites) {
  return {all, all + sites, all + 2 * sites, all + 3 * sites};
}

/// And what a Jastrow factor makes of them; see cisolve::sampling::Projection.
struct PlacesWithFields : PlacesView {
  double* field_up = nullptr;  ///< [sites]
  double* field_down = nullptr;
};

struct SitePair {
  Site i = 0, j = 0;
};

/// What ln|psi| is differentiated by.
struct ParameterView {
  enum Kind : std::int32_t { of_pairs, log_gutzwiller, jastrow, spin_jastrow };

  Kind kind = of_pairs;
  std::int32_t num_pairs = 0;          ///< of a Jastrow factor's shell
  const SitePair* pairs = nullptr;     ///< [num_pairs]
  const double* derivative = nullptr;  ///< of_pairs: d phi at displacement 0; null: 0
};

/// Without what is in arrays.
inline ParameterView view_of(TrialParameter which) {
  ParameterView view;
  if (which == TrialParameter::log_gutzwiller) view.kind = ParameterView::log_gutzwiller;
  if (which.kind == TrialParameter::jastrow) view.kind = ParameterView::jastrow;
  if (which.kind == TrialParameter::spin_jastrow) view.kind = ParameterView::spin_jastrow;
  return view;
}

/// A trial state; see cisolve::TrialState.
struct TrialView {
  int ghosts = 0;
  const std::int32_t* place = nullptr;  ///< [sites]
  const double* phi = nullptr;          ///< at displacement 0
  const double* ghost = nullptr;        ///< [ghosts x sites]
  const double* orbitals = nullptr;     ///< [sites x orbital_stride] fermi-sea
  int orbital_stride = 0;
  int num_parameters = 0;
  const ParameterView* parameters = nullptr;
};

struct BondView {
  std::int32_t i = 0, j = 0;
  double hopping = 0.0;  ///< -t phase
  double half_j = 0.0, v = 0.0;
};

struct BondsView {
  const BondView* bonds = nullptr;
  int count = 0;
  double u = 0.0;
};

/// Which pairs of sites i, j belong to each displacement (or are a pair of their own).
struct CorrelationView {
  int places = 0;  ///< displacements, or pairs
  int terms = 0;   ///< pairs of each
  double weight = 1.0;
  const Site* i =
      nullptr;  ///< [terms x places]; j is the number of the term, or of a graph i N + j the place
  const std::int8_t* sign = nullptr;
};

/// A chain between blocks, besides its places and tables.
struct ChainRecord {
  std::uint64_t steps = 0;
  std::int32_t rebuild_interval = 0;
  std::int32_t double_occupancies = 0;
  StepCounts counts = {};
};

struct ChainsView {
  int count = 0;
  std::uint32_t first = 0;         ///< number of the first
  Site* places = nullptr;          ///< [count x 4 sites]
  double* tables = nullptr;        ///< [count x table_size]
  std::int64_t table_size = 0;     ///< doubles
  ChainRecord* records = nullptr;  ///< [count]
};

/// Numbers of a block's parts whose sums and sums of squares are kept.
inline constexpr int num_parts = 4;  // kinetic, exchange, double occupancies, density

/// Sums of each chain, as those of BlockSums.
struct SumsView {
  double* energy = nullptr;  ///< [chains x energies_per_chain]
  int energies_per_chain = 0;
  double* parts = nullptr;            ///< [chains x 2 num_parts]: sums, then sums of squares
  double* derivatives_now = nullptr;  ///< [chains x parameters] of the last measurement
  double* derivative = nullptr;
  double* derivative_energy = nullptr;
  double* derivative_product = nullptr;
  double* correlations = nullptr;  ///< [5 x chains x places]: n n, Sz Sz, S.S, hops up, hops down
  double* drift = nullptr;         ///< [chains]
};

/// What a launch does.
struct BlockOrder {
  int sweeps = 0;
  std::int64_t first_sweep = 0;
  int energy_interval = 0, correlation_interval = 0;
  bool with_derivatives = false;
};

/// Where tables are made anew, of one group of threads.
struct Scratch {
  double* matrix = nullptr;    ///< [order][matrix_stride], a column at a time
  double* solution = nullptr;  ///< [order][solution_stride]
  double* factors = nullptr;   ///< [order][factor_stride]
  std::int32_t* rows = nullptr;
  int matrix_stride = 0, solution_stride = 0, factor_stride = 0;
};

/// Of all groups.
struct ScratchPool {
  double* doubles = nullptr;     ///< [groups x size]
  std::int32_t* rows = nullptr;  ///< [groups x order]
  std::int64_t size = 0;
  int order = 0, sites = 0;

  CISOLVE_HOST_DEVICE static int padded(int count) { return (count + 7) / 8 * 8; }
  CISOLVE_HOST_DEVICE static std::int64_t doubles_for(int order, int sites) {
    return std::int64_t{padded(order)} * (padded(order) + 2 * padded(sites));
  }
  CISOLVE_HOST_DEVICE Scratch of(int group) const {
    const int matrix_stride = padded(order), stride = padded(sites);
    double* matrix = doubles + group * size;
    double* solution = matrix + std::int64_t{matrix_stride} * matrix_stride;
    return {.matrix = matrix,
            .solution = solution,
            .factors = solution + std::int64_t{matrix_stride} * stride,
            .rows = rows + std::int64_t{group} * matrix_stride,
            .matrix_stride = matrix_stride,
            .solution_stride = stride,
            .factor_stride = stride};
  }
};

/// All that kernels of a trial state need.
struct Setup {
  WalkView walk = {};
  TrialView trial = {};
  BondsView bonds = {};
  CorrelationView correlations = {};
  ChainsView chains = {};
  ScratchPool scratch = {};
  double drift_tolerance = 0.0;
  int ranks = 0;  ///< that a delayed table collects; a multiple of 4
};

/// Work of a launch: each chain's sweeps in segments, which any group may take after the chain's segment before. So no
/// multiprocessor waits long for the last chains. Segments are as long everywhere, so that a chain's sums do not depend on
/// who took them.
struct SegmentQueue {
  std::int32_t* next = nullptr;      ///< number of the first item that nobody has taken
  std::int32_t* finished = nullptr;  ///< [chains] segments
  std::int32_t segments = 0;
};

/// Sweeps of a segment.
inline constexpr int segment_sweeps = 25;

}  // namespace cisolve::cuda::sampling
