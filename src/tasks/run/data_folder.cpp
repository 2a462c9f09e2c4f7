// SPDX-License-Identifier: MIT
#include "cisolve/tasks/run/data_folder.hpp"

#include <cstdlib>
#include <initializer_list>
#include <system_error>

#include "build_info.hpp"

namespace cisolve {

std::filesystem::path basis_set_folder() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("CISOLVE_DATA"); given != nullptr && *given != '\0')
    return fs::path(given) / "basis";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = (program.parent_path() / build_info::data_from_program).lexically_normal();
  const fs::path installed = build_info::data_installed, source = build_info::data_in_source;
  for (const fs::path& data : {beside, source, installed}) {
    if (fs::is_directory(data / "basis", error)) return data / "basis";
  }
  return installed / "basis";
}

}  // namespace cisolve
