// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "cisolve/lapw/matrices.hpp"
#include "cuda/lapw/generation.hpp"
#include "cuda/lapw/panel.hpp"

namespace cisolve::cuda::lapw {

/// Another device than the one that keeps H and S, which makes a panel of them. The calling thread's device stays current.
class PanelDevice {
public:
  /// @param keeper  the device that keeps H and S
  /// @throws CudaError, ResourceError
  PanelDevice(int ordinal, int keeper);
  ~PanelDevice();
  PanelDevice(const PanelDevice&) = delete;
  PanelDevice& operator=(const PanelDevice&) = delete;

  /// Makes a panel and copies it to where it belongs.
  /// @param options  with block_rows
  /// @param to       the first elements of the panel in H and S, in the memory of the device that keeps them
  /// @return what `generate` says, and the copy
  std::vector<cisolve::lapw::LineRecord> generate(const cisolve::lapw::MatrixProblem& problem,
                                                  const cisolve::lapw::GenerationOptions& options,
                                                  const Panel& panel, const MatrixParts& to);

private:
  struct There;
  int ordinal_;
  std::unique_ptr<There> there_;
};

/// What devices took that worked side by side: the times of the one that took longest, the flops of all, and what is left of
/// the time in which they all began and ended.
/// @param seconds  that time
std::vector<cisolve::lapw::LineRecord> side_by_side(
    const std::vector<std::vector<cisolve::lapw::LineRecord>>& of_devices, double seconds);

}  // namespace cisolve::cuda::lapw
