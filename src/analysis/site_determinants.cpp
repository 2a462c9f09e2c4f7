// SPDX-License-Identifier: MIT
// Correlations of determinants over sites, one by one.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "cisolve/analysis/site_correlations.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"

namespace cisolve {
namespace {

/// Sums of some rows. Pairs of sites have their sums at (i, j) with i < j and on the diagonal; those of electrons of one
/// spin, and of an up electron at i and a down one at j, are kept apart until the end.
template <int Words>
class RowCorrelations {
public:
  RowCorrelations(const Space<Words>& space, std::span<const double> vector, SiteCorrelations& sums)
      : space_(space), is_single_(space.as_single_occupancy() != nullptr),
        all_(BitString<Words>::lowest(space.num_orbitals())), vector_(vector), sums_(sums),
        alike_(space.num_orbitals(), space.num_orbitals()), unlike_(alike_) {}

  void add(std::int64_t row, const Determinant<Words>& d) {
    const double c = vector_[static_cast<std::size_t>(row)];
    if (c == 0.0) return;
    add_diagonal(d, c * c);
    const BitString<Words> parities[] = {d.alpha.parities(), d.beta.parities()};
    add_hops<&Determinant<Words>::alpha>(d, c, parities[0], sums_.hop_up);
    add_hops<&Determinant<Words>::beta>(d, c, parities[1], sums_.hop_down);
    add_exchanges(d, c, parities[0], parities[1]);
  }

  /// After all rows.
  void finish() {
    for (int j = 0; j < alike_.columns(); ++j) {
      for (int i = 0; i <= j; ++i) {
        const double unlike = unlike_(i, j) + unlike_(j, i);
        sums_.n_n(i, j) = alike_(i, j) + unlike;
        sums_.sz_sz(i, j) = 0.25 * (alike_(i, j) - unlike);
      }
    }
  }

private:
  void add_diagonal(const Determinant<Words>& d, double weight) {
    for (const BitString<Words>& string : {d.alpha, d.beta}) {
      int count = 0;
      string.for_each([&](int j) {
        sites_[count++] = j;
        for (int k = 0; k < count; ++k) alike_(sites_[k], j) += weight;
      });
    }
    int count = 0;
    d.alpha.for_each([&](int i) { sites_[count++] = i; });
    d.beta.for_each([&](int j) {
      for (int k = 0; k < count; ++k) unlike_(sites_[k], j) += weight;
    });
    d.alpha.for_each([&](int i) { sums_.hop_up(i, i) += weight; });
    d.beta.for_each([&](int i) { sums_.hop_down(i, i) += weight; });
    (d.alpha & d.beta).for_each([&](int i) { sums_.double_occupancy[i] += weight; });
  }

  /// Whether the electrons strictly between i < j, where the string has one at `occupied`, are odd in number.
  static bool is_odd(const BitString<Words>& parities, int i, int j, int occupied) {
    return (parities.test(i) != parities.test(j)) != (occupied == i);
  }

  double coefficient(const Determinant<Words>& d) const {
    const std::int64_t row = space_.find(d);
    return row < 0 ? 0.0 : vector_[static_cast<std::size_t>(row)];
  }

  /// Electrons that move to a site of a higher number: the way back is the same element.
  template <BitString<Words> Determinant<Words>::*Of>
  void add_hops(const Determinant<Words>& d, double c, const BitString<Words>& parities, Matrix& sums) {
    const BitString<Words>& string = d.*Of;
    const BitString<Words> free = all_ & ~(is_single_ ? d.alpha | d.beta : string);
    string.for_each([&](int i) {
      free.for_each([&](int j) {
        if (j < i) return;
        Determinant<Words> moved = d;
        moved.*Of = string.moved(i, j);
        const double product = c * coefficient(moved);
        sums(i, j) += is_odd(parities, i, j, i) ? -product : product;
      });
    });
  }

  /// S+_i S-_j = -c+_iu c_ju c+_jd c_id, i < j, of determinants with a down electron alone at i and an up one at j.
  void add_exchanges(const Determinant<Words>& d, double c, const BitString<Words>& up,
                     const BitString<Words>& down) {
    const BitString<Words> alone_up = d.alpha & ~d.beta, alone_down = d.beta & ~d.alpha;
    alone_down.for_each([&](int i) {
      alone_up.for_each([&](int j) {
        if (j < i) return;
        const double product = c * coefficient({d.alpha.moved(j, i), d.beta.moved(i, j)});
        sums_.s_s(i, j) += is_odd(up, i, j, j) != is_odd(down, i, j, i) ? product : -product;
      });
    });
  }

  const Space<Words>& space_;
  bool is_single_;  ///< no site has two electrons
  BitString<Words> all_;
  std::span<const double> vector_;
  SiteCorrelations& sums_;
  Matrix alike_, unlike_;
  std::array<int, BitString<Words>::max_orbitals> sites_ = {};  ///< that some electrons are at
};

/// Fills in what follows from the sums: the other triangles, densities, S.S from its parts.
void complete(SiteCorrelations& sums) {
  const int n = sums.n_n.rows();
  for (int i = 0; i < n; ++i) {
    sums.density[i] = sums.hop_up(i, i) + sums.hop_down(i, i);
    // (S+ S- + S- S+) / 2 of a site: one half where it holds a single electron.
    sums.s_s(i, i) = sums.sz_sz(i, i) + 0.5 * sums.density[i] - sums.double_occupancy[i];
    for (int j = i + 1; j < n; ++j) {
      sums.s_s(i, j) += sums.sz_sz(i, j);
      for (Matrix* m : {&sums.n_n, &sums.sz_sz, &sums.s_s, &sums.hop_up, &sums.hop_down})
        (*m)(j, i) = (*m)(i, j);
    }
  }
}

}  // namespace

template <int Words>
SiteCorrelations site_correlations(const Space<Words>& space, std::span<const double> vector) {
  const std::int64_t rows = space.size();
  if (std::ssize(vector) != rows) throw DimensionError("site_correlations: the vector is not of the space");
  constexpr std::int64_t most_parts = 256;  // not by threads: the order of sums is fixed
  const std::int64_t num_parts = std::min(most_parts, rows);
  std::vector<SiteCorrelations> parts(static_cast<std::size_t>(num_parts),
                                      SiteCorrelations(space.num_orbitals()));
  parallel_for(num_parts, 1, [&](std::int64_t part) {
    RowCorrelations<Words> sums(space, vector, parts[static_cast<std::size_t>(part)]);
    constexpr std::int64_t at_once = 1024;
    std::vector<Determinant<Words>> determinants;
    const std::int64_t last = rows * (part + 1) / num_parts;
    for (std::int64_t first = rows * part / num_parts; first < last; first += at_once) {
      determinants.resize(static_cast<std::size_t>(std::min(at_once, last - first)));
      space.enumerate(first, determinants);
      for (std::size_t k = 0; k < determinants.size(); ++k)
        sums.add(first + static_cast<std::int64_t>(k), determinants[k]);
    }
    sums.finish();
  });
  SiteCorrelations total(space.num_orbitals());
  for (const SiteCorrelations& part : parts) total.add(part, 1.0);
  complete(total);
  return total;
}

#define INSTANTIATE(W) template SiteCorrelations site_correlations(const Space<W>&, std::span<const double>);
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
