// SPDX-License-Identifier: MIT
#include "cisolve/selection/heat_bath.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <parallel/algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

/// Collects determinants that are found many times over; holds not many more than there are different ones.
template <int Words>
class Found {
public:
  void add(const Determinant<Words>& determinant) {
    all_.push_back(determinant);
    if (all_.size() >= limit_) compress();
  }

  /// Ascending, each once.
  std::vector<Determinant<Words>>& compress() {
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    limit_ = std::max(limit_, 2 * all_.size());
    return all_;
  }

private:
  std::size_t limit_ = std::size_t{1} << 20;
  std::vector<Determinant<Words>> all_;
};

/// The excitations of one determinant whose elements are large enough.
template <int Words>
class StrongExcitations {
public:
  StrongExcitations(const IntegralTables& tables, const SameSpinMoves& alpha, const SameSpinMoves& beta,
                    const OppositeSpinMoves& opposite, double epsilon)
      : tables_(tables), alpha_(alpha), beta_(beta), opposite_(opposite), epsilon_(epsilon) {}

  /// @param weight  largest |c| of the determinant
  void operator()(const Determinant<Words>& from, double weight, Found<Words>& found) const {
    const OrbitalList alpha = OrbitalList::occupied(from.alpha), beta = OrbitalList::occupied(from.beta);
    add_singles(from.alpha, alpha, tables_, beta, weight, [&](const BitString<Words>& s) {
      found.add({s, from.beta});
    });
    add_singles(from.beta, beta, tables_.beta(), alpha, weight, [&](const BitString<Words>& s) {
      found.add({from.alpha, s});
    });
    add_doubles(from.alpha, alpha, alpha_, weight, [&](const BitString<Words>& s) {
      found.add({s, from.beta});
    });
    add_doubles(from.beta, beta, beta_, weight, [&](const BitString<Words>& s) {
      found.add({from.alpha, s});
    });
    for (const int h : alpha) {
      for (const int hb : beta) {
        for (const OppositeSpinMoves::Move& move : opposite_(h, hb)) {
          if (std::abs(move.value) * weight <= epsilon_) break;
          if (!from.alpha.test(move.particle) && !from.beta.test(move.beta_particle))
            found.add({from.alpha.moved(h, move.particle), from.beta.moved(hb, move.beta_particle)});
        }
      }
    }
  }

private:
  template <class Add>
  void add_singles(const BitString<Words>& s, const OrbitalList& occupied, const IntegralTables& tables,
                   const OrbitalList& others, double weight, const Add& add) const {
    for (const int h : occupied) {
      for (int p = 0; p < tables.num_orbitals(); ++p) {
        if (tables.irrep(p) != tables.irrep(h) || s.test(p)) continue;
        const double value = tables.single_within_spin({occupied.begin(), occupied.end()}, h, p) +
                             tables.coulomb_sum(tables.pair(h, p), {others.begin(), others.end()});
        if (std::abs(value) > tables.threshold() && std::abs(value) * weight > epsilon_) add(s.moved(h, p));
      }
    }
  }

  template <class Add>
  void add_doubles(const BitString<Words>& s, const OrbitalList& occupied, const SameSpinMoves& moves,
                   double weight, const Add& add) const {
    for (int j = 1; j < occupied.size; ++j) {
      for (int i = 0; i < j; ++i) {
        for (const SameSpinMoves::Move& move : moves(occupied[i], occupied[j])) {
          if (std::abs(move.value) * weight <= epsilon_) break;
          if (!s.test(move.p1) && !s.test(move.p2))
            add(s.moved(occupied[i], move.p1).moved(occupied[j], move.p2));
        }
      }
    }
  }

  const IntegralTables& tables_;
  const SameSpinMoves& alpha_;
  const SameSpinMoves& beta_;
  const OppositeSpinMoves& opposite_;
  double epsilon_;
};

}  // namespace

template <int Words>
std::vector<Determinant<Words>> heat_bath_selection(const IntegralTables& tables, const SameSpinMoves& alpha,
                                                    const SameSpinMoves& beta,
                                                    const OppositeSpinMoves& opposite,
                                                    std::span<const Determinant<Words>> determinants,
                                                    std::span<const double> vectors, double epsilon,
                                                    const ExternalOptions& options) {
  const std::size_t n = determinants.size();
  if (n == 0 || vectors.empty() || vectors.size() % n != 0)
    throw DimensionError("heat-bath selection: one coefficient per determinant and wavefunction is needed");
  const std::size_t roots = vectors.size() / n;
  const StrongExcitations<Words> excitations(tables, alpha, beta, opposite, epsilon);
  std::vector<Found<Words>> found(omp_get_max_threads());
  constexpr std::size_t chunk = 256;
  const std::size_t chunks = (n + chunk - 1) / chunk;
  std::atomic<std::int64_t> done{0};
  parallel_for(static_cast<std::int64_t>(chunks), 1, [&](std::int64_t c) {
    if (options.stop.stop_requested()) throw Interrupted("stopped in the selection of determinants");
    const std::size_t first = static_cast<std::size_t>(c) * chunk;
    for (std::size_t i = first; i < std::min(first + chunk, n); ++i) {
      double weight = 0.0;
      for (std::size_t k = 0; k < roots; ++k) weight = std::max(weight, std::abs(vectors[k * n + i]));
      excitations(determinants[i], weight, found[omp_get_thread_num()]);
    }
    ++done;
    if (options.progress && omp_get_thread_num() == 0)
      options.progress(static_cast<double>(done) / static_cast<double>(chunks));
  });
  std::vector<Determinant<Words>> all, listed(determinants.begin(), determinants.end()), news;
  for (Found<Words>& part : found) {
    std::vector<Determinant<Words>> merged;
    std::ranges::set_union(all, part.compress(), std::back_inserter(merged));
    all = std::move(merged);
    part = {};
  }
  __gnu_parallel::sort(listed.begin(), listed.end());
  std::ranges::set_difference(all, listed, std::back_inserter(news));
  return news;
}

#define INSTANTIATE(W)                                                                             \
  template std::vector<Determinant<W>> heat_bath_selection(                                        \
      const IntegralTables&, const SameSpinMoves&, const SameSpinMoves&, const OppositeSpinMoves&, \
      std::span<const Determinant<W>>, std::span<const double>, double, const ExternalOptions&);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
