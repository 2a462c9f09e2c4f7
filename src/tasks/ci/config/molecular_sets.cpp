// SPDX-License-Identifier: MIT
#include "tasks/ci/config/molecular_sets.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "build_info.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"
#include "cisolve/molecule/bonds.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {
namespace {

constexpr std::string_view key = "molecule.basis";
constexpr std::string_view default_name = "default";

/// The file that this code is in: the program, or a module of Python.
std::filesystem::path own_file() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : file;
}

/// The folder of the basis sets: of the environment variable CISOLVE_DATA if it is set, else the one installed
/// beside the program, or within the package of Python, else the one of the source tree that it was built from.
std::filesystem::path basis_set_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("CISOLVE_DATA"); given != nullptr && *given != '\0')
    return fs::path(given) / "basis";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = (program.parent_path() / build_info::data_from_program).lexically_normal();
  const fs::path within = own_file().parent_path() / "share" / "cisolve";
  const fs::path installed = build_info::data_installed, source = build_info::data_in_source;
  for (const fs::path& data : {within, beside, source, installed}) {
    if (fs::is_directory(data / "basis", error)) return data / "basis";
  }
  return installed / "basis";
}

/// Names of the table that an atom goes by, the nearest to it first: "Gh(O1)", "Gh(O)", "O".
std::vector<std::string> names_of(const Atom& atom) {
  return {atom.label, atom_symbol(atom), std::string(element_symbol(atom.element()))};
}

/// A name of the table as atoms are labelled: "@o1" is "Gh(o1)".
std::string plain_name(const std::string& name) { return parse_atom_label(name).text; }

}  // namespace

MolecularSets::MolecularSets(const EntryReader& reader, const std::string& source_name) : reader_(reader) {
  if (!reader.has(key)) {
    throw InputError(
        fmt::format("{}: [molecule] has no basis; it needs one such as basis = \"6-31g(d)\"", source_name));
  }
  if (const auto* name = std::get_if<std::string>(&reader.value(key))) {
    names_.emplace_back(default_name, number_of(*name));
    return;
  }
  for (const auto& [name, given] : reader.get<InputTable>(key).texts) {
    const std::string plain = plain_name(name);
    if (find(plain) >= 0) reader.refuse(key, fmt::format("names {} twice", in_quotes(name)));
    names_.emplace_back(plain, number_of(given));
  }
}

int MolecularSets::number_of(const std::string& given) {
  const auto known = std::ranges::find(given_, given);
  if (known != given_.end()) return static_cast<int>(known - given_.begin());
  BasisSet set = reader_.locating(key, [&] { return read_basis_set(given, basis_set_folder()); });
  const auto is_file = [](std::string_view name) {
    return name.find('/') != std::string_view::npos || name.ends_with(".gbs");
  };
  for (std::size_t k = 0; k < sets_.size(); ++k) {  // "cc-pvdz" and "ccpvdz"
    if (!is_file(given) && !is_file(given_[k]) && set.name == sets_[k].name) return static_cast<int>(k);
  }
  const std::string& word = reader_.get<std::string>("molecule.functions");
  set.functions = word == "auto" ? set.functions.value_or(FunctionType::spherical) : function_type_of(word);
  given_.push_back(given);
  sets_.push_back(std::move(set));
  return static_cast<int>(std::ssize(sets_)) - 1;
}

int MolecularSets::find(std::string_view name) const {
  for (const auto& [known, number] : names_) {
    if (equal_ignoring_case(known, name)) return number;
  }
  return -1;
}

void MolecularSets::require_names_of_atoms(const Geometry& geometry) const {
  std::vector<std::string> known;
  for (const Atom& atom : geometry.atoms) {
    for (const std::string& name : names_of(atom)) {
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    }
  }
  for (const auto& entry : names_) {
    const std::string& name = entry.first;
    const auto is_same = [&](const std::string& other) { return equal_ignoring_case(name, other); };
    if (name == default_name || std::ranges::any_of(known, is_same)) continue;
    reader_.refuse(
        key, fmt::format("has a set for {}, which is no atom of the molecule; it may have sets for {} or {}",
                         in_quotes(name), fmt::join(known, ", "), default_name));
  }
}

void MolecularSets::assign(Geometry& geometry) const {
  require_names_of_atoms(geometry);
  for (std::size_t a = 0; a < geometry.atoms.size(); ++a) {
    Atom& atom = geometry.atoms[a];
    atom.set = -1;
    for (const std::string& name : names_of(atom)) {
      if (atom.set < 0) atom.set = find(name);
    }
    if (atom.set < 0) atom.set = find(default_name);
    if (atom.set < 0)
      reader_.refuse(key, fmt::format("has no set for atom {}, {}; give {} one, or a {}", a + 1, atom.label,
                                      atom_symbol(atom), default_name));
  }
}

std::string MolecularSets::name(const Geometry& geometry) const {
  std::vector<std::pair<int, std::vector<std::string>>> atoms;  // of each set, in the order of the atoms
  const std::vector<std::string> names = atom_names(geometry);
  for (std::size_t a = 0; a < names.size(); ++a) {
    const Atom& atom = geometry.atoms[a];
    const auto differs = [&](const Atom& other) {
      return atom_symbol(other) == atom_symbol(atom) && other.set != atom.set;
    };
    const std::string name = std::ranges::any_of(geometry.atoms, differs) ? names[a] : atom_symbol(atom);
    auto here = std::ranges::find(atoms, atom.set, &std::pair<int, std::vector<std::string>>::first);
    if (here == atoms.end()) here = atoms.insert(here, {atom.set, {}});
    if (std::ranges::find(here->second, name) == here->second.end()) here->second.push_back(name);
  }
  if (atoms.size() == 1) return sets_[static_cast<std::size_t>(atoms.front().first)].name;
  std::string text;
  for (const auto& [set, of] : atoms)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", sets_[static_cast<std::size_t>(set)].name,
                        fmt::join(of, ", "));
  return text;
}

}  // namespace cisolve::detail
