// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tasks/input/toml.hpp"

namespace cisolve::detail {

/// Refuses an item whose name, type or range the table of keys does not allow.
/// @throws InputError  one sentence, beginning with `where`
void check_item(const TomlItem& item, const std::string& where);

/// "space.basis" for "basis" or "spce.basis"; empty if nothing is near.
std::string nearest_key(std::string_view path);

}  // namespace cisolve::detail
