// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace cisolve {

/// What of a resolved input a restart must find as it was: whole sections, but for some keys of one of them. Names that
/// are empty are none.
struct DecidingLines {
  std::array<std::string_view, 5> sections = {};
  std::string_view section_with_free_keys = {};
  std::array<std::string_view, 5> free_keys = {};

  /// The lines of a resolved input that decide, in its order, each as "section.key = value".
  std::vector<std::string> of(const std::string& resolved) const;
};

}  // namespace cisolve
