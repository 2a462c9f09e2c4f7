// SPDX-License-Identifier: MIT
#include "cisolve/integrals/fcidump_outline.hpp"

#include <algorithm>

#include "integrals/fcidump_survey.hpp"

namespace cisolve {
namespace {

/// Programs, by what only they do.
std::string writers_of(const FcidumpSurvey& survey, bool labels_from_0) {
  const FcidumpHeader& header = survey.header;
  if (header.uhf) return "Psi4";
  if (header.iuhf) return survey.is_list() ? "DIRAC and others" : "Molpro, block2, ElemCo";
  if (survey.notation == ValueNotation::parentheses) return "HANDE, Dice";
  if (survey.notation == ValueNotation::columns) return "block2, DIRAC";
  if (survey.largest_orbital > header.norb) return "qiskit-fermions and others";
  if (labels_from_0) return "PySCF, by its own labels";
  if (header.isym == 0) return "Quantum Package";
  if (survey.num_orbital_energies > 0) return "Psi4, NECI, HANDE";
  return "Molpro and many others";
}

}  // namespace

FcidumpOutline outline_fcidump(const std::filesystem::path& file) {
  const FcidumpSurvey survey = survey_fcidump(file, {});
  const FcidumpHeader& header = survey.header;
  FcidumpOutline outline;
  outline.norb = header.norb;
  outline.num_electrons = header.nelec;
  outline.ms2 = header.ms2;
  outline.ms2_given = header.ms2_given;
  outline.isym = header.isym;
  outline.is_complex = survey.is_complex();
  outline.notation = survey.notation == ValueNotation::real      ? "real"
                     : survey.notation == ValueNotation::columns ? "complex, in two columns"
                                                                 : "complex, in parentheses";
  outline.num_two_electron = survey.num_two_electron;
  outline.num_one_electron = survey.num_one_electron;
  outline.num_orbital_energies = survey.num_orbital_energies;
  outline.num_separators = survey.num_separators;
  outline.has_labels = !header.orbsym.empty();
  outline.labels_from_0 = std::ranges::find(header.orbsym, 0) != header.orbsym.end();
  outline.writers = writers_of(survey, outline.labels_from_0);
  return outline;
}

}  // namespace cisolve
