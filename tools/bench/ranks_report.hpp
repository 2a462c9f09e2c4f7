// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ranks_benchmark.hpp"

namespace cisolve::bench {

/// "no spin parity", "even spin parity", "odd spin parity"
std::string describe_parity(SpinParity parity);

/// A table on stdout: products, each beside `one`, of one device.
void print_ranks_head();
void print_ranks(const RanksMeasurement& result, const RanksMeasurement& one);

/// Tables on stdout: exchanges by themselves and what setting up takes; stages of the products, each of the rank that is
/// longest in it.
void print_exchanges(const std::vector<RanksMeasurement>& results);
void print_stages(const std::vector<RanksMeasurement>& results);

/// One object per measurement, the first of one device.
nlohmann::json describe_ranks(const std::vector<RanksMeasurement>& results);

}  // namespace cisolve::bench
