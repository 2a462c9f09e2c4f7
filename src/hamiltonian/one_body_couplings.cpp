// SPDX-License-Identifier: MIT
#include "hamiltonian/one_body_couplings.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cisolve {
namespace {

// Between c and a the ket holds one spin 1/2 that the bra lacks or the other way round, so their spins
// differ by 1/2, and a^+_c is a tensor operator: <S'M'|a^+_c|S M> = w <S M 1/2 sigma|S'M'> with w that a
// segment changes by a factor. The factors are found by comparing both sides for one choice of M', sigma:
// M' = S', sigma = 1/2. All spins are doubled.

/// a^+_c on an open shell of the ket, whose spin went from `before` to `ket`; the bra's stays.
double close_pair(int before, int ket) {
  return clebsch_gordan_half(before, -1, ket, before - 1) / clebsch_gordan_half(ket, 1, before, before);
}

/// An open shell of both between c and a.
double pass_shell(int bra, int ket, int next_bra, int next_ket) {
  const int m = next_bra - 1;  // of the ket; the bra's is next_bra
  double sum = 0.0;
  for (const int tau : {1, -1}) {
    sum += clebsch_gordan_half(bra, tau, next_bra, next_bra) * clebsch_gordan_half(ket, tau, next_ket, m) *
           clebsch_gordan_half(ket, 1, bra, next_bra - tau);
  }
  return sum / clebsch_gordan_half(next_ket, 1, next_bra, next_bra);
}

/// a_a on a full orbital: the bra's spin goes from `bra` to the ket's.
double open_pair(int bra, int ket) {
  double sum = 0.0;
  for (const int sigma : {1, -1}) {
    sum += sigma * clebsch_gordan_half(bra, -sigma, ket, ket) *
           clebsch_gordan_half(ket, sigma, bra, ket + sigma);
  }
  return sum;
}

struct Entry {
  std::int64_t row;
  std::int64_t column;
  double value;
};

/// Follows all pairs of paths that E_ca connects, c < a.
class PairWalk {
public:
  PairWalk(const SpinCouplings& couplings, const ShellMove& move) : couplings_(couplings), move_(move) {
    // One phase for every ket creator that a_a passes and a^+_c does not.
    phase_ =
        (move.below_annihilated - move.below_created + (move.created_open ? 1 : 0)) % 2 == 0 ? 1.0 : -1.0;
  }

  int bra_shells() const {
    return move_.shared_open + (move_.created_open ? 0 : 1) + (move_.annihilated_full ? 1 : 0);
  }
  int ket_shells() const {
    return move_.shared_open + (move_.created_open ? 1 : 0) + (move_.annihilated_full ? 0 : 1);
  }

  std::vector<Entry> operator()() {
    walk(0, {0, bra_shells(), 0}, {0, ket_shells(), 0}, phase_);
    return std::move(entries_);
  }

private:
  /// A path as far as it has come.
  struct Path {
    int spin;             ///< doubled
    int left;             ///< open shells to come
    std::int64_t number;  ///< of the paths that come before it
  };

  /// False if no path goes on from there.
  bool step(Path& path, int change) const {
    --path.left;
    if (change < 0) path.number += couplings_.completions(path.left, path.spin + 1);
    path.spin += change;
    return couplings_.completions(path.left, path.spin) > 0;
  }

  /// `at`: number of orbitals done, of the shared open shells and c and a in ascending order.
  void walk(int at, const Path& bra, const Path& ket, double value) {
    const int created_at = move_.below_created;
    const int annihilated_at = move_.below_annihilated + 1;
    if (at == move_.shared_open + 2) {
      entries_.push_back({bra.number, ket.number, value});
    } else if (at == created_at) {
      create(at, bra, ket, value);
    } else if (at == annihilated_at) {
      annihilate(at, bra, ket, value);
    } else {
      const bool inside = at > created_at && at < annihilated_at;
      for (const int b : {1, -1}) {
        for (const int k : {1, -1}) {
          Path next_bra = bra, next_ket = ket;
          if (!step(next_bra, b) || !step(next_ket, k)) continue;
          if (inside) {
            if (std::abs(next_bra.spin - next_ket.spin) != 1) continue;
            walk(at + 1, next_bra, next_ket,
                 value * pass_shell(bra.spin, ket.spin, next_bra.spin, next_ket.spin));
          } else if (b == k) {
            walk(at + 1, next_bra, next_ket, value);
          }
        }
      }
    }
  }

  void create(int at, const Path& bra, const Path& ket, double value) {
    for (const int change : {1, -1}) {
      Path next_bra = bra, next_ket = ket;
      if (!step(move_.created_open ? next_ket : next_bra, change)) continue;
      walk(at + 1, next_bra, next_ket,
           move_.created_open ? value * close_pair(ket.spin, next_ket.spin) : value);
    }
  }

  void annihilate(int at, const Path& bra, const Path& ket, double value) {
    Path next_bra = bra, next_ket = ket;
    if (move_.annihilated_full) {
      if (!step(next_bra, ket.spin - bra.spin)) return;
      value *= open_pair(bra.spin, ket.spin);
    } else {
      if (!step(next_ket, bra.spin - ket.spin)) return;
    }
    walk(at + 1, next_bra, next_ket, value);
  }

  const SpinCouplings& couplings_;
  const ShellMove& move_;
  double phase_ = 1.0;
  std::vector<Entry> entries_;
};

/// By rows; the entries of a row must come with ascending columns.
CouplingBlock gather(const std::vector<Entry>& entries, std::int64_t rows, std::int64_t columns) {
  CouplingBlock block;
  block.num_rows = static_cast<int>(rows);
  block.num_columns = static_cast<int>(columns);
  block.offsets.assign(rows + 1, 0);
  block.columns.resize(entries.size());
  block.values.resize(entries.size());
  for (const Entry& entry : entries) ++block.offsets[entry.row + 1];
  for (std::size_t r = 1; r < block.offsets.size(); ++r) block.offsets[r] += block.offsets[r - 1];
  std::vector<std::int32_t> next = block.offsets;
  for (const Entry& entry : entries) {
    const std::size_t slot = next[entry.row]++;
    block.columns[slot] = static_cast<std::int32_t>(entry.column);
    block.values[slot] = entry.value;
  }
  return block;
}

}  // namespace

std::uint64_t ShellMove::key() const {
  const auto bits = [](int value) { return static_cast<std::uint64_t>(value); };
  return bits(shared_open) << 24 | bits(below_created) << 16 | bits(below_annihilated) << 8 |
         bits(created_first ? 4 : 0) | bits(created_open ? 2 : 0) | bits(annihilated_full ? 1 : 0);
}

ShellMove ShellMove::reversed() const {
  return {shared_open, below_annihilated, below_created, !created_first, annihilated_full, created_open};
}

ShellMove make_shell_move(const std::vector<int>& ket, int created, int annihilated) {
  ShellMove move;
  move.created_first = created < annihilated;
  move.created_open = ket[created] == 1;
  move.annihilated_full = ket[annihilated] == 2;
  for (int p = 0; p < static_cast<int>(ket.size()); ++p) {
    if (ket[p] != 1 || p == created || p == annihilated) continue;
    ++move.shared_open;
    if (p < created) ++move.below_created;
    if (p < annihilated) ++move.below_annihilated;
  }
  return move;
}

CouplingBlock one_body_couplings(const SpinCouplings& couplings, const ShellMove& move) {
  // E_ca with c > a is the transpose of E_ac: rows and columns change places.
  const ShellMove upward = move.created_first ? move : move.reversed();
  PairWalk walk(couplings, upward);
  std::vector<Entry> entries = walk();
  std::int64_t rows = couplings.count(walk.bra_shells());
  std::int64_t columns = couplings.count(walk.ket_shells());
  if (!move.created_first) {
    for (Entry& entry : entries) std::swap(entry.row, entry.column);
    std::swap(rows, columns);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.column < b.column; });
  return gather(entries, rows, columns);
}

}  // namespace cisolve
