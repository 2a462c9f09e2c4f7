// SPDX-License-Identifier: MIT
#include "analysis/listed_pair_density.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/pair_sums.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t listed_at_a_time = 4096;  // determinants listed at a time

enum class Spins { alpha_alpha, beta_beta, alpha_beta };

/// A determinant without two of its electrons.
template <int Words>
struct Remainder {
  Determinant<Words> left;
  std::uint32_t pair;  ///< of the orbitals they were taken from: a row of the matrix
  double value;        ///< <left| a_s a_q |c>
};

/// The sums of a part of the remainders.
template <int Words>
class RemainderSums {
public:
  RemainderSums(const Space<Words>& space, std::span<const double> vector) : space_(space), vector_(vector) {}

  /// Adds what remainders of one residue bring.
  void add(Spins spins, std::uint64_t residue, std::uint64_t divisor, std::vector<double>& sums,
           std::size_t num_pairs) {
    list(spins, residue, divisor);
    std::ranges::sort(remainders_, [](const auto& a, const auto& b) {
      return std::tie(a.left, a.pair) < std::tie(b.left, b.pair);
    });
    for (std::size_t first = 0, last = 0; first < remainders_.size(); first = last) {
      while (last < remainders_.size() && remainders_[last].left == remainders_[first].left) ++last;
      for (std::size_t bra = first; bra < last; ++bra) {
        double* row = sums.data() + remainders_[bra].pair * num_pairs;
        const double value = remainders_[bra].value;
        for (std::size_t ket = first; ket <= bra; ++ket)
          row[remainders_[ket].pair] += value * remainders_[ket].value;
      }
    }
  }

private:
  void list(Spins spins, std::uint64_t residue, std::uint64_t divisor) {
    remainders_.clear();
    const auto keep = [&](const Determinant<Words>& left, std::size_t pair, double value) {
      if (divisor == 1 || mix(left) % divisor == residue)
        remainders_.push_back({left, static_cast<std::uint32_t>(pair), value});
    };
    std::vector<Determinant<Words>> determinants;
    for (std::int64_t first = 0; first < space_.size(); first += listed_at_a_time) {
      determinants.resize(std::min(listed_at_a_time, space_.size() - first));
      space_.enumerate(first, determinants);
      for (std::size_t i = 0; i < determinants.size(); ++i) {
        const double c = vector_[static_cast<std::size_t>(first) + i];
        if (spins == Spins::alpha_beta)
          take_opposite(determinants[i], c, keep);
        else
          take_same(determinants[i],
                    spins == Spins::alpha_alpha ? &Determinant<Words>::alpha : &Determinant<Words>::beta, c,
                    keep);
      }
    }
  }

  /// Two electrons of one spin, from q > s: each passes those below it.
  template <class Keep>
  void take_same(const Determinant<Words>& from, BitString<Words> Determinant<Words>::*spin, double c,
                 const Keep& keep) const {
    int below_q = 0;
    (from.*spin).for_each([&](int q) {
      int below_s = 0;
      (from.*spin).for_each([&](int s) {
        if (s >= q) return;
        Determinant<Words> left = from;
        (left.*spin).reset(q);
        (left.*spin).reset(s);
        keep(left, TwoParticleDensity::pair(q, s), (below_q + below_s) % 2 == 0 ? c : -c);
        ++below_s;
      });
      ++below_q;
    });
  }

  /// One of each spin. All alpha electrons that are left stand before the beta ones: a phase that bra and ket share.
  template <class Keep>
  void take_opposite(const Determinant<Words>& from, double c, const Keep& keep) const {
    const auto n = static_cast<std::size_t>(space_.num_orbitals());
    int below_q = 0;
    from.alpha.for_each([&](int q) {
      Determinant<Words> left = from;
      left.alpha.reset(q);
      int below_s = 0;
      from.beta.for_each([&](int s) {
        left.beta.reset(s);
        keep(left, static_cast<std::size_t>(q) * n + static_cast<std::size_t>(s),
             (below_q + below_s) % 2 == 0 ? c : -c);
        left.beta.set(s);
        ++below_s;
      });
      ++below_q;
    });
  }

  const Space<Words>& space_;
  std::span<const double> vector_;
  std::vector<Remainder<Words>> remainders_;
};

}  // namespace

template <int Words>
TwoParticleDensity listed_pair_density(const Space<Words>& space, std::span<const double> vector,
                                       std::int64_t max_bytes) {
  const std::int64_t alpha = space.num_alpha(), beta = space.num_beta();
  const std::int64_t most_pairs =
      std::max({alpha * (alpha - 1) / 2, beta * (beta - 1) / 2, alpha * beta, std::int64_t{1}});
  // Every share reads the whole space, and again for each part of its remainders that memory holds: so few of both.
  constexpr std::int64_t most_shares = 8;
  constexpr double of_sorting = 128.0;
  const std::int64_t listed = space.size() * most_pairs;
  const std::int64_t shares = std::min(
      most_shares,
      PairSums::num_shares(space.num_orbitals(), max_bytes / 2, of_sorting * static_cast<double>(listed)));
  const std::int64_t room =
      std::max(max_bytes - shares * TwoParticleDensity::bytes(space.num_orbitals()), max_bytes / 2);
  const auto of_remainder = static_cast<std::int64_t>(sizeof(Remainder<Words>));
  const std::int64_t held = std::max(room / shares / of_remainder, 64 * listed_at_a_time);
  const std::int64_t rounds = listed / (held * shares) + 1;
  const auto divisor = static_cast<std::uint64_t>(rounds * shares);
  return PairSums::sum(space.num_orbitals(), shares, [&](std::int64_t share, PairSums& sums) {
    RemainderSums<Words> share_sums(space, vector);
    const auto add = [&](Spins spins, std::vector<double>& of_spins, std::size_t num_pairs) {
      for (auto residue = static_cast<std::uint64_t>(share); residue < divisor;
           residue += static_cast<std::uint64_t>(shares))
        share_sums.add(spins, residue, divisor, of_spins, num_pairs);
    };
    add(Spins::alpha_alpha, sums.aa, sums.num_pairs());
    add(Spins::beta_beta, sums.bb, sums.num_pairs());
    add(Spins::alpha_beta, sums.ab, static_cast<std::size_t>(space.num_orbitals()) * space.num_orbitals());
  });
}

#define INSTANTIATE(W) \
  template TwoParticleDensity listed_pair_density(const Space<W>&, std::span<const double>, std::int64_t);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
