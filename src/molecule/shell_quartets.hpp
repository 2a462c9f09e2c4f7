// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/integrals/integrals.hpp"
#include "cisolve/molecule/basis_set.hpp"
#include "cisolve/molecule/symmetry.hpp"
#include "molecule/shell_families.hpp"

namespace cisolve::detail {

/// Quartets of shells: one of each class that symmetry and the permutations of (ij|kl) carry into each
/// other, without those that Schwarz' inequality bounds below a threshold. They are worked on by pairs of families.
class ShellQuartets {
public:
  /// @param engine     gives the bounds; any worker may be busy afterwards
  /// @param threshold  hartree
  ShellQuartets(const GaussianBasis& basis, const SymmetryFrame& symmetry, FamilyRepulsion& engine,
                double threshold);

  /// Pairs of families.
  std::int64_t num_bras() const { return static_cast<std::int64_t>(family_pairs_.size()); }

  /// Every integral whose quartet has `bra` as the larger pair of families of its class, and its images, each once:
  /// f({p, q, r, s}, value) with p >= q, r >= s, pq >= rs.
  template <class F>
  void for_each_functions(FamilyRepulsion& engine, int worker, std::int64_t bra, F&& f) const;

  /// The same as f(pq, rs, value), pairs packed.
  template <class F>
  void for_each(FamilyRepulsion& engine, int worker, std::int64_t bra, F&& f) const {
    for_each_functions(engine, worker, bra, [&](const std::array<int, 4>& at, double value) {
      f(packed(at[0], at[1]), packed(at[2], at[3]), value);
    });
  }

  /// Packed pairs of functions of a pair of families.
  std::vector<std::size_t> rows_of(std::int64_t bra) const;

  /// The integrals of these rows with all pairs, [rows x num_function_pairs] into zeroed `block`.
  void fill_rows(FamilyRepulsion& engine, int worker, std::int64_t bra, std::span<double> block,
                 std::size_t num_function_pairs) const;

private:
  struct ShellPair {
    int i, j;      ///< i >= j
    double bound;  ///< sqrt of the largest (ij|ij)
  };
  /// Two families a >= b and the pairs of their shells.
  struct FamilyPair {
    int a, b;
    double bound = 0.0;  ///< largest of its pairs of shells
    std::vector<std::size_t> pairs;
  };
  /// An operation that carries the quartet elsewhere, and one for each different place.
  struct Images {
    std::array<std::size_t, 8> operations;
    std::size_t count = 0;
  };

  static std::size_t packed(int p, int q) { return pair_index(p, q); }
  const GaussianShell& shell(int s) const { return basis_.shells[s]; }

  /// The rows of one pair of shells with the columns of another.
  /// @return how many rows the pair has
  std::size_t fill_rows_of_pair(FamilyRepulsion& engine, int worker, const ShellPair& left,
                                const ShellPair& right, std::span<double> block,
                                std::size_t num_function_pairs) const;

  template <class F>
  void for_each_image(const double* block, std::size_t bra, std::size_t ket, const Images& images,
                      F&& f) const;

  /// False if another quartet of the class is computed in its place.
  bool find_images(std::size_t bra, std::size_t ket, Images& images) const;

  const GaussianBasis& basis_;
  double threshold_;
  std::vector<FunctionImages> operations_;
  std::vector<ShellPair> pairs_;                       ///< packed triangle
  std::vector<FamilyPair> family_pairs_;               ///< packed triangle
  std::vector<std::vector<std::size_t>> pair_images_;  ///< [operation][pair]
};

template <class F>
void ShellQuartets::for_each_functions(FamilyRepulsion& engine, int worker, std::int64_t bra, F&& f) const {
  struct Wanted {
    std::size_t bra, ket;
    Images images;
  };
  std::vector<Wanted> wanted;
  const FamilyPair& left = family_pairs_[bra];
  for (std::int64_t ket = 0; ket <= bra; ++ket) {
    const FamilyPair& right = family_pairs_[ket];
    if (left.bound * right.bound < threshold_) continue;
    wanted.clear();
    for (const std::size_t b : left.pairs) {
      for (const std::size_t c : right.pairs) {
        Images images;
        if (bra == ket && c > b) break;
        if (pairs_[b].bound * pairs_[c].bound >= threshold_ &&
            find_images(std::max(b, c), std::min(b, c), images))
          wanted.push_back({b, c, images});
      }
    }
    if (wanted.empty()) continue;
    engine.compute(worker, left.a, left.b, right.a, right.b);
    for (const auto& [b, c, images] : wanted) {
      const double* block = engine.block(worker, pairs_[b].i, pairs_[b].j, pairs_[c].i, pairs_[c].j);
      if (block != nullptr) for_each_image(block, b, c, images, f);
    }
  }
}

/// The integrals of a quartet and its images.
template <class F>
void ShellQuartets::for_each_image(const double* block, std::size_t b, std::size_t c, const Images& images,
                                   F&& f) const {
  const GaussianShell &si = shell(pairs_[b].i), &sj = shell(pairs_[b].j);
  const GaussianShell &sk = shell(pairs_[c].i), &sl = shell(pairs_[c].j);
  std::size_t at = 0;
  for (int i = 0; i < si.num_functions(); ++i) {
    for (int j = 0; j < sj.num_functions(); ++j) {
      for (int k = 0; k < sk.num_functions(); ++k) {
        for (int l = 0; l < sl.num_functions(); ++l, ++at) {
          const std::array<int, 4> g = {si.first_function + i, sj.first_function + j, sk.first_function + k,
                                        sl.first_function + l};
          // Within equal shells, or pairs of them, a block holds an integral more than once.
          if (g[0] < g[1] || g[2] < g[3] || (b == c && packed(g[0], g[1]) < packed(g[2], g[3]))) continue;
          for (std::size_t m = 0; m < images.count; ++m) {
            const FunctionImages& to = operations_[images.operations[m]];
            std::array<int, 4> h;
            double sign = 1.0;
            for (std::size_t x = 0; x < 4; ++x) {
              h[x] = to.image[g[x]];
              sign *= to.sign[g[x]];
            }
            if (h[0] < h[1]) std::swap(h[0], h[1]);
            if (h[2] < h[3]) std::swap(h[2], h[3]);
            if (packed(h[0], h[1]) < packed(h[2], h[3])) h = {h[2], h[3], h[0], h[1]};
            f(h, sign * block[at]);
          }
        }
      }
    }
  }
}

}  // namespace cisolve::detail
