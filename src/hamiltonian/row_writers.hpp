// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/hamiltonian/string_links.hpp"
#include "cisolve/sparse/row_source.hpp"
#include "core/planted_error.hpp"
#include "hamiltonian/integral_numbers.hpp"

namespace cisolve {

inline double with_phase(double value, std::uint32_t code) { return ExcitationCode::with_phase(value, code); }
inline ValueNumber with_phase(ValueNumber number, std::uint32_t code) {
  static_assert(negative_number == 1U << 31);
  return number ^ (code << 31);
}

/// What the elements of a row of a ProductRowSource are written to: values as they are, for a RowSink.
class ValueWriter {
public:
  ValueWriter(const IntegralTables& tables, RowSink& sink) : tables_(tables), sink_(sink) {}

  /// Makes room for a row of so many elements, vanishing ones included.
  void begin(std::size_t capacity) {
    if (columns_.size() < capacity) {
      columns_.resize(2 * capacity);
      values_.resize(2 * capacity);
      general_.resize(2 * capacity);
    }
    size_ = num_general_ = 0;
  }

  void add_general(std::int64_t column, double value) {
    if (std::abs(value) <= tables_.threshold()) return;
    general_[num_general_++] = static_cast<std::int32_t>(size_);
    columns_[size_] = static_cast<ColumnIndex>(column);
    values_[size_++] = value;
  }

  /// Alpha doubles, at base[k] + shift.
  void add_alpha_doubles(std::span<const ColumnIndex> base, ColumnIndex shift, const double* values,
                         const ValueNumber*) {
    ColumnIndex* columns = columns_.data() + size_;
    for (std::size_t k = 0; k < base.size(); ++k) columns[k] = base[k] + shift;
    std::copy_n(values, base.size(), values_.data() + size_);
    if (is_planted(PlantedError::row_class)) {
      for (std::size_t k = 0; k < base.size(); ++k) values_[size_ + k] *= -1.0;
    }
    size_ += base.size();
  }

  /// A beta double: known not to vanish.
  void add_beta_double(std::int64_t column, const OwnLink& link, std::size_t /*place*/) {
    columns_[size_] = static_cast<ColumnIndex>(column);
    values_[size_++] = link.value;
  }

  /// Opposite-spin doubles, every element nonzero: a loop the compiler turns into gathers.
  void add_dense(std::int64_t base, std::uint32_t pair, std::uint32_t phase,
                 std::span<const SingleLink> links) {
    const double* row = tables_.row(pair);
    ColumnIndex* columns = columns_.data() + size_;
    double* values = values_.data() + size_;
    const auto first = static_cast<ColumnIndex>(base);
    const std::size_t n = links.size();
#pragma omp simd
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t code = links[k].code;
      columns[k] = first + links[k].target;
      values[k] = with_phase(row[code / 2], code ^ phase);
    }
    size_ += n;
  }

  /// Opposite-spin doubles, some elements zero: written, and kept only if they are not.
  void add_sparse(std::int64_t base, std::uint32_t pair, std::uint32_t phase,
                  std::span<const SingleLink> links) {
    const double* row = tables_.row(pair);
    const double threshold = tables_.threshold();
    ColumnIndex* columns = columns_.data();
    double* values = values_.data();
    std::size_t size = size_;
    for (const SingleLink& link : links) {
      const double value = row[link.code / 2];
      columns[size] = static_cast<ColumnIndex>(base + link.target);
      values[size] = with_phase(value, link.code ^ phase);
      size += std::abs(value) > threshold ? 1U : 0U;
    }
    size_ = size;
  }

  void finish(std::int64_t index) {
    if (is_planted(PlantedError::row_element)) plant_element(index);
    sink_.row({index, {columns_.data(), size_}, {values_.data(), size_}, {general_.data(), num_general_}});
  }

private:
  /// The wrong sign of one element of the first row, and of its mirror image.
  void plant_element(std::int64_t index) {
    constexpr ColumnIndex other = 40;
    if (index != 0 && index != other) return;
    for (std::size_t k = 0; k < size_; ++k) {
      if (columns_[k] == (index == 0 ? other : 0)) values_[k] *= -1.0;
    }
  }

  const IntegralTables& tables_;
  RowSink& sink_;
  std::vector<ColumnIndex> columns_;
  std::vector<double> values_;
  std::vector<std::int32_t> general_;
  std::size_t size_ = 0;
  std::size_t num_general_ = 0;
};

/// Writes a row as numbers of its elements, for a NumberedRowSink.
class NumberWriter {
public:
  /// @param own_numbers  of the beta strings' own excitations
  NumberWriter(const IntegralTables& tables, const IntegralNumbers& numbers,
               const Array<ValueNumber>& own_numbers, NumberedRowSink& sink)
      : tables_(tables), numbers_(numbers), own_numbers_(own_numbers), sink_(sink) {}

  void begin(std::size_t capacity) {
    if (columns_.size() < capacity) {
      columns_.resize(2 * capacity);
      codes_.resize(2 * capacity);
    }
    size_ = 0;
    general_columns_.clear();
    general_values_.clear();
  }

  void add_general(std::int64_t column, double value) {
    if (std::abs(value) <= tables_.threshold()) return;
    general_columns_.push_back(static_cast<ColumnIndex>(column));
    general_values_.push_back(value);
  }

  void add_alpha_doubles(std::span<const ColumnIndex> base, ColumnIndex shift, const double*,
                         const ValueNumber* numbers) {
    ColumnIndex* columns = columns_.data() + size_;
    for (std::size_t k = 0; k < base.size(); ++k) columns[k] = base[k] + shift;
    std::copy_n(numbers, base.size(), codes_.data() + size_);
    size_ += base.size();
  }

  void add_beta_double(std::int64_t column, const OwnLink&, std::size_t place) {
    columns_[size_] = static_cast<ColumnIndex>(column);
    codes_[size_++] = own_numbers_[place];
  }

  void add_dense(std::int64_t base, std::uint32_t pair, std::uint32_t phase,
                 std::span<const SingleLink> links) {
    const ValueNumber* row = numbers_.row(pair);
    ColumnIndex* columns = columns_.data() + size_;
    ValueNumber* codes = codes_.data() + size_;
    const auto first = static_cast<ColumnIndex>(base);
    const std::size_t n = links.size();
#pragma omp simd
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint32_t code = links[k].code;
      columns[k] = first + links[k].target;
      codes[k] = with_phase(row[code / 2], code ^ phase);
    }
    size_ += n;
  }

  void add_sparse(std::int64_t base, std::uint32_t pair, std::uint32_t phase,
                  std::span<const SingleLink> links) {
    const ValueNumber* row = numbers_.row(pair);
    ColumnIndex* columns = columns_.data();
    ValueNumber* codes = codes_.data();
    std::size_t size = size_;
    for (const SingleLink& link : links) {
      const ValueNumber number = row[link.code / 2];
      columns[size] = static_cast<ColumnIndex>(base + link.target);
      codes[size] = with_phase(number, link.code ^ phase);
      size += number != IntegralNumbers::vanishing ? 1U : 0U;
    }
    size_ = size;
  }

  void finish(std::int64_t index) {
    sink_.row({.index = index,
               .columns = {columns_.data(), size_},
               .numbers = {codes_.data(), size_},
               .general_columns = general_columns_,
               .general_values = general_values_});
  }

private:
  const IntegralTables& tables_;
  const IntegralNumbers& numbers_;
  const Array<ValueNumber>& own_numbers_;
  NumberedRowSink& sink_;
  std::vector<ColumnIndex> columns_;
  std::vector<ValueNumber> codes_;
  std::vector<ColumnIndex> general_columns_;
  std::vector<double> general_values_;
  std::size_t size_ = 0;
};

}  // namespace cisolve
