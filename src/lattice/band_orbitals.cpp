// SPDX-License-Identifier: MIT
#include "cisolve/lattice/band_orbitals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/symmetric_eigenpairs.hpp"

namespace cisolve {
namespace {

constexpr int most_involutions = 3;  // eight irreps

/// All translations by half of a spanning vector, or of their sum, that lead to another site.
std::vector<SiteInvolution> half_translations(const Cluster& cluster) {
  std::vector<SiteInvolution> found;
  const auto& [t1, t2] = cluster.vectors();
  const auto& [first, second] = cluster.boundary();
  const auto add = [&](int x, int y) {
    if (x % 2 != 0 || y % 2 != 0) return;
    SiteInvolution images(cluster.sites());
    for (int i = 0; i < cluster.sites(); ++i) {
      const LatticeVector r = cluster.position(i);
      images[i] = cluster.find({r.x + x / 2, r.y + y / 2}).site;
    }
    found.push_back(std::move(images));
  };
  if (!first.open) add(t1.x, t1.y);
  if (!second.open) add(t2.x, t2.y);
  if (!first.open && !second.open) add(t1.x + t2.x, t1.y + t2.y);
  return found;
}

/// Sites with the sign of x, of y or of both turned round: about site 0, or, where the direction is open, the middle.
SiteInvolution mirrored(const Cluster& cluster, bool turn_x, bool turn_y) {
  const auto& [t1, t2] = cluster.vectors();
  const auto& [first, second] = cluster.boundary();
  const int x_end = first.open ? t1.x - 1 : 0, y_end = second.open ? t2.y - 1 : 0;
  SiteInvolution images(cluster.sites());
  for (int i = 0; i < cluster.sites(); ++i) {
    const LatticeVector r = cluster.position(i);
    images[i] = cluster.find({turn_x ? x_end - r.x : r.x, turn_y ? y_end - r.y : r.y}).site;
  }
  return images;
}

SiteInvolution after(const SiteInvolution& a, const SiteInvolution& b) {
  SiteInvolution images(a.size());
  std::ranges::transform(b, images.begin(), [&](int site) { return a[site]; });
  return images;
}

/// What bonds make of each pair of sites: hopping, exchange, repulsion.
using PairSums = std::map<std::pair<int, int>, std::array<double, 3>>;

PairSums pair_sums(const LatticeModel& model) {
  PairSums sums;
  for (const auto& [pair, t, j, v] : model.bonds) {
    auto& sum = sums[std::minmax(pair.i, pair.j)];
    sum[0] += t * pair.phase.real();
    sum[1] += j;
    sum[2] += v;
  }
  return sums;
}

bool keeps(const PairSums& sums, const SiteInvolution& images) {
  constexpr double rounding = 1e-12;
  return std::ranges::all_of(sums, [&](const auto& entry) {
    const auto& [pair, sum] = entry;
    const auto image = sums.find(std::minmax(images[pair.first], images[pair.second]));
    if (image == sums.end()) return false;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      if (std::abs(sum[k] - image->second[k]) > rounding) return false;
    }
    return true;
  });
}

std::vector<SiteInvolution> candidates(const Cluster& cluster) {
  std::vector<SiteInvolution> all = half_translations(cluster);
  if (cluster.is_rectangle() && cluster.dimensions() == 2) {
    all.push_back(mirrored(cluster, true, false));
    all.push_back(mirrored(cluster, false, true));
  }
  if (cluster.is_rectangle() || !cluster.has_open_boundary())
    all.push_back(mirrored(cluster, true, cluster.dimensions() == 2));
  return all;
}

/// Orthonormal combinations of sites of one irrep, a column each.
Eigen::MatrixXd symmetry_adapted(const std::vector<SiteInvolution>& involutions, int irrep, int sites) {
  std::vector<Eigen::VectorXd> columns;
  std::vector<bool> done(sites, false);
  for (int first = 0; first < sites; ++first) {
    if (done[first]) continue;
    Eigen::VectorXd orbit = Eigen::VectorXd::Zero(sites);
    for (std::size_t element = 0; element < std::size_t{1} << involutions.size(); ++element) {
      int site = first, sign = 1;
      for (std::size_t q = 0; q < involutions.size(); ++q) {
        if ((element >> q & 1U) == 0) continue;
        site = involutions[q][site];
        if ((static_cast<std::size_t>(irrep) >> q & 1U) != 0) sign = -sign;
      }
      orbit[site] += sign;
      done[site] = true;
    }
    if (orbit.squaredNorm() > 0.5)
      columns.push_back(orbit.normalized());  // signs and their sums are integers
  }
  Eigen::MatrixXd all(sites, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) all.col(static_cast<Eigen::Index>(k)) = columns[k];
  return all;
}

struct Orbital {
  double energy;
  int irrep;
  Eigen::VectorXd coefficients;
};

std::vector<Orbital> orbitals_of(const Eigen::MatrixXd& h, const std::vector<SiteInvolution>& involutions,
                                 int irrep) {
  const Eigen::MatrixXd basis = symmetry_adapted(involutions, irrep, static_cast<int>(h.rows()));
  if (basis.cols() == 0) return {};
  const Eigen::MatrixXd block = basis.transpose() * h * basis;
  const SymmetricEigenpairs pairs = symmetric_eigenpairs(block);
  std::vector<Orbital> orbitals;
  for (Eigen::Index k = 0; k < basis.cols(); ++k)
    orbitals.push_back({pairs.values[k], irrep, basis * pairs.vectors.col(k)});
  return orbitals;
}

void fix_sign(Eigen::VectorXd& coefficients) {
  constexpr double significant = 1e-8;
  const auto first = std::ranges::find_if(coefficients, [](double c) { return std::abs(c) > significant; });
  if (first != coefficients.end() && *first < 0.0) coefficients = -coefficients;
}

/// By energy; of those within a tie, by irrep.
void sort_orbitals(std::vector<Orbital>& orbitals) {
  constexpr double tie = 1e-9;
  std::ranges::stable_sort(orbitals, {}, &Orbital::energy);
  for (auto first = orbitals.begin(); first != orbitals.end();) {
    auto last = first + 1;
    while (last != orbitals.end() && last->energy - (last - 1)->energy <= tie) ++last;
    std::stable_sort(first, last, [](const Orbital& a, const Orbital& b) { return a.irrep < b.irrep; });
    first = last;
  }
}

}  // namespace

std::vector<SiteInvolution> commuting_involutions(const LatticeModel& model) {
  const Cluster& cluster = model.cluster;
  const auto& [first, second] = cluster.boundary();
  if (cluster.is_graph() || first.angle != 0.0 || second.angle != 0.0) return {};
  const PairSums sums = pair_sums(model);
  std::vector<SiteInvolution> chosen;
  SiteInvolution identity(cluster.sites());
  std::iota(identity.begin(), identity.end(), 0);
  std::set<SiteInvolution> group = {identity};
  for (const SiteInvolution& images : candidates(cluster)) {
    if (std::ssize(chosen) == most_involutions) break;
    if (group.contains(images) || !keeps(sums, images)) continue;
    const bool commutes =
        std::ranges::all_of(chosen, [&](const auto& c) { return after(c, images) == after(images, c); });
    if (!commutes) continue;
    const std::set<SiteInvolution> before = group;
    for (const SiteInvolution& element : before) group.insert(after(images, element));
    chosen.push_back(images);
  }
  return chosen;
}

LatticeOrbitals band_orbitals(const LatticeModel& model) {
  const int n = model.sites();
  const Matrix hopping = hopping_matrix(model);
  const Eigen::MatrixXd h = Eigen::Map<const Eigen::MatrixXd>(hopping.data(), n, n);
  const std::vector<SiteInvolution> involutions = commuting_involutions(model);
  std::vector<Orbital> all;
  for (int irrep = 0; irrep < 1 << involutions.size(); ++irrep) {
    for (Orbital& orbital : orbitals_of(h, involutions, irrep)) all.push_back(std::move(orbital));
  }
  sort_orbitals(all);
  LatticeOrbitals orbitals{Matrix(n, n), {}, {}};
  for (int p = 0; p < n; ++p) {
    fix_sign(all[p].coefficients);
    std::ranges::copy(all[p].coefficients, orbitals.coefficients.data() + std::size_t(p) * std::size_t(n));
    orbitals.energies.push_back(all[p].energy);
    orbitals.irreps.push_back(all[p].irrep);
  }
  return orbitals;
}

LatticeOrbitals site_orbitals(const LatticeModel& model) {
  const int n = model.sites();
  LatticeOrbitals orbitals{Matrix(n, n), std::vector<double>(n, 0.0), std::vector<int>(n, 0)};
  for (int i = 0; i < n; ++i) orbitals.coefficients(i, i) = 1.0;
  return orbitals;
}

}  // namespace cisolve
