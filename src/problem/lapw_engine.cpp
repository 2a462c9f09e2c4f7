// SPDX-License-Identifier: MIT
#include "cisolve/problem/lapw_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/core/number_text.hpp"
#include "cuda/lapw/engine.hpp"
#include "problem/devices.hpp"
#include "problem/numbers_of_devices.hpp"

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

constexpr std::int64_t fixed_bytes = std::int64_t{512} << 20;  // tables, workspaces of the libraries

std::int64_t blocks_on_device(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options) {
  return lapw::block_bytes(problem.waves(), device_block_rows(problem, options));
}

/// Of a device's engine: H, S; blocks of coefficients, or what the solver works with.
std::int64_t device_bytes(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options,
                          std::int64_t roots, bool by_davidson) {
  const std::int64_t n = problem.waves(), square = complex_bytes * n * n;
  // A factor, its inverse's work and vectors; or eigenvectors, their products and the library's work.
  const std::int64_t vectors = 4 * complex_bytes * n * std::min<std::int64_t>(roots, 256);
  const std::int64_t solver = roots == 0 ? 0 : (by_davidson ? 2 : 5) * square + vectors;
  return fixed_bytes + 2 * square + std::max(blocks_on_device(problem, options), solver);
}

/// What is free of each device: of those here, but for the first, that is asked now.
std::int64_t known_free(const Resources& resources, const Device& device) {
  const bool is_known = &device == &resources.devices.front() || device.ordinal == Device::not_here;
  return is_known ? device.free_bytes : free_memory(device);
}

/// The first device that has so much, which is taken out of `devices`; at their end: none has.
std::optional<Device> take_with_room(const Resources& resources, std::vector<const Device*>& devices,
                                     std::int64_t bytes) {
  for (auto at = devices.begin(); at != devices.end(); ++at) {
    const std::int64_t free = known_free(resources, **at);
    if (free < bytes) continue;
    Device device = **at;
    device.free_bytes = free;
    devices.erase(at);
    return device;
  }
  return std::nullopt;
}

/// Those that share H and S with `keeper`, and it before them.
std::vector<Device> with_helpers(const Resources& resources, const LapwMemory& memory, const Device& keeper,
                                 std::vector<const Device*> others, double shared_flops) {
  constexpr double rate = 5e13;  // flop/s, about what one H200 does
  std::string why;
  const bool is_automatic = resources.ranks == 0;
  const int wanted =
      is_automatic
          ? fastest_number(
                static_cast<int>(resources.devices.size()),
                [&](int devices) { return shared_flops / (rate * devices) + start_of_a_device * devices; },
                why)
          : resources.ranks;
  std::vector<Device> chosen = {keeper};
  while (static_cast<int>(chosen.size()) < wanted) {
    const auto next = take_with_room(resources, others, memory.on_other_device);
    if (!next) break;
    chosen.push_back(*next);
  }
  if (!is_automatic && static_cast<int>(chosen.size()) < wanted)
    throw ResourceError(
        fmt::format("run.gpus: {} were asked for, but only {} of {} {} room: {} for the one that keeps H and "
                    "S, {} for each other; use \"auto\"",
                    wanted, chosen.size(), resources.devices.size(), chosen.size() == 1 ? "has" : "have",
                    format_bytes(memory.on_device), format_bytes(memory.on_other_device)));
  return chosen;
}

}  // namespace

LapwMemory lapw_memory(const lapw::MatrixProblem& problem, const lapw::GenerationOptions& options,
                       std::int64_t roots, bool by_davidson, std::int64_t source_bytes,
                       bool copies_matrices) {
  const std::int64_t n = problem.waves();
  const std::int64_t copies = source_bytes + (copies_matrices ? 2 * complex_bytes * n * n : 0);
  return {.on_host = copies + lapw::host_engine_bytes(problem, options, roots, by_davidson),
          .on_device = device_bytes(problem, options, roots, by_davidson),
          // Of two panels or more none is larger than half of a matrix.
          .on_other_device = fixed_bytes + complex_bytes * n * n + blocks_on_device(problem, options),
          .host_beside_device = copies + complex_bytes * n * (by_davidson ? 40 : 3) * roots};
}

std::vector<Device> choose_lapw_devices(const Resources& resources, const LapwMemory& memory,
                                        std::int64_t waves, double shared_flops) {
  if (memory.host_beside_device <= resources.memory) {
    std::vector<const Device*> devices;
    for (const Device& device : resources.devices) devices.push_back(&device);
    if (const auto keeper = take_with_room(resources, devices, memory.on_device))
      return with_helpers(resources, memory, *keeper, std::move(devices), shared_flops);
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
