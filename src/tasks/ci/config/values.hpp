// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cisolve/tasks/ci/config/ci_config.hpp"
#include "tasks/input/entries.hpp"

namespace cisolve::detail {

/// Fills in all but where the integrals come from, which must be there already.
/// @throws InputError
void read_job(const EntryMap& entries, const Input& input, CiConfig& config);

/// Bytes of "16 GiB"; 0 for "auto".
/// @throws InputError, beginning with `where`
std::int64_t parse_memory(const std::string& text, const std::string& where);

}  // namespace cisolve::detail
