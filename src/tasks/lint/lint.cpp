// SPDX-License-Identifier: MIT
#include "cisolve/tasks/lint/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cisolve/integrals/fcidump_outline.hpp"
#include "cisolve/integrals/spin_overlap.hpp"
#include "cisolve/tasks/ci/job/ci_job.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using report::fixed;
using report::print_field;
using report::print_wrapped;

/// "4 of irrep 1, 2 of irrep 3".
std::string per_irrep(const std::vector<int>& irreps) {
  std::map<int, int> counts;
  for (const int irrep : irreps) ++counts[irrep];
  std::string text;
  for (const auto& [irrep, count] : counts)
    text += fmt::format("{}{} of irrep {}", text.empty() ? "" : ", ", count, irrep + 1);
  return text;
}

std::string symmetry_text(const FcidumpOutline& outline, const FcidumpFile& file) {
  if (!outline.has_labels) return "none: no ORBSYM, one irrep";
  if (file.layout == FcidumpLayout::spinors) return "not used with spinors";
  if (file.complex) return "not used with complex integrals";
  if (file.symmetry_dropped) return "dropped: the integrals contradict ORBSYM a little";
  if (!file.has_symmetry) return "all orbitals are of irrep 1";
  return fmt::format("ORBSYM from {}: {}", outline.labels_from_0 ? "0, as PySCF counts" : "1",
                     per_irrep(file.integrals.irreps));
}

std::string records_text(const FcidumpOutline& outline) {
  std::string text = fmt::format("{} two-electron, {} one-electron", format_count(outline.num_two_electron),
                                 format_count(outline.num_one_electron));
  if (outline.num_orbital_energies > 0)
    text += fmt::format(", {} orbital energies (not used)", format_count(outline.num_orbital_energies));
  if (outline.num_separators > 1) text += fmt::format(", {} of zeros between blocks", outline.num_separators);
  return text;
}

void print_what_it_is(std::ostream& out, const FcidumpOutline& outline, const FcidumpFile& file) {
  const int orbitals = file.complex ? file.complex->num_orbitals : file.integrals.num_orbitals;
  const bool spinors = file.layout == FcidumpLayout::spinors;
  print_field(out, "written as by", outline.writers);
  print_field(out, "values", outline.notation);
  print_field(out, "orbitals", fmt::format("{}, {}", orbitals, layout_text(file.layout)));
  print_field(out, "electrons",
              spinors ? std::to_string(file.num_electrons)
                      : fmt::format("{} ({} alpha, {} beta{})", file.num_electrons,
                                    (file.num_electrons + file.ms2) / 2, (file.num_electrons - file.ms2) / 2,
                                    file.ms2_given ? "" : "; no MS2 is given"));
  print_field(out, "symmetry", symmetry_text(outline, file));
  print_field(out, "records", records_text(outline));
  print_field(out, "core energy",
              fixed(file.complex ? file.complex->core_energy : file.integrals.core_energy, 10) + " hartree");
}

/// Whether both spins span one space, and what follows.
void print_spaces(std::ostream& out, const Integrals& integrals) {
  const double violation = recover_overlap(integrals).violation;
  if (violation > one_space_violation) {
    print_wrapped(
        out, "  both spins span ",
        fmt::format("two spaces: their integrals disagree by {:.1e} hartree; <S^2> needs integrals.overlap",
                    violation));
    return;
  }
  print_wrapped(
      out, "  both spins span ",
      fmt::format("one space: their integrals agree to {:.1e} hartree; <S^2> is known without the overlap, "
                  "and full CI is that over the alpha orbitals alone",
                  violation));
}

/// What a job would do that has nothing but this file.
void print_job(std::ostream& out, const std::filesystem::path& file, std::vector<std::string>& odd) {
  CiConfig config;
  config.integrals_file = file;
  config.properties = false;
  const CiJob job = prepare_job(config);
  for (const std::string& warning : job.warnings) {
    if (std::ranges::find(odd, warning) == odd.end()) odd.push_back(warning);
  }
  const auto count = [&](int level) {
    DeterminantSelection selection = job.selection;
    selection.excitation_level = std::min(level, max_excitation_level(selection));
    const auto counts = count_determinants(selection);
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  };
  const auto number = [](double value) {
    constexpr double exact = 1e15;
    return value < exact ? format_count(std::llround(value)) : fmt::format("{:.1e}", value);
  };
  const bool spinors = job.active->complex && job.active->complex->are_spinors;
  std::string states = spinors ? ""
                               : fmt::format(", Ms = {}", job.ms2 % 2 == 0 ? std::to_string(job.ms2 / 2)
                                                                           : fmt::format("{}/2", job.ms2));
  if (!spinors && job.selection.irrep != any_irrep)
    states += fmt::format(", irrep {}", job.selection.irrep + 1);
  out << "\nA job with this file alone\n";
  print_field(out, "states", fmt::format("the lowest{}", states));
  print_field(out, "first determinant", fixed(job.reference_energy, 10) + " hartree");
  print_field(out, "CISD", number(count(2)) + " determinants");
  print_field(out, "full CI", number(count(max_excitation_level(job.selection))) + " determinants");
}

/// @returns what is odd about it
std::vector<std::string> print_file(std::ostream& out, const std::filesystem::path& file) {
  FcidumpOptions options;
  options.max_bytes = memory_limit({});
  const FcidumpOutline outline = outline_fcidump(file);
  FcidumpFile read = read_fcidump(file, options);
  const bool spinors = read.layout == FcidumpLayout::spinors;
  if (!read.ms2_given && !spinors && read.num_electrons % 2 != 0) {
    read.ms2 = 1;
    read.warnings.push_back("MS2 is not given; with an odd number of electrons a job takes Ms = 1/2");
  }
  print_what_it_is(out, outline, read);
  if (read.integrals.is_unrestricted()) print_spaces(out, read.integrals);
  return std::move(read.warnings);
}

void print_odd(std::ostream& out, const std::vector<std::string>& odd) {
  if (odd.empty()) return;
  out << "\nOdd about it\n";
  for (const std::string& sentence : odd) print_wrapped(out, "  - ", sentence);
}

}  // namespace

bool lint_fcidump(const std::filesystem::path& file, std::ostream& report) {
  try {
    // Nothing is said before all of it holds, and no integrals stay when the job reads them for itself.
    std::ostringstream text;
    text << fmt::format("{}: safe to use\n\n", file.string());
    std::vector<std::string> odd = print_file(text, file);
    print_job(text, file, odd);
    print_odd(text, odd);
    report << text.str();
    return true;
  } catch (const InputError& error) {
    report << fmt::format("{}: refused\n\n", file.string());
    print_wrapped(report, "  ", error.what());
    return false;
  }
}

}  // namespace cisolve
