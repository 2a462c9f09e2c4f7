// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/ranks/row_map.hpp"
#include "cisolve/vectors/vector_backend.hpp"
#include "cuda/core/cublas_handle.hpp"
#include "cuda/core/device_array.hpp"
#include "cuda/core/host_transfer.hpp"
#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Vector blocks in the memory of one device; all rows are local. The contract of each member is that of
/// VectorBackend.
///
/// Everything is enqueued on one stream, which operators share (`stream()`); only calls that return
/// host values wait for it. gram and combine are kernels of our own where a long b or y has few columns, of which
/// cuBLAS would read or sum less well, else its DGEMM; repeatable to the last bit on the same device.
///
/// Scratch grows to what is needed and stays: nothing is allocated in a steady iteration. One thread at
/// a time. Move-only.
class CudaBackend {
public:
  static constexpr Memory memory = Memory::cuda;
  using Scalar = double;
  using View = BlockView<double, memory>;
  using ConstView = BlockView<const double, memory>;

  class Block {
  public:
    Block() = default;
    Block(std::int64_t rows, int columns);
    View view() { return {data_.data(), rows_, columns_, rows_}; }
    ConstView view() const { return {data_.data(), rows_, columns_, rows_}; }
    std::int64_t rows() const noexcept { return rows_; }
    int columns() const noexcept { return columns_; }

  private:
    DeviceArray<double> data_;
    std::int64_t rows_ = 0;
    int columns_ = 0;
  };

  class Indices {
  public:
    Indices() = default;
    std::size_t size() const noexcept { return rows_.size(); }

  private:
    friend class CudaBackend;
    DeviceArray<std::int64_t> rows_;
    std::int64_t smallest_ = 0;  // What the shape check needs; the list itself is out of reach.
    std::int64_t largest_ = -1;
  };

  /// Makes `device` the current device of the calling thread.
  /// @throws CudaError if there is no such device, ResourceError if it has no memory left
  explicit CudaBackend(int device = 0);

  const Stream& stream() const noexcept { return stream_; }
  int device() const noexcept { return device_; }

  /// @throws ResourceError if the device has not that much memory left
  Block allocate(std::int64_t rows, int columns) const { return Block(rows, columns); }
  Indices make_indices(std::span<const std::int64_t> rows) const;

  void fill(View y, double value) const;
  void copy(ConstView x, View y) const;

  void from_host(std::span<const double> host, View y) const;
  void to_host(ConstView x, std::span<double> host) const;

  Matrix gram(ConstView a, ConstView b) const;
  std::vector<double> norms(ConstView x) const;
  void combine(ConstView a, const Matrix& s, double beta, View y) const;
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
  Matrix gather(ConstView x, const Indices& rows) const;
  void scatter(const Matrix& values, const Indices& rows, View y) const;

  /// Waits until everything enqueued is done.
  void synchronize() const { stream_.synchronize(); }

private:
  /// Small host arrays on their way to the device: several, so that the host need not wait for the
  /// stream before it writes the next.
  struct Slot {
    PinnedArray<double> host;
    Event copied;
  };
  struct Scratch {
    std::array<Slot, 8> slots;
    std::size_t next_slot = 0;
    DeviceArray<double> in;       // what came from a slot; the stream orders its reuse
    DeviceArray<double> out;      // what goes to the host
    DeviceArray<double> partial;  // partial sums of norms and gram matrices
    PinnedArray<double> fetched;
    DeviceArray<RowMap::Slab> slabs;
    HostTransfer transfer;  // large blocks
  };

  const double* send(std::span<const double> host) const;
  std::span<const double> fetch(const double* device, std::size_t size) const;

  int device_;
  Stream stream_;
  CublasHandle cublas_;
  mutable Scratch scratch_;
};

}  // namespace cisolve::cuda
