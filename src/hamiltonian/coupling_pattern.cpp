// SPDX-License-Identifier: MIT
#include "hamiltonian/coupling_pattern.hpp"

namespace cisolve {
namespace {

// From the lowest bit: number of changes (3), shared open shells (7), then per change, highest orbital
// first, change + 2 (3), occupation (2), shells below (7).
constexpr int count_bits = 3;
constexpr int shell_bits = 7;
constexpr int occupation_bits = 2;
constexpr int delta_bits = 3;
constexpr int largest_change = 2;

constexpr std::uint64_t field(int value) { return static_cast<std::uint64_t>(value); }

int take(CouplingKey& key, int bits) {
  const auto value = static_cast<int>(key & ((CouplingKey{1} << bits) - 1));
  key >>= bits;
  return value;
}

}  // namespace

template <int Words>
CouplingKey make_coupling_key(const BitString<Words>& shared_open,
                              std::span<const OccupationChange> changes) {
  CouplingPattern pattern{.shared_open = shared_open.count(),
                          .num_changes = static_cast<int>(changes.size())};
  for (std::size_t k = 0; k < changes.size(); ++k) {
    pattern.changes[k] = {shared_open.count_between(-1, changes[k].orbital), changes[k].bra,
                          changes[k].change};
  }
  return pack(pattern);
}

CouplingKey pack(const CouplingPattern& pattern) {
  CouplingKey key = 0;
  for (int k = 0; k < pattern.num_changes; ++k) {
    const auto& c = pattern.changes[k];
    key = ((key << shell_bits | field(c.below)) << occupation_bits | field(c.bra)) << delta_bits |
          field(c.change + largest_change);
  }
  return (key << shell_bits | field(pattern.shared_open)) << count_bits | field(pattern.num_changes);
}

CouplingPattern unpack(CouplingKey key) {
  CouplingPattern pattern;
  pattern.num_changes = take(key, count_bits);
  pattern.shared_open = take(key, shell_bits);
  for (int k = pattern.num_changes; k-- > 0;) {
    auto& c = pattern.changes[k];
    c.change = take(key, delta_bits) - largest_change;
    c.bra = take(key, occupation_bits);
    c.below = take(key, shell_bits);
  }
  return pattern;
}

CouplingPattern reversed(const CouplingPattern& pattern) {
  CouplingPattern result = pattern;
  for (int k = 0; k < pattern.num_changes; ++k) {
    result.changes[k].bra += pattern.changes[k].change;
    result.changes[k].change = -pattern.changes[k].change;
  }
  return result;
}

int num_terms(const CouplingPattern& pattern) {
  int moved = 0;
  for (int k = 0; k < pattern.num_changes; ++k)
    moved += pattern.changes[k].change > 0 ? pattern.changes[k].change : 0;
  if (moved == 0) return pattern.shared_open * (pattern.shared_open - 1) / 2;
  if (moved == 1) return 1 + pattern.shared_open;
  return pattern.num_changes == 4 ? 2 : 1;
}

PatternOccupations occupations_of(const CouplingPattern& pattern) {
  PatternOccupations n;
  int shell = 0;
  const auto add_shells = [&](int last) {
    for (; shell < last; ++shell) {
      n.shared.push_back(static_cast<int>(n.bra.size()));
      n.bra.push_back(1);
      n.ket.push_back(1);
    }
  };
  for (int k = 0; k < pattern.num_changes; ++k) {
    const auto& c = pattern.changes[k];
    add_shells(c.below);
    auto& list = c.change < 0 ? n.created : n.annihilated;
    for (int e = 0; e < (c.change < 0 ? -c.change : c.change); ++e)
      list.push_back(static_cast<int>(n.bra.size()));
    n.bra.push_back(c.bra);
    n.ket.push_back(c.bra + c.change);
  }
  add_shells(pattern.shared_open);
  return n;
}

#define INSTANTIATE(W) \
  template CouplingKey make_coupling_key(const BitString<W>&, std::span<const OccupationChange>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
