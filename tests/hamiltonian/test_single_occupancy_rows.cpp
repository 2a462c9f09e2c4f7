// SPDX-License-Identifier: MIT
// Rows of the t-J model beside the definition of matrix elements, a list's rows, and energies of another program.
#include "cisolve/hamiltonian/single_occupancy_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/list_rows.hpp"
#include "cisolve/hamiltonian/row_source.hpp"
#include "cisolve/hamiltonian/slater_condon.hpp"
#include "cisolve/hamiltonian/spin_rows.hpp"
#include "cisolve/sparse/coded_matrix.hpp"
#include "cisolve/sparse/numbered_rows.hpp"
#include "core/symmetric_eigenpairs.hpp"
#include "hamiltonian/random_integrals.hpp"

namespace cisolve {
namespace test_single_occupancy_rows {

using Eigen::MatrixXd;

SingleOccupancySpace<1> space_of(int sites, int alpha, int beta) {
  return SingleOccupancySpace<1>({.num_orbitals = sites,
                                  .irreps = std::vector<int>(static_cast<std::size_t>(sites), 0),
                                  .references = {{String::lowest(alpha), String::lowest(beta)}},
                                  .single_occupancy = true});
}

/// The same determinants in the same order, listed.
ListSpace<1> list_of(const Space<1>& space) {
  std::vector<Determinant<1>> all(static_cast<std::size_t>(space.size()));
  space.enumerate(0, all);
  return ListSpace<1>(std::move(all), space.num_orbitals(), any_irrep, space.size(), {space.size()});
}

/// Rows as a dense matrix; checks their form on the way.
class DenseSink final : public RowSink {
public:
  explicit DenseSink(std::int64_t size) : matrix(MatrixXd::Zero(size, size)), lengths(size, -1) {}

  void row(const MatrixRow& row) override {
    ASSERT_EQ(row.columns.size(), row.values.size());
    lengths[row.index] = std::ssize(row.columns);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      ASSERT_TRUE(k == 0 || row.columns[k - 1] < row.columns[k]);
      EXPECT_NE(row.values[k], 0.0);
      matrix(row.index, row.columns[k]) = row.values[k];
    }
    ASSERT_EQ(row.general.size(), matrix(row.index, row.index) != 0.0 ? 1U : 0U);
    for (const std::int32_t place : row.general) EXPECT_EQ(row.columns[place], row.index);
  }

  MatrixXd matrix;
  std::vector<std::int64_t> lengths;
};

/// Of any matrix.
class PlainSink final : public RowSink {
public:
  explicit PlainSink(std::int64_t size) : matrix(MatrixXd::Zero(size, size)) {}
  void row(const MatrixRow& row) override {
    for (std::size_t k = 0; k < row.columns.size(); ++k) matrix(row.index, row.columns[k]) = row.values[k];
  }
  MatrixXd matrix;
};

DenseSink rows_of(const RowSource& source) {
  DenseSink sink(source.num_rows());
  const std::int64_t middle = source.num_rows() / 3;
  source.fill({middle, source.num_rows()}, sink);  // any range, any order
  source.fill({0, middle}, sink);
  return sink;
}

/// Numbered rows as a dense matrix again.
class DecodingSink final : public NumberedRowSink {
public:
  DecodingSink(std::int64_t n, std::span<const double> magnitudes)
      : matrix(MatrixXd::Zero(n, n)), magnitudes_(magnitudes) {}

  void row(const NumberedRow& row) override {
    EXPECT_TRUE(std::ranges::is_sorted(row.columns));
    ASSERT_EQ(row.columns.size(), row.numbers.size());
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const double magnitude = magnitudes_[place_of(row.numbers[k])];
      matrix(row.index, row.columns[k]) += (row.numbers[k] & negative_number) != 0 ? -magnitude : magnitude;
    }
    ASSERT_EQ(row.general_columns.size(), row.general_values.size());
    for (std::size_t k = 0; k < row.general_columns.size(); ++k) {
      EXPECT_EQ(row.general_columns[k], row.index);
      matrix(row.index, row.index) += row.general_values[k];
    }
  }

  MatrixXd matrix;

private:
  std::span<const double> magnitudes_;
};

/// Sites counted from 0, energies in hartree; strengths of bonds that coincide add up.
struct Link {
  int i, j;
  double t = 1.0, exchange = 0.0, charge = 0.0;
};

/// H = -sum t (c+_i c_j + h.c.) + sum J (S_i S_j - n_i n_j / 4) + sum V n_i n_j, in which S_i S_j - n_i n_j / 4 is the exchange
/// integral -1/2 and the Coulomb integral -1/2.
Integrals tj_integrals(int sites, const std::vector<Link>& links) {
  Integrals v(sites);
  for (const Link& link : links) {
    v.h(link.i, link.j) -= link.t;
    v.eri(link.i, link.j, link.i, link.j) -= link.exchange / 2;
    v.eri(link.i, link.i, link.j, link.j) += link.charge - link.exchange / 2;
  }
  return v;
}

/// Every third bond of a random graph at random strength, on-site energies, and (pp|pp), which never matters here.
Integrals random_lattice(int sites, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution is_there(0.6);
  Integrals v(sites);
  v.core_energy = 0.7;
  for (int p = 0; p < sites; ++p) {
    v.h(p, p) = normal(engine);
    v.eri(p, p, p, p) = 4.0;
    for (int q = 0; q < p; ++q) {
      if (is_there(engine)) v.h(p, q) = normal(engine);
      if (is_there(engine)) v.eri(p, q, p, q) = normal(engine);
      if (is_there(engine)) v.eri(p, p, q, q) = normal(engine);
    }
  }
  return v;
}

std::vector<Link> ring(int sites, double t_around, double exchange) {
  std::vector<Link> links;
  for (int p = 0; p + 1 < sites; ++p) links.push_back({p, p + 1, 1.0, exchange});
  links.push_back({sites - 1, 0, t_around, exchange});
  return links;
}

/// All that a row source says, beside the definition and a list's rows.
void expect_rows(const Integrals& integrals, int alpha, int beta, double threshold = 0.0) {
  const auto space = space_of(integrals.num_orbitals, alpha, beta);
  const IntegralTables tables(integrals, threshold);
  const SingleOccupancyRows source(*space.as_single_occupancy(), tables);
  const std::int64_t n = space.size();
  ASSERT_EQ(source.num_rows(), n);
  const DenseSink rows = rows_of(source);

  const ListSpace<1> list = list_of(space);
  PlainSink expected(n);
  const auto of_list = make_row_source<1>(list, tables);
  of_list->fill({0, n}, expected);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(n));
  of_list->count({0, n}, lengths);
  EXPECT_EQ(rows.lengths, lengths);
  EXPECT_TRUE(rows.matrix == expected.matrix);  // the same terms are added in the same order
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double element = matrix_element(integrals, space.determinant(i), space.determinant(j));
      // Sums of 20 terms of a few hartree, in whatever order: 1e-14.
      ASSERT_NEAR(rows.matrix(i, j), std::abs(element) > threshold ? element : 0.0, 1e-13) << i << ' ' << j;
    }
  }

  std::ranges::fill(lengths, -1);
  source.count({n / 4, n}, std::span(lengths).subspan(static_cast<std::size_t>(n / 4)));
  source.count({0, n / 4}, std::span(lengths).first(static_cast<std::size_t>(n / 4)));
  EXPECT_EQ(lengths, rows.lengths);
  DenseSink lower(n);
  source.fill_lower({0, n}, lower);
  EXPECT_TRUE(lower.matrix == MatrixXd(rows.matrix.triangularView<Eigen::Lower>()));

  const auto numbered = source.numbered();
  ASSERT_NE(numbered, nullptr);
  ASSERT_EQ(numbered->num_rows(), n);
  const auto magnitudes = numbered->magnitudes();
  for (std::size_t k = 0; k < magnitudes.size(); ++k)
    EXPECT_GT(magnitudes[k], k == 0 ? threshold : magnitudes[k - 1]);
  DecodingSink decoded(n, magnitudes), in_any_order(n, magnitudes);
  numbered->fill({n / 2, n}, decoded);
  numbered->fill({0, n / 2}, decoded);
  EXPECT_TRUE(decoded.matrix == rows.matrix);
  std::vector<std::int32_t> all(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
  std::ranges::shuffle(all, std::mt19937_64(1));
  numbered->fill_rows(all, in_any_order);
  EXPECT_TRUE(in_any_order.matrix == rows.matrix);
}

TEST(SingleOccupancyRows, OfARingAreTheDefinition) {
  for (const double around : {1.0, -1.0}) {
    const Integrals integrals = tj_integrals(6, ring(6, around, 0.3));
    for (const auto& [alpha, beta] : {std::pair(2, 2), std::pair(3, 3), std::pair(3, 2), std::pair(2, 3),
                                      std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(0, 0),
                                      std::pair(6, 0), std::pair(0, 6), std::pair(5, 1)})
      expect_rows(integrals, alpha, beta);
  }
}

TEST(SingleOccupancyRows, OfARandomGraphAreTheDefinition) {
  for (const auto& [alpha, beta] : {std::pair(3, 2), std::pair(2, 4), std::pair(4, 3), std::pair(1, 0)}) {
    for (const unsigned seed : {1U, 2U}) expect_rows(random_lattice(7, seed), alpha, beta);
  }
}

TEST(SingleOccupancyRows, LeaveOutWhatIsBelowTheThreshold) {
  for (const double threshold : {0.3, 1.0, 100.0}) expect_rows(random_lattice(6, 4), 2, 2, threshold);
  Integrals integrals = tj_integrals(6, ring(6, 1.0, 0.0));  // the diagonal vanishes
  expect_rows(integrals, 2, 2);
  integrals = tj_integrals(6, {{0, 1, 0.0, 0.5}, {2, 5, 0.0, 0.25}, {1, 3, 0.0, 0.0, 0.25}});  // no hopping
  expect_rows(integrals, 2, 3);
  integrals = tj_integrals(6, {{0, 1, 1.0, 0.5}, {2, 3, 1.0, 0.25}});
  expect_rows(integrals, 2, 2, 0.125);  // exactly the lesser exchange, which does not exceed it
}

TEST(SingleOccupancyRows, AreThoseOfMakeRowSourceForLatticeIntegrals) {
  const auto space = space_of(5, 2, 2);
  const Integrals lattice = random_lattice(5, 9);
  const IntegralTables of_lattice(lattice, 0.0);
  EXPECT_TRUE(are_lattice_integrals(of_lattice));
  EXPECT_NE(dynamic_cast<const SingleOccupancyRows*>(make_row_source<1>(space, of_lattice).get()), nullptr);

  const auto expect_others = [&](const Integrals& integrals) {
    const IntegralTables tables(integrals, 0.0);
    EXPECT_FALSE(are_lattice_integrals(tables));
    EXPECT_THROW(SingleOccupancyRows(*space.as_single_occupancy(), tables), DimensionError);
    const auto source = make_row_source<1>(space, tables);
    EXPECT_NE(dynamic_cast<const ListRowSource*>(source.get()), nullptr);
    const IntegralTables same(integrals, 0.0);
    const ListSpace<1> list = list_of(space);
    const auto expected = make_row_source<1>(list, same);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(space.size())), others(lengths.size());
    source->count({0, space.size()}, lengths);
    expected->count({0, space.size()}, others);
    EXPECT_EQ(lengths, others);
  };
  expect_others(random_integrals(5, 1, 0.3, 2));
  expect_others(random_unrestricted_integrals(5, 1, 0.0, 2));
  for (const auto& [p, q, r, s] : {std::array{1, 0, 2, 2}, std::array{1, 0, 1, 1}, std::array{1, 0, 3, 2},
                                   std::array{2, 0, 2, 1}, std::array{4, 4, 4, 3}}) {
    Integrals more = lattice;
    more.eri(p, q, r, s) = 1e-300;
    expect_others(more);
  }
}

TEST(SingleOccupancyRows, RefuseWhatDoesNotBelongTogether) {
  const Integrals integrals = tj_integrals(6, ring(6, 1.0, 0.3));
  const IntegralTables tables(integrals, 0.0);
  EXPECT_THROW(SingleOccupancyRows(*space_of(5, 2, 2).as_single_occupancy(), tables), DimensionError);
  const Integrals large = tj_integrals(32, ring(32, 1.0, 0.3));
  const auto too_many = space_of(32, 8, 8);
  EXPECT_THROW(SingleOccupancyRows(*too_many.as_single_occupancy(), IntegralTables(large, 0.0)),
               DimensionError);
}

/// The number of sites is the most that a string has; elements by the definition, as the space is too large for a list.
TEST(SingleOccupancyRows, HaveUpTo64Sites) {
  std::vector<Link> links = ring(64, -1.0, 0.4);
  for (int p = 0; p < 56; ++p) links.push_back({p, p + 8, 0.5, 0.2, 0.1});
  const Integrals integrals = tj_integrals(64, links);
  const IntegralTables tables(integrals, 0.0);
  for (const auto& [alpha, beta] : {std::pair(2, 1), std::pair(1, 2), std::pair(63, 1), std::pair(62, 1)}) {
    const auto space = space_of(64, alpha, beta);
    const SingleOccupancyRows source(*space.as_single_occupancy(), tables);
    struct Sink final : RowSink {
      explicit Sink(const Integrals& of, const Space<1>& over) : integrals(of), space(over) {}
      void row(const MatrixRow& row) override {
        const auto bra = space.determinant(row.index);
        for (std::size_t k = 0; k < row.columns.size(); ++k) {
          const auto ket = space.determinant(row.columns[k]);
          ASSERT_NEAR(row.values[k], matrix_element(integrals, bra, ket), 1e-12);
        }
        length = std::ssize(row.columns);
        // As many as the bonds that join unlike sites, and the diagonal if electrons are side by side.
        std::int64_t expected = 0;
        for (int p = 0; p < 64; ++p) {
          for (int q = 0; q < p; ++q) {
            const bool is_bond = integrals.h(p, q) != 0.0;
            const int at_p = bra.alpha.test(p) ? 1 : bra.beta.test(p) ? 2 : 0;
            const int at_q = bra.alpha.test(q) ? 1 : bra.beta.test(q) ? 2 : 0;
            expected += is_bond && at_p != at_q ? 1 : 0;
          }
        }
        if (matrix_element(integrals, bra, bra) != 0.0) ++expected;
        EXPECT_EQ(length, expected);
      }
      const Integrals& integrals;
      const Space<1>& space;
      std::int64_t length = 0;
    } sink(integrals, space);
    for (const std::int64_t row : {std::int64_t{0}, space.size() / 3, space.size() / 2, space.size() - 1}) {
      source.fill({row, row + 1}, sink);
      std::int64_t length = 0;
      source.count({row, row + 1}, {&length, 1});
      EXPECT_EQ(length, sink.length);
    }
  }
}

TEST(SingleOccupancyRows, CommuteWithTotalSpin) {
  const auto space = space_of(6, 3, 2);
  const ListSpace<1> list = list_of(space);
  PlainSink s_squared(space.size()), of_list(space.size());
  SpinRowSource<1>(space).fill({0, space.size()}, s_squared);
  SpinRowSource<1>(list).fill({0, space.size()}, of_list);
  EXPECT_TRUE(s_squared.matrix == of_list.matrix);
  const Integrals integrals = random_lattice(6, 8);
  const IntegralTables tables(integrals, 0.0);
  const DenseSink h = rows_of(*make_row_source<1>(space, tables));
  const MatrixXd commutator = h.matrix * s_squared.matrix - s_squared.matrix * h.matrix;
  EXPECT_LT(commutator.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SingleOccupancyRows, AreWhatACodedMatrixIsMadeOf) {
  const auto space = space_of(8, 3, 3);
  const Integrals integrals = random_lattice(8, 5);
  const IntegralTables tables(integrals, 0.0);
  const SingleOccupancyRows source(*space.as_single_occupancy(), tables);
  const std::int64_t n = space.size();
  const CodedMatrix coded = build_coded(source);
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal;
  std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
  for (double& element : x) element = normal(engine);
  spmv(coded, {x.data(), n, 1, n}, {y.data(), n, 1, n});
  const Eigen::VectorXd expected = rows_of(source).matrix * Eigen::Map<const Eigen::VectorXd>(x.data(), n);
  // 60 products of a few hartree each
  EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(y.data(), n) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

struct KnownEnergy {
  const char* name;
  int sites, alpha, beta;
  std::vector<Link> links;
  std::int64_t nonzeros;
  std::vector<double> energies;
};

/// Bonds that are all alike, t = 1, by their sites in turn.
std::vector<Link> alike(double exchange, const std::vector<int>& sites) {
  std::vector<Link> links;
  for (std::size_t k = 0; k < sites.size(); k += 2) links.push_back({sites[k], sites[k + 1], 1.0, exchange});
  return links;
}

/// Exact diagonalisation by a program of its own (scipy, sparse matrices by operators); t = 1, energies in units of it.
std::vector<KnownEnergy> known_energies() {
  const std::vector<Link> graph{{0, 1, 1.0, 0.4},        {1, 2, 0.8, 0.5}, {2, 0, -0.6, 0.2},    {2, 3, 1.2},
                                {3, 4, 0.0, 0.7, -0.25}, {4, 5, 0.9, 0.3}, {5, 1, 0.0, 0.0, 0.3}};
  const auto open_2_by_3 = alike(0.3, {0, 1, 0, 2, 1, 3, 2, 3, 2, 4, 3, 5, 4, 5});
  const auto tilted_8 = alike(
      0.3, {0, 1, 0, 4, 1, 2, 1, 5, 2, 3, 2, 6, 3, 0, 3, 7, 4, 5, 4, 2, 5, 6, 5, 3, 6, 7, 6, 0, 7, 4, 7, 1});
  std::vector<Link> tilted_10;  // spanned by (3, 1) and (-1, 3)
  for (int p = 0; p < 10; ++p)
    tilted_10.insert(tilted_10.end(), {{p, (p + 1) % 10, 1.0, 0.3}, {p, (p + 7) % 10, 1.0, 0.3}});
  return {{"graph", 6, 2, 2, graph, 446, {-3.2653801936456675, -3.093528309290453, -2.889416630211834}},
          {"open", 6, 2, 2, open_2_by_3, 592, {-4.087023395390233, -3.992881082729452, -3.7278264073252063}},
          {"tilted", 8, 3, 3, tilted_8, 7280, {-5.651275344234395, -5.651275344234395, -5.651275344234395}},
          {"full", 10, 5, 5, tilted_10, 3052, {-3.6900204216173575, -3.439230484541326, -2.937386354243376}}};
}

MatrixXd hamiltonian_of(const KnownEnergy& known) {
  const auto space = space_of(known.sites, known.alpha, known.beta);
  const Integrals integrals = tj_integrals(known.sites, known.links);
  const IntegralTables tables(integrals, 0.0);
  return rows_of(*make_row_source<1>(space, tables)).matrix;
}

TEST(SingleOccupancyRows, HaveTheEnergiesOfAnotherProgram) {
  for (const KnownEnergy& known : known_energies()) {
    const MatrixXd h = hamiltonian_of(known);
    const Eigen::VectorXd energies = symmetric_eigenvalues(h);
    for (std::size_t k = 0; k < known.energies.size(); ++k)
      EXPECT_NEAR(energies[static_cast<Eigen::Index>(k)], known.energies[k], 1e-12) << known.name;
    EXPECT_EQ((h.array() != 0.0).count(), known.nonzeros) << known.name;
  }
}

}  // namespace test_single_occupancy_rows
}  // namespace cisolve
