// SPDX-License-Identifier: MIT
#include "hamiltonian/csf_links.hpp"

#include <algorithm>
#include <array>

#include "cisolve/space/excitations.hpp"

namespace cisolve {
namespace {

/// What all diagonal elements of a configuration have in common: everything but the exchange among open
/// shells.
template <int Words>
double closed_energy(const IntegralTables& v, const Configuration<Words>& c) {
  double energy = v.core_energy();
  const OrbitalList occupied = OrbitalList::occupied(c.occupied());
  for (const int p : occupied) {
    const int n_p = c.occupation(p);
    energy += n_p * v.h(p, p);
    if (n_p == 2) energy += v.eri(p, p, p, p);
    for (const int q : occupied) {
      if (q >= p) break;
      const int n_q = c.occupation(q);
      energy += n_p * n_q * v.eri(p, p, q, q);
      if (n_p + n_q > 2) energy -= 0.5 * n_p * n_q * v.eri(p, q, q, p);
    }
  }
  return energy;
}

/// Weight of E_hp: the one-electron integral and the field of everything that does not change. Sums the
/// same numbers in the same order both ways, so that H is symmetric to the last bit.
template <int Words>
double single_weight(const IntegralTables& v, const Configuration<Words>& bra,
                     const Configuration<Words>& ket, int h, int p) {
  double weight = v.h(h, p);
  const double* coulomb = v.coulomb_row(v.pair(h, p));
  const BitString<Words> full = bra.doubly & ket.doubly;
  const BitString<Words> open = bra.singly & ket.singly;
  full.for_each([&](int r) { weight += 2.0 * coulomb[r] - v.eri(h, r, r, p); });
  open.for_each([&](int r) { weight += coulomb[r]; });
  for (const int x : {std::min(h, p), std::max(h, p)}) {
    weight += std::min(bra.occupation(x), ket.occupation(x)) * coulomb[x];
  }
  return weight;
}

/// Orbitals of a list with what they gain, as changes in ascending order.
class ChangeList {
public:
  template <int Words>
  void add(const Configuration<Words>& bra, int orbital, int change) {
    int at = 0;
    while (at < size_ && changes_[at].orbital < orbital) ++at;
    if (at < size_ && changes_[at].orbital == orbital) {
      changes_[at].change += change;
      return;
    }
    for (int k = size_; k > at; --k) changes_[k] = changes_[k - 1];
    changes_[at] = {orbital, bra.occupation(orbital), change};
    ++size_;
  }
  operator std::span<const OccupationChange>() const {
    return {changes_.data(), static_cast<std::size_t>(size_)};
  }

private:
  std::array<OccupationChange, 4> changes_;
  int size_ = 0;
};

}  // namespace

template <int Words>
void CsfLinks<Words>::begin(const Configuration<Words>& bra) {
  bra_ = bra;
  energy_ = closed_energy(tables_, bra);
  links_.clear();
  weights_.clear();
}

template <int Words>
void CsfLinks<Words>::push(std::int32_t number, CouplingKey key, std::size_t first_weight, bool is_general) {
  links_.push_back({number, static_cast<std::int32_t>(first_weight),
                    static_cast<std::int32_t>(weights_.size() - first_weight), is_general, key,
                    couplings_.find(key)});
}

template <int Words>
void CsfLinks<Words>::add_same(std::int32_t number) {
  const std::size_t first = weights_.size();
  const OrbitalList open = OrbitalList::occupied(bra_.singly);
  for (int i = 0; i < open.size; ++i) {
    for (int j = 0; j < i; ++j) weights_.push_back(tables_.eri(open[i], open[j], open[j], open[i]));
  }
  push(number, make_coupling_key<Words>(bra_.singly, {}), first, true);
}

template <int Words>
void CsfLinks<Words>::add_single(std::int32_t number, const Configuration<Words>& ket, int h, int p) {
  const std::size_t first = weights_.size();
  const BitString<Words> shared = bra_.singly & ket.singly;
  weights_.push_back(single_weight(tables_, bra_, ket, h, p));
  shared.for_each([&](int r) { weights_.push_back(tables_.eri(h, r, r, p)); });
  ChangeList changes;
  changes.add(bra_, h, -1);
  changes.add(bra_, p, 1);
  push(number, make_coupling_key<Words>(shared, changes), first, true);
}

template <int Words>
void CsfLinks<Words>::add_double(std::int32_t number, const Configuration<Words>& ket, int h1, int h2, int p1,
                                 int p2) {
  const double direct = tables_.eri(h1, p1, h2, p2);
  const bool has_exchange = h1 != h2 && p1 != p2;
  const double exchange = has_exchange ? tables_.eri(h1, p2, h2, p1) : 0.0;
  if (direct == 0.0 && exchange == 0.0) return;
  const std::size_t first = weights_.size();
  weights_.push_back(h1 == h2 && p1 == p2 ? 0.5 * direct : direct);
  if (has_exchange) weights_.push_back(exchange);
  ChangeList changes;
  changes.add(bra_, h1, -1);
  changes.add(bra_, h2, -1);
  changes.add(bra_, p1, 1);
  changes.add(bra_, p2, 1);
  push(number, make_coupling_key<Words>(bra_.singly & ket.singly, changes), first, false);
}

template <int Words>
void CsfLinks<Words>::add(std::int32_t number, const Configuration<Words>& ket) {
  const int degree = excitation_degree(ket, bra_);
  if (degree > 2) return;
  if (degree == 0) return add_same(number);
  int holes[2] = {};
  int particles[2] = {};
  int num_holes = 0, num_particles = 0;
  ((bra_.occupied() ^ ket.occupied()) | (bra_.doubly ^ ket.doubly)).for_each([&](int q) {
    int change = ket.occupation(q) - bra_.occupation(q);
    for (; change < 0; ++change) holes[num_holes++] = q;
    for (; change > 0; --change) particles[num_particles++] = q;
  });
  if (degree == 1) return add_single(number, ket, holes[0], particles[0]);
  add_double(number, ket, holes[0], holes[1], particles[0], particles[1]);
}

#define INSTANTIATE(W) template class CsfLinks<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
