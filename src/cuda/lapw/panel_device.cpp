// SPDX-License-Identifier: MIT
#include "cuda/lapw/panel_device.hpp"

#include <algorithm>

#include "core/stopwatch.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/device_scope.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/lapw/products.hpp"

namespace cisolve::cuda::lapw {

namespace host = cisolve::lapw;
using host::Complex;

/// What lives on the device.
struct PanelDevice::There {
  Stream stream;
  Products products{stream};
  Uploads uploads{stream};
  DeviceArray<Complex> h, s;  ///< the panel
};

PanelDevice::PanelDevice(int ordinal, int keeper) : ordinal_(ordinal) {
  const DeviceScope scope(ordinal);
  allow_peer_access(keeper);
  there_ = std::make_unique<There>();
}

PanelDevice::~PanelDevice() {
  try {
    const DeviceScope scope(ordinal_);  // handles of libraries end where they began
    there_.reset();
  } catch (const Error&) {
    // A device that cannot be made current is lost, and what was on it.
  }
}

std::vector<host::LineRecord> PanelDevice::generate(const host::MatrixProblem& problem,
                                                    const host::GenerationOptions& options,
                                                    const Panel& panel, const MatrixParts& to) {
  const DeviceScope scope(ordinal_);
  There& there = *there_;
  const std::int64_t rows = problem.waves() - panel.first;
  const auto size = static_cast<std::size_t>(rows * panel.columns);
  for (DeviceArray<Complex>* array : {&there.h, &there.s}) {
    if (array->size() == size) continue;
    *array = {};  // free first: both need not fit
    *array = DeviceArray<Complex>(size);
  }
  const MatrixParts own = {to_cuda(there.h.data()), to_cuda(there.s.data()), rows};
  std::vector<host::LineRecord> lines =
      lapw::generate(there.uploads, there.products, problem, options, panel, own, {});
  const Stopwatch watch;
  for (const auto& [from, into] : {std::pair(own.h, to.h), std::pair(own.s, to.s)}) {
    constexpr std::size_t element = sizeof(Complex);
    const std::size_t column = static_cast<std::size_t>(rows) * element;
    check(cudaMemcpy2DAsync(into, static_cast<std::size_t>(to.ld) * element, from, column, column,
                            static_cast<std::size_t>(panel.columns), cudaMemcpyDefault, there.stream.get()));
  }
  there.stream.synchronize();
  lines.push_back({.name = "to the first GPU", .seconds = watch.seconds()});
  return lines;
}

std::vector<host::LineRecord> side_by_side(const std::vector<std::vector<host::LineRecord>>& of_devices,
                                           double seconds) {
  const auto total = [](const std::vector<host::LineRecord>& lines) {
    double sum = 0.0;
    for (const host::LineRecord& line : lines) sum += line.seconds;
    return sum;
  };
  const auto slowest = std::ranges::max_element(of_devices, {}, total);
  std::vector<host::LineRecord> all = *slowest;
  for (auto lines = of_devices.begin(); lines != of_devices.end(); ++lines) {
    if (lines == slowest) continue;
    for (const host::LineRecord& line : *lines) {
      const auto same = std::ranges::find(all, line.name, &host::LineRecord::name);
      if (same != all.end())
        same->flops += line.flops;
      else
        all.push_back({line.name, 0.0, line.flops});
    }
  }
  all.push_back({"threads of the GPUs", std::max(seconds - total(*slowest), 0.0), 0.0});
  return all;
}

}  // namespace cisolve::cuda::lapw
