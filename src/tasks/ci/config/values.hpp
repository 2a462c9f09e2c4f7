// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cisolve/tasks/input/input.hpp"

namespace cisolve::detail {

/// What was given, and the default of every other key that has one; by path of the key.
using EntryMap = std::map<std::string, InputEntry, std::less<>>;
EntryMap with_defaults(const Input& input);

/// Whether a key of the section is given.
bool has_section(const EntryMap& entries, std::string_view section);

/// The section, of [molecule] and [integrals], that this calculation does not have.
std::string_view unused_source(const EntryMap& entries);

/// Fills in all but where the integrals come from, which must be there already.
/// @throws InputError
void read_job(const EntryMap& entries, const Input& input, CiConfig& config);

/// A CI calculation as TOML: every key in the order of the table, those without a value as comments.
std::string resolved_toml(const EntryMap& entries);

/// Bytes of "16 GiB"; 0 for "auto".
/// @throws InputError, beginning with `where`
std::int64_t parse_memory(const std::string& text, const std::string& where);

}  // namespace cisolve::detail
