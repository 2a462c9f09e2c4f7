// SPDX-License-Identifier: MIT
#include "cisolve/integrals/fcidump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cisolve/core/error.hpp"
#include "integrals/fcidump_steps.hpp"
#include "integrals/fcidump_stores.hpp"
#include "integrals/fcidump_survey.hpp"
#include "integrals/text_reader.hpp"

namespace cisolve {
namespace {

void refuse_record(const TextReader& reader, std::string_view line) {
  if (!is_blank(line)) reader.refuse("{}", describe_bad_record(line, reader.line_was_ended()));
}

void read_records(TextReader& reader, RealStore& store) {
  while (const auto line = reader.next_line()) {
    if (const auto record = parse_fcidump_record(*line)) {
      store.check_last_line(*record);
      store.add(*record);
    } else {
      refuse_record(reader, *line);
    }
  }
}

void read_records(TextReader& reader, ComplexStore& store, ValueNotation notation) {
  while (const auto line = reader.next_line()) {
    if (const auto record = parse_complex_record(*line, notation)) {
      store.check_last_line(record->real);
      store.add(*record);
    } else {
      refuse_record(reader, *line);
    }
  }
}

void refuse_spin_orbitals(const TextReader& reader, const FcidumpHeader& header, const Integrals& integrals,
                          const FcidumpOptions& options) {
  if (options.spins != FcidumpSpins::automatic) return;
  const SpinLayout layout =
      find_spin_layout(integrals, options.negligible_forbidden, options.spin_orbital_repulsion);
  if (layout == SpinLayout::none) return;
  reader.refuse_at(
      header.norb_line,
      "NORB: found {} spin orbitals, {}, unrestricted (UHF) integrals without a key that says so, expected "
      "UHF=.TRUE. in the header or integrals.spins = \"unrestricted\"",
      header.norb, layout == SpinLayout::interleaved ? "alpha and beta interleaved" : "alpha before beta");
}

/// Zeroes what the labels forbid, or drops the labels, or refuses the file.
void apply_symmetry(const TextReader& reader, const RealStore::Forbidden& worst,
                    const FcidumpOptions& options, FcidumpFile& result) {
  Integrals& integrals = result.integrals;
  if (worst.magnitude > options.negligible_forbidden) {
    const std::string found =
        fmt::format("found {} = {}, which ORBSYM forbids", name_of(worst.record), worst.record.value);
    if (worst.magnitude > options.tolerable_forbidden || options.irrep_required) {
      reader.refuse_at(worst.line, "{}, expected at most {:g} hartree{}", found,
                       options.irrep_required ? options.negligible_forbidden : options.tolerable_forbidden,
                       options.irrep_required ? " where an irrep is asked for" : "");
    }
    result.warnings.push_back(
        fmt::format("{}: {}, so the symmetry labels are dropped (C1)", reader.where(worst.line), found));
    std::ranges::fill(integrals.irreps, 0);
    result.symmetry_dropped = true;
  } else if (worst.magnitude > 0.0) {
    zero_forbidden(integrals);
  }
  result.has_symmetry = std::ranges::any_of(integrals.irreps, [](int label) { return label != 0; });
}

/// The labels of the orbitals of either spin; both spins have an orbital of the same irrep at each place.
std::vector<int> labels_of(const TextReader& reader, const FcidumpHeader& header,
                           const SettledLayout& settled, const PointGroup& group) {
  std::vector<int> labels = molpro_labels(reader, header, group);
  if (std::ssize(labels) == settled.num_orbitals) return labels;
  const bool in_turn = settled.layout == FcidumpLayout::interleaved;
  const std::size_t n = settled.num_orbitals;
  std::vector<int> of_alpha;
  for (std::size_t p = 0; p < n; ++p) {
    const int alpha = labels[in_turn ? 2 * p : p], beta = labels[in_turn ? 2 * p + 1 : n + p];
    if (alpha != beta) {
      reader.refuse_at(
          header.orbsym_line,
          "ORBSYM: found labels of two irreps for the alpha and the beta orbital number {}, expected the "
          "same: order the orbitals of each spin by irrep in the same way",
          p + 1);
    }
    of_alpha.push_back(alpha);
  }
  return of_alpha;
}

/// What of a file's header the result has.
void take_header(FcidumpHeader& header, FcidumpFile& result) {
  result.num_electrons = header.nelec;
  result.ms2 = header.ms2;
  result.ms2_given = header.ms2_given;
  result.isym = header.isym;
  result.warnings = std::move(header.warnings);
}

FcidumpFile read_real(TextReader& reader, FcidumpHeader& header, const SettledLayout& settled,
                      const FcidumpOptions& options) {
  check_electrons(reader, header, settled.num_orbitals, false);
  RealStore store(reader, header, settled, labels_of(reader, header, settled, options.point_group), options);
  read_records(reader, store);
  FcidumpFile result;
  take_header(header, result);
  store.move_to(result);
  if (settled.layout == FcidumpLayout::restricted)
    refuse_spin_orbitals(reader, header, result.integrals, options);
  apply_symmetry(reader, store.worst_forbidden(), options, result);
  return result;
}

FcidumpFile read_complex(TextReader& reader, FcidumpHeader& header, const SettledLayout& settled,
                         ValueNotation notation, const FcidumpOptions& options) {
  ComplexStore store(reader, header, settled, options);
  read_records(reader, store, notation);
  FcidumpFile result;
  take_header(header, result);
  store.move_to(result);
  ComplexIntegrals& v = *result.complex;
  if (!v.are_spinors && are_kramers_pairs(v, options.kramers)) {
    if (options.spins == FcidumpSpins::automatic) {
      v.are_spinors = true;
      result.layout = FcidumpLayout::spinors;
    } else {
      result.warnings.push_back(
          fmt::format("{}: integrals.spins = \"restricted\", but the integrals are those of Kramers pairs of "
                      "spinors, which "
                      "hold one electron each",
                      reader.where(header.norb_line)));
    }
  }
  check_electrons(reader, header, v.num_orbitals, v.are_spinors);
  if (std::ranges::any_of(header.orbsym, [&](int label) { return label != header.orbsym.front(); })) {
    result.warnings.push_back(fmt::format("{}: the symmetry labels are not used with complex integrals (C1)",
                                          reader.where(header.orbsym_line)));
  }
  return result;
}

/// Whether the records have to be looked at before they are kept: anything but real restricted integrals.
bool needs_survey(const std::filesystem::path& file, const FcidumpOptions& options) {
  if (options.spins == FcidumpSpins::unrestricted || options.spins == FcidumpSpins::spinors) return true;
  TextReader reader(file);
  const FcidumpHeader header = read_fcidump_header(reader);
  if (header.uhf || (options.spins == FcidumpSpins::automatic && header.iuhf)) return true;
  while (const auto line = reader.next_line()) {
    if (!is_blank(*line)) return notation_of(*line) != ValueNotation::real;
  }
  return false;
}

/// The real restricted integrals of a file; nothing if a record names an orbital above NORB as if those were of a second
/// spin.
std::optional<FcidumpFile> read_plainly(const std::filesystem::path& file, const FcidumpOptions& options) {
  TextReader reader(file);
  FcidumpHeader header = read_fcidump_header(reader);
  try {
    return read_real(reader, header, {FcidumpLayout::restricted, header.norb}, options);
  } catch (const InputError&) {
    // Only now is it worth another look at all records.
    if (options.spins != FcidumpSpins::automatic) throw;
    const FcidumpSurvey survey = survey_fcidump(file, options);
    if (settle_layout(reader, survey, options.spins).layout == FcidumpLayout::restricted) throw;
    return std::nullopt;
  }
}

}  // namespace

FcidumpFile read_fcidump(const std::filesystem::path& file, const FcidumpOptions& options) {
  if (!needs_survey(file, options)) {
    if (auto plain = read_plainly(file, options)) return std::move(*plain);
  }
  const FcidumpSurvey survey = survey_fcidump(file, options);
  TextReader reader(file);
  FcidumpHeader header = read_fcidump_header(reader);
  const SettledLayout settled = settle_layout(reader, survey, options.spins);
  if (survey.is_complex() || settled.layout == FcidumpLayout::spinors)
    return read_complex(reader, header, settled, survey.notation, options);
  return read_real(reader, header, settled, options);
}

}  // namespace cisolve
