// SPDX-License-Identifier: MIT
#include "integrals/fcidump_survey.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve {
namespace {

/// Whether one orbital of a pair is up to `last` and the other above it.
bool parts(std::int64_t p, std::int64_t q, std::int64_t last) { return (p <= last) != (q <= last); }

void note_pair(std::int64_t p, std::int64_t q, FcidumpSurvey& survey) {
  survey.joins_parities = survey.joins_parities || (p - q) % 2 != 0;
  survey.joins_norb = survey.joins_norb || parts(p, q, survey.header.norb);
  survey.joins_half_norb = survey.joins_half_norb || parts(p, q, survey.header.norb / 2);
}

void note(const FcidumpRecord& record, double magnitude, std::int64_t line, double negligible,
          FcidumpSurvey& survey) {
  constexpr std::size_t most_separators = 8;
  const auto& [i, j, k, l] = record.index;
  if (record.is_core()) {
    if (magnitude > 0.0) {
      ++survey.num_cores;
      return;
    }
    if (survey.num_separators == 0) survey.one_electron_first = survey.num_one_electron > 0;
    ++survey.num_separators;
    if (survey.separators.size() < most_separators) survey.separators.push_back(line);
    return;
  }
  if (const std::int64_t largest = std::max({i, j, k, l}); largest > survey.largest_orbital) {
    survey.largest_orbital = largest;
  }
  if (record.is_two_electron()) {
    ++survey.num_two_electron;
  } else if (record.is_one_electron()) {
    ++survey.num_one_electron;
  } else if (record.is_orbital_energy()) {
    ++survey.num_orbital_energies;
    return;
  } else {
    ++survey.num_others;
    return;
  }
  if (magnitude <= negligible) return;
  note_pair(i, j, survey);
  if (k > 0) note_pair(k, l, survey);
}

/// Refuses a file with the line at which unrestricted integrals in blocks are not as they should be.
void require_blocks(const TextReader& reader, const FcidumpSurvey& survey) {
  constexpr std::int64_t blocks = 5;
  // The last record of zeros may be a core energy of zero.
  const std::int64_t found = survey.num_separators;
  if (found == blocks || (found == blocks + 1 && survey.num_cores == 0)) return;
  reader.refuse_at(
      survey.separators.empty() ? survey.header.norb_line : survey.separators.back(),
      "found {} record{} of zeros, expected five, which end the blocks (aa|aa), (bb|bb), (aa|bb), h_a "
      "and h_b of unrestricted integrals",
      found, found == 1 ? "" : "s");
}

int half_of_norb(const TextReader& reader, const FcidumpHeader& header) {
  if (header.norb % 2 != 0) {
    reader.refuse_at(header.norb_line, "NORB: found {}, expected an even number of spin orbitals",
                     header.norb);
  }
  return header.norb / 2;
}

}  // namespace

std::string_view layout_text(FcidumpLayout layout) {
  switch (layout) {
    case FcidumpLayout::blocks:
      return "unrestricted (UHF), in five blocks";
    case FcidumpLayout::interleaved:
      return "unrestricted (UHF), alpha and beta spin orbitals in turn";
    case FcidumpLayout::stacked:
      return "unrestricted (UHF), alpha orbitals before beta orbitals";
    case FcidumpLayout::spinors:
      return "spinors";
    default:
      return "restricted: both spins share them";
  }
}

FcidumpSurvey survey_fcidump(const std::filesystem::path& file, const FcidumpOptions& options) {
  TextReader reader(file);
  FcidumpSurvey survey;
  survey.header = read_fcidump_header(reader);
  bool has_notation = false;
  while (const auto line = reader.next_line()) {
    if (!has_notation && !is_blank(*line)) {
      survey.notation = notation_of(*line);
      has_notation = true;
    }
    if (survey.is_complex()) {
      const auto record = parse_complex_record(*line, survey.notation);
      if (record)
        note(record->real, std::abs(record->value), reader.line_number(), options.negligible_forbidden,
             survey);
    } else if (const auto record = parse_fcidump_record(*line)) {
      note(*record, std::abs(record->value), reader.line_number(), options.negligible_forbidden, survey);
    }
  }
  return survey;
}

SettledLayout settle_layout(const TextReader& reader, const FcidumpSurvey& survey, FcidumpSpins spins) {
  const FcidumpHeader& header = survey.header;
  const int norb = header.norb;
  const bool has_blocks = header.iuhf && !survey.is_list();
  const bool is_above =
      survey.largest_orbital > norb && survey.largest_orbital <= 2 * std::int64_t{norb} && !survey.joins_norb;
  const auto unrestricted = [&](FcidumpLayout layout, int num_orbitals) -> SettledLayout {
    if (survey.is_complex()) {
      reader.refuse_at(
          header.norb_line,
          "found complex unrestricted integrals ({}), expected complex integrals over orbitals of both "
          "spins or over spinors",
          layout_text(layout));
    }
    if (layout == FcidumpLayout::blocks) require_blocks(reader, survey);
    return {layout, num_orbitals};
  };
  switch (spins) {
    case FcidumpSpins::restricted:
      if (header.uhf) {
        reader.refuse_at(
            header.norb_line,
            "integrals.spins = \"restricted\", but the header has UHF=.TRUE.: {} spin orbitals, alpha and "
            "beta in turn; leave the key out",
            norb);
      }
      return {FcidumpLayout::restricted, norb};
    case FcidumpSpins::spinors:
      return {FcidumpLayout::spinors, norb};
    case FcidumpSpins::unrestricted:
      if (header.uhf) return unrestricted(FcidumpLayout::interleaved, half_of_norb(reader, header));
      if (has_blocks || survey.num_separators > 1) return unrestricted(FcidumpLayout::blocks, norb);
      if (is_above) return unrestricted(FcidumpLayout::stacked, norb);
      if (norb % 2 == 0 && !survey.joins_parities) return unrestricted(FcidumpLayout::interleaved, norb / 2);
      if (norb % 2 == 0 && !survey.joins_half_norb) return unrestricted(FcidumpLayout::stacked, norb / 2);
      reader.refuse_at(
          header.norb_line,
          "found one set of {} orbitals, expected unrestricted integrals: five blocks, or spin orbitals "
          "of which no pair in an integral has two spins",
          norb);
    default:
      break;
  }
  if (header.uhf) return unrestricted(FcidumpLayout::interleaved, half_of_norb(reader, header));
  if (has_blocks) return unrestricted(FcidumpLayout::blocks, norb);
  if (header.iuhf) return {FcidumpLayout::spinors, norb};
  if (is_above) return unrestricted(FcidumpLayout::stacked, norb);
  return {FcidumpLayout::restricted, norb};
}

}  // namespace cisolve
