// SPDX-License-Identifier: MIT
#include "cuda/vectors/cuda_backend.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "cisolve/core/lowest.hpp"
#include "cuda/vectors/vector_kernels.hpp"

namespace cisolve::cuda {

static_assert(VectorBackend<CudaBackend>);

namespace {

void require(bool agrees, const char* message) {
  if (!agrees) throw DimensionError(message);
}

std::size_t size_of(std::int64_t rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// What a sequence of members needs done first: the device is current before any of them is made.
int make_current(int device) {
  check(cudaSetDevice(device));
  return device;
}

/// BLAS wants leading dimensions of at least one.
std::int64_t leading(std::int64_t stride) { return std::max<std::int64_t>(stride, 1); }

bool is_contiguous(std::int64_t rows, int columns, std::int64_t stride) {
  return stride == rows || columns <= 1;
}

Matrix to_matrix(std::span<const double> elements, int rows, int columns) {
  Matrix result(rows, columns);
  std::copy(elements.begin(), elements.end(), result.data());
  return result;
}

}  // namespace

CudaBackend::Block::Block(std::int64_t rows, int columns)
    : data_(size_of(rows, columns)), rows_(rows), columns_(columns) {}

CudaBackend::CudaBackend(int device) : device_(make_current(device)), cublas_(stream_) {}

/// A small host array, copied to the device; valid until the next send.
const double* CudaBackend::send(std::span<const double> host) const {
  if (scratch_.in.size() < host.size()) {
    stream_.synchronize();  // A kernel may still read what is about to be freed.
    grow(scratch_.in, host.size());
  }
  Slot& slot = scratch_.slots[scratch_.next_slot];
  scratch_.next_slot = (scratch_.next_slot + 1) % scratch_.slots.size();
  slot.copied.synchronize();
  grow(slot.host, host.size());
  std::copy(host.begin(), host.end(), slot.host.data());
  if (!host.empty()) {
    check(cudaMemcpyAsync(scratch_.in.data(), slot.host.data(), host.size_bytes(), cudaMemcpyHostToDevice,
                          stream_.get()));
    slot.copied.record(stream_);
  }
  return scratch_.in.data();
}

/// A small device array on the host, once everything enqueued before is done; valid until the next.
std::span<const double> CudaBackend::fetch(const double* device, std::size_t size) const {
  grow(scratch_.fetched, size);
  if (size > 0) {
    check(cudaMemcpyAsync(scratch_.fetched.data(), device, size * sizeof(double), cudaMemcpyDeviceToHost,
                          stream_.get()));
  }
  stream_.synchronize();
  return {scratch_.fetched.data(), size};
}

CudaBackend::Indices CudaBackend::make_indices(std::span<const std::int64_t> rows) const {
  Indices result;
  result.rows_ = DeviceArray<std::int64_t>(rows.size());
  if (rows.empty()) return result;
  const auto [smallest, largest] = std::minmax_element(rows.begin(), rows.end());
  result.smallest_ = *smallest;
  result.largest_ = *largest;
  scratch_.transfer.upload(stream_, rows.data(), result.rows_.data(), rows.size_bytes());
  return result;
}

void CudaBackend::fill(View y, double value) const { launch_fill(stream_, y, value); }

void CudaBackend::copy(ConstView x, View y) const {
  require(x.rows == y.rows && x.columns == y.columns, "copy: the blocks have different shapes");
  if (x.rows == 0 || x.columns == 0) return;
  const auto copy_columns = [&](int first, int count) {
    check(cudaMemcpyAsync(y.column(first), x.column(first), size_of(x.rows, count) * sizeof(double),
                          cudaMemcpyDeviceToDevice, stream_.get()));
  };
  if (is_contiguous(x.rows, x.columns, x.stride) && is_contiguous(y.rows, y.columns, y.stride)) {
    copy_columns(0, x.columns);
  } else {
    for (int k = 0; k < x.columns; ++k) copy_columns(k, 1);
  }
}

void CudaBackend::from_host(std::span<const double> host, View y) const {
  require(host.size() == size_of(y.rows, y.columns), "from_host: the sizes differ");
  const std::size_t rows = y.rows;
  if (is_contiguous(y.rows, y.columns, y.stride)) {
    scratch_.transfer.upload(stream_, host.data(), y.data, host.size_bytes());
    return;
  }
  for (int k = 0; k < y.columns; ++k) {
    const auto column = host.subspan(static_cast<std::size_t>(k) * rows, rows);
    scratch_.transfer.upload(stream_, column.data(), y.column(k), column.size_bytes());
  }
}

void CudaBackend::to_host(ConstView x, std::span<double> host) const {
  require(host.size() == size_of(x.rows, x.columns), "to_host: the sizes differ");
  const std::size_t rows = x.rows;
  if (is_contiguous(x.rows, x.columns, x.stride)) {
    scratch_.transfer.download(stream_, x.data, host.data(), host.size_bytes());
    return;
  }
  for (int k = 0; k < x.columns; ++k) {
    const auto column = host.subspan(static_cast<std::size_t>(k) * rows, rows);
    scratch_.transfer.download(stream_, x.column(k), column.data(), column.size_bytes());
  }
}

Matrix CudaBackend::gram(ConstView a, ConstView b) const {
  require(a.rows == b.rows, "gram: the blocks have different numbers of rows");
  if (a.rows == 0 || a.columns == 0 || b.columns == 0) return Matrix(a.columns, b.columns);
  const std::size_t size = size_of(a.columns, b.columns);
  grow(scratch_.out, size);
  if ((b.columns <= most_gram_columns && b.rows >= least_rows) || b.rows >= long_rows) {
    grow(scratch_.partial, size_of(a.columns, std::min(b.columns, most_gram_columns)) * gram_blocks);
    for (int first = 0; first < b.columns; first += most_gram_columns) {
      launch_gram(stream_, a, b.slice(first, std::min(most_gram_columns, b.columns - first)),
                  scratch_.partial.data(), scratch_.out.data() + size_of(a.columns, first));
    }
  } else {
    const double one = 1.0;
    const double zero = 0.0;
    check(cublasDgemm_64(cublas_.get(), CUBLAS_OP_T, CUBLAS_OP_N, a.columns, b.columns, a.rows, &one, a.data,
                         leading(a.stride), b.data, leading(b.stride), &zero, scratch_.out.data(),
                         a.columns));
  }
  return to_matrix(fetch(scratch_.out.data(), size), a.columns, b.columns);
}

void CudaBackend::combine(ConstView a, const Matrix& s, double beta, View y) const {
  require(a.rows == y.rows && s.rows() == a.columns && s.columns() == y.columns,
          "combine: the shapes do not agree");
  if (y.rows == 0 || y.columns == 0) return;
  if (a.columns == 0) {  // Nothing to add, and BLAS need not look at beta then.
    if (beta == 0.0)
      fill(y, 0.0);
    else
      scale(y, std::vector<double>(y.columns, beta));
    return;
  }
  const double* device_s = send({s.data(), size_of(s.rows(), s.columns())});
  if (y.columns <= most_combine_columns && y.rows >= least_rows) {
    launch_combine(stream_, a, device_s, beta, y);
    return;
  }
  const double one = 1.0;
  check(cublasDgemm_64(cublas_.get(), CUBLAS_OP_N, CUBLAS_OP_N, y.rows, y.columns, a.columns, &one, a.data,
                       leading(a.stride), device_s, a.columns, &beta, y.data, leading(y.stride)));
}

std::vector<double> CudaBackend::norms(ConstView x) const {
  const std::size_t columns = x.columns;
  grow(scratch_.partial, columns * norm_blocks);
  grow(scratch_.out, columns);
  launch_norms(stream_, x, scratch_.partial.data(), scratch_.out.data());
  const auto result = fetch(scratch_.out.data(), columns);
  return {result.begin(), result.end()};
}

void CudaBackend::scale(View x, std::span<const double> factors) const {
  require(factors.size() == static_cast<std::size_t>(x.columns), "scale: one factor per column");
  launch_scale(stream_, x, send(factors));
}

void CudaBackend::divide_by_shifted_diagonal(ConstView diagonal, std::span<const double> shifts, double floor,
                                             View y) const {
  require(diagonal.rows == y.rows && diagonal.columns == 1 &&
              shifts.size() == static_cast<std::size_t>(y.columns),
          "divide_by_shifted_diagonal: the shapes do not agree");
  launch_divide_by_shifted_diagonal(stream_, diagonal, send(shifts), floor, y);
}

void CudaBackend::fill_with_noise(const LowLyingNoise& noise, ConstView diagonal, View y,
                                  const RowMap& map) const {
  require(diagonal.rows == y.rows && diagonal.columns == 1 && y.columns == 1,
          "fill_with_noise: the shapes do not agree");
  require(map.local_rows() == y.rows, "fill_with_noise: y has not the rows of the map");
  const std::span<const RowMap::Slab> slabs = map.slabs();
  if (scratch_.slabs.size() < slabs.size()) {
    stream_.synchronize();  // A kernel may still read what is about to be freed.
    grow(scratch_.slabs, slabs.size());
  }
  upload(stream_, scratch_.transfer, slabs, scratch_.slabs);
  launch_fill_with_noise(stream_, noise, diagonal, y, scratch_.slabs.data(), slabs.size(), map.rows());
}

std::vector<std::pair<double, std::int64_t>> CudaBackend::lowest(ConstView x, std::int64_t count) const {
  require(x.columns == 1, "lowest: x is not one column");
  // The pieces with the `count` lowest elements of their own hold all that are looked for.
  const std::size_t num_pieces = (x.rows + lowest_piece - 1) / lowest_piece;
  grow(scratch_.out, num_pieces);
  launch_lowest_of_pieces(stream_, x, scratch_.out.data());
  const std::span<const double> lowest_of_piece = fetch(scratch_.out.data(), num_pieces);
  LowestElements lowest(count);
  std::vector<double> host(lowest_piece);
  for (const std::int64_t piece : lowest_elements(lowest_of_piece, count)) {  // ascending by these
    if (std::ssize(lowest.found()) == count && lowest_of_piece[piece] > lowest.found().back().first) break;
    const std::int64_t first = piece * lowest_piece;
    const auto values = std::span(host).first(std::min(lowest_piece, x.rows - first));
    to_host(x.row_slice(first, std::ssize(values)), values);
    lowest.add(values, first);
  }
  return lowest.found();
}

Matrix CudaBackend::gather(ConstView x, const Indices& rows) const {
  require(rows.smallest_ >= 0 && rows.largest_ < x.rows, "gather: a row is out of range");
  const std::size_t size = rows.size() * static_cast<std::size_t>(x.columns);
  grow(scratch_.out, size);
  launch_gather(stream_, x, rows.rows_.data(), rows.size(), scratch_.out.data());
  return to_matrix(fetch(scratch_.out.data(), size), static_cast<int>(rows.size()), x.columns);
}

void CudaBackend::scatter(const Matrix& values, const Indices& rows, View y) const {
  require(rows.smallest_ >= 0 && rows.largest_ < y.rows, "scatter: a row is out of range");
  require(static_cast<std::size_t>(values.rows()) == rows.size() && values.columns() == y.columns,
          "scatter: the shapes do not agree");
  launch_scatter(stream_, send({values.data(), size_of(values.rows(), values.columns())}), rows.rows_.data(),
                 rows.size(), y);
}

}  // namespace cisolve::cuda
