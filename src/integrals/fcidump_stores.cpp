// SPDX-License-Identifier: MIT
#include "integrals/fcidump_stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cisolve/core/error.hpp"

namespace cisolve {

void RecordChecks::check_last_line(const FcidumpRecord& record) const {
  const std::int64_t last = record.index.back();
  if (reader_.line_was_ended() || last == 0 || last > most_named_ / 10) return;
  reader_.refuse(
      "found a last line without a line end whose last number {} may be cut off, expected a complete line",
      last);
}

std::int64_t RecordChecks::check_orbitals(const FcidumpRecord& record) const {
  const auto [least, most] = std::ranges::minmax(record.index);
  if (least < 0 || most > most_named_) {
    reader_.refuse("found orbital {}, expected 0 to {}{}", least < 0 ? least : most,
                   most_named_ == header_.norb ? "NORB=" : "", most_named_);
  }
  if (record.is_two_electron() || record.is_one_electron() || record.is_core() || record.is_orbital_energy())
    return most;
  const auto& [i, j, k, l] = record.index;
  reader_.refuse("found the orbitals {} {} {} {}, expected i j k l, i j 0 0, i 0 0 0 or 0 0 0 0", i, j, k, l);
}

void RecordChecks::check_magnitude(const FcidumpRecord& record, double magnitude) const {
  if (magnitude <= options_.largest_magnitude) return;
  reader_.refuse("found {} = {}, expected at most {:g} hartree in magnitude", name_of(record), record.value,
                 options_.largest_magnitude);
}

void RecordChecks::refuse_second(const FcidumpRecord& record, double earlier) const {
  reader_.refuse("found {} = {} for the second time, expected {} as before within {:g} hartree",
                 name_of(record), record.value, earlier, options_.duplicate_tolerance);
}

void RecordChecks::check_bytes(std::int64_t orbital, std::size_t bytes) const {
  if (bytes <= static_cast<std::size_t>(options_.max_bytes)) return;
  throw ResourceError(
      fmt::format("{}: found orbital {}, whose packed integrals take {:.1f} GiB, expected at most {:.1f} GiB",
                  reader_.where(reader_.line_number()), orbital, static_cast<double>(bytes) / (1 << 30),
                  static_cast<double>(options_.max_bytes) / (1 << 30)));
}

void RecordChecks::check_completeness(int named, int num_orbitals) const {
  if (num_records_ == 0) reader_.refuse("found no records after the header, expected integrals");
  if (named == num_orbitals) return;
  const int of_header = header_.norb / num_orbitals;  // 2 where it counts both spins
  reader_.refuse_at(header_.norb_line,
                    "NORB: found {} orbitals, but no record names one above {}, expected NORB={} or the "
                    "records that are missing",
                    header_.norb, named * of_header, named * of_header);
}

void RecordChecks::warn_without_core(bool has_core, FcidumpFile& result) const {
  if (has_core) return;
  result.warnings.push_back(fmt::format("{}: the file has no core energy (a record with 0 0 0 0), taken as 0",
                                        reader_.where(reader_.line_number())));
}

RealStore::RealStore(const TextReader& reader, const FcidumpHeader& header, const SettledLayout& layout,
                     std::vector<int> labels, const FcidumpOptions& options)
    : RecordChecks(reader, header, options,
                   layout.layout == FcidumpLayout::interleaved || layout.layout == FcidumpLayout::stacked
                       ? 2 * std::int64_t{layout.num_orbitals}
                       : layout.num_orbitals),
      layout_(layout.layout), num_orbitals_(layout.num_orbitals), labels_(std::move(labels)) {}

RealStore::Place RealStore::place(std::int64_t index, bool is_second_pair) const {
  const auto number = static_cast<int>(index - 1);
  switch (layout_) {
    case FcidumpLayout::interleaved:
      return {number / 2, number % 2};
    case FcidumpLayout::stacked:
      return {number % num_orbitals_, number / num_orbitals_};
    case FcidumpLayout::blocks: {
      const bool is_beta = block_ == bb || block_ == h_b || (block_ == ab && is_second_pair);
      return {number, is_beta ? 1 : 0};
    }
    default:
      return {number, 0};
  }
}

void RealStore::add(const FcidumpRecord& record) {
  ++num_records_;
  check_orbitals(record);
  for (const std::int64_t index : record.index) {
    if (index > 0) grow(place(index, false).orbital + 1);
  }
  if (record.is_two_electron()) {
    add_two_electron(record);
  } else if (record.is_one_electron()) {
    add_one_electron(record);
  } else if (record.is_core()) {
    add_core(record);
  }
}

/// Whether a pair is of two spins; such an integral is zero.
bool RealStore::joins_spins(const FcidumpRecord& record, const Place& p, const Place& q) const {
  if (p.spin == q.spin) return false;
  if (std::abs(record.value) > options_.negligible_forbidden) {
    reader_.refuse(
        "found {} = {}, in which a pair joins an alpha and a beta orbital, expected 0 as the orbitals are {}",
        name_of(record), record.value, layout_text(layout_));
  }
  return true;
}

double& RealStore::mixed(const Place& i, const Place& j, const Place& k, const Place& l) {
  const std::size_t ij = pair_index(i.orbital, j.orbital), kl = pair_index(k.orbital, l.orbital);
  const std::size_t pairs = one_[0].size();
  return mixed_[i.spin == 0 ? ij * pairs + kl : kl * pairs + ij];
}

void RealStore::add_two_electron(const FcidumpRecord& record) {
  if (layout_ == FcidumpLayout::blocks && block_ > ab) {
    reader_.refuse("found {} in the block of {}, expected one-electron integrals i j 0 0 there",
                   name_of(record),
                   block_ == h_a   ? "h_a"
                   : block_ == h_b ? "h_b"
                                   : "the core energy");
  }
  const auto& index = record.index;
  const Place i = place(index[0], false), j = place(index[1], false);
  const Place k = place(index[2], true), l = place(index[3], true);
  if (joins_spins(record, i, j) || joins_spins(record, k, l)) return;
  check_symmetry(record, label(i) ^ label(j) ^ label(k) ^ label(l));
  if (i.spin == k.spin) {
    store(two_[i.spin][Integrals::eri_index(i.orbital, j.orbital, k.orbital, l.orbital)], record);
    return;
  }
  store(mixed(i, j, k, l), record);
  const std::size_t ij = pair_index(i.orbital, j.orbital), kl = pair_index(k.orbital, l.orbital);
  if (record.value == 0.0 || ij == kl) return;
  if (ij < kl) mixed_in_order_ = false;
  if (mixed_line_ == 0) mixed_line_ = reader_.line_number();
}

void RealStore::add_one_electron(const FcidumpRecord& record) {
  if (layout_ == FcidumpLayout::blocks && block_ != h_a && block_ != h_b) {
    reader_.refuse(
        "found {} after {} of the records of zeros that end blocks, expected three before h_a and four "
        "before h_b",
        name_of(record), block_);
  }
  const Place i = place(record.index[0], false), j = place(record.index[1], false);
  if (joins_spins(record, i, j)) return;
  check_symmetry(record, label(i) ^ label(j));
  store(one_[i.spin][pair_index(i.orbital, j.orbital)], record);
}

void RealStore::add_core(const FcidumpRecord& record) {
  if (layout_ == FcidumpLayout::blocks && block_ < core) {
    if (record.value == 0.0) {
      ++block_;
      return;
    }
    reader_.refuse(
        "found the core energy after {} records of zeros, expected it after the five that end the blocks "
        "(aa|aa), (bb|bb), (aa|bb), h_a and h_b",
        block_);
  }
  if (!std::isnan(core_energy_) && core_energy_ == 0.0) has_zero_records_ = true;
  store(core_energy_, record);
}

void RealStore::grow(int num_orbitals) {
  if (num_orbitals <= num_named_) return;
  const std::size_t pairs = num_pairs(num_orbitals), before = one_[0].size();
  const std::size_t of_spin = pairs + num_pairs(pairs);
  check_bytes(num_orbitals, (is_unrestricted() ? 2 * of_spin + pairs * pairs : of_spin) * sizeof(double));
  for (int spin = 0; spin < (is_unrestricted() ? 2 : 1); ++spin) {
    one_[spin].resize(pairs, absent);
    two_[spin].resize(num_pairs(pairs), absent);
  }
  if (is_unrestricted()) {
    std::vector<double> wider(pairs * pairs, absent);
    for (std::size_t row = 0; row < before; ++row)
      std::copy_n(mixed_.begin() + static_cast<std::ptrdiff_t>(row * before), before,
                  wider.begin() + static_cast<std::ptrdiff_t>(row * pairs));
    mixed_ = std::move(wider);
  }
  num_named_ = num_orbitals;
}

void RealStore::store(double& element, const FcidumpRecord& record) {
  check_magnitude(record, std::abs(record.value));
  if (std::isnan(element)) {
    element = record.value;
  } else if (std::abs(element - record.value) > options_.duplicate_tolerance) {
    refuse_contradiction(element, record);
  }
}

void RealStore::refuse_contradiction(double earlier, const FcidumpRecord& record) const {
  // Blocks end with zero records, which a restricted file has no use for.
  if (layout_ == FcidumpLayout::restricted && (has_zero_records_ || core_energy_ == 0.0)) {
    reader_.refuse(
        "found {} = {} after {} and a record of zeros: unrestricted (UHF) integrals in blocks, expected "
        "IUHF=1 in "
        "the header or integrals.spins = \"unrestricted\"",
        name_of(record), record.value, earlier);
  }
  refuse_second(record, earlier);
}

void RealStore::check_symmetry(const FcidumpRecord& record, int product) {
  if (product == 0 || std::abs(record.value) <= worst_forbidden_.magnitude) return;
  worst_forbidden_ = {std::abs(record.value), record, reader_.line_number()};
}

void RealStore::move_to(FcidumpFile& result) {
  check_completeness(num_named_, num_orbitals_);
  if (layout_ == FcidumpLayout::blocks && mixed_in_order_ && mixed_line_ > 0) {
    reader_.refuse_at(
        mixed_line_,
        "found (ij|kl) of the block (aa|bb) for pairs ij >= kl alone, expected all of them: alpha and beta "
        "orbitals differ, so that (ij|kl) and (kl|ij) do");
  }
  result.layout = layout_;
  result.num_records = num_records_;
  Integrals& integrals = result.integrals;
  integrals.num_orbitals = num_named_;
  integrals.core_energy = std::isnan(core_energy_) ? 0.0 : core_energy_;
  const auto is_absent = [](double value) { return std::isnan(value); };
  if (std::ranges::all_of(one_[0], is_absent)) {
    result.warnings.push_back(
        fmt::format("{}: the file has no one-electron integral (a record p q 0 0), all are taken as 0; it "
                    "may have been cut off",
                    reader_.where(reader_.line_number())));
  }
  warn_without_core(!std::isnan(core_energy_), result);
  for (std::vector<double>* array : {&one_[0], &two_[0], &one_[1], &two_[1], &mixed_})
    std::ranges::replace_if(*array, is_absent, 0.0);
  integrals.one = std::move(one_[0]);
  integrals.two = std::move(two_[0]);
  integrals.irreps = std::move(labels_);
  if (is_unrestricted())
    integrals.beta = BetaIntegrals{std::move(one_[1]), std::move(two_[1]), std::move(mixed_)};
}

void ComplexStore::add(const ComplexRecord& record) {
  ++num_records_;
  const std::int64_t most = check_orbitals(record.real);
  check_magnitude(record.real, std::abs(record.value));
  if (record.real.is_orbital_energy()) return;
  const auto& [p, q, r, s] = record.real.index;
  if (p == q && r == s && std::abs(record.value.imag()) > options_.duplicate_tolerance) {
    reader_.refuse("found {} = ({}, {}), expected a real number, as it is its own conjugate",
                   name_of(record.real), record.value.real(), record.value.imag());
  }
  if (most > num_named_) {
    num_named_ = static_cast<int>(most);
    const std::size_t pairs = static_cast<std::size_t>(most) * static_cast<std::size_t>(most);
    check_bytes(most, num_pairs(pairs) * sizeof(Complex));
  }
  records_.push_back({record.real, record.value.imag(), reader_.line_number()});
  if (records_.size() == records_.capacity()) check_bytes(num_named_, 2 * records_.size() * sizeof(Kept));
}

void ComplexStore::put(Complex& element, Complex value, const Kept& kept) const {
  if (std::isnan(element.real())) {
    element = value;
  } else if (std::abs(element - value) > options_.duplicate_tolerance) {
    reader_.refuse_at(
        kept.line,
        "found {} = ({}, {}), expected ({}, {}) as an earlier record says of these or the conjugate "
        "orbitals, within {:g} hartree",
        name_of(kept.real), kept.real.value, kept.imaginary, element.real(), element.imag(),
        options_.duplicate_tolerance);
  }
}

/// Every record with those that follow from it: h_pq = h_qp*, (pq|rs) = (rs|pq) = (qp|sr)*.
void ComplexStore::put_all(ComplexIntegrals& v) const {
  for (const Kept& kept : records_) {
    const Complex value(kept.real.value, kept.imaginary);
    int index[4];
    for (int k = 0; k < 4; ++k) index[k] = static_cast<int>(kept.real.index[k] - 1);
    const auto& [p, q, r, s] = index;
    if (kept.real.is_core()) continue;
    Complex& element = kept.real.is_one_electron() ? v.h(p, q) : v.eri(p, q, r, s);
    Complex& conjugate = kept.real.is_one_electron() ? v.h(q, p) : v.eri(q, p, s, r);
    put(element,
        &element == &conjugate && std::abs(value.imag()) <= options_.duplicate_tolerance ? value.real()
                                                                                         : value,
        kept);
    put(conjugate, std::conj(value), kept);
  }
}

/// The first (pq|rs) of pairs of different orbitals without the exchange (pq|qp), which is positive then: |(pq|rs)|^2 <=
/// (pq|qp) (rs|sr). None if there is none. A writer that takes (qp|rs) for (pq|rs) leaves all of those out.
const ComplexStore::Kept* ComplexStore::without_exchange(const ComplexIntegrals& v) const {
  for (const Kept& kept : records_) {
    if (!kept.real.is_two_electron()) continue;
    if (std::hypot(kept.real.value, kept.imaginary) <= options_.negligible_forbidden) continue;
    int index[4];
    for (int k = 0; k < 4; ++k) index[k] = static_cast<int>(kept.real.index[k] - 1);
    const auto& [p, q, r, s] = index;
    if (p == q || r == s) continue;
    if (std::isnan(v.eri(p, q, q, p).real()) || std::isnan(v.eri(r, s, s, r).real())) return &kept;
  }
  return nullptr;
}

void ComplexStore::move_to(FcidumpFile& result) {
  check_completeness(num_named_, header_.norb);
  ComplexIntegrals v(num_named_, are_spinors_);
  constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  std::ranges::fill(v.one, absent);
  std::ranges::fill(v.two, absent);
  bool has_core = false;
  for (const Kept& kept : records_) {
    if (!kept.real.is_core()) continue;
    if (has_core && std::abs(v.core_energy - kept.real.value) > options_.duplicate_tolerance) {
      reader_.refuse_at(kept.line, "found the core energy {} for the second time, expected {} as before",
                        kept.real.value, v.core_energy);
    }
    v.core_energy = kept.real.value;
    has_core = true;
  }
  put_all(v);
  const bool all_real = std::ranges::all_of(records_, [](const Kept& kept) { return kept.imaginary == 0.0; });
  const auto absent_at = [](const Complex& value) { return std::isnan(value.real()); };
  const Kept* incomplete = without_exchange(v);
  if (incomplete != nullptr && !all_real) {
    reader_.refuse_at(
        incomplete->line,
        "found {} without the exchange integrals of its pairs, expected (pq|rs) and (qp|rs), which differ: "
        "the file has one of the two alone, as those of real orbitals do",
        name_of(incomplete->real));
  }
  if (incomplete != nullptr) {
    // Orbitals that can be real are: their writer left out what then follows, (qp|rs) = (pq|rs).
    const int n = v.num_orbitals;
    for (int p = 0; p < n; ++p) {
      for (int q = 0; q < n; ++q) {
        for (int r = 0; r < n; ++r) {
          for (int s = 0; s < n; ++s) {
            if (absent_at(v.eri(p, q, r, s))) v.eri(p, q, r, s) = v.eri(q, p, r, s);
          }
        }
      }
    }
  }
  std::ranges::replace_if(v.one, absent_at, Complex());
  std::ranges::replace_if(v.two, absent_at, Complex());
  warn_without_core(has_core, result);
  result.layout = are_spinors_ ? FcidumpLayout::spinors : FcidumpLayout::restricted;
  result.num_records = num_records_;
  result.complex = std::move(v);
}

}  // namespace cisolve
