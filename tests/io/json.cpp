// SPDX-License-Identifier: MIT
#include "io/json.hpp"

#include <filesystem>
#include <fstream>

template class nlohmann::basic_json<>;

namespace cisolve {

nlohmann::json read_json(const std::string& name) {
  std::ifstream stream(std::filesystem::path(CISOLVE_TEST_DATA) / name);
  return nlohmann::json::parse(stream);
}

}  // namespace cisolve
