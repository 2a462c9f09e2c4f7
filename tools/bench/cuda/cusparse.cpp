// SPDX-License-Identifier: MIT
#include "cuda/cusparse.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "cuda/core/host_transfer.hpp"

namespace cisolve::bench {
namespace {

constexpr double one = 1.0;
constexpr double zero = 0.0;

bool fits_32_bits(std::int64_t count) { return count <= std::numeric_limits<std::int32_t>::max(); }

/// First slot of every slice, and after the last the number of all.
std::vector<std::int64_t> slice_offsets(const CsrMatrix& host) {
  constexpr std::int64_t slice_size = CusparseSell::slice_size;
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t first = 0; first < host.num_rows; first += slice_size) {
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < std::min(first + slice_size, host.num_rows); ++row) {
      const std::size_t at = row;
      longest = std::max(longest, host.offsets[at + 1] - host.offsets[at]);
    }
    offsets.push_back(offsets.back() + longest * slice_size);
  }
  return offsets;
}

}  // namespace

void check(cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw cuda::CudaError(std::string(what) + ": " + cusparseGetErrorString(status));
}

CusparseProduct::CusparseProduct(const cuda::Stream& stream, CusparseMatrix matrix, std::int64_t num_rows,
                                 double* x, double* y, cusparseSpMVAlg_t algorithm, bool preprocess)
    : matrix_(std::move(matrix)), algorithm_(algorithm) {
  check(cusparseCreate(handle_.out()), "cusparseCreate");
  check(cusparseSetStream(handle_.get(), stream.get()), "cusparseSetStream");
  check(cusparseCreateDnVec(x_.out(), num_rows, x, CUDA_R_64F), "cusparseCreateDnVec");
  check(cusparseCreateDnVec(y_.out(), num_rows, y, CUDA_R_64F), "cusparseCreateDnVec");
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                x_.get(), &zero, y_.get(), CUDA_R_64F, algorithm_, &bytes),
        "cusparseSpMV_bufferSize");
  buffer_ = cuda::DeviceArray<char>(bytes);
  if (preprocess) {
    check(cusparseSpMV_preprocess(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(),
                                  x_.get(), &zero, y_.get(), CUDA_R_64F, algorithm_, buffer_.data()),
          "cusparseSpMV_preprocess");
  }
}

void CusparseProduct::enqueue() const {
  check(cusparseSpMV(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_.get(), x_.get(), &zero,
                     y_.get(), CUDA_R_64F, algorithm_, const_cast<char*>(buffer_.data())),
        "cusparseSpMV");
}

CusparseBlockProduct::CusparseBlockProduct(const cuda::Stream& stream, CusparseMatrix matrix,
                                           std::int64_t num_rows, int columns, double* x, double* y,
                                           cusparseOrder_t order, cusparseSpMMAlg_t algorithm)
    : matrix_(std::move(matrix)), algorithm_(algorithm) {
  const std::int64_t leading = order == CUSPARSE_ORDER_COL ? num_rows : columns;
  check(cusparseCreate(handle_.out()), "cusparseCreate");
  check(cusparseSetStream(handle_.get(), stream.get()), "cusparseSetStream");
  check(cusparseCreateDnMat(x_.out(), num_rows, columns, leading, x, CUDA_R_64F, order),
        "cusparseCreateDnMat");
  check(cusparseCreateDnMat(y_.out(), num_rows, columns, leading, y, CUDA_R_64F, order),
        "cusparseCreateDnMat");
  constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  check(cusparseSpMM_bufferSize(handle_.get(), plain, plain, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                CUDA_R_64F, algorithm_, &bytes),
        "cusparseSpMM_bufferSize");
  buffer_ = cuda::DeviceArray<char>(bytes);
  check(cusparseSpMM_preprocess(handle_.get(), plain, plain, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                CUDA_R_64F, algorithm_, buffer_.data()),
        "cusparseSpMM_preprocess");
}

void CusparseBlockProduct::enqueue() const {
  constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  check(cusparseSpMM(handle_.get(), plain, plain, &one, matrix_.get(), x_.get(), &zero, y_.get(), CUDA_R_64F,
                     algorithm_, const_cast<char*>(buffer_.data())),
        "cusparseSpMM");
}

CusparseCsr::CusparseCsr(const cuda::Stream& stream, const CsrMatrix& host, cuda::DeviceCsrMatrix& a)
    : a_(a) {
  if (!fits_32_bits(host.num_nonzeros())) return;
  const std::vector<std::int32_t> offsets(host.offsets.begin(), host.offsets.end());
  short_offsets_ = cuda::DeviceArray<std::int32_t>(offsets.size());
  cuda::HostTransfer transfer;
  cuda::upload<std::int32_t>(stream, transfer, offsets, short_offsets_);
}

CusparseMatrix CusparseCsr::descriptor() {
  CusparseMatrix matrix;
  const bool is_short = short_offsets_.size() > 0;
  void* offsets =
      is_short ? static_cast<void*>(short_offsets_.data()) : static_cast<void*>(a_.offsets.data());
  check(cusparseCreateCsr(matrix.out(), a_.num_rows, a_.num_rows, a_.nonzeros, offsets, a_.columns.data(),
                          a_.values.data(), is_short ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateCsr");
  return matrix;
}

std::int64_t CusparseCsr::bytes() const {
  return 12 * a_.nonzeros + (short_offsets_.size() > 0 ? 4 : 8) * (a_.num_rows + 1);
}

CusparseSell::CusparseSell(const cuda::Stream& stream, const CsrMatrix& host)
    : num_rows_(host.num_rows), num_nonzeros_(host.num_nonzeros()) {
  const std::vector<std::int64_t> offsets = slice_offsets(host);
  const std::size_t slots = offsets.back();
  short_offsets_ = fits_32_bits(offsets.back());
  Array<ColumnIndex> columns(slots);
  Array<double> values(slots);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t slice = 0; slice < offsets.size() - 1; ++slice) {
    std::fill(columns.data() + offsets[slice], columns.data() + offsets[slice + 1], -1);
    std::fill(values.data() + offsets[slice], values.data() + offsets[slice + 1], 0.0);
    for (std::int64_t lane = 0; lane < slice_size; ++lane) {
      const auto row = slice * static_cast<std::size_t>(slice_size) + static_cast<std::size_t>(lane);
      if (row >= static_cast<std::size_t>(host.num_rows)) break;
      std::size_t to = offsets[slice] + lane;
      for (std::size_t at = host.offsets[row]; at < static_cast<std::size_t>(host.offsets[row + 1]); ++at) {
        columns[to] = host.columns[at];
        values[to] = host.values[at];
        to += slice_size;
      }
    }
  }
  cuda::HostTransfer transfer;
  columns_ = cuda::DeviceArray<ColumnIndex>(slots);
  values_ = cuda::DeviceArray<double>(slots);
  cuda::upload<ColumnIndex>(stream, transfer, std::as_const(columns), columns_);
  cuda::upload<double>(stream, transfer, std::as_const(values), values_);
  if (short_offsets_) {
    offsets32_ = cuda::DeviceArray<std::int32_t>(offsets.size());
    const std::vector<std::int32_t> narrow(offsets.begin(), offsets.end());
    cuda::upload<std::int32_t>(stream, transfer, narrow, offsets32_);
  } else {
    offsets64_ = cuda::DeviceArray<std::int64_t>(offsets.size());
    cuda::upload<std::int64_t>(stream, transfer, offsets, offsets64_);
  }
  transfer.finish();
}

CusparseMatrix CusparseSell::descriptor() {
  CusparseMatrix matrix;
  void* offsets =
      short_offsets_ ? static_cast<void*>(offsets32_.data()) : static_cast<void*>(offsets64_.data());
  check(
      cusparseCreateSlicedEll(matrix.out(), num_rows_, num_rows_, num_nonzeros_,
                              static_cast<std::int64_t>(values_.size()), slice_size, offsets, columns_.data(),
                              values_.data(), short_offsets_ ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
      "cusparseCreateSlicedEll");
  return matrix;
}

std::int64_t CusparseSell::bytes() const {
  return static_cast<std::int64_t>(columns_.size_bytes() + values_.size_bytes() + offsets32_.size_bytes() +
                                   offsets64_.size_bytes());
}

std::int64_t CusparseSell::bytes_of(const CsrMatrix& host) {
  const std::vector<std::int64_t> offsets = slice_offsets(host);
  return 12 * offsets.back() +
         static_cast<std::int64_t>(offsets.size()) * (fits_32_bits(offsets.back()) ? 4 : 8);
}

}  // namespace cisolve::bench
