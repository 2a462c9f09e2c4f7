// SPDX-License-Identifier: MIT
#include "cisolve/core/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace cisolve {
namespace {

/// "MemAvailable:   12345 kB"
std::optional<std::int64_t> meminfo(const std::string& wanted) {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::int64_t kib = 0;
  while (file >> key >> kib) {
    std::getline(file, unit);
    if (key == wanted + ":") return kib * 1024;
  }
  return std::nullopt;
}

/// A control-group file that holds one number; "max" (no limit) and absence are nothing.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::int64_t control_group_room() {
  const auto room = [](const char* limit, const char* used) {
    const auto most = number_in(limit);
    const auto now = number_in(used);
    return most && now ? std::max<std::int64_t>(*most - *now, 0) : std::numeric_limits<std::int64_t>::max();
  };
  return std::min(
      room("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
      room("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
}

/// What a limit on the address space (ulimit -v) leaves; every mapped library counts.
std::int64_t address_space_room() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::int64_t>::max();
  const std::int64_t mapped = number_in("/proc/self/statm").value_or(0) * sysconf(_SC_PAGESIZE);
  return std::max<std::int64_t>(static_cast<std::int64_t>(limit.rlim_cur) - mapped, 0);
}

}  // namespace

std::int64_t available_memory() {
  const std::int64_t free_pages = std::int64_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min({meminfo("MemAvailable").value_or(free_pages), control_group_room(), address_space_room()});
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace cisolve
