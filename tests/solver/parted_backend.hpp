// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/vectors/host_backend.hpp"
#include "solver/dense_operator.hpp"

namespace cisolve::test {

/// Which thread holds which rows: dealt out in turn to some of them, `empty` of the others hold none.
struct Parts {
  std::int64_t rows = 0;
  int dealt = 1;  ///< parts with rows
  int empty = 0;  ///< parts without, which come first

  int count() const { return dealt + empty; }
  int owner(std::int64_t row) const { return empty + static_cast<int>(row % dealt); }
  std::int64_t local(std::int64_t row) const { return row / dealt; }
  std::int64_t global(int part, std::int64_t row) const { return row * dealt + part - empty; }
  std::int64_t local_rows(int part) const {
    return part < empty ? 0 : (rows - (part - empty) + dealt - 1) / dealt;
  }
};

/// Where threads show each other what they have.
class Exchange {
public:
  explicit Exchange(int parts) : shown_(parts), barrier_(parts) {}

  /// Calls read(value) with the value of each part, in the order of parts, on each of them.
  template <class T, class Read>
  void show(int part, const T& value, const Read& read) {
    shown_[part] = &value;
    barrier_.arrive_and_wait();
    for (const void* shown : shown_) read(*static_cast<const T*>(shown));
    barrier_.arrive_and_wait();
  }

private:
  std::vector<const void*> shown_;
  std::barrier<> barrier_;
};

/// A backend whose vectors are distributed: each thread has one, and blocks hold the rows of its part alone.
template <class Scalar>
class PartedBackend : public BasicHostBackend<Scalar> {
  using Base = BasicHostBackend<Scalar>;

public:
  using View = typename Base::View;
  using ConstView = typename Base::ConstView;
  struct Indices {
    std::vector<std::int64_t> rows;
  };

  PartedBackend(const Parts& parts, int part, Exchange& exchange)
      : parts_(parts), part_(part), exchange_(exchange) {}

  const Parts& parts() const { return parts_; }
  int part() const { return part_; }
  std::int64_t local_rows() const { return parts_.local_rows(part_); }
  Exchange& exchange() const { return exchange_; }

  Indices make_indices(std::span<const std::int64_t> rows) const { return {{rows.begin(), rows.end()}}; }

  BasicMatrix<Scalar> gram(ConstView a, ConstView b) const { return sum(Base::gram(a, b)); }

  std::vector<double> norms(ConstView x) const {
    std::vector<double> squares(x.columns, 0.0);
    exchange_.show(part_, Base::norms(x), [&](const std::vector<double>& norms) {
      for (std::size_t k = 0; k < squares.size(); ++k) squares[k] += norms[k] * norms[k];
    });
    for (double& square : squares) square = std::sqrt(square);
    return squares;
  }

  void fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y) const {
    for (std::int64_t i = 0; i < y.rows; ++i) {
      y.data[i] = noise(parts_.global(part_, i), parts_.rows, std::real(diagonal.data[i]));
    }
  }

  std::vector<std::pair<double, std::int64_t>> lowest(ConstView x, std::int64_t count) const {
    auto own = Base::lowest(x, count);
    for (auto& [element, row] : own) row = parts_.global(part_, row);
    decltype(own) all;
    exchange_.show(part_, own, [&](const auto& found) { all.insert(all.end(), found.begin(), found.end()); });
    std::sort(all.begin(), all.end());
    all.resize(std::min(all.size(), static_cast<std::size_t>(count)));
    return all;
  }

  BasicMatrix<Scalar> gather(ConstView x, const Indices& rows) const {
    BasicMatrix<Scalar> own(static_cast<int>(rows.rows.size()), x.columns);
    for_own(rows, [&](int i, std::int64_t local) {
      for (int k = 0; k < x.columns; ++k) own(i, k) = x.column(k)[local];
    });
    return sum(own);
  }

  void scatter(const BasicMatrix<Scalar>& values, const Indices& rows, View y) const {
    for_own(rows, [&](int i, std::int64_t local) {
      for (int k = 0; k < y.columns; ++k) y.column(k)[local] = values(i, k);
    });
  }

private:
  template <class Body>
  void for_own(const Indices& rows, const Body& body) const {
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const std::int64_t row = rows.rows[i];
      if (row < 0 || row >= parts_.rows) throw DimensionError("PartedBackend: there is no such row");
      if (parts_.owner(row) == part_) body(static_cast<int>(i), parts_.local(row));
    }
  }

  BasicMatrix<Scalar> sum(const BasicMatrix<Scalar>& own) const {
    BasicMatrix<Scalar> total(own.rows(), own.columns());
    exchange_.show(part_, own, [&](const BasicMatrix<Scalar>& part) {
      for (int k = 0; k < total.columns(); ++k) {
        for (int i = 0; i < total.rows(); ++i) total(i, k) += part(i, k);
      }
    });
    return total;
  }

  Parts parts_;
  int part_;
  Exchange& exchange_;
};

/// One part's rows of a dense matrix, with those of its metric if there is one.
template <class Scalar>
class PartedOperator : public Operator<PartedBackend<Scalar>> {
public:
  using Backend = PartedBackend<Scalar>;
  using ConstView = typename Backend::ConstView;
  using View = typename Backend::View;

  PartedOperator(const Backend& backend, const BasicDenseOperator<Scalar>& whole)
      : backend_(backend), whole_(whole), diagonal_(backend.allocate(backend.local_rows(), 1)) {
    if (whole.metric() != nullptr) metric_ = std::make_unique<PartedOperator>(backend, *whole.metric());
    for (std::int64_t i = 0; i < local_rows(); ++i) diagonal_.view().data[i] = whole.matrix()(row(i), row(i));
  }
  std::int64_t size() const override { return backend_.parts().rows; }
  std::int64_t local_rows() const override { return backend_.local_rows(); }
  void apply(ConstView x, View y) const override {
    Dense<Scalar> all(size(), x.columns);
    int part = 0;
    backend_.exchange().show(backend_.part(), x, [&](const ConstView& own) {
      for (int k = 0; k < own.columns; ++k) {
        for (std::int64_t i = 0; i < own.rows; ++i)
          all(backend_.parts().global(part, i), k) = own.column(k)[i];
      }
      ++part;
    });
    for (int k = 0; k < y.columns; ++k) {
      for (std::int64_t i = 0; i < y.rows; ++i) y.column(k)[i] = whole_.matrix().row(row(i)) * all.col(k);
    }
  }
  ConstView diagonal() const override { return diagonal_.view(); }
  BasicMatrix<Scalar> dense_block(std::span<const std::int64_t> indices) const override {
    return whole_.dense_block(indices);
  }
  const PartedOperator* metric() const override { return metric_.get(); }

private:
  std::int64_t row(std::int64_t local) const { return backend_.parts().global(backend_.part(), local); }

  const Backend& backend_;
  const BasicDenseOperator<Scalar>& whole_;
  typename Backend::Block diagonal_;
  std::unique_ptr<PartedOperator> metric_;
};

/// Calls body(backend) on a thread per part.
template <class Scalar, class Body>
void on_all_parts(const Parts& parts, const Body& body) {
  Exchange exchange(parts.count());
  std::vector<std::jthread> threads;
  for (int part = 0; part < parts.count(); ++part) {
    threads.emplace_back([&, part] { body(PartedBackend<Scalar>(parts, part, exchange)); });
  }
}

}  // namespace cisolve::test
