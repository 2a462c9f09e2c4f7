// SPDX-License-Identifier: MIT
#include "tasks/files/density_file.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/space/bit_string.hpp"

namespace cisolve {
namespace {

constexpr const char* convention =
    "p, q, r, s: active orbitals, from 0; sigma, tau: spins. one, transition: <k| a+_p,sigma a_q,sigma |l>; "
    "spin_flip: <k| a+_p,alpha a_q,beta |l>, of determinants whose alpha creators stand before the beta "
    "ones; two: <k| a+_p,sigma a+_r,tau a_s,tau a_q,sigma |k>, which contracts with (pq|rs). E = E_core + "
    "sum h_pq D[p,q] + 1/2 sum (pq|rs) G[p,q,r,s] with the spin sums D = alpha + beta, G = aa + bb + ab + "
    "ab^T, ab^T[p,q,r,s] = ab[r,s,p,q]";

/// One of the two-particle datasets.
struct Block {
  const char* name;
  const char* description;
  double (TwoParticleDensity::*element)(int, int, int, int) const;
};
constexpr Block blocks[] = {
    {"two_aa", "G of two alpha electrons of each root", &TwoParticleDensity::alpha_alpha},
    {"two_ab", "G of an alpha electron (p, q) and a beta electron (r, s) of each root",
     &TwoParticleDensity::alpha_beta},
    {"two_bb", "G of two beta electrons of each root", &TwoParticleDensity::beta_beta}};

Hdf5Shape shape_of_two(std::size_t roots, int orbitals) {
  const auto n = static_cast<std::uint64_t>(orbitals);
  return {roots, n, n, n, n};
}

/// Calls visit(position, p, q, r, s) for all elements, row-major.
template <class Visit>
void for_each_element(int n, const Visit& visit) {
  std::size_t at = 0;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) visit(at++, p, q, r, s);
      }
    }
  }
}

void write_two(Hdf5Group& group, const CiResult::Density& density) {
  const int n = density.n_orbitals;
  const Hdf5Shape shape = shape_of_two(density.two.size(), n);
  std::vector<double> values(shape[1] * shape[2] * shape[3] * shape[4]);
  for (const Block& block : blocks) {
    Hdf5Dataset<double> dataset =
        group.create_dataset<double>(block.name, shape, {"1", block.description}, Hdf5Packing::compressed);
    for (std::size_t k = 0; k < density.two.size(); ++k) {
      for_each_element(n, [&](std::size_t at, int p, int q, int r, int s) {
        values[at] = (density.two[k].*block.element)(p, q, r, s);
      });
      dataset.write(values, {k, 0, 0, 0, 0}, {1, shape[1], shape[2], shape[3], shape[4]});
    }
  }
  group.write<double>(
      "energy_error", density.energy_error, {density.energy_error.size()},
      {"hartree", "distance of the energy from D and G from the root's; NaN: without vectors there is none"});
}

/// @param file  of the group, begins messages
void read_two(const Hdf5Group& group, std::size_t roots, const std::string& file,
              CiResult::Density& density) {
  if (!group.contains(blocks[0].name)) return;
  const int n = density.n_orbitals;
  const Hdf5Shape shape = shape_of_two(roots, n);
  density.energy_error = group.read<double>("energy_error", {roots});
  for (const Block& block : blocks) {
    const auto dataset = group.open_dataset<double>(block.name);
    if (dataset.shape() != shape)
      throw InputError("'" + file + "': dataset '" + dataset.name() +
                       "' does not have the shape [roots, n, n, n, n]");
  }
  std::vector<double> values(shape[1] * shape[2] * shape[3] * shape[4]);
  density.two.assign(roots, TwoParticleDensity(n));
  for (const Block& block : blocks) {
    const auto dataset = group.open_dataset<double>(block.name);
    for (std::size_t k = 0; k < roots; ++k) {
      dataset.read(values, {k, 0, 0, 0, 0}, {1, shape[1], shape[2], shape[3], shape[4]});
      TwoParticleDensity& found = density.two[k];
      if (&block == &blocks[1]) {
        found.ab = values;
        continue;
      }
      std::vector<double>& packed = &block == &blocks[0] ? found.aa : found.bb;
      for_each_element(n, [&](std::size_t at, int p, int q, int r, int s) {
        if (p > r && q > s)
          packed[TwoParticleDensity::pair(p, r) * found.num_pairs() + TwoParticleDensity::pair(q, s)] =
              values[at];
      });
    }
  }
}

void write_density(Hdf5Group group, const CiResult::Density& density, std::size_t roots) {
  const auto n = static_cast<std::uint64_t>(density.n_orbitals);
  group.write_attribute("convention", convention);
  group.write_attribute("n_orbitals", static_cast<std::int32_t>(density.n_orbitals));
  const auto packing = Hdf5Packing::compressed;
  group.write<double>("one", density.one, {roots, 2, n, n},
                      {"1", "one-particle density matrices of alpha and of beta electrons"}, packing);
  group.write<double>("transition", density.transition, {roots, roots, 2, n, n},
                      {"1", "the same between two roots; zeros where kind is not 1"}, packing);
  group.write<double>("spin_flip", density.spin_flip, {roots, roots, n, n},
                      {"1", "spin-flip densities; zeros where kind is not 2"}, packing);
  group.write<std::uint8_t>(
      "kind", density.kind, {roots, roots},
      {.description =
           "of bra k and ket l. 0: densities vanish by spin; 1: same Ms; 2: Ms(k) = Ms(l) + 1; 3: the "
           "transpose is kind 2; 4: not available"});
  if (!density.two.empty()) write_two(group, density);
}

CiResult::Density read_density(const Hdf5Group& group, std::size_t roots, int num_orbitals,
                               const std::string& file) {
  CiResult::Density density;
  density.n_orbitals = group.read_attribute<std::int32_t>("n_orbitals");
  if (density.n_orbitals != num_orbitals)
    throw InputError("'" + file + "': '" + group.name() + "' is over " + std::to_string(density.n_orbitals) +
                     " orbitals, " + std::to_string(num_orbitals) + " are active");
  if (num_orbitals < 1 || num_orbitals > most_string_orbitals)
    throw InputError("'" + file + "': '" + group.name() + "' is over " + std::to_string(num_orbitals) +
                     " orbitals");
  const auto n = static_cast<std::uint64_t>(num_orbitals);
  density.one = group.read<double>("one", {roots, 2, n, n});
  density.transition = group.read<double>("transition", {roots, roots, 2, n, n});
  density.spin_flip = group.read<double>("spin_flip", {roots, roots, n, n});
  density.kind = group.read<std::uint8_t>("kind", {roots, roots});
  read_two(group, roots, file, density);
  return density;
}

void write_natural(Hdf5Group group, const CiResult::NaturalOrbitals& set) {
  const std::uint64_t n = set.occupations.size();
  if (n == 0) return;
  group.write<double>(
      "coefficients", set.coefficients, {n, set.coefficients.size() / n},
      {"1",
       "natural orbitals, one per row, over the basis functions; of integrals from a file over "
       "its active orbitals"});
  group.write<double>("occupations", set.occupations, {n}, {"1", "electrons in each, descending"});
  group.write<std::int32_t>("irreps", set.irreps, {n}, {.description = "Molpro numbers from 1"});
}

CiResult::NaturalOrbitals read_natural(const Hdf5Group& group, std::string name, std::size_t orbitals,
                                       const std::string& file) {
  CiResult::NaturalOrbitals set;
  set.name = std::move(name);
  set.occupations = group.read<double>("occupations", {orbitals});
  set.irreps = group.read<std::int32_t>("irreps", {orbitals});
  auto coefficients = group.read<double>("coefficients");
  if (coefficients.shape.size() != 2 || coefficients.shape[0] != orbitals)
    throw InputError("'" + file + "': dataset '" + group.name() +
                     "/coefficients' does not have a row per active orbital");
  set.coefficients = std::move(coefficients.values);
  return set;
}

}  // namespace

std::uint64_t bytes_of_densities(const CiResult& result) {
  std::uint64_t numbers = 0;
  if (result.density) {
    const CiResult::Density& density = *result.density;
    const auto n = static_cast<std::uint64_t>(density.n_orbitals);
    numbers += density.one.size() + density.transition.size() + density.spin_flip.size() +
               3 * n * n * n * n * density.two.size();
  }
  for (const CiResult::NaturalOrbitals& set : result.natural_orbitals)
    numbers += set.coefficients.size() + 2 * set.occupations.size();
  return sizeof(double) * numbers;
}

void write_densities(Hdf5Group& group, const CiResult& result) {
  if (result.density) write_density(group.create_group("density"), *result.density, result.roots.size());
  if (result.natural_orbitals.empty()) return;
  Hdf5Group natural =
      (group.contains("orbitals") ? group.open_group("orbitals") : group.create_group("orbitals"))
          .create_group("natural");
  for (const CiResult::NaturalOrbitals& set : result.natural_orbitals)
    write_natural(natural.create_group(set.name), set);
}

void read_densities(const Hdf5Group& group, const std::filesystem::path& file, CiResult& result) {
  const std::size_t roots = result.roots.size();
  if (group.contains("density"))
    result.density =
        read_density(group.open_group("density"), roots, result.system.n_orbitals, file.string());
  if (!group.contains("orbitals") || !group.open_group("orbitals").contains("natural")) return;
  const Hdf5Group natural = group.open_group("orbitals").open_group("natural");
  const auto orbitals = static_cast<std::size_t>(result.system.n_orbitals);
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= roots; ++k) names.push_back(std::to_string(k));
  names.emplace_back("average");
  for (std::string& name : names) {
    if (!natural.contains(name)) continue;
    const Hdf5Group one = natural.open_group(name);
    result.natural_orbitals.push_back(read_natural(one, std::move(name), orbitals, file.string()));
  }
}

}  // namespace cisolve
