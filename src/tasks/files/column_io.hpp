// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/files/column.hpp"

// Tables of columns in files: attributes of one record, or a dataset each over many.
namespace cisolve {

template <class Record>
using Columns = std::span<const Column<std::type_identity_t<Record>>>;

template <class T>
inline constexpr bool is_list = std::is_same_v<T, std::vector<double>>;
template <class T>
inline constexpr bool is_optional = std::is_same_v<T, std::optional<double>>;

/// Calls f(column, name, pointer to member) for each.
template <class Record, class F>
void for_each_column(std::span<const Column<Record>> columns, F&& f) {
  for (const Column<Record>& column : columns) {
    std::visit([&](auto member) { f(column, std::string(column.name), member); }, column.member);
  }
}

/// An optional number that is not there is left out.
template <class Record>
void write_attributes(Hdf5Object object, const Record& record, Columns<Record> columns) {
  for_each_column(columns, [&]<class T>(const auto&, const std::string& name, T Record::*member) {
    if constexpr (is_optional<T>) {
      if (record.*member) object.write_attribute(name, *(record.*member));
    } else if constexpr (!is_list<T>) {
      object.write_attribute(name, record.*member);
    }
  });
}

template <class Record>
void read_attributes(const Hdf5Object& object, Record& record, Columns<Record> columns) {
  for_each_column(columns, [&]<class T>(const auto& column, const std::string& name, T Record::*member) {
    if ((is_optional<T> || column.may_be_absent) && !object.has_attribute(name)) return;
    if constexpr (is_optional<T>) {
      record.*member = object.read_attribute<double>(name);
    } else if constexpr (!is_list<T>) {
      record.*member = object.read_attribute<T>(name);
    }
  });
}

template <class T>
void write_values(Hdf5Group& group, const std::string& name, const std::vector<T>& values,
                  const Hdf5Shape& shape, const Hdf5Label& label) {
  if constexpr (std::is_same_v<T, std::string>) {
    group.write_strings(name, values, shape, label);
  } else {
    group.write<T>(name, values, shape, label);
  }
}

/// An array of a record, which is a dataset of its own.
template <class Record>
struct ArrayColumn {
  std::string_view name;
  std::variant<std::vector<std::int32_t> Record::*, std::vector<std::int64_t> Record::*,
               std::vector<double> Record::*, std::vector<std::string> Record::*>
      member;
  Hdf5Shape (*shape)(const Record&) = nullptr;  ///< from what stands before it; null: one extent, any
  std::string_view unit = {}, description = {};
  bool may_be_absent = false;  ///< files of earlier programs lack it
};

template <class Record>
using ArrayColumns = std::span<const ArrayColumn<std::type_identity_t<Record>>>;

template <class Record>
void write_arrays(Hdf5Group& group, const Record& record, ArrayColumns<Record> columns) {
  for (const auto& column : columns) {
    std::visit(
        [&](auto member) {
          const auto& values = record.*member;
          const Hdf5Shape shape = column.shape != nullptr ? column.shape(record) : Hdf5Shape{values.size()};
          write_values(group, std::string(column.name), values, shape,
                       {std::string(column.unit), std::string(column.description)});
        },
        column.member);
  }
}

/// @throws InputError if an array does not have the shape that belongs to the others
template <class Record>
void read_arrays(const Hdf5Group& group, Record& record, ArrayColumns<Record> columns) {
  for (const auto& column : columns) {
    const std::string name(column.name);
    // One that goes with another is there where that one is.
    const Hdf5Shape shape = column.shape != nullptr ? column.shape(record) : Hdf5Shape{0};
    const bool may_be_absent = column.may_be_absent && std::ranges::find(shape, 0U) != shape.end();
    if (may_be_absent && !group.contains(name)) continue;
    std::visit(
        [&]<class T>(std::vector<T> Record::*member) {
          if constexpr (std::is_same_v<T, std::string>) {
            record.*member = group.read_strings(name).values;
          } else {
            record.*member =
                column.shape != nullptr ? group.read<T>(name, shape) : group.read<T>(name).values;
          }
        },
        column.member);
  }
}

/// Lists of numbers, one per row, padded with NaN to the longest.
/// @param per_pair  each goes over all rows: [rows, rows, ...]
void write_lists(Hdf5Group& group, const std::string& name, const std::vector<std::vector<double>>& lists,
                 bool per_pair, const Hdf5Label& label);

/// @throws InputError if there are not so many rows
std::vector<std::vector<double>> read_lists(const Hdf5Group& group, const std::string& name,
                                            std::size_t rows);

/// Of a record that is not there.
template <class T>
T padding() {
  if constexpr (std::is_same_v<T, double>) return std::numeric_limits<double>::quiet_NaN();
  return T();
}

/// What datasets hold instead of bool and of an optional number.
template <class T>
using InDataset =
    std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, std::conditional_t<is_optional<T>, double, T>>;

/// A dataset per column: of shape `shape` where it is one value; one row per record where it is a list.
/// @param records  row-major; null: padding
template <class Record>
void write_columns(Hdf5Group& group, const std::vector<const Record*>& records, const Hdf5Shape& shape,
                   Columns<Record> columns) {
  for_each_column(columns, [&]<class T>(const auto& column, const std::string& name, T Record::*member) {
    const Hdf5Label label{std::string(column.unit), std::string(column.description)};
    std::vector<InDataset<T>> values;
    for (const Record* record : records) {
      if (record == nullptr) {
        values.push_back(padding<InDataset<T>>());
      } else if constexpr (is_optional<T>) {
        values.push_back((record->*member).value_or(padding<double>()));
      } else {
        values.push_back(record->*member);
      }
    }
    if constexpr (is_list<T>) {
      write_lists(group, name, values, column.per_pair, label);
    } else {
      write_values(group, name, values, shape, label);
    }
  });
}

template <class Record>
void write_columns(Hdf5Group& group, const std::vector<Record>& records, Columns<Record> columns) {
  std::vector<const Record*> pointers;
  for (const Record& record : records) pointers.push_back(&record);
  write_columns(group, pointers, {records.size()}, columns);
}

/// Reads what write_columns wrote: one value into each of `records`, lists with their padding.
/// @throws InputError if a dataset is absent that every file has, or of another shape
template <class Record>
void read_columns(const Hdf5Group& group, std::vector<Record>& records, const Hdf5Shape& shape,
                  Columns<Record> columns) {
  for_each_column(columns, [&]<class T>(const auto& column, const std::string& name, T Record::*member) {
    if (column.may_be_absent && !group.contains(name)) return;
    const auto assign = [&](auto&& values) {
      for (std::size_t k = 0; k < records.size(); ++k) records[k].*member = std::move(values[k]);
    };
    if constexpr (is_list<T>) {
      assign(read_lists(group, name, records.size()));
    } else if constexpr (std::is_same_v<T, std::string>) {
      assign(group.read_strings(name, shape));
    } else {
      assign(group.read<InDataset<T>>(name, shape));
    }
  });
}

}  // namespace cisolve
