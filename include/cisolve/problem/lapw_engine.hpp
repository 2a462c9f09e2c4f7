// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cisolve/lapw/engine.hpp"
#include "cisolve/problem/resources.hpp"

namespace cisolve {

/// Bytes that a FLAPW calculation takes for its largest k-point, wherever its matrices are.
struct LapwMemory {
  std::int64_t on_host = 0;             ///< all on the host
  std::int64_t on_device = 0;           ///< all on a device
  std::int64_t on_other_device = 0;     ///< on one that makes a part of H and S for it
  std::int64_t host_beside_device = 0;  ///< of the host then: coefficients of a file, vectors
};

/// @param options     how H and S are made
/// @param roots       that are wanted
/// @param by_davidson rather than directly
/// @param source_bytes     of what coefficients are made from, on the host
/// @param copies_matrices  H and S are copied to be written
LapwMemory lapw_memory(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options,
                       std::int64_t roots, bool by_davidson, std::int64_t source_bytes, bool copies_matrices);

/// Devices that have room, the first of which keeps H and S; none: the host. As many as resources.ranks says, or where that
/// is 0 as are expected to be fastest.
/// @param shared_flops  of the whole calculation, which devices can share
/// @return with what each has free
/// @throws ResourceError  none has room, or too few have, or only the host has and a device is required: with the bytes that
///                        are needed, that are there, and the order of the matrices
std::vector<Device> choose_lapw_devices(const Resources& resources, const LapwMemory& memory,
                                        std::int64_t waves, double shared_flops);

/// An engine there.
std::unique_ptr<lapw::Engine> make_lapw_engine(std::span<const Device> devices);

}  // namespace cisolve
