// SPDX-License-Identifier: MIT
#include "app/version.hpp"

#include <fmt/format.h>
#include <spdlog/version.h>

#include <CLI/Version.hpp>
#include <string_view>

#include "build_info.hpp"
#include "cisolve/ranks/mpi_session.hpp"
#include "cisolve/tasks/run/devices.hpp"

namespace cisolve::app {

std::string version_text() {
  const std::string mpi = mpi_library();
  const std::string_view cuda = build_info::cuda_version;
  std::string text = fmt::format("cisolve {}\n", build_info::version);
  text += fmt::format(
      "build      {}, {}, CUDA {}\n", build_info::build_type, build_info::compiler,
      cuda.empty() ? "no" : fmt::format("{} (architectures {})", cuda, build_info::cuda_architectures));
  text += fmt::format(
      "libraries  Libint2 {}, {}, Eigen {}, HDF5 {}, fmt {}.{}.{}, spdlog {}.{}.{}, CLI11 {}\n",
      *build_info::libint_version == '\0' ? "no" : build_info::libint_version, mpi.empty() ? "MPI no" : mpi,
      build_info::eigen_version, build_info::hdf5_version, FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
      FMT_VERSION % 100, SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH, CLI11_VERSION);
  const char* label = "devices    ";
  for (const std::string& device : visible_devices()) {
    text += label + device + "\n";
    label = "           ";
  }
  return text;
}

}  // namespace cisolve::app
