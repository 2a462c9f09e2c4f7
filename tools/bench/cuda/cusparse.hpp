// SPDX-License-Identifier: MIT
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "cisolve/sparse/csr_matrix.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/sparse/csr_matrix.hpp"

namespace cisolve::bench {

/// @throws cuda::CudaError unless `status` says success
void check(cusparseStatus_t status, const char* what);

using CusparseHandle = cuda::Owned<cusparseHandle_t, cusparseDestroy>;
using CusparseMatrix = cuda::Owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using CusparseVector = cuda::Owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using CusparseBlock = cuda::Owned<cusparseDnMatDescr_t, cusparseDestroyDnMat>;

/// y = A x by cusparseSpMV, ready to be enqueued: buffer allocated, preprocessing done.
class CusparseProduct {
public:
  /// @param matrix  its arrays must outlive the product
  /// @throws cuda::CudaError if cuSPARSE does not support it
  CusparseProduct(const cuda::Stream& stream, CusparseMatrix matrix, std::int64_t num_rows, double* x,
                  double* y, cusparseSpMVAlg_t algorithm, bool preprocess);
  void enqueue() const;

private:
  CusparseHandle handle_;
  CusparseMatrix matrix_;
  CusparseVector x_, y_;
  cuda::DeviceArray<char> buffer_;
  cusparseSpMVAlg_t algorithm_;
};

/// y = A x for several vectors by cusparseSpMM, ready to be enqueued.
class CusparseBlockProduct {
public:
  /// @param matrix  its arrays must outlive the product
  /// @param x, y    num_rows x columns, column-major (CUSPARSE_ORDER_COL) or row-major (CUSPARSE_ORDER_ROW)
  /// @throws cuda::CudaError if cuSPARSE does not support it
  CusparseBlockProduct(const cuda::Stream& stream, CusparseMatrix matrix, std::int64_t num_rows, int columns,
                       double* x, double* y, cusparseOrder_t order, cusparseSpMMAlg_t algorithm);
  void enqueue() const;

private:
  CusparseHandle handle_;
  CusparseMatrix matrix_;
  CusparseBlock x_, y_;
  cuda::DeviceArray<char> buffer_;
  cusparseSpMMAlg_t algorithm_;
};

/// CSR with 32-bit offsets where they suffice, the fewest bytes; columns and values are `a`'s.
class CusparseCsr {
public:
  static constexpr const char* name = "csr";

  CusparseCsr(const cuda::Stream& stream, const CsrMatrix& host, cuda::DeviceCsrMatrix& a);
  CusparseMatrix descriptor();
  std::int64_t bytes() const;

private:
  cuda::DeviceCsrMatrix& a_;
  cuda::DeviceArray<std::int32_t> short_offsets_;  // empty: the 64-bit ones of a_
};

/// Sliced ELL of slices of 32 rows.
class CusparseSell {
public:
  static constexpr const char* name = "sell";
  static constexpr std::int64_t slice_size = 32;

  CusparseSell(const cuda::Stream& stream, const CsrMatrix& host);
  CusparseMatrix descriptor();
  std::int64_t bytes() const;

  /// Bytes that it would take.
  static std::int64_t bytes_of(const CsrMatrix& host);

private:
  std::int64_t num_rows_;
  std::int64_t num_nonzeros_;
  bool short_offsets_;
  cuda::DeviceArray<std::int32_t> offsets32_;
  cuda::DeviceArray<std::int64_t> offsets64_;
  cuda::DeviceArray<ColumnIndex> columns_;
  cuda::DeviceArray<double> values_;
};

}  // namespace cisolve::bench
