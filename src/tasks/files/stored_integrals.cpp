// SPDX-License-Identifier: MIT
#include "tasks/files/stored_integrals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/integrals/fcidump.hpp"
#include "tasks/files/result_file_common.hpp"

namespace cisolve {
namespace {

constexpr const char* group_name = "integrals";
constexpr const char* one_name = "one_electron";
constexpr const char* two_name = "two_electron";

std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

/// Finite, and sums of them too. A record of an FCIDUMP file may be 1e10 hartree (FcidumpOptions), and what frozen
/// orbitals add to the others is a sum over pairs: what a run writes is never refused.
void require_energies(std::span<const double> values, const std::string& name,
                      const std::filesystem::path& file) {
  const double largest = 1e6 * FcidumpOptions{}.largest_magnitude;
  const auto found = std::ranges::find_if(values, [&](double x) { return !(std::abs(x) <= largest); });
  if (found != values.end())
    throw InputError(fmt::format("'{}' is damaged: {} holds {:g}; expected up to {:.0e} hartree",
                                 file.string(), name, *found, largest));
}

}  // namespace

std::uint64_t bytes_of_integrals(const CiResult& result) {
  if (!result.integrals) return 0;
  return sizeof(double) * (square(result.integrals->num_orbitals) + result.integrals->two.size());
}

bool stores_integrals(const CiResult& result) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20;
  std::uint64_t vectors = 0;
  for (const CiResult::Sector& sector : result.sectors) vectors += bytes_of_vectors(sector);
  return result.integrals && vectors > 0 && bytes_of_integrals(result) <= std::max(small, vectors);
}

void write_integrals(Hdf5Group& group, const CiResult& result) {
  if (!stores_integrals(result)) return;
  const Integrals& v = *result.integrals;
  Hdf5Group out = group.create_group(group_name);
  out.write_attribute("core_energy", v.core_energy);
  const int n = v.num_orbitals;
  std::vector<double> one;
  one.reserve(square(n));
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) one.push_back(v.h(p, q));
  }
  const auto extent = static_cast<std::uint64_t>(n);
  out.write<double>(one_name, one, {extent, extent},
                    {"hartree", "h(p, q) over the active orbitals, with the repulsion of the frozen core"});
  out.write<double>(two_name, v.two, {v.two.size()},
                    {"hartree",
                     "(pq|rs) in chemists' notation at I (I + 1) / 2 + J, I >= J, where I and J are "
                     "p (p + 1) / 2 + q, p >= q, of the two pairs; orbitals from 0"});
}

std::shared_ptr<const Integrals> read_integrals(const Hdf5Group& group, const CiResult::System& system,
                                                const std::filesystem::path& file) {
  if (!group.contains(group_name)) return nullptr;
  const Hdf5Group in = group.open_group(group_name);
  const int n = system.n_orbitals;
  if (n < 1 || n > most_string_orbitals || std::ssize(system.orbital_irreps) != n)
    throw InputError("'" + file.string() + "' is damaged: '" + in.name() + "' belongs to no active orbitals");
  const auto extent = static_cast<std::uint64_t>(n);
  const std::vector<double> one = in.read<double>(one_name, {extent, extent});
  const std::uint64_t pairs = num_pairs(num_pairs(static_cast<std::size_t>(n)));
  auto v = std::make_shared<Integrals>();
  v->num_orbitals = n;
  v->core_energy = in.read_attribute<double>("core_energy");
  v->two = in.read<double>(two_name, {pairs});
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) v->one.push_back(one[static_cast<std::size_t>(p * n + q)]);
  }
  for (const std::int32_t irrep : system.orbital_irreps) {
    constexpr int most = 8;
    if (irrep < 1 || irrep > most)
      throw InputError("'" + file.string() + "' is damaged: the irrep of an active orbital is not 1 to 8");
    v->irreps.push_back(irrep - 1);
  }
  require_energies(std::span(&v->core_energy, 1), in.name() + "/core_energy", file);
  require_energies(one, in.name() + "/" + one_name, file);
  require_energies(v->two, in.name() + "/" + two_name, file);
  return v;
}

}  // namespace cisolve
