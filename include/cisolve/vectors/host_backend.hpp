// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/vectors/block_view.hpp"
#include "cisolve/vectors/noise.hpp"

namespace cisolve {

/// Vector blocks in host memory and what a subspace solver does with them.
///
/// A *backend* fixes the scalar and the memory of a block and brings the operations; solvers are
/// templates over it (cuda::CudaBackend is the other one). All operations on blocks:
/// shapes are n x k unless said, results are complete when the call returns control to the host
/// only where a host value is returned. Sums run in a fixed order for a given thread count.
/// Every operation throws DimensionError if shapes disagree.
class HostBackend {
public:
  static constexpr Memory memory = Memory::host;
  using Scalar = double;
  using View = BlockView<double, memory>;
  using ConstView = BlockView<const double, memory>;

  /// Owning n x k block, contents undefined until written. Move-only.
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
    Array<double> data_;
    std::int64_t rows_ = 0;
    int columns_ = 0;
  };

  /// A list of row numbers in the backend's memory, for gather and scatter.
  using Indices = std::vector<std::int64_t>;

  Block allocate(std::int64_t rows, int columns) const { return Block(rows, columns); }
  Indices make_indices(std::span<const std::int64_t> rows) const { return {rows.begin(), rows.end()}; }

  /// Bytes that a block of this shape takes.
  std::int64_t block_bytes(std::int64_t rows, int columns) const { return rows * columns * 8; }

  void fill(View y, double value) const;
  void copy(ConstView x, View y) const;

  /// Column-major host data of y.rows * y.columns elements, in or out.
  void from_host(std::span<const double> host, View y) const;
  void to_host(ConstView x, std::span<double> host) const;

  /// a^T b, shape a.columns x b.columns.
  Matrix gram(ConstView a, ConstView b) const;

  /// y = a s + beta y, with s of shape a.columns x y.columns. y must not overlap a.
  void combine(ConstView a, const Matrix& s, double beta, View y) const;

  /// Euclidean norm of each column.
  std::vector<double> norms(ConstView x) const;

  /// Column k multiplied by factors[k].
  void scale(View x, std::span<const double> factors) const;

  /// Davidson's diagonal preconditioner: y(i, k) /= shifts[k] - diagonal(i), where a denominator
  /// smaller in magnitude than `floor` is replaced by +-floor of its sign.
  /// @see E. R. Davidson, J. Comput. Phys. 17 (1975) 87, doi:10.1016/0021-9991(75)90065-0
  void divide_by_shifted_diagonal(ConstView diagonal, std::span<const double> shifts, double floor,
                                  View y) const;

  /// The vector of LowLyingNoise; y is one column.
  void fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y) const;

  /// Rows `rows` of x, shape rows.size() x x.columns.
  Matrix gather(ConstView x, const Indices& rows) const;

  /// Writes those rows of y.
  void scatter(const Matrix& values, const Indices& rows, View y) const;

  /// Waits until everything enqueued is done (the host backend enqueues nothing).
  void synchronize() const {}
};

}  // namespace cisolve
