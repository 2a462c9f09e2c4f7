// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "cisolve/core/error.hpp"
#include "cisolve/molecule/trexio_basis.hpp"
#include "tasks/export/exported_densities.hpp"
#include "tasks/export/exported_integrals.hpp"
#include "tasks/export/exported_orbitals.hpp"
#include "tasks/export/heaviest.hpp"
#include "tasks/export/result_exports.hpp"
#include "tasks/export/result_states.hpp"
#include "tasks/export/trexio_writer.hpp"
#include "tasks/files/whole_string.hpp"

namespace cisolve {
namespace {

/// What the files of all roots share.
struct TrexioParts {
  const ExportedResult& from;
  const ExportOptions& options;
  std::optional<ResultMolecule> molecule;
  ExportedOrbitals orbitals;
  OrbitalPlaces places;
  std::vector<std::size_t> roots;  ///< one file each
  std::vector<std::filesystem::path> files;
  std::optional<CiResult::Density> density;
  std::optional<Integrals> integrals;

  const Matrix* rotation() const { return orbitals.natural ? &orbitals.natural->coefficients : nullptr; }
};

/// The first file is called as it was asked for, the others name.2.trexio and so on.
std::vector<std::filesystem::path> names_of(const std::filesystem::path& file, std::size_t count) {
  std::vector<std::filesystem::path> files(1, file);
  for (std::size_t k = 1; k < count; ++k) {
    std::filesystem::path next = file;
    next.replace_extension(fmt::format(".{}{}", k + 1, file.extension().string()));
    files.push_back(next);
  }
  return files;
}

TrexioParts parts_of(const ExportedResult& from, const std::filesystem::path& file,
                     const ExportOptions& options) {
  TrexioParts parts{from, options, {}, {}, {}, {}, {}, {}, {}};
  const CiResult& result = from.result;
  if (result.molecule) parts.molecule = molecule_of(result, from.file, "TREXIO files of molecules");
  parts.orbitals = parts.molecule ? exported_orbitals(from, *parts.molecule, options)
                                  : exported_active_orbitals(from, options);
  parts.places = {static_cast<int>(parts.orbitals.irreps.size()), parts.orbitals.core, parts.orbitals.active};
  if (options.root || (options.natural && !options.average)) {
    parts.roots = chosen_roots(result, options, from.file);
  } else {
    parts.roots.resize(result.roots.size());
    std::iota(parts.roots.begin(), parts.roots.end(), std::size_t{0});
  }
  if (parts.roots.empty()) throw InputError(from.file.string() + " holds no roots");
  parts.files = names_of(file, parts.roots.size());
  parts.density = densities_of(result, from.file);
  if (options.integrals)
    parts.integrals = exported_integrals(from, parts.molecule ? &*parts.molecule : nullptr, parts.orbitals);
  return parts;
}

/// Electrons of each spin, frozen ones counted.
struct Electrons {
  std::int64_t up = 0, down = 0;
};

Electrons electrons_of(const TrexioParts& parts, std::size_t root) {
  const CiResult& result = parts.from.result;
  const int ms2 = result.sectors[result.roots[root].sector].ms2;
  const std::int64_t core = std::ssize(parts.places.core);
  return {core + (result.system.n_electrons + ms2) / 2, core + (result.system.n_electrons - ms2) / 2};
}

/// @param electrons  of a result without atoms: the charge of the one nucleus that stands for them
void write_nuclei(const TrexioParts& parts, std::int64_t electrons, TrexioWriter& out) {
  const CiResult& result = parts.from.result;
  std::vector<double> charges(1, static_cast<double>(electrons)), positions(3, 0.0);
  std::vector<std::string> labels(1, "X");
  double repulsion = result.system.core_energy;
  if (parts.molecule) {
    const CiResult::Molecule& molecule = *result.molecule;
    charges.assign(molecule.charges.begin(), molecule.charges.end());
    positions = molecule.coordinates;
    labels = molecule.labels;
    repulsion = molecule.nuclear_repulsion;
    out.text("nucleus", "point_group", molecule.point_group);
  }
  out.number("nucleus", "num", std::ssize(charges));
  out.array("nucleus", "charge", charges, {charges.size()});
  out.array("nucleus", "coord", positions, {charges.size(), 3});
  out.strings("nucleus", "label", labels);
  out.number("nucleus", "repulsion", repulsion);
}

void write_functions(const GaussianBasis& basis, bool cartesian, TrexioWriter& out) {
  const TrexioBasis functions = trexio_basis(basis, cartesian);
  const auto scalar = [&](const char* name, std::size_t value) {
    out.number("basis", name, static_cast<std::int64_t>(value));
  };
  const auto reals = [&](const char* name, const std::vector<double>& values) {
    out.array("basis", name, values, {values.size()});
  };
  out.text("basis", "type", "Gaussian");
  scalar("shell_num", functions.shell_angular_momentum.size());
  scalar("prim_num", functions.exponent.size());
  out.array("basis", "nucleus_index", functions.nucleus_index);
  out.array("basis", "shell_ang_mom", functions.shell_angular_momentum);
  out.array("basis", "shell_index", functions.shell_index);
  reals("shell_factor", functions.shell_factor);
  reals("r_power", std::vector<double>(functions.shell_factor.size(), 0.0));
  reals("exponent", functions.exponent);
  reals("coefficient", functions.coefficient);
  reals("prim_factor", functions.prim_factor);
  out.number("ao", "cartesian", static_cast<std::int64_t>(cartesian ? 1 : 0));
  out.number("ao", "num", std::ssize(functions.ao_shell));
  out.array("ao", "shell", functions.ao_shell);
  out.array("ao", "normalization", functions.ao_normalization, {functions.ao_normalization.size()});
}

void write_orbitals(const TrexioParts& parts, TrexioWriter& out) {
  const CiResult& result = parts.from.result;
  const ExportedOrbitals& orbitals = parts.orbitals;
  const auto n = static_cast<std::size_t>(parts.places.num_orbitals);
  out.number("mo", "num", static_cast<std::int64_t>(n));
  out.text("mo", "type", orbitals.what);
  std::vector<std::string> classes(n, "Virtual");
  for (const int p : orbitals.core) classes[p] = result.orbitals ? "Inactive" : "Core";
  for (const int p : orbitals.active) classes[p] = "Active";
  out.strings("mo", "class", classes);
  const std::string& group = parts.molecule ? result.molecule->point_group : result.system.point_group;
  if (group != "unknown") {
    const PointGroup parsed = PointGroup::parse(group);
    std::vector<std::string> symmetries;
    for (const int irrep : orbitals.irreps) symmetries.emplace_back(parsed.irrep_name(irrep + 1));
    out.strings("mo", "symmetry", symmetries);
  }
  if (orbitals.occupations.size() == n) out.array("mo", "occupation", orbitals.occupations, {n});
  if (orbitals.energies.size() == n) out.array("mo", "energy", orbitals.energies, {n});
  if (!parts.molecule) return;
  const std::string obstacle = trexio_obstacle(parts.molecule->basis);
  if (!obstacle.empty()) throw InputError(fmt::format("{}: {}", parts.from.file.string(), obstacle));
  const bool cartesian = result.molecule->functions == "cartesian";
  write_functions(parts.molecule->basis, cartesian, out);
  const std::vector<TrexioFunction> order = trexio_functions(parts.molecule->basis, cartesian);
  std::vector<double> rows;
  for (std::size_t p = 0; p < n; ++p) {
    for (const TrexioFunction& function : order)
      rows.push_back(orbitals.coefficients(function.ours, static_cast<int>(p)));
  }
  out.array("mo", "coefficient", rows, {n, order.size()});
}

void write_integrals(const TrexioParts& parts, TrexioWriter& out) {
  if (!parts.integrals) return;
  const Integrals& integrals = *parts.integrals;
  const int n = integrals.num_orbitals;
  const auto extent = static_cast<std::uint64_t>(n);
  std::vector<double> h;
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) h.push_back(integrals.h(p, q));
  }
  out.array("mo_1e_int", "core_hamiltonian", h, {extent, extent});
  std::vector<int> all(extent);
  std::iota(all.begin(), all.end(), 0);
  // <ij|kl> = (ik|jl)
  out.sparse("mo_2e_int", "eri", n, all,
             [&](int i, int j, int k, int l) { return integrals.eri(i, k, j, l); });
}

/// @return what is in the file, for the report
std::string write_determinants(const TrexioParts& parts, std::size_t root, TrexioWriter& out) {
  const CiResult& result = parts.from.result;
  if (parts.orbitals.natural || !result.sectors[result.roots[root].sector].vectors) return "";
  const auto psi = determinants_of_root(result, root, parts.from.file);
  const auto rows = heaviest_first(psi.coefficients, parts.options.threshold);
  std::vector<std::int64_t> list;
  std::vector<double> coefficients;
  for (const std::size_t row : rows) {
    const WholeString up = whole_string(psi.determinants[row].alpha, parts.places);
    const WholeString down = whole_string(psi.determinants[row].beta, parts.places);
    for (const WholeString* string : {&up, &down}) {
      for (const std::uint64_t word : string->words) list.push_back(static_cast<std::int64_t>(word));
    }
    coefficients.push_back(up.negative == down.negative ? psi.coefficients[row] : -psi.coefficients[row]);
  }
  out.number("determinant", "num", std::ssize(coefficients));
  out.list("determinant", "list", list);
  out.list("determinant", "coefficient", coefficients);
  return fmt::format("{} of {} determinants", rows.size(), psi.coefficients.size());
}

/// gamma_ij of TREXIO is <a+_j a_i>: the transpose of ours.
void write_transitions(const TrexioParts& parts, TrexioWriter& out) {
  const CiResult::Density& density = *parts.density;
  const std::size_t active = parts.places.active.size(), square = active * active;
  const std::size_t num_roots = parts.from.result.roots.size();
  std::vector<double> all;
  for (const std::size_t bra : parts.roots) {
    for (const std::size_t ket : parts.roots) {
      const double* alpha = density.transition.data() + 2 * square * (bra * num_roots + ket);
      const double core = bra == ket ? 1.0 : 0.0;
      std::vector<double> sum = over_all_orbitals(alpha, parts.places, core, parts.rotation(), true);
      const auto beta = over_all_orbitals(alpha + square, parts.places, core, parts.rotation(), true);
      std::ranges::transform(sum, beta, sum.begin(), std::plus());
      all.insert(all.end(), sum.begin(), sum.end());
    }
  }
  const std::uint64_t n = parts.places.num_orbitals, states = parts.roots.size();
  out.array("rdm", "1e_transition", all, {states, states, n, n});
}

/// @return what is in the file, for the report
std::string write_densities(const TrexioParts& parts, std::size_t root, TrexioWriter& out) {
  if (!parts.density) return "";
  const OrbitalPlaces& places = parts.places;
  const std::size_t square = places.active.size() * places.active.size();
  const double* one = parts.density->one.data() + 2 * square * root;
  const auto of_spin = [&](const double* active, bool transposed) {
    return over_all_orbitals(active, places, 1.0, parts.rotation(), transposed);
  };
  const std::uint64_t n = places.num_orbitals;
  const auto up = of_spin(one, true), down = of_spin(one + square, true);
  std::vector<double> sum = up;
  std::ranges::transform(sum, down, sum.begin(), std::plus());
  out.array("rdm", "1e", sum, {n, n});
  out.array("rdm", "1e_up", up, {n, n});
  out.array("rdm", "1e_dn", down, {n, n});
  if (parts.roots.size() > 1 && root == parts.roots.front()) write_transitions(parts, out);

  const auto two = two_particle_density_of(parts.from.result, root, parts.from.file);
  if (!two) return "one-particle density matrices";
  const auto alpha = of_spin(one, false), beta = of_spin(one + square, false);
  const FullPairDensity full(*two, places, alpha, beta, parts.rotation());
  std::vector<int> occupied = places.core;
  occupied.insert(occupied.end(), places.active.begin(), places.active.end());
  std::ranges::sort(occupied);
  // Gamma_ijkl = <a+_k a+_l a_j a_i> = G[k,i,l,j]
  out.sparse("rdm", "2e", places.num_orbitals, occupied,
             [&](int i, int j, int k, int l) { return full(k, i, l, j); });
  return "density matrices";
}

void write_state(const TrexioParts& parts, std::size_t number, TrexioWriter& out) {
  std::vector<std::string> labels, names;
  for (std::size_t k = 0; k < parts.roots.size(); ++k) {
    labels.push_back(fmt::format("root {}", parts.roots[k] + 1));
    names.push_back(parts.files[k].filename().string());
  }
  out.number("state", "num", std::ssize(labels));
  out.number("state", "id", static_cast<std::int64_t>(number));
  out.number("state", "energy", parts.from.result.root(parts.roots[number]).energy);
  out.text("state", "current_label", labels[number]);
  out.strings("state", "label", labels);
  out.strings("state", "file_name", names);
}

/// The title, and what else acts on the electrons: the format has no place for it.
std::string description_of(const TrexioParts& parts) {
  const CiResult& result = parts.from.result;
  std::string text = result.title;
  if (!result.molecule) return text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  const std::size_t charges = result.molecule->point_charges.size();
  if (charges > 0)
    add(fmt::format("among {} point charge{}, which act in core_hamiltonian and in nucleus.repulsion alone",
                    charges, charges == 1 ? "" : "s"));
  if (!result.molecule->field.empty())
    add("in a uniform electric field, which acts in core_hamiltonian and in nucleus.repulsion alone");
  return text;
}

/// @return what is in the file, for the report
std::string write_file(const TrexioParts& parts, std::size_t number) {
  const std::size_t root = parts.roots[number];
  TrexioWriter out(parts.files[number]);
  const std::vector<std::string> code(1, "cisolve " + parts.from.result.version);
  out.number("metadata", "code_num", std::int64_t{1});
  out.strings("metadata", "code", code);
  out.text("metadata", "package_version", "2.6.1");
  if (const std::string text = description_of(parts); !text.empty())
    out.text("metadata", "description", text);
  const Electrons electrons = electrons_of(parts, root);
  out.number("electron", "num", electrons.up + electrons.down);
  out.number("electron", "up_num", electrons.up);
  out.number("electron", "dn_num", electrons.down);
  write_nuclei(parts, electrons.up + electrons.down, out);
  write_orbitals(parts, out);
  write_integrals(parts, out);
  const std::string determinants = write_determinants(parts, root, out);
  const std::string densities = write_densities(parts, root, out);
  write_state(parts, number, out);
  out.commit();
  std::string what = fmt::format("{} {}", parts.places.num_orbitals, parts.orbitals.what);
  for (const std::string& more : {determinants, densities}) {
    if (!more.empty()) what += ", " + more;
  }
  return what + fmt::format(" of root {}", root + 1);
}

}  // namespace

std::string export_trexio(const ExportedResult& from, const std::filesystem::path& file,
                          const ExportOptions& options) {
  if (from.result.system.orbitals == "unrestricted") {
    throw InputError(
        fmt::format("the orbitals of {} are unrestricted, and TREXIO files are written of orbitals that both "
                    "spins share; .molden and .fcidump files hold those of each",
                    from.file.string()));
  }
  const TrexioParts parts = parts_of(from, file, options);
  std::string what;
  for (std::size_t k = 0; k < parts.files.size(); ++k) {
    const std::string of_file = write_file(parts, k);
    what += k == 0 ? of_file : fmt::format("\n{}: {}", parts.files[k].string(), of_file);
  }
  return what + (parts.integrals ? "; integrals" : "");
}

}  // namespace cisolve
