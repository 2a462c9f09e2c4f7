// SPDX-License-Identifier: MIT
#include "tasks/files/read_trexio.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/trexio_basis.hpp"
#include "tasks/files/trexio_reader.hpp"

namespace cisolve {
namespace {

/// More are not meant; every array of this many squared is bounded by the size of the file.
constexpr std::int64_t most_orbitals = 65535;

std::int64_t number_of_orbitals(const TrexioReader& file) {
  if (!file.has_scalar("mo", "num")) file.refuse("has no molecular orbitals (mo.num)");
  const std::int64_t n = file.integer("mo", "num");
  if (n < 1 || n > most_orbitals) file.refuse(fmt::format("has {} molecular orbitals (mo.num)", n));
  return n;
}

/// An array that may be left out.
std::vector<double> reals_or(const TrexioReader& file, const char* group, const char* name, std::size_t size,
                             double value) {
  if (!file.has_array(group, name)) return std::vector<double>(size, value);
  return file.reals(group, name, {size});
}

Geometry geometry_of(const TrexioReader& file) {
  const std::vector<double> charges = file.reals("nucleus", "charge");
  const std::vector<double> positions = file.reals("nucleus", "coord", {charges.size(), 3});
  std::vector<std::string> labels;
  if (file.has_array("nucleus", "label")) labels = file.strings("nucleus", "label");
  Geometry geometry;
  for (std::size_t a = 0; a < charges.size(); ++a) {
    const double charge = std::round(charges[a]);
    const double* at = positions.data() + 3 * a;
    const bool is_place = std::isfinite(at[0]) && std::isfinite(at[1]) && std::isfinite(at[2]);
    const AtomLabel label = a < labels.size() ? parse_atom_label(labels[a]) : AtomLabel();
    if (is_place && charges[a] == 0.0 && label.element != 0) {
      const std::string text = label.is_ghost ? label.text : fmt::format("Gh({})", label.text);
      geometry.atoms.push_back({0, text, {at[0], at[1], at[2]}, label.element});
      continue;
    }
    if (!is_place || !(charge >= 1.0 && charge <= 118.0) || std::abs(charge - charges[a]) > 1e-6)
      file.refuse(fmt::format("has a nucleus of charge {} at ({}, {}, {})", charges[a], at[0], at[1], at[2]));
    const int element = static_cast<int>(charge);
    geometry.atoms.push_back({element, std::string(element_symbol(element)), {at[0], at[1], at[2]}});
  }
  return geometry;
}

BasisOfTrexio functions_of(const TrexioReader& file, const Geometry& geometry) {
  if (file.has_scalar("basis", "type") && file.text("basis", "type") != "Gaussian")
    file.refuse(fmt::format("has functions of type {}; Gaussian ones are read", file.text("basis", "type")));
  if (file.has_array("basis", "oscillation_arg"))
    file.refuse("has functions that oscillate; plain Gaussians are read");
  TrexioBasis basis;
  basis.cartesian = file.integer("ao", "cartesian") != 0;
  basis.nucleus_index = file.integers("basis", "nucleus_index");
  basis.shell_angular_momentum = file.integers("basis", "shell_ang_mom");
  basis.shell_index = file.integers("basis", "shell_index");
  basis.exponent = file.reals("basis", "exponent");
  basis.coefficient = file.reals("basis", "coefficient");
  basis.shell_factor = reals_or(file, "basis", "shell_factor", basis.nucleus_index.size(), 1.0);
  basis.prim_factor = reals_or(file, "basis", "prim_factor", basis.exponent.size(), 1.0);
  basis.ao_shell = file.integers("ao", "shell");
  basis.ao_normalization = reals_or(file, "ao", "normalization", basis.ao_shell.size(), 1.0);
  const auto powers = reals_or(file, "basis", "r_power", basis.nucleus_index.size(), 0.0);
  if (std::ranges::any_of(powers, [](double power) { return power != 0.0; }))
    file.refuse("has functions with powers of r (basis.r_power); plain Gaussians are read");
  return gaussian_basis(basis, geometry, file.name());
}

/// Integrals of which each permutation is taken once, or the same each time.
class GivenIntegrals {
public:
  GivenIntegrals(const TrexioReader& file, int num_orbitals, const FcidumpOptions& options)
      : file_(file), options_(options), integrals(num_orbitals), is_given_(integrals.two.size(), false) {}

  void add(const std::int64_t (&i)[4], double value) {
    check(value);
    // <ij|kl> = (ik|jl)
    const std::size_t at = Integrals::eri_index(static_cast<int>(i[0]), static_cast<int>(i[2]),
                                                static_cast<int>(i[1]), static_cast<int>(i[3]));
    if (is_given_[at] && !(std::abs(integrals.two[at] - value) <= options_.duplicate_tolerance))
      file_.refuse(
          fmt::format("has <{} {}|{} {}> = {} in mo_2e_int.eri, and {} by another permutation: real "
                      "integrals in physicists' "
                      "order are expected",
                      i[0], i[1], i[2], i[3], value, integrals.two[at]));
    integrals.two[at] = value;
    is_given_[at] = true;
  }

  void check(double value) const {
    if (!(std::abs(value) <= options_.largest_magnitude))
      file_.refuse(fmt::format("has an integral of {} hartree", value));
  }

private:
  const TrexioReader& file_;
  const FcidumpOptions& options_;

public:
  Integrals integrals;

private:
  std::vector<bool> is_given_;
};

std::vector<double> one_electron_part(const TrexioReader& file, std::uint64_t n) {
  const Hdf5Shape square = {n, n};
  if (file.has_array("mo_1e_int", "core_hamiltonian"))
    return file.reals("mo_1e_int", "core_hamiltonian", square);
  if (!file.has_array("mo_1e_int", "kinetic") || !file.has_array("mo_1e_int", "potential_n_e"))
    file.refuse("has no integrals over molecular orbitals (mo_1e_int.core_hamiltonian)");
  std::vector<double> h = file.reals("mo_1e_int", "kinetic", square);
  const std::vector<double> v = file.reals("mo_1e_int", "potential_n_e", square);
  std::ranges::transform(h, v, h.begin(), std::plus());
  return h;
}

Integrals integrals_of(const TrexioReader& file, const FcidumpOptions& options) {
  const std::int64_t n = number_of_orbitals(file);
  const std::vector<double> h = one_electron_part(file, static_cast<std::uint64_t>(n));
  if (!file.has_array("mo_2e_int", "eri_values"))
    file.refuse("has no two-electron integrals over molecular orbitals (mo_2e_int.eri)");
  const auto pairs = static_cast<double>(n) * (static_cast<double>(n) + 1.0) / 2.0;
  const double bytes = 8.0 * pairs * (pairs + 1.0) / 2.0;
  if (bytes > static_cast<double>(options.max_bytes))
    throw ResourceError(
        fmt::format("{}: integrals over {} orbitals take {:.1f} GB, at most {:.1f} GB are allowed",
                    file.name(), n, bytes / 1e9, static_cast<double>(options.max_bytes) / 1e9));
  GivenIntegrals given(file, static_cast<int>(n), options);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q <= p; ++q) {
      const double pq = h[static_cast<std::size_t>(p * n + q)], qp = h[static_cast<std::size_t>(q * n + p)];
      given.check(pq);
      if (!(std::abs(pq - qp) <= options.duplicate_tolerance))
        file.refuse(
            fmt::format("has a one-electron part that is not symmetric: {} and {} at {} {}", pq, qp, p, q));
      given.integrals.h(p, q) = pq;
    }
  }
  file.sparse("mo_2e_int", "eri", n,
              [&](const std::int64_t(&index)[4], double value) { given.add(index, value); });
  if (file.has_scalar("nucleus", "repulsion"))
    given.integrals.core_energy = file.real("nucleus", "repulsion");
  given.check(given.integrals.core_energy);
  return std::move(given.integrals);
}

/// Zero-based irreps of the orbitals by name; none if one is not of the group.
std::optional<std::vector<int>> irreps_of(const std::vector<std::string>& names, const PointGroup& group) {
  std::vector<int> irreps;
  for (const std::string& name : names) {
    int irrep = 0;
    while (irrep < group.num_irreps() && group.irrep_name(irrep + 1) != name) ++irrep;
    if (irrep == group.num_irreps()) return std::nullopt;
    irreps.push_back(irrep);
  }
  return irreps;
}

/// Largest element that the irreps forbid, hartree.
double largest_forbidden(const Integrals& integrals, const std::vector<int>& irreps) {
  double largest = 0.0;
  std::vector<int> pairs;
  std::size_t at = 0;
  for (std::size_t p = 0; p < irreps.size(); ++p) {
    for (std::size_t q = 0; q <= p; ++q) {
      pairs.push_back(irreps[p] ^ irreps[q]);
      if (pairs.back() != 0) largest = std::max(largest, std::abs(integrals.one[pairs.size() - 1]));
      for (const int pair : pairs) {
        if (pair != pairs.back()) largest = std::max(largest, std::abs(integrals.two[at]));
        ++at;
      }
    }
  }
  return largest;
}

void add_symmetry(const TrexioReader& file, const FcidumpOptions& options, FcidumpFile& found) {
  if (!file.has_array("mo", "symmetry")) return;
  const std::vector<std::string> names = file.strings("mo", "symmetry");
  if (std::ssize(names) != found.integrals.num_orbitals)
    file.refuse(fmt::format("has {} symmetries of {} orbitals", names.size(), found.integrals.num_orbitals));
  PointGroup group = options.point_group;
  if (!group.is_known() && file.has_scalar("nucleus", "point_group")) {
    try {
      group = PointGroup::parse(file.text("nucleus", "point_group"));
    } catch (const InputError&) {  // a group that is not one of ours
    }
  }
  if (!group.is_known()) return;
  const auto irreps = irreps_of(names, group);
  const double forbidden = irreps ? largest_forbidden(found.integrals, *irreps) : 0.0;
  if (irreps && forbidden <= options.negligible_forbidden) {
    found.integrals.irreps = *irreps;
    found.has_symmetry = std::ranges::any_of(*irreps, [](int irrep) { return irrep != 0; });
    return;
  }
  const std::string why = irreps ? fmt::format("integrals of {:.1e} hartree contradict them", forbidden)
                                 : "one is none of its irreps";
  if (options.irrep_required)
    file.refuse(fmt::format("has symmetries of orbitals (mo.symmetry) that are not those of {}: {}",
                            group.name(), why));
  found.symmetry_dropped = true;
  found.warnings.push_back(fmt::format("{}: the symmetries of its orbitals are not used, for {}: {}",
                                       file.name(), group.name(), why));
}

}  // namespace

MoldenOrbitals read_trexio_orbitals(const std::filesystem::path& path) {
  const TrexioReader file(path);
  const std::int64_t n = number_of_orbitals(file);
  MoldenOrbitals found;
  found.geometry = geometry_of(file);
  BasisOfTrexio functions = functions_of(file, found.geometry);
  const std::size_t num_functions = functions.functions.size(), size = static_cast<std::size_t>(n);
  const std::vector<double> rows = file.reals("mo", "coefficient", {size, num_functions});
  found.coefficients = Matrix(functions.basis.num_functions, static_cast<int>(n));
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t f = 0; f < num_functions; ++f) {
      const TrexioFunction& function = functions.functions[f];
      found.coefficients(function.ours, static_cast<int>(k)) = function.factor * rows[k * num_functions + f];
    }
  }
  if (std::ranges::any_of(rows, [](double c) { return !std::isfinite(c); }))
    file.refuse("has orbitals with coefficients that are no numbers (mo.coefficient)");
  found.basis = std::move(functions.basis);
  found.symmetries.resize(size);
  found.energies = reals_or(file, "mo", "energy", size, 0.0);
  found.occupations = reals_or(file, "mo", "occupation", size, 0.0);
  if (std::ranges::any_of(found.occupations,
                          [](double held) { return !(held >= -1e-6 && held <= 2.0 + 1e-6); }))
    file.refuse("has orbitals whose occupation is not from 0 to 2 (mo.occupation)");
  return found;
}

FcidumpFile read_trexio_integrals(const std::filesystem::path& path, const FcidumpOptions& options) {
  const TrexioReader file(path);
  FcidumpFile found;
  found.integrals = integrals_of(file, options);
  constexpr std::int64_t most_electrons = 2 * most_orbitals;
  const auto electrons = [&](const char* name) {
    const std::int64_t count = file.integer("electron", name);
    if (count < 0 || count > most_electrons)
      file.refuse(fmt::format("has {} electrons (electron.{})", count, name));
    return static_cast<int>(count);
  };
  if (file.has_scalar("electron", "up_num") && file.has_scalar("electron", "dn_num")) {
    const int up = electrons("up_num"), down = electrons("dn_num");
    found.num_electrons = up + down;
    found.ms2 = up - down;
    found.ms2_given = true;
  } else if (file.has_scalar("electron", "num")) {
    found.num_electrons = electrons("num");
  }
  add_symmetry(file, options, found);
  return found;
}

FcidumpFile read_integral_file(const std::filesystem::path& file, const FcidumpOptions& options) {
  return is_trexio(file) ? read_trexio_integrals(file, options) : read_fcidump(file, options);
}

TrexioDeterminants read_trexio_determinants(const std::filesystem::path& path) {
  const TrexioReader file(path);
  TrexioDeterminants found;
  found.num_orbitals = static_cast<int>(number_of_orbitals(file));
  found.words = (found.num_orbitals + 63) / 64;
  if (!file.has_array("determinant", "list") || !file.has_array("determinant", "coefficient"))
    file.refuse("has no determinants (determinant.list and determinant.coefficient)");
  found.coefficients = file.reals("determinant", "coefficient");
  const std::vector<std::int64_t> list = file.integers("determinant", "list");
  const std::size_t words = static_cast<std::size_t>(found.words), count = found.coefficients.size();
  if (count == 0 || list.size() % count != 0 || list.size() / count != 2 * words)
    file.refuse(fmt::format("has {} words of {} determinants over {} orbitals (determinant.list)",
                            list.size(), count, found.num_orbitals));
  const int in_last = found.num_orbitals - 64 * (found.words - 1);
  const std::uint64_t beyond = in_last == 64 ? 0 : ~std::uint64_t{0} << in_last;
  for (std::size_t d = 0; d < count; ++d) {
    for (std::size_t w = 0; w < 2 * words; ++w) {
      const auto word = static_cast<std::uint64_t>(list[2 * words * d + w]);
      if ((w + 1) % words == 0 && (word & beyond) != 0)
        file.refuse(fmt::format("has a determinant over more than its {} orbitals", found.num_orbitals));
      (w < words ? found.alpha : found.beta).push_back(word);
    }
    if (!std::isfinite(found.coefficients[d]))
      file.refuse("has a determinant whose coefficient is no number (determinant.coefficient)");
  }
  return found;
}

}  // namespace cisolve
