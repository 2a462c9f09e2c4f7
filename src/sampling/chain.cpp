// SPDX-License-Identifier: MIT
#include "sampling/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace sampling {
namespace {

/// [sites x directions]: +x, +y, -x, -y, of a chain +x, -x; of a graph its neighbours, ascending. -1: none.
std::vector<int> make_neighbours(const LatticeModel& model, int& directions) {
  const Cluster& cluster = model.cluster;
  const int sites = cluster.sites();
  std::vector<std::vector<int>> lists(sites);
  if (cluster.is_graph()) {
    std::vector<std::set<int>> found(sites);
    for (const LatticeBond& bond : model.bonds) {
      found[bond.pair.i].insert(bond.pair.j);
      found[bond.pair.j].insert(bond.pair.i);
    }
    for (int i = 0; i < sites; ++i) lists[i].assign(found[i].begin(), found[i].end());
  } else {
    std::vector<LatticeVector> steps = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    if (cluster.dimensions() == 1) steps = {{1, 0}, {-1, 0}};
    for (int i = 0; i < sites; ++i) {
      const LatticeVector r = cluster.position(i);
      for (const LatticeVector& step : steps) {
        const WrappedSite to = cluster.find({r.x + step.x, r.y + step.y});
        const auto leaves = [&](int q) { return to.wraps[q] != 0 && cluster.boundary()[q].open; };
        lists[i].push_back(leaves(0) || leaves(1) ? -1 : to.site);
      }
    }
  }
  std::size_t most = 0;
  for (const auto& list : lists) most = std::max(most, list.size());
  directions = static_cast<int>(most);
  std::vector<int> neighbours;
  for (auto& list : lists) {
    list.resize(most, -1);
    neighbours.insert(neighbours.end(), list.begin(), list.end());
  }
  return neighbours;
}

/// The words of one attempt at a start, in order.
class StartWords {
public:
  StartWords(std::uint64_t seed, std::uint32_t chain, std::uint32_t attempt)
      : key_(philox_key(seed)), chain_(chain), attempt_(attempt) {}

  std::uint32_t next() {
    if (used_ == 4) {
      words_ = philox({{block_++, attempt_, chain_, 1}}, key_);
      used_ = 0;
    }
    return words_[used_++];
  }

private:
  PhiloxKey key_;
  std::uint32_t chain_, attempt_, block_ = 0;
  PhiloxBlock words_ = {};
  int used_ = 4;
};

/// The first `count` of all sites in random order.
std::vector<int> shuffle(StartWords& words, int sites, int count) {
  std::vector<int> order(sites);
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t product = std::uint64_t{words.next()} * static_cast<std::uint64_t>(sites - i);
    std::swap(order[i], order[i + static_cast<int>(product >> 32)]);
  }
  order.resize(count);
  return order;
}

std::uint64_t share_of_words(double fraction, const char* name) {
  if (!(fraction >= 0.0 && fraction <= 1.0))
    throw InputError(fmt::format("{} is {}; it is to be from 0 to 1", name, fraction));
  return static_cast<std::uint64_t>(fraction * 4294967296.0);
}

}  // namespace
}  // namespace sampling

StepCounts& StepCounts::operator+=(const StepCounts& more) {
  hops_proposed += more.hops_proposed;
  hops_accepted += more.hops_accepted;
  exchanges_proposed += more.exchanges_proposed;
  exchanges_accepted += more.exchanges_accepted;
  null += more.null;
  rejected_as_non_finite += more.rejected_as_non_finite;
  recomputations += more.recomputations;
  return *this;
}

namespace sampling {

WalkRules::WalkRules(const LatticeModel& model, const TrialState& trial, const WalkConfig& config)
    : is_t_j(model.is_t_j()), sites(model.sites()), electrons(trial.electrons),
      near_below(share_of_words(config.neighbour_fraction, "neighbour_fraction")),
      exchange_below(share_of_words(config.exchange_fraction, "exchange_fraction")),
      neighbours(make_neighbours(model, directions)) {}

void draw_start(const WalkRules& rules, std::uint64_t seed, std::uint32_t chain, std::uint32_t attempt,
                Configuration& at) {
  StartWords words(seed, chain, attempt);
  const ElectronNumbers n = rules.electrons;
  if (rules.is_t_j) {
    const std::vector<int> both = shuffle(words, rules.sites, n.total());
    const std::span<const int> sites(both);
    at.set(sites.first(n.up), sites.last(n.down));
    return;
  }
  const std::vector<int> up = shuffle(words, rules.sites, n.up);
  at.set(up, shuffle(words, rules.sites, n.down));
}

}  // namespace sampling
}  // namespace cisolve
