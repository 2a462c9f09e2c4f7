// SPDX-License-Identifier: MIT
#include "cisolve/selection/list_hamiltonian.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/sparse/row_lengths.hpp"

namespace cisolve {
namespace {

/// Takes a row to its products.
class RowProducts final : public RowSink {
public:
  RowProducts(ConstHostView x, HostView y, ProductUpdate update) : x_(x), y_(y), update_(update) {}

  void row(const MatrixRow& row) override {
    for (int k = 0; k < x_.columns; ++k) {
      const double* x = x_.column(k);
      double sum = 0.0;
      for (std::size_t e = 0; e < row.columns.size(); ++e) sum += row.values[e] * x[row.columns[e]];
      double& element = y_.column(k)[row.index];
      element = update_ == ProductUpdate::add ? element + sum : sum;
    }
  }

private:
  ConstHostView x_;
  HostView y_;
  ProductUpdate update_;
};

}  // namespace

template <int Words>
ListHamiltonian<Words>::ListHamiltonian(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                                        const SameSpinMoves& beta_moves,
                                        std::span<const Determinant<Words>> determinants,
                                        std::function<std::unique_ptr<RowSource>()> make_rows)
    : tables_(tables), alpha_moves_(alpha_moves), beta_moves_(beta_moves), determinants_(determinants),
      make_rows_(std::move(make_rows)) {}

template <int Words>
const RowSource& ListHamiltonian<Words>::rows() const {
  std::call_once(rows_made_, [&] { rows_ = make_rows_(); });
  if (rows_->num_rows() != num_rows())
    throw DimensionError("ListHamiltonian: the rows are not those of the list");
  return *rows_;
}

template <int Words>
std::int64_t ListHamiltonian<Words>::num_nonzeros() const {
  if (nonzeros_ < 0) {
    const std::vector<std::int64_t> lengths = count_rows(rows(), {});
    nonzeros_ = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
  return nonzeros_;
}

template <int Words>
void ListHamiltonian<Words>::multiply_rows(RowRange range, ConstHostView x, HostView y,
                                           ProductUpdate update) const {
  RowProducts products(x, y, update);
  rows().fill(range, products);
}

template <int Words>
void ListHamiltonian<Words>::multiply(ConstHostView x, HostView y, SpmvWorkspace&,
                                      ProductUpdate update) const {
  if (x.rows != num_rows() || y.rows != num_rows() || x.columns != y.columns)
    throw DimensionError("ListHamiltonian: shapes disagree");
  constexpr std::int64_t chunk = 512;
  parallel_for((num_rows() + chunk - 1) / chunk, 1, [&](std::int64_t c) {
    multiply_rows({c * chunk, std::min((c + 1) * chunk, num_rows())}, x, y, update);
  });
}

template <int Words>
void ListHamiltonian<Words>::multiply_plainly(ConstHostView x, HostView y) const {
  if (x.rows != num_rows() || y.rows != num_rows() || x.columns != y.columns)
    throw DimensionError("ListHamiltonian: shapes disagree");
  multiply_rows({0, num_rows()}, x, y, ProductUpdate::assign);
}

#define INSTANTIATE(W) template class ListHamiltonian<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve
