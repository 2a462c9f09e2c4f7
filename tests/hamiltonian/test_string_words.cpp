// SPDX-License-Identifier: MIT
// The same problem with strings of one, two and four words: all that is made of it agrees to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "cisolve/analysis/csf_states.hpp"
#include "cisolve/analysis/density_matrix.hpp"
#include "cisolve/analysis/spin.hpp"
#include "cisolve/analysis/states.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/csf_model_rows.hpp"
#include "cisolve/hamiltonian/csf_rows.hpp"
#include "cisolve/hamiltonian/direct_product.hpp"
#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/model_rows.hpp"
#include "cisolve/hamiltonian/product_rows.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/hamiltonian/string_spin.hpp"
#include "cisolve/sparse/csr_matrix.hpp"
#include "cisolve/sparse/row_lengths.hpp"
#include "hamiltonian/product_spaces.hpp"
#include "vectors/random_vectors.hpp"

namespace cisolve {
namespace test_string_words {

using Shape = test::SpaceShape;

/// Places of a small problem's orbitals among those of a larger one, ascending: phases, and the order of strings and of
/// pairs of orbitals, are the same there. No electron may enter the other orbitals.
struct Places {
  std::vector<int> of;
  int num_orbitals;

  int operator[](int p) const { return of[p]; }
  int size() const { return static_cast<int>(of.size()); }

  template <int Words>
  BitString<Words> moved(const String& s) const {
    BitString<Words> result;
    s.for_each([&](int p) { result.set((*this)[p]); });
    return result;
  }
  template <int Words>
  Determinant<Words> moved(const Determinant<1>& d) const {
    return {moved<Words>(d.alpha), moved<Words>(d.beta)};
  }
  template <int Words>
  Configuration<Words> moved(const Configuration<1>& c) const {
    return {moved<Words>(c.doubly), moved<Words>(c.singly)};
  }
  template <int Words>
  BitString<Words> others() const {
    return BitString<Words>::lowest(num_orbitals) & ~moved<Words>(String::lowest(size()));
  }
};

Places same(int num_orbitals) {
  Places places{std::vector<int>(num_orbitals), num_orbitals};
  std::iota(places.of.begin(), places.of.end(), 0);
  return places;
}

/// The last three orbitals stand on both sides of the border between two words, the one before them far below.
Places across_words(int num_orbitals) {
  Places places = same(num_orbitals);
  for (int k = 1; k <= 3; ++k) places.of[num_orbitals - k] = 66 - k;
  places.num_orbitals = 66;
  return places;
}

/// Integrals among the places are those of the small problem, all others zero.
Integrals spread(const Integrals& small, const Places& places) {
  Integrals large(places.num_orbitals);
  large.core_energy = small.core_energy;
  for (int p = 0; p < places.size(); ++p) {
    large.irreps[places[p]] = small.irreps[p];
    for (int q = 0; q <= p; ++q) {
      large.h(places[p], places[q]) = small.h(p, q);
      for (int r = 0; r <= p; ++r) {
        for (int s = 0; s <= r; ++s)
          large.eri(places[p], places[q], places[r], places[s]) = small.eri(p, q, r, s);
      }
    }
  }
  return large;
}

template <int Words>
SpaceSelection<Words> spread(const SpaceSelection<1>& small, const Places& places,
                             const Integrals& integrals) {
  SpaceSelection<Words> large{.num_orbitals = places.num_orbitals,
                              .irreps = integrals.irreps,
                              .references = {},
                              .excitation_level = small.excitation_level,
                              .irrep = small.irrep,
                              .spin_complete = small.spin_complete};
  for (const auto& reference : small.references) large.references.push_back(places.moved<Words>(reference));
  if (small.max_holes)
    large.max_holes = {places.moved<Words>(small.max_holes->orbitals), small.max_holes->count};
  if (small.max_particles)
    large.max_particles = {places.moved<Words>(small.max_particles->orbitals), small.max_particles->count};
  if (places.num_orbitals > places.size()) large.max_particles = {places.others<Words>(), 0};
  return large;
}

void expect_equal(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  for (int j = 0; j < a.columns(); ++j) {
    for (int i = 0; i < a.rows(); ++i) EXPECT_EQ(a(i, j), b(i, j));
  }
}

void expect_equal(const RowSource& a, const RowSource& b) {
  const CsrMatrix x = build_csr(a, count_rows(a)), y = build_csr(b, count_rows(b));
  EXPECT_TRUE(std::ranges::equal(x.offsets, y.offsets));
  EXPECT_TRUE(std::ranges::equal(x.columns, y.columns));
  EXPECT_TRUE(std::ranges::equal(x.values, y.values));
}

/// Rows with numbers for their values, by value.
class ValueSink final : public NumberedRowSink {
public:
  explicit ValueSink(std::span<const double> magnitudes) : magnitudes_(magnitudes) {}
  void row(const NumberedRow& row) override {
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    columns.insert(columns.end(), row.general_columns.begin(), row.general_columns.end());
    for (const ValueNumber number : row.numbers)
      values.push_back(((number & negative_number) != 0 ? -1.0 : 1.0) * magnitudes_[place_of(number)]);
    values.insert(values.end(), row.general_values.begin(), row.general_values.end());
  }
  std::vector<ColumnIndex> columns;
  std::vector<double> values;

private:
  std::span<const double> magnitudes_;
};

void expect_equal_numbered(const RowSource& a, const RowSource& b) {
  const auto x = a.numbered(), y = b.numbered();
  ValueSink from_x(x->magnitudes()), from_y(y->magnitudes());
  x->fill({0, a.num_rows()}, from_x);
  y->fill({0, a.num_rows()}, from_y);
  EXPECT_EQ(from_x.columns, from_y.columns);
  EXPECT_EQ(from_x.values, from_y.values);
}

std::vector<double> multiply(const DirectProduct& h, const std::vector<double>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<double> y(x.size(), std::nan(""));
  DirectWorkspace workspace;
  h.multiply({x.data(), n, 1, n}, {y.data(), n, 1, n}, workspace);
  return y;
}

/// What is made of a space of any kind.
template <int Words>
void expect_equal(const Space<1>& small, const Space<Words>& large, const Integrals& v, const Integrals& w,
                  const Places& places) {
  const std::int64_t n = small.size();
  ASSERT_EQ(large.size(), n);
  EXPECT_EQ(large.num_references(), small.num_references());
  for (std::int64_t row = 0; row < n; ++row) {
    ASSERT_EQ(large.determinant(row), places.moved<Words>(small.determinant(row)));
    ASSERT_EQ(large.find(large.determinant(row)), row);
  }
  const std::vector<double> elements = diagonal(v, small);
  EXPECT_EQ(diagonal(w, large), elements);
  const RowMap all = RowMap::whole(small.size());
  EXPECT_EQ(average_over_configurations(large, w, all, elements),
            average_over_configurations(small, v, all, elements));
  const auto rows = choose_model_rows(small, elements, {.minimum = 5, .maximum = 30});
  EXPECT_EQ(choose_model_rows(large, elements, {.minimum = 5, .maximum = 30}), rows);
  expect_equal(dense_block(w, large, rows), dense_block(v, small, rows));
  expect_equal(SpinRowSource<Words>(large), SpinRowSource<1>(small));

  constexpr int roots = 2;
  const auto vectors = test::random_unit_vectors(n, roots, 3);
  expect_equal(SpinExpectation<Words>(large)(vectors, roots), SpinExpectation<1>(small)(vectors, roots));
  auto of_small = vectors, of_large = vectors;
  const std::vector<double> energies = {-1.0, -1.0};  // a cluster
  const auto labels = label_states(small, v.irreps, energies, of_small, {});
  const auto found = label_states(large, w.irreps, energies, of_large, {});
  EXPECT_EQ(of_large, of_small);
  for (std::size_t k = 0; k < roots; ++k) {
    EXPECT_EQ(found[k].s_squared, labels[k].s_squared);
    EXPECT_EQ(found[k].irrep, labels[k].irrep);
  }
  const DensityMatrices expected = density_matrices(small, std::span<const int>(v.irreps), vectors, roots);
  const DensityMatrices densities = density_matrices(large, std::span<const int>(w.irreps), vectors, roots);
  for (int p = 0; p < places.size(); ++p) {
    for (int q = 0; q < places.size(); ++q)
      EXPECT_EQ(densities(0, 1)(places[p], places[q]), expected(0, 1)(p, q));
  }
}

template <int Words>
void expect_equal_products(const SpaceSelection<1>& selection, const Integrals& v, const Places& places) {
  const Integrals w = spread(v, places);
  const IntegralTables tables(v, 0.0), wide_tables(w, 0.0);
  const ProductSpace<1> small(selection);
  const ProductSpace<Words> large(spread<Words>(selection, places, w));
  expect_equal<Words>(small, large, v, w, places);
  const ProductRowSource rows(small, tables), wide_rows(large, wide_tables);
  expect_equal(wide_rows, rows);
  expect_equal_numbered(wide_rows, rows);
  if (places.num_orbitals == selection.num_orbitals) {
    EXPECT_TRUE(std::ranges::equal(wide_rows.local_order(), rows.local_order()));
  }
  const auto x = test::random_vector(small.size(), 7);
  const auto elements = string_diagonal(small, tables);
  EXPECT_TRUE(std::ranges::equal(string_diagonal(large, wide_tables), elements));
  EXPECT_EQ(multiply(DirectProduct(large, wide_tables, elements), x),
            multiply(DirectProduct(small, tables, elements), x));
  std::vector<double> y(x.size()), z(x.size());
  StringSpin(small).multiply(x, y);
  StringSpin(large).multiply(x, z);
  EXPECT_EQ(z, y);
  EXPECT_EQ(parity_dimension(large, SpinParity::even), parity_dimension(small, SpinParity::even));

  std::vector<Determinant<1>> determinants(small.size());
  small.enumerate(0, determinants);
  std::mt19937_64 engine(3);
  std::shuffle(determinants.begin(), determinants.end(), engine);
  determinants.resize((2 * determinants.size() + 2) / 3);
  std::vector<Determinant<Words>> moved;
  for (const auto& d : determinants) moved.push_back(places.moved<Words>(d));
  const ListSpace<1> list(determinants, selection.num_orbitals, selection.irrep, 1, {});
  const ListSpace<Words> wide_list(moved, places.num_orbitals, selection.irrep, 1, {});
  expect_equal<Words>(list, wide_list, v, w, places);
  const ListRowSource list_rows(list, tables), wide_list_rows(wide_list, wide_tables);
  expect_equal(wide_list_rows, list_rows);
  expect_equal_numbered(wide_list_rows, list_rows);
  if (places.num_orbitals == selection.num_orbitals) {
    EXPECT_TRUE(std::ranges::equal(wide_list_rows.local_order(), list_rows.local_order()));
  }
}

class StringWords : public testing::TestWithParam<Shape> {};

TEST_P(StringWords, MakeNoDifference) {
  const Integrals v = GetParam().integrals();
  const auto selection = GetParam().selection(v);
  EXPECT_EQ(ProductSpace<1>(with_words<1>(with_words<4>(selection))).fingerprint(),
            ProductSpace<1>(selection).fingerprint());
  expect_equal_products<2>(selection, v, same(selection.num_orbitals));
  expect_equal_products<4>(selection, v, same(selection.num_orbitals));
  if (!selection.max_particles) expect_equal_products<2>(selection, v, across_words(selection.num_orbitals));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, StringWords,
    testing::Values(
        Shape{.orbitals = 6, .alpha = 3, .beta = 3, .num_irreps = 2},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 2, .num_irreps = 4},
        Shape{.orbitals = 7, .alpha = 4, .beta = 2, .level = 3, .irrep = 1, .num_irreps = 4, .zeros = 0.2},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .irrep = 0, .num_irreps = 4, .holes = {2, 1}},
        Shape{.orbitals = 7, .alpha = 3, .beta = 3, .holes = {2, 1}, .particles = {3, 2}}));

/// Several references: blocks that are found, and a list.
TEST(StringWordsOfLists, MakeNoDifference) {
  const Shape shape{.orbitals = 7, .alpha = 3, .beta = 3, .level = 1, .num_irreps = 2};
  const Integrals v = shape.integrals();
  auto selection = shape.selection(v);
  const auto closed = selection.references[0];
  selection.references.push_back({closed.alpha.moved(2, 3), closed.beta.moved(2, 3)});
  selection.references.push_back({closed.alpha.moved(2, 4), closed.beta});
  for (const bool spin_complete : {false, true}) {
    selection.spin_complete = spin_complete;
    for (const Places& places : {same(7), across_words(7)}) {
      const Integrals w = spread(v, places);
      const auto wide = spread<2>(selection, places, w);
      const auto small = make_space(selection);
      const auto large = make_space(wide);
      EXPECT_EQ(count_listed(wide), count_listed(selection));
      expect_equal<2>(*small, *large, v, w, places);
    }
  }
}

TEST(StringWordsOfCsfs, MakeNoDifference) {
  const Integrals v = random_integrals(7, 2, 0.0, 23);
  const Places narrow = same(7), across = across_words(7);
  for (const Places& places : {narrow, across}) {
    const Integrals w = spread(v, places);
    const IntegralTables tables(v, 0.0), wide_tables(w, 0.0);
    const Configuration<1> reference{String::lowest(2), String::lowest(4) & ~String::lowest(2)};
    const ConfigurationSpace<1> small({.num_orbitals = 7,
                                       .irreps = v.irreps,
                                       .references = {reference},
                                       .excitation_level = 3,
                                       .irrep = 0,
                                       .two_s = 2});
    ConfigurationSelection<2> selection{.num_orbitals = places.num_orbitals,
                                        .irreps = w.irreps,
                                        .references = {places.moved<2>(reference)},
                                        .excitation_level = 3,
                                        .irrep = 0,
                                        .two_s = 2};
    if (places.num_orbitals > 7)
      selection.bounds.push_back({.orbitals = places.others<2>(), .fewest = 0, .most = 0});
    const ConfigurationSpace<2> large(selection);
    ASSERT_EQ(large.size(), small.size());
    const auto h = std::make_shared<CsfHamiltonian<1>>(small, tables);
    const auto wide = std::make_shared<CsfHamiltonian<2>>(large, wide_tables);
    expect_equal(CsfRowSource<2>(wide), CsfRowSource<1>(h));
    EXPECT_EQ(wide->diagonal(), h->diagonal());
    const auto rows = choose_model_csfs(small, h->diagonal(), {.minimum = 10});
    EXPECT_EQ(choose_model_csfs(large, h->diagonal(), {.minimum = 10}), rows);
    expect_equal(wide->dense_block(rows), h->dense_block(rows));

    const auto vector = test::random_vector(small.size(), 5);
    const auto expanded = expand_in_determinants<1>(small, vector);
    const auto of_large = expand_in_determinants<2>(large, vector);
    EXPECT_EQ(of_large.coefficients, expanded.coefficients);
    EXPECT_EQ(project_on_csfs<2>(large, of_large.determinants, of_large.coefficients),
              project_on_csfs<1>(small, expanded.determinants, expanded.coefficients));
  }
}

TEST(StringWordsOfOrbitals, AreAsFewAsHoldThem) {
  const auto words = [](int orbitals) {
    return with_string_words(orbitals, []<int Words>() { return Words; });
  };
  EXPECT_EQ(words(1), 1);
  EXPECT_EQ(words(64), 1);
  EXPECT_EQ(words(65), 2);
  EXPECT_EQ(words(128), 2);
  EXPECT_EQ(words(129), 4);
  EXPECT_EQ(words(256), 4);
  EXPECT_THROW(words(257), DimensionError);
}

}  // namespace test_string_words
}  // namespace cisolve
