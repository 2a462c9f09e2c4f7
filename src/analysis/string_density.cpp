// SPDX-License-Identifier: MIT
#include "analysis/string_density.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/alpha_row.hpp"
#include "analysis/density_parts.hpp"
#include "analysis/string_operators.hpp"

namespace cisolve {
namespace {

using Entries = std::span<const LinksByClass::Entry>;

/// Product of the irreps of every bra and every ket, or any_irrep.
int irrep_between(const StringVectors& bras, const StringVectors& kets) {
  if (bras.space.irrep() == any_irrep || kets.space.irrep() == any_irrep) return any_irrep;
  return bras.space.irrep() ^ kets.space.irrep();
}

/// Bras and kets with their blocks.
struct Sides {
  Sides(const StringVectors& bra_vectors, const StringVectors& ket_vectors)
      : bras(bra_vectors), kets(ket_vectors), ket_blocks(kets.space) {
    if (&bras.space != &kets.space) own_bra_blocks.emplace(bras.space);
  }

  const BlockStructure& bra_blocks() const { return own_bra_blocks ? *own_bra_blocks : ket_blocks; }

  LinksByClass beta_links(StringOperator what, int irrep, bool only_raising) const {
    const Strings &to = bras.space.beta(), &from = kets.space.beta();
    return {StringLinksBetween(to, from, what)(),
            to,
            bra_blocks().beta,
            from,
            ket_blocks.beta,
            irrep,
            only_raising};
  }

  const StringVectors &bras, &kets;
  BlockStructure ket_blocks;
  std::optional<BlockStructure> own_bra_blocks;
};

/// Sum of +-x y over some links of beta strings.
double sum_of(Entries entries, const double* x, const double* y) {
  // Several sums: one alone would wait for each of its additions.
  constexpr std::size_t lanes = 4;
  double sums[lanes] = {};
  const auto add_one = [&](std::size_t k, std::size_t lane) {
    const auto& [source, code] = entries[k];
    sums[lane] += x[code >> 1] * ExcitationCode::with_phase(y[source], code);
  };
  std::size_t k = 0;
  for (; k + lanes <= entries.size(); k += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add_one(k + lane, lane);
  }
  for (; k < entries.size(); ++k) add_one(k, 0);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double dot(const double* x, const double* y, std::size_t size) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < size; ++j) sum += x[j] * y[j];
  return sum;
}

/// What links of both spins join; all of it is shared by the threads.
struct DensityLinks {
  /// @param is_symmetric  bras and kets are the same: what lowers is what raises, transposed
  DensityLinks(const Sides& all, bool is_symmetric)
      : sides(all), irrep(irrep_between(all.bras, all.kets)), symmetric(is_symmetric),
        same_alpha(all.bras.space.alpha(), all.kets.space.alpha(), StringOperator::none),
        alpha_singles(all.bras.space.alpha(), all.kets.space.alpha(), StringOperator::excitation),
        // Strings that are the same have the same irrep, so that none are left out where one may be.
        same_beta(all.beta_links(StringOperator::none, any_irrep, false)),
        beta_singles(all.beta_links(StringOperator::excitation, irrep, symmetric)) {}

  const Sides& sides;
  int irrep;
  bool symmetric;
  StringLinksBetween same_alpha, alpha_singles;
  LinksByClass same_beta, beta_singles;
};

/// Adds what some alpha strings of the kets contribute.
class StringAccumulator {
public:
  explicit StringAccumulator(const DensityLinks& links, const SpinDensities& zero)
      : links_(links), sides_(links.sides), bra_(sides_.bras, sides_.bra_blocks()),
        ket_(sides_.kets, sides_.ket_blocks), sums_(zero),
        weights_(static_cast<std::size_t>(sides_.kets.space.num_orbitals())) {}

  void add(std::int32_t alpha) {
    ket_.read(alpha);
    for (const auto& [target, code] : links_.same_alpha()[alpha]) {
      if (sides_.bra_blocks().alpha.class_of[target] < 0) continue;
      bra_.read(target);
      add_occupations(alpha);
      add_beta_singles();
    }
    add_alpha_singles(alpha);
  }

  const SpinDensities& sums() const { return sums_; }

private:
  template <class Visit>
  void for_each_class_pair(const Visit& visit) const {
    for (const std::size_t to : bra_.classes()) {
      for (const std::size_t from : ket_.classes()) visit(to, from);
    }
  }

  /// Every pair of a bra and a ket; of a symmetric density k <= l.
  template <class Visit>
  void for_each_pair(bool half, const Visit& visit) const {
    for (int l = 0; l < sums_.num_kets(); ++l) {
      for (int k = 0; k < (half ? l + 1 : sums_.num_bras()); ++k) visit(k, l);
    }
  }

  void add_occupations(std::int32_t alpha) {
    const Strings& betas = sides_.kets.space.beta();
    const auto& ket_classes = sides_.ket_blocks.beta;
    for_each_pair(links_.symmetric, [&](int k, int l) {
      std::ranges::fill(weights_, 0.0);
      double sum = 0.0;
      for_each_class_pair([&](std::size_t to, std::size_t from) {
        const double *x = bra_(k, to), *y = ket_(l, from);
        for (const auto& group : links_.same_beta.between(to, from)) {
          for (const auto& [source, code] : links_.same_beta.entries(group)) {
            const double weight = x[code >> 1] * y[source];
            sum += weight;
            for (const std::uint8_t p :
                 betas.orbitals(ket_classes.strings[ket_classes.offsets[from] + source]))
              weights_[p] += weight;
          }
        }
      });
      SpinDensity& density = sums_(k, l);
      for (const std::uint8_t p : sides_.kets.space.alpha().orbitals(alpha)) density.alpha(p, p) += sum;
      for (int p = 0; p < density.beta.rows(); ++p) density.beta(p, p) += weights_[p];
    });
  }

  void add_beta_singles() {
    for_each_class_pair([&](std::size_t to, std::size_t from) {
      for (const auto& group : links_.beta_singles.between(to, from)) {
        const Entries entries = links_.beta_singles.entries(group);
        for_each_pair(false, [&](int k, int l) {
          sums_(k, l).beta(group.p, group.q) += sum_of(entries, bra_(k, to), ket_(l, from));
        });
      }
    });
  }

  void add_alpha_singles(std::int32_t alpha) {
    const Strings &bras = sides_.bras.space.alpha(), &kets = sides_.kets.space.alpha();
    for (const auto& [target, code] : links_.alpha_singles()[alpha]) {
      const int p = ExcitationCode::particle(code), q = ExcitationCode::hole(code);
      if ((links_.symmetric && p < q) || sides_.bra_blocks().alpha.class_of[target] < 0) continue;
      if (links_.irrep != any_irrep && (bras.irrep(target) ^ kets.irrep(alpha)) != links_.irrep) continue;
      bra_.read(target);
      const double sign = ExcitationCode::is_negative(code) ? -1.0 : 1.0;
      for_each_class_pair([&](std::size_t to, std::size_t from) {
        for (const auto& group : links_.same_beta.between(to, from)) add_rows(p, q, sign, group, to, from);
      });
    }
  }

  void add_rows(int p, int q, double sign, const LinksByClass::Group& group, std::size_t to,
                std::size_t from) {
    const Entries same = links_.same_beta.entries(group);
    const std::size_t x = same.front().target_code >> 1, y = same.front().source;
    for_each_pair(false, [&](int k, int l) {
      const double sum = group.in_step ? dot(bra_(k, to) + x, ket_(l, from) + y, same.size())
                                       : sum_of(same, bra_(k, to), ket_(l, from));
      sums_(k, l).alpha(p, q) += sign * sum;
    });
  }

  const DensityLinks& links_;
  const Sides& sides_;
  AlphaRow bra_, ket_;
  SpinDensities sums_;
  std::vector<double> weights_;  ///< [orbitals]
};

/// Sum over the alpha strings of the kets of what an accumulator adds of each.
/// @param make  () an accumulator
template <class Sum, class Make>
Sum sum_over_alphas(const BlockStructure& kets, std::int64_t bytes, const Make& make) {
  const std::int64_t strings = std::ssize(kets.alpha.strings);
  return sum_of_parts<Sum>(bytes, [&](std::int64_t part, std::int64_t num_parts) {
    auto sum = make();
    for (std::int64_t k = strings * part / num_parts; k < strings * (part + 1) / num_parts; ++k)
      sum.add(kets.alpha.strings[k]);
    return sum.sums();
  });
}

/// Adds what some alpha strings of the kets contribute to spin-flip densities.
class FlipAccumulator {
public:
  FlipAccumulator(const Sides& sides, const StringLinksBetween& creations, const LinksByClass& annihilations,
                  const SpinFlipDensities& zero)
      : sides_(sides), creations_(creations), annihilations_(annihilations),
        bra_(sides.bras, sides.bra_blocks()), ket_(sides.kets, sides.ket_blocks), sums_(zero),
        // The annihilator passes the alpha creators of the ket.
        phase_(sides.kets.space.num_alpha() % 2 == 0 ? 1.0 : -1.0) {}

  void add(std::int32_t alpha) {
    ket_.read(alpha);
    for (const auto& [target, code] : creations_()[alpha]) {
      if (sides_.bra_blocks().alpha.class_of[target] < 0) continue;
      bra_.read(target);
      const double sign = ExcitationCode::is_negative(code) ? -phase_ : phase_;
      for (const std::size_t to : bra_.classes()) {
        for (const std::size_t from : ket_.classes()) add(ExcitationCode::particle(code), sign, to, from);
      }
    }
  }

  const SpinFlipDensities& sums() const { return sums_; }

private:
  void add(int p, double sign, std::size_t to, std::size_t from) {
    for (const auto& group : annihilations_.between(to, from)) {
      const Entries entries = annihilations_.entries(group);
      for (int l = 0; l < sums_.num_kets(); ++l) {
        for (int k = 0; k < sums_.num_bras(); ++k)
          sums_(k, l)(p, group.q) += sign * sum_of(entries, bra_(k, to), ket_(l, from));
      }
    }
  }

  const Sides& sides_;
  const StringLinksBetween& creations_;
  const LinksByClass& annihilations_;
  AlphaRow bra_, ket_;
  SpinFlipDensities sums_;
  double phase_;
};

std::int64_t bytes_of(const StringVectors& bras, const StringVectors& kets) {
  const std::int64_t n = kets.space.num_orbitals();
  return 2 * static_cast<std::int64_t>(sizeof(double)) * n * n * bras.count * kets.count;
}

}  // namespace

SpinDensities string_spin_densities(const StringVectors& bras, const StringVectors& kets) {
  const int n = kets.space.num_orbitals();
  const SpinDensities zero(bras.count, kets.count, {Matrix(n, n), Matrix(n, n)});
  if (bras.count == 0 || kets.count == 0) return zero;
  const bool symmetric = are_same(bras, kets);
  const Sides sides(bras, kets);
  const DensityLinks links(sides, symmetric);
  auto sums = sum_over_alphas<SpinDensities>(sides.ket_blocks, bytes_of(bras, kets),
                                             [&] { return StringAccumulator(links, zero); });
  if (symmetric) complete_from_lower(sums);
  return sums;
}

SpinFlipDensities string_spin_flip_densities(const StringVectors& bras, const StringVectors& kets) {
  const int n = kets.space.num_orbitals();
  const SpinFlipDensities zero(bras.count, kets.count, Matrix(n, n));
  if (bras.count == 0 || kets.count == 0) return zero;
  const Sides sides(bras, kets);
  const StringLinksBetween creations(bras.space.alpha(), kets.space.alpha(), StringOperator::creation);
  const LinksByClass annihilations = sides.beta_links(StringOperator::annihilation, any_irrep, false);
  return sum_over_alphas<SpinFlipDensities>(sides.ket_blocks, bytes_of(bras, kets), [&] {
    return FlipAccumulator(sides, creations, annihilations, zero);
  });
}

}  // namespace cisolve
