// SPDX-License-Identifier: MIT
#include "cuda/sparse/coded_matrix.hpp"

#include <algorithm>
#include <type_traits>

#include "cuda/core/host_transfer.hpp"
#include "cuda/sparse/coded_kernel.cuh"
#include "sparse/coded_locality.hpp"

namespace cisolve::cuda {
namespace {

constexpr int plain_block_size = 256;
constexpr int default_shared_bytes = (48 << 10) - coded_static_shared_bytes;  // without asking for more

CodedSlices slices_of(const DeviceCodedMatrix& a) {
  return {a.num_slices(),
          a.num_codes,
          a.dictionary.data(),
          a.permutation.data(),
          a.bases.data(),
          a.chunk_offsets.data(),
          a.remainder_offsets.data(),
          a.words.data(),
          a.remainder_values.data(),
          a.remainder_columns.data()};
}

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

int log2_of(int warps_per_slice) { return warps_per_slice == 4 ? 2 : warps_per_slice - 1; }

/// Where a product goes, and the counter of its slices.
struct Target {
  DeviceView y;
  unsigned* next_slice;
};

template <bool wide_jumps, bool shared_dictionary, class Vectors>
void launch(const Stream& stream, const DeviceCodedMatrix& a, const CodedSpmvConfig& config, Vectors x,
            const Target& to) {
  const auto kernel = coded_kernel<wide_jumps, shared_dictionary, Vectors>;
  const auto shared = static_cast<int>(coded_shared_bytes(config, a.num_codes, Vectors::width));
  if (shared > default_shared_bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  }
  // No more shared memory than the resident blocks need: what is left of the storage is L1, and x lives there.
  const std::int64_t needed =
      (shared + coded_reserved_shared_bytes) * std::int64_t{config.blocks_per_multiprocessor};
  const auto percent = static_cast<int>(std::min<std::int64_t>(
      (100 * needed + a.limits.shared_per_multiprocessor - 1) / a.limits.shared_per_multiprocessor, 100));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
  const std::int64_t groups = config.block_size / (warp_lanes * config.warps_per_slice);
  const std::int64_t resident = std::int64_t{a.limits.num_multiprocessors} * config.blocks_per_multiprocessor;
  const auto blocks = static_cast<unsigned>(std::min(resident, (a.num_slices() + groups - 1) / groups));
  check(cudaMemsetAsync(to.next_slice, 0, sizeof *to.next_slice, stream.get()));
  kernel<<<blocks, static_cast<unsigned>(config.block_size), static_cast<std::size_t>(shared),
           stream.get()>>>(slices_of(a), log2_of(config.warps_per_slice), x, to.y.data, to.y.stride,
                           to.y.columns, to.next_slice);
  check(cudaGetLastError());
}

/// Calls body with std::bool_constant<condition>.
template <class Body>
void with_constant(bool condition, const Body& body) {
  if (condition)
    body(std::true_type{});
  else
    body(std::false_type{});
}

template <class Vectors>
void launch_any(const Stream& stream, const DeviceCodedMatrix& a, const CodedSpmvConfig& config, Vectors x,
                const Target& to) {
  with_constant(a.has_wide_jumps, [&](auto wide_jumps) {
    with_constant(config.dictionary == DictionaryPlace::shared, [&](auto shared) {
      launch<decltype(wide_jumps)::value, decltype(shared)::value>(stream, a, config, x, to);
    });
  });
}

/// Up to `width` columns of the product.
template <int width>
void multiply_columns(const Stream& stream, const DeviceCodedMatrix& a, ConstDeviceView x, DeviceView y,
                      SpmvWorkspace& workspace, const CodedSpmvConfig& wanted) {
  const CodedTraits traits{a.num_rows, a.num_codes, a.lines_per_step};
  const CodedSpmvConfig config = resolve(wanted, traits, width, a.limits);
  const bool by_texture = config.gather == GatherPath::texture;
  const bool as_it_is = width == 1 && !by_texture && a.order.size() == 0;
  // The counter lies behind the packed vectors.
  const std::size_t size = as_it_is ? 0 : static_cast<std::size_t>(a.num_rows) * width;
  double* scratch = workspace.packed_vectors(size + 1);
  const Target to{y, reinterpret_cast<unsigned*>(scratch + size)};
  if (!as_it_is) pack(stream, x, width, scratch, a.order.size() == 0 ? nullptr : a.order.data());
  if constexpr (width == 1) {
    if (by_texture) return launch_any(stream, a, config, TextureVector{workspace.texture(size)}, to);
  }
  launch_any(stream, a, config, LoadedVectors<width>{as_it_is ? x.data : scratch}, to);
}

__global__ void __launch_bounds__(plain_block_size)
    plain_kernel(CodedSlices a, const std::int32_t* __restrict__ order, bool wide_jumps, ConstDeviceView x,
                 DeviceView y) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * plain_block_size + threadIdx.x;
  const std::int64_t slice = at / warp_lanes;
  const std::int64_t lane = at % warp_lanes;
  if (slice >= a.num_slices) return;
  const std::int32_t row = a.permutation[at];
  if (row < 0) return;
  const double* column_of_x = x.data + blockIdx.y * x.stride;
  const auto from = [&](std::int64_t place) { return column_of_x[order == nullptr ? place : order[place]]; };
  const auto* words = reinterpret_cast<const unsigned*>(a.words);
  double sum = 0.0;
  std::int64_t column = a.bases[slice * coded_parts * warp_lanes + lane];
  for (std::int64_t chunk = a.chunk_offsets[slice]; chunk < a.chunk_offsets[slice + 1]; ++chunk) {
    for (int step = 0; step < coded_chunk_words; ++step) {
      const unsigned word = words[(chunk * warp_lanes + lane) * coded_chunk_words + step];
      const unsigned code = (word >> 16) & 0x7fffU;
      column += static_cast<std::int64_t>(word & 0xffffU) << (wide_jumps && code == 0 ? 16 : 0);
      const double magnitude = a.dictionary[code];
      if (code != 0) sum += ((word >> 31) != 0 ? -magnitude : magnitude) * from(column);
    }
  }
  for (std::int64_t slot = a.remainder_offsets[slice]; slot < a.remainder_offsets[slice + 1]; ++slot) {
    const double value = a.remainder_values[slot * warp_lanes + lane];
    if (value != 0.0) sum += value * from(a.remainder_columns[slot * warp_lanes + lane]);
  }
  y.data[blockIdx.y * y.stride + row] = sum;
}

}  // namespace

DeviceCodedMatrix::DeviceCodedMatrix(const CodedMatrix& host, const Stream& stream)
    : num_rows(host.num_rows), num_nonzeros(host.num_nonzeros()),
      num_codes(static_cast<std::int32_t>(host.dictionary.size())), has_wide_jumps(host.has_wide_jumps),
      lines_per_step(cisolve::lines_per_step(host)),
      limits{attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
             attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)},
      order(host.order.size()), dictionary(host.dictionary.size()), permutation(host.permutation.size()),
      bases(host.bases.size()), chunk_offsets(host.chunk_offsets.size()),
      remainder_offsets(host.remainder_offsets.size()),
      words(static_cast<std::size_t>(host.num_chunks()) * coded_lanes),
      remainder_values(static_cast<std::size_t>(host.num_remainder_slots()) * coded_lanes),
      remainder_columns(static_cast<std::size_t>(host.num_remainder_slots()) * coded_lanes) {
  HostTransfer transfer;
  if (host.order.size() > 0) upload<std::int32_t>(stream, transfer, host.order, order);
  upload<double>(stream, transfer, host.dictionary, dictionary);
  upload<std::int32_t>(stream, transfer, host.permutation, permutation);
  upload<ColumnIndex>(stream, transfer, host.bases, bases);
  upload<std::int64_t>(stream, transfer, host.chunk_offsets, chunk_offsets);
  upload<std::int64_t>(stream, transfer, host.remainder_offsets, remainder_offsets);
  auto* next_words = reinterpret_cast<CodedWord*>(words.data());
  double* next_values = remainder_values.data();
  ColumnIndex* next_columns = remainder_columns.data();
  for (const CodedBlock& block : host.blocks) {
    transfer.upload(stream, block.words.data(), next_words, block.words.size_bytes());
    transfer.upload(stream, block.remainder_values.data(), next_values, block.remainder_values.size_bytes());
    transfer.upload(stream, block.remainder_columns.data(), next_columns,
                    block.remainder_columns.size_bytes());
    next_words += block.words.size();
    next_values += block.remainder_values.size();
    next_columns += block.remainder_columns.size();
  }
  transfer.finish();
}

std::int64_t real_bytes(const DeviceCodedMatrix& a) {
  return static_cast<std::int64_t>(
      a.order.size_bytes() + a.dictionary.size_bytes() + a.permutation.size_bytes() + a.bases.size_bytes() +
      a.chunk_offsets.size_bytes() + a.remainder_offsets.size_bytes() + a.words.size_bytes() +
      a.remainder_values.size_bytes() + a.remainder_columns.size_bytes());
}

void spmv(const Stream& stream, const DeviceCodedMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, const CodedSpmvConfig& config) {
  require_spmv_shapes(a.num_rows, x, y);
  if (a.num_rows == 0) return;  // An empty grid is a launch error.
  for (int first = 0; first < x.columns;) {
    const int taken = std::min(x.columns - first, 4);
    const ConstDeviceView from = x.slice(first, taken);
    const DeviceView to = y.slice(first, taken);
    if (taken == 1)
      multiply_columns<1>(stream, a, from, to, workspace, config);
    else if (taken == 2)
      multiply_columns<2>(stream, a, from, to, workspace, config);
    else
      multiply_columns<4>(stream, a, from, to, workspace, config);
    first += taken;
  }
}

void spmv_plainly(const Stream& stream, const DeviceCodedMatrix& a, ConstDeviceView x, DeviceView y) {
  require_spmv_shapes(a.num_rows, x, y);
  if (a.num_rows == 0 || x.columns == 0) return;
  const std::int64_t threads = a.num_slices() * warp_lanes;
  const dim3 grid(static_cast<unsigned>((threads + plain_block_size - 1) / plain_block_size),
                  static_cast<unsigned>(x.columns));
  plain_kernel<<<grid, plain_block_size, 0, stream.get()>>>(
      slices_of(a), a.order.size() == 0 ? nullptr : a.order.data(), a.has_wide_jumps, x, y);
  check(cudaGetLastError());
}

}  // namespace cisolve::cuda
