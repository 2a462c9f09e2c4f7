// SPDX-License-Identifier: MIT
#include "tasks/files/stored_integrals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
const std::string one_name = "one_electron";
const std::string two_name = "two_electron";

constexpr const char* beta_suffix = "_beta";
constexpr const char* mixed_name = "two_electron_mixed";

/// The matrices of an overlap, with their names in the file.
struct OverlapPart {
  const char* name;
  const Matrix* matrix;
  const char* what;
};
std::array<OverlapPart, 3> overlap_parts(const SpinOverlap& overlap) {
  return {
      {{"overlap", &overlap.active, "<p alpha|q beta> of the active orbitals"},
       {"overlap_core", &overlap.core, "sum of <i alpha|p beta><i alpha|q beta> over frozen core orbitals i"},
       {"overlap_virtual", &overlap.virtuals,
        "sum of <p alpha|v beta><q alpha|v beta> over frozen virtuals v"}}};
}

std::vector<double> row_major(const Matrix& matrix) {
  std::vector<double> values;
  for (int p = 0; p < matrix.rows(); ++p) {
    for (int q = 0; q < matrix.columns(); ++q) values.push_back(matrix(p, q));
  }
  return values;
}

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

/// What S^2 needs, where the file has it.
void read_overlap(const Hdf5Group& in, int n, const std::filesystem::path& file, BetaIntegrals& beta) {
  if (!in.contains("overlap")) return;
  SpinOverlap& overlap = beta.overlap.emplace();
  overlap.constant = in.read_attribute<double>("overlap_constant");
  if (!std::isfinite(overlap.constant))
    throw InputError(fmt::format("'{}' is damaged: {} has an overlap_constant of {:g}", file.string(),
                                 in.name(), overlap.constant));
  overlap.source = in.read_attribute<std::string>("overlap_source");
  const auto extent = static_cast<std::uint64_t>(n);
  Matrix* const matrices[] = {&overlap.active, &overlap.core, &overlap.virtuals};
  const auto parts = overlap_parts(overlap);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<double> values = in.read<double>(parts[k].name, {extent, extent});
    const double largest = 1.0 + 1e-3;  // of orthonormal orbitals; files of few digits
    if (!std::ranges::all_of(values, [&](double x) { return std::abs(x) <= largest; }))
      throw InputError(fmt::format("'{}' is damaged: {}/{} holds more than 1, expected overlaps",
                                   file.string(), in.name(), parts[k].name));
    *matrices[k] = Matrix(n, n);
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) (*matrices[k])(p, q) = values[static_cast<std::size_t>(p * n + q)];
    }
  }
}

}  // namespace

std::uint64_t bytes_of_integrals(const CiResult& result) {
  if (!result.integrals) return 0;
  const Integrals& v = *result.integrals;
  std::size_t values = square(v.num_orbitals) + v.two.size();
  if (v.beta) values += values + v.beta->mixed.size();
  return sizeof(double) * values;
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
  const auto extent = static_cast<std::uint64_t>(n);
  const auto write_spin = [&](Spin spin, const std::string& suffix, const std::string& orbitals) {
    std::vector<double> one;
    one.reserve(square(n));
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) one.push_back(v.h(spin, p, q));
    }
    out.write<double>(
        one_name + suffix, one, {extent, extent},
        {"hartree", "h(p, q) over the active " + orbitals + ", with the repulsion of the frozen core"});
    const std::vector<double>& two = spin == Spin::beta ? v.beta->two : v.two;
    out.write<double>(two_name + suffix, two, {two.size()},
                      {"hartree",
                       "(pq|rs) in chemists' notation at I (I + 1) / 2 + J, I >= J, where I and J are "
                       "p (p + 1) / 2 + q, p >= q, of the two pairs; orbitals from 0"});
  };
  write_spin(Spin::alpha, "", v.beta ? "alpha orbitals" : "orbitals");
  if (!v.beta) return;
  write_spin(Spin::beta, beta_suffix, "beta orbitals");
  const std::uint64_t pairs = v.one.size();
  out.write<double>(mixed_name, v.beta->mixed, {pairs, pairs},
                    {"hartree", "(pq|rs) at (I, J) of the pairs I of alpha and J of beta orbitals"});
  if (const auto& overlap = v.beta->overlap) {
    out.write_attribute("overlap_constant", overlap->constant);
    out.write_attribute("overlap_source", overlap->source);
    for (const auto& [name, matrix, what] : overlap_parts(*overlap))
      out.write<double>(name, row_major(*matrix), {extent, extent}, {"1", what});
  }
}

std::shared_ptr<const Integrals> read_integrals(const Hdf5Group& group, const CiResult::System& system,
                                                const std::filesystem::path& file) {
  if (!group.contains(group_name)) return nullptr;
  const Hdf5Group in = group.open_group(group_name);
  const int n = system.n_orbitals;
  if (n < 1 || n > most_string_orbitals || std::ssize(system.orbital_irreps) != n)
    throw InputError("'" + file.string() + "' is damaged: '" + in.name() + "' belongs to no active orbitals");
  const auto extent = static_cast<std::uint64_t>(n);
  const std::uint64_t pairs = num_pairs(static_cast<std::size_t>(n));
  auto v = std::make_shared<Integrals>();
  v->num_orbitals = n;
  v->core_energy = in.read_attribute<double>("core_energy");
  const auto read_spin = [&](const std::string& suffix, std::vector<double>& one, std::vector<double>& two) {
    const std::vector<double> all = in.read<double>(one_name + suffix, {extent, extent});
    two = in.read<double>(two_name + suffix, {num_pairs(pairs)});
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q <= p; ++q) one.push_back(all[static_cast<std::size_t>(p * n + q)]);
    }
    require_energies(all, in.name() + "/" + one_name + suffix, file);
    require_energies(two, in.name() + "/" + two_name + suffix, file);
  };
  read_spin("", v->one, v->two);
  if (in.contains(mixed_name)) {
    BetaIntegrals& beta = v->beta.emplace();
    read_spin(beta_suffix, beta.one, beta.two);
    beta.mixed = in.read<double>(mixed_name, {pairs, pairs});
    require_energies(beta.mixed, in.name() + "/" + mixed_name, file);
    read_overlap(in, n, file, beta);
  } else if (in.contains(std::string(one_name) + beta_suffix) ||
             in.contains(std::string(two_name) + beta_suffix)) {
    throw InputError(fmt::format("'{}' is damaged: {} has integrals of beta orbitals, but no {}",
                                 file.string(), in.name(), mixed_name));
  }
  for (const std::int32_t irrep : system.orbital_irreps) {
    constexpr int most = 8;
    if (irrep < 1 || irrep > most)
      throw InputError("'" + file.string() + "' is damaged: the irrep of an active orbital is not 1 to 8");
    v->irreps.push_back(irrep - 1);
  }
  require_energies(std::span(&v->core_energy, 1), in.name() + "/core_energy", file);
  return v;
}

}  // namespace cisolve
