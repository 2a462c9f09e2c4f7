// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace cisolve {

class Communicator;

enum class DeviceChoice { automatic, cpu, cuda };

/// What tells a device from all others, on all machines.
using DeviceId = std::array<char, 16>;

/// A device that calculations may be planned for, here or elsewhere.
struct Device {
  int ordinal = 0;  ///< as the driver numbers it; not_here: only plans can be made for it
  std::string name;
  std::int64_t free_bytes = 0;
  std::string compute_capability;  ///< "9.0"
  DeviceId id = {};

  static constexpr int not_here = -1;
};

/// What a calculation may take. Host threads are those of OpenMP.
struct Resources {
  std::int64_t memory = 0;       ///< of the host, bytes
  std::vector<Device> devices;   ///< that may be used, best first; empty: the CPU alone
  bool device_required = false;  ///< the CPU may not take over what has no room on a device
  /// Ranks of each process that share the rows of vectors, each on a device of its own, or where there is none on some
  /// threads. 0: as many devices as are expected to be fastest, else one.
  int ranks = 0;
  /// All processes, where there are several, of which this is the first and the others serve it (serve_ranks). Must outlive
  /// what is made with it.
  const Communicator* processes = nullptr;
};

/// Host memory that a calculation may take unless told otherwise: 80% of what is free, bytes.
std::int64_t usual_memory();

/// Whether this build can use devices, or plan for them.
bool is_built_for_devices();

/// The devices of this machine that are of the kind of the first, with the memory that is free now. Creates the context of the first, which takes a
/// while, see start_devices; of the others, whose contexts would take memory, all that they have is given.
std::vector<Device> find_devices();

/// The devices of this machine by name, with all their memory; creates no context.
std::vector<Device> devices_here();

/// A device of another machine, for plans: of its memory what is free, bytes.
Device device_not_here(std::int64_t free_bytes);

/// Begins to start the devices that find_devices will name first, on a thread of its own: the host can read and
/// tabulate meanwhile. Nothing happens where there is none.
/// @param most  so many, or as many as there are
std::jthread start_devices(int most = 1);

/// Everything that there is, or the CPU alone.
Resources available_resources(DeviceChoice choice = DeviceChoice::automatic);

/// The processors as reports name them: "cpu, 8 threads".
std::string cpu_name();

}  // namespace cisolve
