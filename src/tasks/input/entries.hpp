// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "cisolve/tasks/input/input.hpp"
#include "cisolve/tasks/run/task.hpp"

namespace cisolve::detail {

/// What was given, and the default of every other key that has one and is the task's; by path of the key. A section whose
/// header is there is part of the calculation, without keys, too.
using EntryMap = std::map<std::string, InputEntry, std::less<>>;
EntryMap with_defaults(const Input& input);

/// Whether a key of the section is given.
bool has_section(const EntryMap& entries, std::string_view section);

/// A calculation as TOML: every key of the task in the order of the table, those without a value as comments.
std::string resolved_toml(const EntryMap& entries, const Task& task);

}  // namespace cisolve::detail
