// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "integrals/text_reader.hpp"

namespace cisolve {

/// The text of a compressed file of few lines: read by the reader of FCIDUMPs and written again would not keep its faults.
inline std::string unzipped(const std::filesystem::path& file) {
  TextReader reader(file);
  std::string text;
  while (const auto line = reader.next_line()) text += std::string(*line) + "\n";
  return text;
}

}  // namespace cisolve
