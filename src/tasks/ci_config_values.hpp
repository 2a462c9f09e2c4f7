// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cisolve/tasks/input.hpp"

namespace cisolve::detail {

/// What was given, and the default of every other key that has one; by path of the key.
using EntryMap = std::map<std::string, InputEntry, std::less<>>;
EntryMap with_defaults(const Input& input);

/// The section, of [molecule] and [integrals], that this calculation does not have.
std::string_view unused_source(const EntryMap& entries);

/// A CI calculation as TOML: every key in the order of the table, those without a value as comments.
std::string resolved_toml(const EntryMap& entries);

/// Bytes of "16 GiB"; 0 for "auto".
/// @throws InputError, beginning with `where`
std::int64_t parse_memory(const std::string& text, const std::string& where);

}  // namespace cisolve::detail
