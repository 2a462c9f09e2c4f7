// SPDX-License-Identifier: MIT
#include "cisolve/sparse/ranged_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/sparse/region_statistics.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "sparse/coded_source.hpp"

namespace cisolve {
namespace test_ranged_rows {

using test::CodedSource;

/// An element, by its row: column, value, and whether it is general.
using Element = std::tuple<std::int64_t, ColumnIndex, double, bool>;

/// All elements, sorted by row and column.
class TakenElements final : public RowSink, public NumberedRowSink {
public:
  explicit TakenElements(std::span<const double> magnitudes = {}) : magnitudes_(magnitudes) {}

  void row(const MatrixRow& row) override {
    EXPECT_TRUE(std::ranges::is_sorted(row.columns));
    EXPECT_TRUE(std::ranges::is_sorted(row.general));
    for (std::size_t at = 0; at < row.columns.size(); ++at)
      all.emplace_back(row.index, row.columns[at], row.values[at],
                       std::ranges::binary_search(row.general, static_cast<std::int32_t>(at)));
  }
  void row(const NumberedRow& row) override {
    EXPECT_TRUE(std::ranges::is_sorted(row.columns));
    EXPECT_TRUE(std::ranges::is_sorted(row.general_columns));
    for (std::size_t at = 0; at < row.columns.size(); ++at) {
      const double magnitude = magnitudes_[place_of(row.numbers[at])];
      all.emplace_back(row.index, row.columns[at],
                       (row.numbers[at] & negative_number) != 0 ? -magnitude : magnitude, false);
    }
    for (std::size_t at = 0; at < row.general_columns.size(); ++at)
      all.emplace_back(row.index, row.general_columns[at], row.general_values[at], true);
    std::ranges::sort(all);
  }
  std::vector<Element> all;

private:
  std::span<const double> magnitudes_;
};

std::vector<Element> elements_of(const RowSource& source) {
  TakenElements sink;
  source.fill({0, source.num_rows()}, sink);
  return sink.all;
}

/// Those of the source in some rows, with the rows numbered from there, and in a part of its columns.
std::vector<Element> expected_elements(const RowSource& source, RowRange rows, const ColumnPart& part) {
  std::vector<Element> kept;
  for (const auto& [row, column, value, is_general] : elements_of(source)) {
    const bool is_inside = column >= part.interval.first && column < part.interval.last;
    if (row >= rows.first && row < rows.last && is_inside == part.is_inside)
      kept.emplace_back(row - rows.first, column, value, is_general);
  }
  return kept;
}

/// Empty, at the ends, within, and all.
std::vector<RowRange> some_ranges(std::int64_t size) {
  return {{0, 0}, {0, 1}, {size - 1, size}, {size, size}, {size / 3, size / 2}, {7, size - 3}, {0, size}};
}

TEST(RangedRows, HaveTheElementsOfTheirRowsAndColumns) {
  const test::NumberingSource source(test::uneven_coded_source(77, 2));
  for (const RowRange& rows : some_ranges(77)) {
    for (const RowRange& columns : some_ranges(77)) {
      for (const bool is_inside : {true, false}) {
        const ColumnPart part{columns, is_inside};
        const RangedRows ranged(source, rows, part);
        ASSERT_EQ(ranged.num_rows(), rows.size());
        ASSERT_EQ(ranged.num_columns(), 77);
        const std::vector<Element> expected = expected_elements(source, rows, part);
        ASSERT_EQ(elements_of(ranged), expected);
        std::vector<std::int64_t> lengths(ranged.num_rows(), 0);
        for (const Element& element : expected) ++lengths[std::get<0>(element)];
        ASSERT_EQ(count_rows(ranged), lengths);
        const auto numbered = ranged.numbered();
        ASSERT_EQ(numbered->num_rows(), rows.size());
        ASSERT_EQ(numbered->num_columns(), 77);
        TakenElements sink(numbered->magnitudes());
        numbered->fill({0, numbered->num_rows()}, sink);
        ASSERT_EQ(sink.all, expected);
      }
    }
  }
}

TEST(RangedRows, NumberColumnsFromZeroWhereTheirPartIsAllThatThereIs) {
  const test::NumberingSource source(test::uneven_coded_source(77, 2));
  for (const RowRange& rows : some_ranges(77)) {
    const RangedRows ranged(source, rows, ColumnPart{.interval = rows, .is_inside = true, .from_zero = true});
    ASSERT_EQ(ranged.num_columns(), rows.size());
    std::vector<Element> expected = expected_elements(source, rows, {rows});
    for (Element& element : expected) std::get<1>(element) -= static_cast<ColumnIndex>(rows.first);
    ASSERT_EQ(elements_of(ranged), expected);
    const auto numbered = ranged.numbered();
    ASSERT_EQ(numbered->num_columns(), rows.size());
    TakenElements sink(numbered->magnitudes());
    numbered->fill({0, numbered->num_rows()}, sink);
    ASSERT_EQ(sink.all, expected);
  }
  EXPECT_THROW(
      RangedRows(source, {0, 9}, ColumnPart{.interval = {0, 9}, .is_inside = false, .from_zero = true}),
      DimensionError);
}

TEST(RangedRows, HaveAllColumnsUnlessTold) {
  const CodedSource source = test::uneven_coded_source(77);
  const RangedRows ranged(source, {20, 60});
  EXPECT_EQ(elements_of(ranged), expected_elements(source, {20, 60}, {{0, 77}}));
  EXPECT_EQ(count_rows(ranged), count_rows(source.part({20, 60}, 77)));
}

TEST(RangedRows, OfRangedRowsAreThoseOfTheSource) {
  const CodedSource source = test::uneven_coded_source(77);
  const RangedRows outer(source, {10, 70}, ColumnPart{{5, 50}, true});
  EXPECT_EQ(elements_of(RangedRows(outer, {10, 20}, ColumnPart{{0, 5}, false})),
            elements_of(RangedRows(source, {20, 30}, ColumnPart{{5, 50}, true})));
}

TEST(RangedRows, AreHandedOverInAnyOrder) {
  const test::NumberingSource source(test::uneven_coded_source(77));
  const RangedRows ranged(source, {30, 50}, ColumnPart{{30, 50}, false});
  const auto numbered = ranged.numbered();
  TakenElements some(numbered->magnitudes());
  const std::vector<std::int32_t> wanted = {7, 2, 19};
  numbered->fill_rows(wanted, some);
  std::vector<Element> expected = elements_of(ranged);
  std::erase_if(expected, [&](const Element& e) {
    return std::ranges::find(wanted, static_cast<std::int32_t>(std::get<0>(e))) == wanted.end();
  });
  EXPECT_EQ(some.all, expected);
}

TEST(RangedRows, HaveNoNumbersAndNoOrderWhereNoneArePossible) {
  const CodedSource source = test::uneven_coded_source(40).shuffled();
  const RangedRows ranged(source, {0, 20});
  EXPECT_EQ(ranged.numbered(), nullptr);
  EXPECT_EQ(ranged.local_order().size(), 0U);
  EXPECT_TRUE(ranged.rows_are_independent());
}

TEST(RangedRows, AreCountedByRegions) {
  const CodedSource source = test::uneven_coded_source(77);
  const RangedRows ranged(source, {30, 50});
  const RegionCounter counter(ranged, 60);  // more columns than there are rows
  EXPECT_EQ(counter.num_columns(), 77);
  elements_of(counter);
  const auto left = std::ssize(expected_elements(source, {30, 50}, {{0, 60}}));
  const auto right = std::ssize(expected_elements(source, {30, 50}, {{60, 77}}));
  EXPECT_EQ(counter.statistics().reference_nonzeros, left);
  EXPECT_EQ(counter.statistics().expansion_nonzeros, right);
}

TEST(RangedRows, OutsideTheMatrixAreRefused) {
  const CodedSource source = test::uneven_coded_source(40);
  for (const RowRange& range : {RowRange{-1, 5}, {30, 41}, {6, 5}, {41, 41}}) {
    EXPECT_THROW(RangedRows(source, range), DimensionError);
    EXPECT_THROW(RangedRows(source, {0, 5}, ColumnPart{range, true}), DimensionError);
  }
}

}  // namespace test_ranged_rows
}  // namespace cisolve
