// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

// Compiled once (json.cpp) and not by each test that reads some: it is half of what such a test would compile.
extern template class nlohmann::basic_json<>;

namespace cisolve {

/// A file of tests/data.
nlohmann::json read_json(const std::string& name);

}  // namespace cisolve
