// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/block_view.hpp"
#include "cisolve/core/matrix.hpp"
#include "cisolve/vectors/noise.hpp"

namespace cisolve {

/// What a vector is made of.
template <class T>
concept VectorScalar = std::same_as<T, double> || std::same_as<T, std::complex<double>>;

/// Blocks of vectors in one kind of memory, and all that a subspace solver does with them. Solvers are templates
/// over this and never touch an element, so that they serve real and complex, host and device, whole and
/// distributed vectors as they are.
///
/// **Rows.** The sizes of a block are its *local* rows, those that this process or thread holds; HostBackend and
/// cuda::CudaBackend hold all. Operations work on local rows, element by element, but for these:
/// `gram` and `norms` are sums over the rows of all parts, `lowest` searches all of them, `gather` fetches from
/// all, and every part gets the same bits. Numbers of rows (in make_indices, lowest, the noise) are *global*, in
/// the order of the operator. Where vectors are distributed, all parts make the same calls in the same order.
///
/// **Time.** A call may return before its work is done, but for those that return a host value; later calls see
/// what earlier ones wrote. Sums run in an order that the shapes, the number of threads and the distribution fix.
///
/// **Errors.** Every operation throws DimensionError if shapes disagree, or a row does not exist.
template <class Backend>
concept VectorBackend = VectorScalar<typename Backend::Scalar> && std::movable<typename Backend::Block> &&
    std::default_initializable<typename Backend::Block> &&
    std::same_as<typename Backend::View, BlockView<typename Backend::Scalar, Backend::memory>> &&
    std::same_as<typename Backend::ConstView, BlockView<const typename Backend::Scalar, Backend::memory>> &&
    requires(const Backend& backend, typename Backend::Block& block, const typename Backend::Block& written,
             typename Backend::ConstView x, typename Backend::View y, typename Backend::Scalar value,
             const BasicMatrix<typename Backend::Scalar>& s, const typename Backend::Indices& rows,
             std::span<const typename Backend::Scalar> host, std::span<typename Backend::Scalar> host_out,
             std::span<const std::int64_t> numbers, std::span<const double> factors, double real,
             const LowLyingNoise& noise, std::int64_t count, int columns) {
  // An owning block, local rows x columns; contents undefined until written. Move-only.
  { backend.allocate(count, columns) } -> std::same_as<typename Backend::Block>;
  { block.view() } -> std::same_as<typename Backend::View>;
  { written.view() } -> std::same_as<typename Backend::ConstView>;
  { written.rows() } -> std::same_as<std::int64_t>;
  { written.columns() } -> std::same_as<int>;

  // Global row numbers in the backend's memory, for gather and scatter.
  { backend.make_indices(numbers) } -> std::same_as<typename Backend::Indices>;

  backend.fill(y, value);
  backend.copy(x, y);
  // Column-major host data, one element per local row and column, in or out.
  backend.from_host(host, y);
  backend.to_host(x, host_out);

  // a^H b, shape a.columns x b.columns.
  { backend.gram(x, x) } -> std::same_as<BasicMatrix<typename Backend::Scalar>>;
  // Euclidean norm of each column.
  { backend.norms(x) } -> std::same_as<std::vector<double>>;

  // y = a s + beta y, with s of shape a.columns x y.columns and beta real. y must not overlap a. What y held is
  // not read if beta is 0.
  backend.combine(x, s, real, y);
  // Column k multiplied by factors[k].
  backend.scale(y, factors);
  // Davidson's diagonal preconditioner: y(i, k) /= shifts[k] - diagonal(i), where a denominator smaller in
  // magnitude than the floor is replaced by +-floor of its sign. The diagonal is one column, of which the real
  // part counts. E. R. Davidson, J. Comput. Phys. 17 (1975) 87, doi:10.1016/0021-9991(75)90065-0
  backend.divide_by_shifted_diagonal(x, factors, real, y);
  // The vector of LowLyingNoise in one column, from global row numbers.
  backend.fill_with_noise(noise, x, y);

  // The `count` lowest elements (real parts) of one column with their global rows, ascending, equal ones by row.
  { backend.lowest(x, count) } -> std::same_as<std::vector<std::pair<double, std::int64_t>>>;
  // Those rows of x, shape rows x x.columns.
  { backend.gather(x, rows) } -> std::same_as<BasicMatrix<typename Backend::Scalar>>;
  // Writes those rows of y.
  backend.scatter(s, rows, y);
};

}  // namespace cisolve
