// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/ranks/communicator.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/vectors/vector_backend.hpp"

namespace cisolve {

/// Vector blocks whose rows are shared out among ranks: a block has the rows of its rank, in the memory of a backend that
/// knows nothing of others. The contract of each member is that of VectorBackend; all ranks make the same calls.
///
/// What is summed over rows is first summed by each rank as `Base` does, then in the order of ranks. So results depend on
/// how many ranks there are, and not on what they are or how they are connected.
/// @tparam Base  a backend all of whose rows are local
template <class Base>
class RankedBackend {
public:
  static constexpr Memory memory = Base::memory;
  using Scalar = typename Base::Scalar;
  using View = typename Base::View;
  using ConstView = typename Base::ConstView;
  using Block = typename Base::Block;

  /// Rows that every rank has been told, and which of them are its own.
  class Indices {
  private:
    friend class RankedBackend;
    int count_ = 0;
    std::vector<int> own_;  ///< places in the list
    typename Base::Indices local_;
  };

  /// @param ranks  all that share the vectors; must outlive this object, as must `map`
  /// @param map    rows of this rank
  /// @param base   what `Base` is made from
  template <class... Arguments>
  RankedBackend(const Communicator& ranks, const RowMap& map, Arguments&&... base)
      : base_(std::forward<Arguments>(base)...), ranks_(ranks), map_(map) {}

  const Base& base() const noexcept { return base_; }
  const Communicator& ranks() const noexcept { return ranks_; }
  const RowMap& map() const noexcept { return map_; }

  Block allocate(std::int64_t rows, int columns) const { return base_.allocate(rows, columns); }

  Indices make_indices(std::span<const std::int64_t> rows) const {
    Indices result;
    result.count_ = static_cast<int>(rows.size());
    std::vector<std::int64_t> local;
    for (int k = 0; k < result.count_; ++k) {
      if (rows[k] < 0 || rows[k] >= map_.rows()) throw DimensionError("RankedBackend: there is no such row");
      const std::optional<std::int64_t> own = map_.local(rows[k]);
      if (!own) continue;
      result.own_.push_back(k);
      local.push_back(*own);
    }
    result.local_ = base_.make_indices(local);
    return result;
  }

  void fill(View y, Scalar value) const { base_.fill(y, value); }
  void copy(ConstView x, View y) const { base_.copy(x, y); }
  void from_host(std::span<const Scalar> host, View y) const { base_.from_host(host, y); }
  void to_host(ConstView x, std::span<Scalar> host) const { base_.to_host(x, host); }
  void combine(ConstView a, const BasicMatrix<Scalar>& s, double beta, View y) const {
    base_.combine(a, s, beta, y);
  }
  void scale(View x, std::span<const double> factors) const { base_.scale(x, factors); }
  void divide_by_shifted_diagonal(ConstView diagonal, std::span<const double> shifts, double floor,
                                  View y) const {
    base_.divide_by_shifted_diagonal(diagonal, shifts, floor, y);
  }

  BasicMatrix<Scalar> gram(ConstView a, ConstView b) const { return total(base_.gram(a, b)); }

  std::vector<double> norms(ConstView x) const {
    std::vector<double> values = base_.norms(x);
    for (double& value : values) value *= value;
    sum(ranks_, values);
    for (double& value : values) value = std::sqrt(value);
    return values;
  }

  void fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y) const {
    base_.fill_with_noise(noise, diagonal, y, map_);
  }

  std::vector<std::pair<double, std::int64_t>> lowest(ConstView x, std::int64_t count) const {
    struct Element {
      double value;
      std::int64_t row;
    };
    std::vector<Element> own;
    for (const auto& [value, row] : base_.lowest(x, count)) own.push_back({value, map_.global(row)});
    std::vector<std::pair<double, std::int64_t>> all;
    for (const auto& of_rank : gather_all<Element>(ranks_, own)) {
      for (const Element& one : of_rank) all.emplace_back(one.value, one.row);
    }
    std::ranges::sort(all);
    all.resize(std::min(all.size(), static_cast<std::size_t>(std::max<std::int64_t>(count, 0))));
    return all;
  }

  BasicMatrix<Scalar> gather(ConstView x, const Indices& rows) const {
    const BasicMatrix<Scalar> own = base_.gather(x, rows.local_);
    BasicMatrix<Scalar> all(rows.count_, x.columns);  // zero where another rank has the row
    for (int k = 0; k < x.columns; ++k) {
      for (std::size_t i = 0; i < rows.own_.size(); ++i) all(rows.own_[i], k) = own(static_cast<int>(i), k);
    }
    return total(std::move(all));
  }

  void scatter(const BasicMatrix<Scalar>& values, const Indices& rows, View y) const {
    if (values.rows() != rows.count_ || values.columns() != y.columns)
      throw DimensionError("RankedBackend: scatter: the shapes do not agree");
    BasicMatrix<Scalar> own(static_cast<int>(rows.own_.size()), values.columns());
    for (int k = 0; k < own.columns(); ++k) {
      for (int i = 0; i < own.rows(); ++i) own(i, k) = values(rows.own_[static_cast<std::size_t>(i)], k);
    }
    base_.scatter(own, rows.local_, y);
  }

  /// Waits until everything enqueued on a device is done.
  void synchronize() const {
    if constexpr (memory != Memory::host) base_.synchronize();
  }

private:
  static constexpr std::size_t numbers_per_scalar = std::is_same_v<Scalar, double> ? 1 : 2;

  BasicMatrix<Scalar> total(BasicMatrix<Scalar> own) const {
    const std::size_t size = static_cast<std::size_t>(own.rows()) * static_cast<std::size_t>(own.columns());
    sum(ranks_, {reinterpret_cast<double*>(own.data()), size * numbers_per_scalar});
    return own;
  }

  Base base_;
  const Communicator& ranks_;
  const RowMap& map_;
};

}  // namespace cisolve
