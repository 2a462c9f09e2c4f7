// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cisolve/tasks/flapw/flapw_config.hpp"
#include "tasks/input/entry_reader.hpp"

// What reads a FLAPW calculation from its input, of which kinds and ranges have been checked. All throw InputErrors, which
// begin with file and line.

namespace cisolve {

/// Refuses an input whose sections do not make one calculation.
void require_flapw_sections(const Input& input);

namespace detail {

/// Three numbers of a key.
lapw::Vector3 three_numbers(const EntryReader& reader, std::string_view path,
                            const std::vector<double>& numbers);

/// Three rows of three.
lapw::Matrix3 three_rows(const EntryReader& reader, std::string_view path);

/// Reads [crystal] and [potential] into `crystal`, `potential` and `k_max`.
void read_crystal(const EntryReader& reader, FlapwConfig& config);

/// Reads [k_points].
/// @param place  of [crystal], for messages
void read_k_points(const EntryReader& reader, const std::string& place, FlapwConfig& config);

}  // namespace detail

}  // namespace cisolve
