// SPDX-License-Identifier: MIT
#include "ranks_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cuda/hamiltonian/ranked_stages.hpp"

namespace cisolve::bench {
namespace {

/// What ranks on devices of their own make of the time of one device; none where they share one.
std::optional<double> efficiency(const RanksMeasurement& result, const RanksMeasurement& one) {
  if (result.devices < result.ranks) return {};
  return one.best().median / (result.ranks * result.best().median);
}

std::string way_of(const RanksMeasurement& result) {
  if (result.exchange.empty()) return result.product.starts_with("Ranked") ? "one rank" : "without ranks";
  return result.exchange;
}

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

/// "   1.234   100.0": milliseconds and GB/s.
std::string rate_text(const ExchangeMeasurement& exchange) {
  if (exchange.times == 0) return fmt::format("{:>9} {:>7}", "-", "-");
  return fmt::format("{:>9.4f} {:>7.1f}", exchange.milliseconds.median, exchange.gigabytes_per_second());
}

nlohmann::json json_of(const Spread& ms) {
  return {{"median", ms.median},
          {"minimum", ms.minimum},
          {"maximum", ms.maximum},
          {"lower_quartile", ms.lower_quartile},
          {"upper_quartile", ms.upper_quartile}};
}

nlohmann::json json_of(const std::optional<Spread>& ms) { return ms ? json_of(*ms) : nlohmann::json(); }

nlohmann::json json_of(const ExchangeMeasurement& exchange) {
  if (exchange.times == 0) return nullptr;
  return {{"per_vector", exchange.times},
          {"bytes", exchange.bytes},
          {"milliseconds", json_of(exchange.milliseconds)},
          {"gigabytes_per_second", exchange.gigabytes_per_second()}};
}

nlohmann::json json_of(const std::vector<StageTimes>& times) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const StageTimes& rank : times) {
    nlohmann::json entry = {{"sums", rank.sums}};
    for (std::size_t stage = 0; stage < rank.stages.size(); ++stage)
      entry["stages"][std::string(cuda::ranked_stage_names[stage])] = rank.stages[stage];
    ranks.push_back(std::move(entry));
  }
  return ranks;
}

/// A line: of each stage the rank that is longest in it.
void print_longest(const RanksMeasurement& result, const char* how, const std::vector<StageTimes>& times) {
  if (times.empty()) return;
  fmt::print("{:>4} {:<13} {:<8}", result.ranks, way_of(result), how);
  for (std::size_t stage = 0; stage < cuda::RankedStages::count; ++stage) {
    double longest = 0.0;
    for (const StageTimes& rank : times) longest = std::max(longest, rank.stages[stage]);
    fmt::print(" {:>9.4f}", longest);
  }
  fmt::print("\n");
}

}  // namespace

void print_ranks_head() {
  fmt::print("{:>4} {:<13} {:>10} {:>21} {:>10} {:>10} {:>10} {:>8} {:>8}\n", "GPUs", "by", "median ms",
             "min .. max ms", "efficiency", "in turns", "hidden ms", "sums s/m", "error");
}

void print_ranks(const RanksMeasurement& result, const RanksMeasurement& one) {
  const Spread& ms = result.best();
  const auto ratio = efficiency(result, one);
  const auto hidden =
      result.overlapped ? fmt::format("{:.4f}", result.in_turns->median - result.overlapped->median) : "-";
  fmt::print("{:>4} {:<13} {:>10.4f} {:>9.4f} .. {:>8.4f} {:>10} {:>10.4f} {:>10} {:>8.3f} {:>8.1e}\n",
             result.ranks, way_of(result), ms.median, ms.minimum, ms.maximum,
             ratio ? fmt::format("{:.3f}", *ratio) : "-", result.in_turns->median, hidden, result.imbalance(),
             result.relative_error);
  std::fflush(stdout);
}

void print_exchanges(const std::vector<RanksMeasurement>& results) {
  fmt::print("\nPer vector, bytes that come to a device; exchanges alone, ms each; seconds to set up.\n");
  fmt::print("{:>4} {:<13} {:>10} {:>9} {:>7} {:>12} {:>7} {:>8} {:>7} {:>7} {:>7} {:>7}\n", "GPUs", "by",
             "MiB", "rows ms", "GB/s", "columns ms", "GB/s", "exchange", "plan", "tables", "GiB", "+ work");
  for (const RanksMeasurement& result : results) {
    const std::int64_t bytes =
        result.rows.times * result.rows.bytes + result.columns.times * result.columns.bytes;
    const std::string times = result.columns.times > 0 ? fmt::format("{}x", result.columns.times) : "  ";
    fmt::print("{:>4} {:<13} {:>10.3f} {} {}{} {:>8.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f}\n", result.ranks,
               way_of(result), static_cast<double>(bytes) / (1 << 20), rate_text(result.rows), times,
               rate_text(result.columns), result.exchange_seconds, result.plan_seconds, result.tables_seconds,
               gib(result.table_bytes), gib(result.workspace_bytes));
  }
}

void print_stages(const std::vector<RanksMeasurement>& results) {
  fmt::print("\nStages of a vector, ms, of the rank that is longest in each:\n{:<27}", "");
  for (const std::string_view name : cuda::ranked_stage_names)
    fmt::print(" {:>9}", name.substr(0, name.find(' ')));
  fmt::print("\n{:>4} {:<13} {:<8}", "GPUs", "by", "");
  for (const std::string_view name : cuda::ranked_stage_names)
    fmt::print(" {:>9}", name.substr(name.find(' ') + 1));
  fmt::print("\n");
  for (const RanksMeasurement& result : results) {
    print_longest(result, "hidden", result.overlapped_stages);
    print_longest(result, "in turns", result.in_turns_stages);
  }
}

nlohmann::json describe_ranks(const std::vector<RanksMeasurement>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (const RanksMeasurement& result : results) {
    const auto ratio = efficiency(result, results.front());
    list.push_back({{"product", result.product},
                    {"exchange", result.exchange},
                    {"ranks", result.ranks},
                    {"devices", result.devices},
                    {"relative_error", result.relative_error},
                    {"overlapped_milliseconds", json_of(result.overlapped)},
                    {"in_turns_milliseconds", json_of(result.in_turns)},
                    {"efficiency", ratio ? nlohmann::json(*ratio) : nlohmann::json()},
                    {"rows_exchange", json_of(result.rows)},
                    {"columns_exchange", json_of(result.columns)},
                    {"overlapped_stages_milliseconds", json_of(result.overlapped_stages)},
                    {"in_turns_stages_milliseconds", json_of(result.in_turns_stages)},
                    {"slowest_over_mean_sums", result.imbalance()},
                    {"exchange_seconds", result.exchange_seconds},
                    {"plan_seconds", result.plan_seconds},
                    {"tables_seconds", result.tables_seconds},
                    {"table_bytes", result.table_bytes},
                    {"workspace_bytes", result.workspace_bytes}});
  }
  return list;
}

}  // namespace cisolve::bench
