// SPDX-License-Identifier: MIT
// Where a calculation begins and where it ends: the files of an input.
#include <tuple>

#include "cisolve/molecule/gaussian_integrals.hpp"
#include "cisolve/tasks/export/export_result.hpp"
#include "tasks/ci/config/readers.hpp"
#include "tasks/input/shared_readers.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

void require_source(const Input& input) {
  const auto line_of = [&](std::string_view section) {
    const auto found = input.sections.find(section);
    return found == input.sections.end() ? 1 : found->second;
  };
  const auto is_there = [&](std::string_view section) {
    return has_section(input.entries, section) || input.sections.contains(section);
  };
  const bool has_keys = has_section(input.entries, "molecule");
  const bool has_molecule = is_there("molecule"), has_integrals = is_there("integrals");
  const bool has_lattice = is_there("lattice");
  for (const auto& [one, other, both] : {std::tuple("molecule", "integrals", has_molecule && has_integrals),
                                         std::tuple("lattice", "molecule", has_lattice && has_molecule),
                                         std::tuple("lattice", "integrals", has_lattice && has_integrals)}) {
    if (!both) continue;
    throw InputError(
        fmt::format("{}:{}: both [{}] and [{}] are given; exactly one of [molecule], [integrals] and "
                    "[lattice] is allowed",
                    input.source_name, line_of(one), one, other));
  }
  if (has_molecule && !gaussian_integrals_available()) {
    throw InputError(
        fmt::format("{}:{}: [molecule] needs Libint2, which this build of cisolve does not have; install "
                    "libint2-dev and build again, or give the integrals as an FCIDUMP file in [integrals]",
                    input.source_name, line_of("molecule")));
  }
  if (has_molecule && !has_keys) {
    throw InputError(fmt::format("{}:{}: [molecule] is empty; it needs a geometry and a basis",
                                 input.source_name, line_of("molecule")));
  }
  if (!has_molecule && !has_integrals && !has_lattice) {
    throw InputError(fmt::format(
        "{}: there is neither [molecule] with a geometry and a basis, nor [integrals] with file = "
        "\"...\", the path of an FCIDUMP file, nor [lattice] with a model; one of them is needed",
        input.source_name));
  }
}

namespace {

/// Does something with each text of molecule.basis.
template <class Work>
void for_each_basis(EntryMap& entries, Work&& work) {
  constexpr std::string_view path = "molecule.basis";
  const auto found = entries.find(path);
  if (found == entries.end()) return;
  if (auto* table = std::get_if<InputTable>(&found->second.value)) {
    for (auto& [name, given] : table->texts) work(given);
    return;
  }
  needed_text(EntryReader(entries), path);
  work(std::get<std::string>(found->second.value));
}

}  // namespace

EntryMap complete_entries(const Input& input) {
  EntryMap entries = with_defaults(input);
  if (!has_section(entries, "molecule") && !entries.contains("integrals.file") &&
      !entries.contains("scan.files") && !has_section(entries, "lattice")) {
    throw InputError(
        fmt::format("{}: [integrals] has no file; it needs file = \"...\", the path of an FCIDUMP file",
                    input.source_name));
  }
  const auto from_here = [&](const std::string& given) { return from_input_file(input.source_name, given); };
  for (const char* path :
       {"integrals.file", "integrals.overlap", "molecule.geometry_file", "molecule.charges_file",
        "orbitals.file", "space.reference.file", "lattice.bonds_file"}) {
    if (entries.contains(path)) entries[path].value = from_here(needed_text(EntryReader(entries), path));
  }
  for_each_basis(entries, [&](std::string& given) {
    const bool is_name = given.find('/') == std::string::npos && !given.ends_with(".gbs");
    if (!is_name) given = from_here(given);
  });
  if (const auto found = entries.find("scan.files"); found != entries.end()) {
    std::vector<std::string> paths = EntryReader(entries).texts("scan.files");
    for (std::string& path : paths) {
      if (path.empty()) EntryReader(entries).refuse("scan.files", "has an empty path");
      path = from_here(path);
    }
    found->second.value = std::move(paths);
  }
  if (entries.contains("space.reference.electrons")) {
    entries.try_emplace("space.reference.irreps", InputEntry{"all", input.source_name});
  }
  settle_lattice(entries);
  settle_selection(entries);
  const std::string stem = std::filesystem::path(input.source_name).stem().string();
  entries.try_emplace("output.file", InputEntry{stem + ".h5", input.source_name});
  entries.try_emplace("output.checkpoint", InputEntry{stem + ".chk.h5", input.source_name});
  return entries;
}

namespace {

/// Files that a calculation is made from.
std::vector<SourceFile> source_files(const EntryReader& reader, const CiConfig& config,
                                     const std::string& source_name) {
  std::vector<SourceFile> files = {{source_name, "the input file"}};
  if (!config.integrals_file.empty()) files.push_back({config.integrals_file, "the integrals file"});
  for (const char* key : {"molecule.geometry_file", "molecule.charges_file", "molecule.basis",
                          "orbitals.file", "scan.files", "lattice.bonds_file"}) {
    for (const std::string& path : reader.texts(key)) files.push_back({path, path});
  }
  return files;
}

}  // namespace

void check_output_files(const EntryMap& entries, const CiConfig& config, const std::string& source_name) {
  const EntryReader reader(entries);
  const auto sources = source_files(reader, config, source_name);
  std::vector<std::pair<std::string_view, std::filesystem::path>> written = {
      {"output.file", config.output_file}, {"output.checkpoint", config.checkpoint_file}};
  for (const auto& file : config.also) written.emplace_back("output.also", file);
  for (const auto& [path, file] : written) check_output(reader, path, file, sources);
  if (is_same_file(config.output_file, config.checkpoint_file)) {
    reader.refuse("output.checkpoint", "is the same file as output.file; give another name");
  }
}

void read_orbitals(const EntryMap& entries, CiConfig& config) {
  constexpr std::string_view path = "orbitals.file";
  const EntryReader reader(entries);
  if (!reader.has(path)) return;
  if (!config.molecule) reader.refuse(path, "needs [molecule]: integrals of a file have their orbitals");
  if (has_section(entries, "scan"))
    reader.refuse(path, "is of one geometry, but [scan] asks for several; take one of them out");
  for (const std::string_view key : {"molecule.doubly_occupied", "molecule.singly_occupied"}) {
    if (reader.has(key))
      reader.refuse(key, "is for an SCF; of orbitals.file the first orbitals are occupied");
  }
  constexpr std::string_view cas = "space.reference.orbitals";
  const bool optimised = reader.get<std::string>("orbitals.optimise") != "none";
  if (!optimised && reader.has(cas) && std::holds_alternative<InputTable>(reader.value(cas)))
    reader.refuse(cas,
                  "chooses by energies of an SCF, and those of orbitals.file have none: give the number of "
                  "active orbitals, or a list of numbers or labels");
  const std::filesystem::path file = needed_text(reader, path);
  const std::string ending = file.extension().string();
  if (ending != ".molden" && ending != ".trexio" && ending != ".h5")
    reader.refuse(path,
                  fmt::format("must end in .molden, .trexio or .h5; found {}", one_line(file.string())));
  check_readable(reader, path, file, "a Molden or TREXIO file or a result");
  config.orbitals_file = file;
}

void read_also(const EntryMap& entries, CiConfig& config) {
  constexpr std::string_view path = "output.also";
  const EntryReader reader(entries);
  if (reader.has(path) && has_section(entries, "scan"))
    reader.refuse(path, "is for a single calculation; of a scan: cisolve export RESULT.h5 OUT --point 1");
  for (const std::string& name : reader.texts(path)) {
    const MoleculeConfig* molecule = config.molecule ? &*config.molecule : nullptr;
    reader.locating(path, [&] { require_export(name, molecule, config.write_vectors); });
    config.also.emplace_back(name);
  }
}

}  // namespace cisolve::detail
