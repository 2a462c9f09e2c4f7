// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/ranks/row_map.hpp"
#include "cisolve/vectors/vector_backend.hpp"

namespace cisolve {

/// Vector blocks in host memory; all rows are local. The contract of each member is that of VectorBackend.
/// Sums run in the same order for any number of threads, but within a chunk of 4096 rows or more (complex: 256) as BLAS has it.
template <VectorScalar T>
class BasicHostBackend {
public:
  static constexpr Memory memory = Memory::host;
  using Scalar = T;
  using View = BlockView<Scalar, memory>;
  using ConstView = BlockView<const Scalar, memory>;

  class Block {
  public:
    Block() = default;
    Block(std::int64_t rows, int columns)
        : data_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)), rows_(rows),
          columns_(columns) {}
    View view() { return {data_.data(), rows_, columns_, rows_}; }
    ConstView view() const { return {data_.data(), rows_, columns_, rows_}; }
    std::int64_t rows() const noexcept { return rows_; }
    int columns() const noexcept { return columns_; }

  private:
    Array<Scalar> data_;
    std::int64_t rows_ = 0;
    int columns_ = 0;
  };
  using Indices = std::vector<std::int64_t>;

  Block allocate(std::int64_t rows, int columns) const { return Block(rows, columns); }
  Indices make_indices(std::span<const std::int64_t> rows) const { return {rows.begin(), rows.end()}; }

  void fill(View y, Scalar value) const;
  void copy(ConstView x, View y) const;
  void from_host(std::span<const Scalar> host, View y) const;
  void to_host(ConstView x, std::span<Scalar> host) const;

  BasicMatrix<Scalar> gram(ConstView a, ConstView b) const;
  std::vector<double> norms(ConstView x) const;
  void combine(ConstView a, const BasicMatrix<Scalar>& s, double beta, View y) const;
  void scale(View x, std::span<const double> factors) const;
  void divide_by_shifted_diagonal(ConstView diagonal, std::span<const double> shifts, double floor,
                                  View y) const;
  void fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y) const {
    fill_with_noise(noise, diagonal, y, RowMap::whole(y.rows));
  }
  /// Where these are rows of a longer vector.
  /// @param map  which; as many as y has
  void fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y, const RowMap& map) const;

  std::vector<std::pair<double, std::int64_t>> lowest(ConstView x, std::int64_t count) const;
  BasicMatrix<Scalar> gather(ConstView x, const Indices& rows) const;
  void scatter(const BasicMatrix<Scalar>& values, const Indices& rows, View y) const;
};

using HostBackend = BasicHostBackend<double>;
using ComplexHostBackend = BasicHostBackend<std::complex<double>>;

}  // namespace cisolve
