// SPDX-License-Identifier: MIT
#include "integrals/fcidump_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cisolve/core/names.hpp"
#include "integrals/fortran_number.hpp"
#include "integrals/text_reader.hpp"

namespace cisolve {
namespace {

constexpr std::string_view expected = "expected a record 'value i j k l'";

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Takes fields off the front of a line.
class Fields {
public:
  explicit Fields(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {
    skip_blanks();
  }

  bool done() const { return at_ == end_; }

  /// The next field, empty if there is none between two commas.
  std::string_view next() {
    const char* const first = at_;
    while (at_ != end_ && !is_blank(*at_) && *at_ != ',') ++at_;
    const std::string_view field(first, static_cast<std::size_t>(at_ - first));
    skip_blanks();
    if (at_ != end_ && *at_ == ',') {
      ++at_;
      skip_blanks();
    }
    return field;
  }

private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
};

/// At most one field more than a record has.
std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> result;
  for (Fields fields(line); !fields.done() && result.size() < 6;) result.push_back(fields.next());
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_real(std::string_view field) {
  return parse_fortran_real(field).has_value() && field.find_first_of(".eEdD") != std::string_view::npos;
}

/// True for five fields, a real number at `place` and four integers.
bool is_real_among_integers(std::string_view line, std::size_t place) {
  const std::vector<std::string_view> fields = split(line);
  if (fields.size() != 5) return false;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k == place ? !is_real(fields[k]) : !parse_integer(fields[k])) return false;
  }
  return true;
}

std::string describe_bad_value(std::string_view field) {
  if (field.starts_with('*'))
    return fmt::format("found {}, a Fortran field overflow, expected a value", quote(field));
  const std::string_view unsigned_field =
      field.substr(field.starts_with('-') || field.starts_with('+') ? 1 : 0);
  const std::string_view first_three = unsigned_field.substr(0, 3);
  if (equal_ignoring_case(first_three, "nan") || equal_ignoring_case(first_three, "inf") ||
      parse_fortran_real(field)) {
    return fmt::format("found the value {}, expected a finite number", quote(field));
  }
  return fmt::format("found {} where a value should be, {}", quote(field), expected);
}

}  // namespace

bool is_blank(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return is_blank(c); });
}

std::optional<FcidumpRecord> parse_fcidump_record(std::string_view line) {
  Fields fields(line);
  FcidumpRecord record;
  const auto value = parse_fortran_real(fields.next());
  if (!value || !std::isfinite(*value)) return std::nullopt;
  record.value = *value + 0.0;  // Minus zero becomes zero: equal integrals, equal bits.
  for (std::int64_t& index : record.index) {
    const auto number = parse_integer(fields.next());
    if (!number) return std::nullopt;
    index = *number;
  }
  if (!fields.done()) return std::nullopt;
  return record;
}

std::string name_of(const FcidumpRecord& record) {
  const auto& [i, j, k, l] = record.index;
  if (k > 0) return fmt::format("({} {}|{} {})", i, j, k, l);
  return i > 0 ? fmt::format("h({}, {})", i, j) : std::string("the core energy");
}

ValueNotation notation_of(std::string_view line) {
  if (line.find('(') != std::string_view::npos) return ValueNotation::parentheses;
  const std::vector<std::string_view> fields = split(line);
  return fields.size() == 6 && is_real(fields[0]) && is_real(fields[1]) ? ValueNotation::columns
                                                                        : ValueNotation::real;
}

std::optional<ComplexRecord> parse_complex_record(std::string_view line, ValueNotation notation) {
  ComplexRecord record;
  std::optional<double> parts[2];
  if (notation == ValueNotation::parentheses) {
    const std::size_t first = line.find('('), comma = line.find(',', first), last = line.find(')', comma);
    if (last == std::string_view::npos || !is_blank(line.substr(0, first))) return std::nullopt;
    parts[0] = parse_fortran_real(trimmed(line.substr(first + 1, comma - first - 1)));
    parts[1] = parse_fortran_real(trimmed(line.substr(comma + 1, last - comma - 1)));
    line.remove_prefix(last + 1);
  }
  Fields fields(line);
  if (notation != ValueNotation::parentheses) parts[0] = parse_fortran_real(fields.next());
  if (notation == ValueNotation::columns) parts[1] = parse_fortran_real(fields.next());
  if (notation == ValueNotation::real) parts[1] = 0.0;
  if (!parts[0] || !parts[1] || !std::isfinite(*parts[0]) || !std::isfinite(*parts[1])) return std::nullopt;
  record.value = Complex(*parts[0] + 0.0, *parts[1] + 0.0);
  record.real.value = record.value.real();
  for (std::int64_t& index : record.real.index) {
    const auto number = parse_integer(fields.next());
    if (!number) return std::nullopt;
    index = *number;
  }
  if (!fields.done()) return std::nullopt;
  return record;
}

std::string describe_bad_record(std::string_view line, bool line_was_ended) {
  const std::vector<std::string_view> fields = split(line);
  const std::string_view first = fields.empty() ? std::string_view() : fields.front();
  if (first.starts_with('&') || first.starts_with('$')) {
    return fmt::format("found {}, a second header, {}", quote(first), expected);
  }
  if (line.find('(') != std::string_view::npos) {
    return fmt::format(
        "found a complex value in {}, expected real values in all records or complex ones in all",
        quote(line));
  }
  const auto value = parse_fortran_real(first);
  if (!value || !std::isfinite(*value)) return describe_bad_value(first);
  for (std::size_t k = 1; k < std::min<std::size_t>(fields.size(), 5); ++k) {
    if (!parse_integer(fields[k])) {
      return fmt::format("found {} where an orbital number should be, {}", quote(fields[k]), expected);
    }
  }
  if (fields.size() > 5)
    return fmt::format("found {} after the record, {} and no more", quote(fields[5]), expected);
  return fmt::format("found {} field{}{}, {}", fields.size(), fields.size() == 1 ? "" : "s",
                     line_was_ended ? "" : " in a last line that is cut off", expected);
}

bool looks_like_record(std::string_view line) { return is_real_among_integers(line, 0); }

bool looks_like_macis_record(std::string_view line) { return is_real_among_integers(line, 4); }

}  // namespace cisolve
