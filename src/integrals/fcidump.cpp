// SPDX-License-Identifier: MIT
#include "cisolve/integrals/fcidump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cisolve/core/error.hpp"
#include "integrals/fcidump_steps.hpp"
#include "integrals/text_reader.hpp"

namespace cisolve {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// The largest integral that the labels forbid, and where it stands.
struct Forbidden {
  double magnitude = 0.0;
  FcidumpRecord record;
  std::int64_t line = 0;
};

std::string name_of(const FcidumpRecord& record) {
  const auto& [i, j, k, l] = record.index;
  if (k > 0) return fmt::format("({} {}|{} {})", i, j, k, l);
  return i > 0 ? fmt::format("h({}, {})", i, j) : std::string("the core energy");
}

/// Gathers records into packed arrays, which grow with the largest orbital named so far: the pairs of
/// the first n orbitals are the front of the packed triangle.
class RecordStore {
public:
  RecordStore(const TextReader& reader, const FcidumpHeader& header, std::vector<int> labels,
              const FcidumpOptions& options)
      : reader_(reader), norb_(header.norb), norb_line_(header.norb_line), labels_(std::move(labels)),
        options_(options) {}

  void add(const FcidumpRecord& record) {
    ++num_records_;
    const auto& [i, j, k, l] = record.index;
    const auto [least, most] = std::minmax({i, j, k, l});
    if (least < 0 || most > norb_) {
      reader_.refuse("found orbital {}, expected 0 to NORB={}", least < 0 ? least : most, norb_);
    }
    if (most > num_named_) grow(static_cast<int>(most));
    if (i > 0 && j > 0 && k > 0 && l > 0) {
      check_symmetry(record, label(i) ^ label(j) ^ label(k) ^ label(l));
      const auto at = [](std::int64_t orbital) { return static_cast<int>(orbital - 1); };
      store(two_[Integrals::eri_index(at(i), at(j), at(k), at(l))], record);
    } else if (i > 0 && j > 0 && k == 0 && l == 0) {
      check_symmetry(record, label(i) ^ label(j));
      store(one_[pair_index(i - 1, j - 1)], record);
    } else if (most == 0) {
      add_core(record);
    } else if (!(i > 0 && most == i && j == 0 && k == 0 && l == 0)) {  // i 0 0 0: an orbital energy
      reader_.refuse("found the orbitals {} {} {} {}, expected i j k l, i j 0 0, i 0 0 0 or 0 0 0 0", i, j, k,
                     l);
    }
  }

  /// A last line without its end may have lost digits of its last number.
  void check_last_line(const FcidumpRecord& record) const {
    const std::int64_t last = record.index.back();
    if (reader_.line_was_ended() || last == 0 || last > norb_ / 10) return;
    reader_.refuse(
        "found a last line without a line end whose last number {} may be cut off, expected a complete line",
        last);
  }

  void move_to(FcidumpFile& result) {
    check_completeness();
    result.num_records = num_records_;
    Integrals& integrals = result.integrals;
    integrals.num_orbitals = norb_;
    integrals.core_energy = std::isnan(core_energy_) ? 0.0 : core_energy_;
    if (std::ranges::all_of(one_, [](double value) { return std::isnan(value); })) {
      result.warnings.push_back(
          fmt::format("{}: the file has no one-electron integral (a record p q 0 0), all are taken as 0; it "
                      "may have been cut off",
                      reader_.where(reader_.line_number())));
    }
    integrals.one = std::move(one_);
    integrals.two = std::move(two_);
    integrals.irreps = std::move(labels_);
    for (std::vector<double>* array : {&integrals.one, &integrals.two}) {
      std::ranges::replace_if(
          *array, [](double value) { return std::isnan(value); }, 0.0);
    }
    if (std::isnan(core_energy_)) {
      result.warnings.push_back(
          fmt::format("{}: the file has no core energy (a record with 0 0 0 0), taken as 0",
                      reader_.where(reader_.line_number())));
    }
  }

  const Forbidden& worst_forbidden() const { return worst_forbidden_; }

private:
  int label(std::int64_t orbital) const { return labels_[orbital - 1]; }

  void grow(int num_orbitals) {
    const std::size_t pairs = num_pairs(num_orbitals);
    const std::size_t bytes = (pairs + num_pairs(pairs)) * sizeof(double);
    if (bytes > static_cast<std::size_t>(options_.max_bytes)) {
      throw ResourceError(fmt::format(
          "{}: found orbital {}, whose packed integrals take {:.1f} GiB, expected at most {:.1f} GiB",
          reader_.where(reader_.line_number()), num_orbitals, static_cast<double>(bytes) / (1 << 30),
          static_cast<double>(options_.max_bytes) / (1 << 30)));
    }
    one_.resize(pairs, absent);
    two_.resize(num_pairs(pairs), absent);
    num_named_ = num_orbitals;
  }

  void store(double& element, const FcidumpRecord& record) {
    if (std::abs(record.value) > options_.largest_magnitude) {
      reader_.refuse("found {} = {}, expected at most {:g} hartree in magnitude", name_of(record),
                     record.value, options_.largest_magnitude);
    }
    if (std::isnan(element)) {
      element = record.value;
    } else if (std::abs(element - record.value) > options_.duplicate_tolerance) {
      refuse_contradiction(element, record);
    }
  }

  void add_core(const FcidumpRecord& record) {
    if (!std::isnan(core_energy_) && core_energy_ == 0.0) has_zero_records_ = true;
    store(core_energy_, record);
  }

  [[noreturn]] void refuse_contradiction(double earlier, const FcidumpRecord& record) const {
    // Blocks end with zero records, which a restricted file has no use for.
    if (has_zero_records_ || core_energy_ == 0.0) {
      reader_.refuse(
          "found {} = {} after {} and a record of zeros: unrestricted (UHF) integrals in blocks, expected "
          "restricted integrals with one set of orbitals",
          name_of(record), record.value, earlier);
    }
    reader_.refuse("found {} = {} for the second time, expected {} as before within {:g} hartree",
                   name_of(record), record.value, earlier, options_.duplicate_tolerance);
  }

  void check_symmetry(const FcidumpRecord& record, int product) {
    if (product == 0 || std::abs(record.value) <= worst_forbidden_.magnitude) return;
    worst_forbidden_ = {std::abs(record.value), record, reader_.line_number()};
  }

  void check_completeness() const {
    if (num_records_ == 0) reader_.refuse("found no records after the header, expected integrals");
    if (num_named_ < norb_) {
      reader_.refuse_at(norb_line_,
                        "NORB: found {} orbitals, but no record names one above {}, expected NORB={} or the "
                        "records that are missing",
                        norb_, num_named_, num_named_);
    }
  }

  const TextReader& reader_;
  int norb_;
  std::int64_t norb_line_;
  std::vector<int> labels_;
  const FcidumpOptions& options_;
  int num_named_ = 0;  ///< orbitals that the arrays hold
  std::vector<double> one_, two_;
  double core_energy_ = absent;
  bool has_zero_records_ = false;
  std::int64_t num_records_ = 0;
  Forbidden worst_forbidden_;
};

void read_records(TextReader& reader, RecordStore& store) {
  while (const auto line = reader.next_line()) {
    if (const auto record = parse_fcidump_record(*line)) {
      store.check_last_line(*record);
      store.add(*record);
    } else if (!is_blank(*line)) {
      reader.refuse("{}", describe_bad_record(*line, reader.line_was_ended()));
    }
  }
}

void refuse_spin_orbitals(const TextReader& reader, const FcidumpHeader& header, const Integrals& integrals,
                          const FcidumpOptions& options) {
  const SpinLayout layout =
      find_spin_layout(integrals, options.negligible_forbidden, options.spin_orbital_repulsion);
  if (layout == SpinLayout::none) return;
  reader.refuse_at(header.norb_line,
                   "NORB: found {} spin orbitals, {}, unrestricted (UHF) integrals, expected restricted "
                   "integrals with one set of orbitals",
                   header.norb,
                   layout == SpinLayout::interleaved ? "alpha and beta interleaved" : "alpha before beta");
}

/// Zeroes what the labels forbid, or drops the labels, or refuses the file.
void apply_symmetry(const TextReader& reader, const Forbidden& worst, const FcidumpOptions& options,
                    FcidumpFile& result) {
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

}  // namespace

FcidumpFile read_fcidump(const std::filesystem::path& file, const FcidumpOptions& options) {
  TextReader reader(file);
  FcidumpHeader header = read_fcidump_header(reader);
  RecordStore store(reader, header, molpro_labels(reader, header, options.point_group), options);
  read_records(reader, store);

  FcidumpFile result;
  result.num_electrons = header.nelec;
  result.ms2 = header.ms2;
  result.ms2_given = header.ms2_given;
  result.isym = header.isym;
  result.warnings = std::move(header.warnings);
  store.move_to(result);
  refuse_spin_orbitals(reader, header, result.integrals, options);
  apply_symmetry(reader, store.worst_forbidden(), options, result);
  return result;
}

}  // namespace cisolve
