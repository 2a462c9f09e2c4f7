// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/vectors/ranked_backend.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve::test {

/// Which rank has which rows of a vector: dealt out in turn to some of them, `empty` of the others, which come first, have
/// none.
struct Dealt {
  std::int64_t rows = 0;
  int dealt = 1;
  int empty = 0;

  int ranks() const { return dealt + empty; }
  RowMap map(int rank) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> slabs;
    for (std::int64_t row = rank - empty; rank >= empty && row < rows; row += dealt)
      slabs.emplace_back(row, 1);
    return RowMap(rows, std::move(slabs));
  }
};

template <class Scalar>
using RankedHost = RankedBackend<BasicHostBackend<Scalar>>;

/// A rank's rows of a dense matrix, with those of its metric if there is one.
template <class Scalar>
class RankedOperator : public Operator<RankedHost<Scalar>> {
public:
  using Backend = RankedHost<Scalar>;
  using ConstView = typename Backend::ConstView;
  using View = typename Backend::View;

  RankedOperator(const Backend& backend, const BasicDenseOperator<Scalar>& whole)
      : backend_(backend), whole_(whole), diagonal_(backend.allocate(local_rows(), 1)) {
    if (whole.metric() != nullptr) metric_ = std::make_unique<RankedOperator>(backend, *whole.metric());
    for (std::int64_t i = 0; i < local_rows(); ++i) diagonal_.view().data[i] = whole.matrix()(row(i), row(i));
  }
  std::int64_t size() const override { return backend_.map().rows(); }
  std::int64_t local_rows() const override { return backend_.map().local_rows(); }
  void apply(ConstView x, View y) const override {
    Dense<Scalar> all(size(), x.columns);
    for (int k = 0; k < x.columns; ++k) {
      struct Element {
        std::int64_t row;
        Scalar value;
      };
      std::vector<Element> own;
      for (std::int64_t i = 0; i < x.rows; ++i) own.push_back({row(i), x.column(k)[i]});
      for (const auto& of_rank : gather_all<Element>(backend_.ranks(), own)) {
        for (const Element& element : of_rank) all(element.row, k) = element.value;
      }
    }
    for (int k = 0; k < y.columns; ++k) {
      for (std::int64_t i = 0; i < y.rows; ++i) y.column(k)[i] = whole_.matrix().row(row(i)) * all.col(k);
    }
  }
  ConstView diagonal() const override { return std::as_const(diagonal_).view(); }
  BasicMatrix<Scalar> dense_block(std::span<const std::int64_t> indices) const override {
    return whole_.dense_block(indices);
  }
  const RankedOperator* metric() const override { return metric_.get(); }

private:
  std::int64_t row(std::int64_t local) const { return backend_.map().global(local); }

  const Backend& backend_;
  const BasicDenseOperator<Scalar>& whole_;
  typename Backend::Block diagonal_;
  std::unique_ptr<RankedOperator> metric_;
};

}  // namespace cisolve::test
