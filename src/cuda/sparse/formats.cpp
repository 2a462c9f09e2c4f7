// SPDX-License-Identifier: MIT
#include "cuda/sparse/formats.hpp"

#include <new>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cuda/sparse/coded_matrix.hpp"
#include "cuda/sparse/csb_matrix.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/ell_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "cuda/sparse/paper_hybrid_matrix.hpp"
#include "cuda/sparse/tiled_coded_matrix.hpp"

namespace cisolve::cuda {
namespace {

/// The device copy if `host` is a `Matrix`, else null.
template <class Matrix>
std::unique_ptr<DeviceMatrix> upload_if(const StoredMatrix& host, const Stream& stream, std::int64_t) {
  const auto* stored = dynamic_cast<const StoredAs<Matrix>*>(&host);
  if (stored == nullptr) return nullptr;
  using OnDevice = decltype(to_device(stored->matrix(), stream));
  return std::make_unique<DeviceStoredAs<OnDevice>>(to_device(stored->matrix(), stream));
}

/// By tiles where that is faster and there is room.
std::unique_ptr<DeviceMatrix> upload_coded(const StoredMatrix& host, const Stream& stream,
                                           std::int64_t besides) {
  const auto* stored = dynamic_cast<const StoredAs<CodedMatrix>*>(&host);
  if (stored == nullptr) return nullptr;
  DeviceCodedMatrix matrix = to_device(stored->matrix(), stream);
  try {
    if (const auto tiles = worthwhile_tiles(stored->matrix(), matrix, besides))
      return std::make_unique<DeviceStoredAs<DeviceTiledMatrix>>(by_tiles(std::move(matrix), *tiles, stream));
  } catch (const ResourceError&) {   // of the device
  } catch (const std::bad_alloc&) {  // of the host
  }
  return std::make_unique<DeviceStoredAs<DeviceCodedMatrix>>(std::move(matrix));
}

using Upload = std::unique_ptr<DeviceMatrix> (*)(const StoredMatrix&, const Stream&, std::int64_t besides);

constexpr Upload uploads[] = {
    upload_if<CsrMatrix>,
    upload_if<EllMatrix>,  // ell, ell-r, sliced-ell, sliced-ell-r
    upload_if<CsbMatrix>, upload_coded, upload_if<HybridMatrix>, upload_if<PaperHybridMatrix>,
};

}  // namespace

std::unique_ptr<DeviceMatrix> upload(const StoredMatrix& host, const Stream& stream, std::int64_t besides) {
  for (const Upload upload_format : uploads) {
    if (auto on_device = upload_format(host, stream, besides)) {
      stream.synchronize();
      return on_device;
    }
  }
  throw DimensionError("no device product for storage format " + std::string(host.format()));
}

}  // namespace cisolve::cuda
