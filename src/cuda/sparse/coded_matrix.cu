// SPDX-License-Identifier: MIT
#include "cuda/sparse/coded_matrix.hpp"

#include <algorithm>
#include <type_traits>

#include "cuda/core/uploads.hpp"
#include "cuda/sparse/coded_kernel.cuh"
#include "sparse/coded_locality.hpp"

namespace cisolve::cuda {
namespace {

CodedSlices slices_of(const DeviceCodedMatrix& a) {
  return {pointers_to(a.tables), pointers_to(a.slots), a.num_slices(), a.num_codes};
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
  ProductUpdate update;
  unsigned* next_slice;
};

template <bool wide_jumps, bool shared_dictionary, class Vectors>
void launch(const Stream& stream, const DeviceCodedMatrix& a, const CodedSpmvConfig& config, Vectors x,
            const Target& to) {
  const auto kernel = coded_kernel<wide_jumps, shared_dictionary, Vectors>;
  const auto shared = static_cast<int>(coded_shared_bytes(config, a.num_codes, Vectors::width));
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
  Launch{stream, blocks, static_cast<unsigned>(config.block_size), static_cast<std::size_t>(shared)}(
      kernel, slices_of(a), log2_of(config.warps_per_slice), x, to.y.data, to.y.stride, to.y.columns,
      to.update, to.next_slice);
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
                      SpmvWorkspace& workspace, ProductUpdate update, const CodedSpmvConfig& wanted) {
  const CodedTraits traits{a.num_rows, a.num_columns, a.num_codes, a.lines_per_step};
  const CodedSpmvConfig config = resolve(wanted, traits, width, a.limits);
  const bool by_texture = config.gather == GatherPath::texture;
  const DeviceArray<std::int32_t>& order = a.tables.order;
  const bool as_it_is = width == 1 && !by_texture && order.size() == 0;
  // The counter lies behind the packed vectors.
  const std::size_t size = as_it_is ? 0 : static_cast<std::size_t>(a.num_columns) * width;
  double* scratch = workspace.packed_vectors(size + 1);
  const Target to{y, update, reinterpret_cast<unsigned*>(scratch + size)};
  if (!as_it_is) pack(stream, x, width, scratch, order.data());
  if constexpr (width == 1) {
    if (by_texture) return launch_any(stream, a, config, TextureVector{workspace.texture(size)}, to);
  }
  launch_any(stream, a, config, LoadedVectors<width>{as_it_is ? x.data : scratch}, to);
}

}  // namespace

DeviceCodedMatrix to_device(const CodedMatrix& host, const Stream& stream) {
  DeviceCodedMatrix a{
      host.num_rows,
      host.num_columns,
      host.num_nonzeros(),
      static_cast<std::int32_t>(host.dictionary.size()),
      host.has_wide_jumps,
      lines_per_step(host),
      {attribute(cudaDevAttrMultiProcessorCount), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
       attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)},
      Uploads(stream)(static_cast<const CodedTables<Array>&>(host)),
      {}};
  const std::size_t remainder_size = static_cast<std::size_t>(host.num_remainder_slots()) * coded_lanes;
  a.slots.words = DeviceArray<uint4>(static_cast<std::size_t>(host.num_chunks()) * coded_lanes);
  a.slots.remainder_values = DeviceArray<double>(remainder_size);
  a.slots.remainder_columns = DeviceArray<ColumnIndex>(remainder_size);
  HostTransfer transfer;
  auto* next_words = reinterpret_cast<CodedWord*>(a.slots.words.data());
  double* next_values = a.slots.remainder_values.data();
  ColumnIndex* next_columns = a.slots.remainder_columns.data();
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
  return a;
}

void spmv(const Stream& stream, const DeviceCodedMatrix& a, ConstDeviceView x, DeviceView y,
          SpmvWorkspace& workspace, ProductUpdate update, const CodedSpmvConfig& config) {
  for_each_column_group(
      a.num_rows, a.num_columns, x, y, [&](auto group, ConstDeviceView from, DeviceView to) {
        multiply_columns<decltype(group)::value>(stream, a, from, to, workspace, update, config);
      });
}

}  // namespace cisolve::cuda
