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

/// What the control groups of this process leave: its own, as of a job of a batch system, and those that these are in. Lines
/// of /proc/self/cgroup are "0::/path" (version 2) or "9:memory:/path".
std::int64_t control_group_room() {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto look_at = [&](const std::string& root, std::string path, const char* limit, const char* used) {
    while (true) {
      const auto most = number_in(root + path + limit), now = number_in(root + path + used);
      if (most && now) least = std::min(least, std::max<std::int64_t>(*most - *now, 0));
      if (path.empty()) return;
      path.erase(path.find_last_of('/'));
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path.empty() || path.front() != '/') continue;
    if (path == "/") path.clear();
    if (controllers == ",,")
      look_at("/sys/fs/cgroup", path, "/memory.max", "/memory.current");
    else if (controllers.find(",memory,") != std::string::npos)
      look_at("/sys/fs/cgroup/memory", path, "/memory.limit_in_bytes", "/memory.usage_in_bytes");
  }
  return least;
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
