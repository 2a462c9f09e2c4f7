// SPDX-License-Identifier: MIT
#include "cuda/sparse/formats.hpp"

#include <string>

#include "cisolve/core/error.hpp"
#include "cuda/sparse/coded_matrix.hpp"
#include "cuda/sparse/csb_matrix.hpp"
#include "cuda/sparse/csr_matrix.hpp"
#include "cuda/sparse/ell_matrix.hpp"
#include "cuda/sparse/hybrid_matrix.hpp"
#include "cuda/sparse/paper_hybrid_matrix.hpp"

namespace cisolve::cuda {
namespace {

/// The device copy if `host` is a `Matrix`, else null.
template <class Matrix, class OnDevice>
std::unique_ptr<DeviceMatrix> upload_if(const StoredMatrix& host, const Stream& stream) {
  const auto* stored = dynamic_cast<const StoredAs<Matrix>*>(&host);
  if (stored == nullptr) return nullptr;
  return std::make_unique<DeviceStoredAs<OnDevice>>(OnDevice(stored->matrix(), stream));
}

using Upload = std::unique_ptr<DeviceMatrix> (*)(const StoredMatrix&, const Stream&);

/// Host struct and device struct of each format.
constexpr Upload uploads[] = {
    upload_if<CsrMatrix, DeviceCsrMatrix>,
    upload_if<EllMatrix, DeviceEllMatrix>,  // ell, ell-r, sliced-ell, sliced-ell-r
    upload_if<CsbMatrix, DeviceCsbMatrix>,
    upload_if<CodedMatrix, DeviceCodedMatrix>,
    upload_if<HybridMatrix, DeviceHybridMatrix>,
    upload_if<PaperHybridMatrix, DevicePaperHybridMatrix>,
};

}  // namespace

std::unique_ptr<DeviceMatrix> upload(const StoredMatrix& host, const Stream& stream) {
  for (const Upload upload_format : uploads) {
    if (auto on_device = upload_format(host, stream)) {
      stream.synchronize();
      return on_device;
    }
  }
  throw DimensionError("no device product for storage format " + std::string(host.format()));
}

}  // namespace cisolve::cuda
