// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstring>
#include <system_error>

#include "cisolve/ranks/mpi_session.hpp"

namespace cisolve {

std::optional<Launcher> find_launcher(const std::function<const char*(const char*)>& value) {
  const auto number = [&](const char* variable) {
    const char* text = value(variable);
    int found = 0;
    if (text == nullptr) return 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, found);
    return error == std::errc() && stop == end && found > 0 ? found : 0;
  };
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const int processes = number(variable); processes > 0) return Launcher{variable, processes};
  }
  const char* slurm = "SLURM_STEP_NUM_TASKS";
  if (value("PMIX_RANK") != nullptr) return Launcher{"PMIX_RANK", number(slurm)};
  // Slurm sets both in whatever runs in an allocation; a step of one task is a shell or a single run.
  if (number(slurm) > 1 && value("SLURM_PROCID") != nullptr) return Launcher{slurm, number(slurm)};
  return std::nullopt;
}

}  // namespace cisolve
