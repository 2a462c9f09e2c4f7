// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "spmv_benchmark.hpp"

namespace cisolve::bench {

/// Program, version, git commit, date (UTC) and machine: what every measurement is filed under.
nlohmann::json describe_run(const std::string& command);

/// Rows, nonzeros and CSR bytes.
nlohmann::json describe_matrix(const CsrMatrix& a, const std::string& name);

/// One object per measurement; milliseconds, bytes, and bytes of the format per second.
nlohmann::json describe(const std::vector<SpmvMeasurement>& results);

/// A table on stdout, fastest first within equal numbers of vectors.
void print(std::vector<SpmvMeasurement> results);

/// @throws SystemError if the file cannot be written
void write_json(const nlohmann::json& report, const std::string& file);

}  // namespace cisolve::bench
