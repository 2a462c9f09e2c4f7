// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cisolve {

/// Numbers of the largest of some measures, ascending: `most`, and those that are as large as the last of them.
std::vector<std::int64_t> strongest_rows(std::span<const double> measures, std::int64_t most);

}  // namespace cisolve
