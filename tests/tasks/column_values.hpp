// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/files/column_io.hpp"

namespace cisolve::test {

/// Sets every value of a record to something of its own.
/// @param length  of lists
template <class Record>
void fill(Record& record, std::type_identity_t<std::span<const Column<Record>>> columns, int seed,
          std::size_t length) {
  for_each_column(columns, [&]<class T>(const auto&, const std::string& name, T Record::*member) {
    seed += 10;
    if constexpr (is_list<T>) {
      (record.*member).assign(length, seed / 8.0);
    } else if constexpr (std::is_same_v<T, std::string>) {
      record.*member = name + " " + std::to_string(seed);
    } else if constexpr (std::is_same_v<T, bool>) {
      record.*member = !(record.*member);
    } else {
      record.*member = static_cast<T>(seed);
    }
  });
}

/// Equal, or not a number both.
template <class Record>
void expect_same(const Record& a, const Record& b,
                 std::type_identity_t<std::span<const Column<Record>>> columns) {
  const auto same = []<class T>(const T& x, const T& y) {
    if constexpr (std::is_same_v<T, double>) return x == y || (std::isnan(x) && std::isnan(y));
    return x == y;
  };
  for_each_column(columns, [&]<class T>(const auto&, const std::string& name, T Record::*member) {
    if constexpr (is_list<T>) {
      EXPECT_TRUE(std::ranges::equal(a.*member, b.*member, same)) << name;
    } else {
      EXPECT_TRUE(same(a.*member, b.*member)) << name;
    }
  });
}

}  // namespace cisolve::test
