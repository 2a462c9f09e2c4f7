// SPDX-License-Identifier: MIT
#include "cisolve/problem/lapw_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cuda/lapw/engine.hpp"
#include "problem/devices.hpp"

namespace cisolve {
namespace {

constexpr std::int64_t complex_bytes = 16;

/// Rows of A in the largest block that a device must have room for.
std::int64_t device_block_rows(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options) {
  const std::vector<int> functions = lapw::functions_by_atom(problem, options.algorithm);
  const std::int64_t all = std::accumulate(functions.begin(), functions.end(), std::int64_t{0});
  if (functions.empty() || options.stored) return all;
  const std::int64_t most = (options.block_rows > 0 ? options.block_rows : cuda::lapw::least_block_rows) / 2;
  return std::min(all, std::max<std::int64_t>(most, std::ranges::max(functions)));
}

/// Of a device's engine: H, S; blocks of coefficients, or what the solver works with.
std::int64_t device_bytes(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options,
                          std::int64_t roots, bool by_davidson) {
  constexpr std::int64_t fixed = std::int64_t{512} << 20;  // tables, workspaces of the libraries
  const std::int64_t n = problem.waves(), square = complex_bytes * n * n;
  // A factor, its inverse's work and vectors; or eigenvectors, their products and the library's work.
  const std::int64_t vectors = 4 * complex_bytes * n * std::min<std::int64_t>(roots, 256);
  const std::int64_t solver = roots == 0 ? 0 : (by_davidson ? 2 : 5) * square + vectors;
  return fixed + 2 * square + std::max(lapw::block_bytes(n, device_block_rows(problem, options)), solver);
}

}  // namespace

LapwMemory lapw_memory(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options,
                       std::int64_t roots, bool by_davidson, std::int64_t source_bytes,
                       bool copies_matrices) {
  const std::int64_t n = problem.waves();
  const std::int64_t copies = source_bytes + (copies_matrices ? 2 * complex_bytes * n * n : 0);
  return {.on_host = copies + lapw::host_engine_bytes(problem, options, roots, by_davidson),
          .on_device = device_bytes(problem, options, roots, by_davidson),
          .host_beside_device = copies + complex_bytes * n * (by_davidson ? 40 : 3) * roots};
}

std::vector<Device> choose_lapw_devices(const Resources& resources, const LapwMemory& memory,
                                        std::int64_t waves, double flops) {
  std::vector<Device> with_room;
  for (const Device& device : resources.devices) {
    if (memory.on_device <= device.free_bytes && memory.host_beside_device <= resources.memory)
      with_room.push_back(device);
  }
  if (!with_room.empty()) {
    // Some 0.1 s of one H200: a fifth of that is what panels need that one device would not.
    constexpr double least_shared = 5e12;
    const std::size_t expected = flops < least_shared ? 1 : with_room.size();
    const std::size_t wanted = resources.ranks > 0 ? static_cast<std::size_t>(resources.ranks) : expected;
    if (wanted > with_room.size())
      throw ResourceError(fmt::format(
          "run.gpus: {} were asked for, but of {} only {} {} room for H and S of {} plane waves and what "
          "makes "
          "them, {} each; use \"auto\"",
          wanted, resources.devices.size(), with_room.size(), with_room.size() == 1 ? "has" : "have",
          format_count(waves), format_bytes(memory.on_device)));
    with_room.resize(wanted);
    return with_room;
  }
  if (resources.device_required) {
    if (resources.devices.empty()) throw ResourceError("run.device: there is no device");
    const auto largest = std::ranges::max_element(resources.devices, {}, &Device::free_bytes);
    if (memory.on_device <= largest->free_bytes)
      throw ResourceError(fmt::format(
          "run.memory: {} plane waves need {} of the host beside the device, for coefficients and vectors, "
          "and the run may "
          "take {}",
          format_count(waves), format_bytes(memory.host_beside_device), format_bytes(resources.memory)));
    throw ResourceError(
        fmt::format("run.device: H and S of {} plane waves, with what makes them and solves for the states, "
                    "need {} on the device, "
                    "which has {} free; a smaller k_max, fewer roots or device = \"cpu\" would do",
                    format_count(waves), format_bytes(memory.on_device), format_bytes(largest->free_bytes)));
  }
  if (memory.on_host > resources.memory) {
    throw ResourceError(fmt::format(
        "run.memory: H and S of {} plane waves, with what makes them and solves for the states, need {} "
        "({:.2f} GiB), and "
        "the run may take {}; a smaller k_max or fewer roots need less",
        format_count(waves), format_bytes(memory.on_host),
        static_cast<double>(memory.on_host) / (1024.0 * 1024 * 1024), format_bytes(resources.memory)));
  }
  return {};
}

std::unique_ptr<lapw::Engine> make_lapw_engine(std::span<const Device> devices) {
  return devices.empty() ? lapw::make_host_engine() : make_device_lapw_engine(devices);
}

}  // namespace cisolve
