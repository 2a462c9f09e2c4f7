// SPDX-License-Identifier: MIT
#include "ranks_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/core/parallel.hpp"
#include "cisolve/problem/plan.hpp"
#include "core/stopwatch.hpp"
#include "cuda/hamiltonian/direct/plan.hpp"
#include "problem/planners.hpp"
#include "ranks_report.hpp"
#include "report.hpp"

namespace cisolve::bench {
namespace {

using cuda::direct::DirectPlan;

/// Marks what the own strings of a rank are and reach.
void mark_reached(const DirectTables& tables, const StringShares& shares,
                  std::vector<std::uint8_t>& reached) {
  const StringClasses& alpha = tables.blocks.alpha;
  const SpinLinks& links = tables.alpha_links;
  for (int c = 0; c < alpha.count(); ++c) {
    const StringShares::Range own = shares.own(alpha.size(c));
    for (std::int32_t k = own.first; k < own.last; ++k) {
      const std::int32_t string = alpha.offsets[c] + k;
      reached[string] = 1;
      for (int irrep = 0; irrep < 8; ++irrep) {
        for (const SpinLinks::Group& group : links.singles_of(string, irrep)) {
          const std::int32_t first = alpha.offsets[group.source_class];
          const SpinLinks::Single* entry = links.singles.data() + group.first;
          for (const SpinLinks::Single* end = entry + group.size; entry != end; ++entry)
            reached[first + entry->source] = 1;
        }
      }
    }
  }
}

/// Multiplications of a column in the projection of a class.
double of_projection(const DirectPlan& plan, int spin, int c) {
  const std::int32_t number = plan.same_spin.large_of[spin][c];
  if (number < 0 || plan.same_spin.large[number].projection < 0)
    throw InputError(
        "ranks --plan-only: it needs classes of strings whose same-spin sums can all be projected, as those "
        "of "
        "full CI, since excitations within a spin are not listed");
  const auto& projection = plan.same_spin.projections.classes[plan.same_spin.large[number].projection];
  double sum = 0.0;
  for (int k = projection.first_item; k < projection.first_item + projection.num_items; ++k) {
    const double size = plan.same_spin.projections.arrays.items[k].size;
    sum += size * size;
  }
  return sum;
}

/// Of all ranks: in layout 0 columns are those of beta classes, in layout 1, which a parity mirrors, those of alpha classes.
double same_spin_cost(const DirectPlan& plan, const DirectProduct& product) {
  const DirectTables& tables = product.tables();
  double sum = 0.0;
  for (int layout = 0; layout < (product.parity() == SpinParity::none ? 2 : 1); ++layout) {
    const BlockLayout& panels = layout == 0 ? tables.alpha_major : tables.beta_major;
    for (std::size_t panel = 0; panel < panels.panels.size(); ++panel) {
      const auto rows = static_cast<double>(panels.panels[panel].rows);
      if (rows > 0) sum += rows * of_projection(plan, 1 - layout, static_cast<int>(panel));
    }
  }
  return sum;
}

/// Multiplications of a rank's own rows.
double cost_of(const DirectPlan& plan, const DirectTables& tables, const StringShares& shares) {
  double sum = 0.0;
  const auto add = [&](const std::vector<cuda::direct::RowCost>& costs) {
    for (const cuda::direct::RowCost& row : costs) {
      const StringClasses& major = row.layout == 0 ? tables.blocks.alpha : tables.blocks.beta;
      sum += row.cost * shares.own(major.size(row.major_class)).size();
    }
  };
  add(plan.opposite.costs);
  add(plan.long_rows.costs);
  return sum;
}

std::int64_t bytes_of(const std::vector<cuda::direct::RankPiece>& pieces) {
  std::int64_t sum = 0;
  for (const cuda::direct::RankPiece& piece : pieces) sum += 8 * piece.size;
  return sum;
}

PlannedRank describe_rank(const DirectPlan& plan, const StringProduct& space, const DirectTables& tables,
                          const StringShares& shares) {
  PlannedRank result{.rank = shares.rank, .rows = plan.layout.num_rows};
  result.slabs = std::ssize(rows_of(space, tables.blocks, shares).slabs());
  result.row_tasks = std::ssize(plan.opposite.arrays.tasks) + std::ssize(plan.long_rows.arrays.tasks);
  result.excitations = std::ssize(plan.excitations.excitations);
  result.cost = cost_of(plan, tables, shares);
  result.tables = plan.device_bytes();
  result.workspace = plan.vectors.bytes();
  result.x = 8 * (plan.strips.empty() ? plan.vectors.x[0] : 2 * plan.vectors.strip);
  result.plan = plan.host_bytes();
  result.rows_received = bytes_of(plan.exchange->take_rows);
  for (const cuda::direct::SourceStrip& strip : plan.strips) result.rows_received += bytes_of(strip.take);
  result.columns_received = bytes_of(plan.exchange->take_columns);
  return result;
}

nlohmann::json json_of(const Reach& reach) { return {{"most", reach.most}, {"mean", reach.mean}}; }

nlohmann::json json_of(const PlannedRank& rank) {
  return {{"rank", rank.rank},
          {"rows", rank.rows},
          {"slabs", rank.slabs},
          {"row_tasks", rank.row_tasks},
          {"excitations", rank.excitations},
          {"cost", rank.cost},
          {"table_bytes", rank.tables},
          {"workspace_bytes", rank.workspace},
          {"x_bytes", rank.x},
          {"plan_bytes", rank.plan},
          {"rows_received_bytes", rank.rows_received},
          {"columns_received_bytes", rank.columns_received},
          {"plan_seconds", rank.seconds}};
}

nlohmann::json json_of(const PlannedRanks& planned) {
  nlohmann::json result = {{"ranks", planned.number},
                           {"cost", planned.cost},
                           {"imbalance", planned.imbalance},
                           {"same_spin", planned.same_spin},
                           {"strips", planned.strips},
                           {"why_whole", planned.why_whole},
                           {"reach_of_rank", json_of(planned.of_rank)},
                           {"reach_of_node", json_of(planned.of_node)}};
  for (const PlannedRank& rank : planned.ranks) result["some_ranks"].push_back(json_of(rank));
  return result;
}

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

void print_plan(const PlannedRanks& planned) {
  fmt::print("\n{} ranks\n", planned.number);
  fmt::print(
      "multiplications: {:.4g} of opposite-spin sums, the rank with most {:.4f} times the mean; "
      "{:.4g} of same-spin sums\n",
      planned.cost, planned.imbalance, planned.same_spin);
  fmt::print(
      "rows of x that a rank has or reaches: {:.4f} at most, {:.4f} on average; a node: {:.4f}, {:.4f}\n",
      planned.of_rank.most, planned.of_rank.mean, planned.of_node.most, planned.of_node.mean);
  if (planned.strips > 0) fmt::print("x is gathered in {} strips\n", planned.strips);
  if (!planned.why_whole.empty()) fmt::print("x is gathered whole: {}\n", planned.why_whole);
  fmt::print("{:>6} {:>12} {:>8} {:>10} {:>12} {:>10} | GiB: {:>8} {:>8} {:>8} | {:>9} {:>9} | {:>7}\n",
             "rank", "rows", "slabs", "row tasks", "excitations", "cost", "tables", "work", "of it x",
             "rows in", "columns in", "seconds");
  for (const PlannedRank& rank : planned.ranks) {
    fmt::print(
        "{:>6} {:>12} {:>8} {:>10} {:>12} {:>10.4g} |      {:>8.3f} {:>8.3f} {:>8.3f} | {:>9.4f} {:>10.4f} | "
        "{:>7.2f}\n",
        rank.rank, rank.rows, rank.slabs, rank.row_tasks, rank.excitations, rank.cost, gib(rank.tables),
        gib(rank.workspace), gib(rank.x), gib(rank.rows_received), gib(rank.columns_received), rank.seconds);
  }
}

}  // namespace

Reach reach_of(const DirectTables& tables, int ranks, int together) {
  const StringClasses& alpha = tables.blocks.alpha;
  const int nodes = (ranks + together - 1) / together;
  std::vector<double> shares(static_cast<std::size_t>(nodes));
  parallel_for(nodes, 1, [&](std::int64_t node) {
    std::vector<std::uint8_t> reached(alpha.strings.size(), 0);
    const int first = static_cast<int>(node) * together;
    for (int rank = first; rank < std::min(first + together, ranks); ++rank)
      mark_reached(tables, {ranks, rank}, reached);
    std::int64_t rows = 0, all = 0;
    for (int c = 0; c < alpha.count(); ++c) {
      const auto begin = reached.begin() + alpha.offsets[c], end = reached.begin() + alpha.offsets[c + 1];
      rows += alpha.met[static_cast<std::size_t>(c)] * std::count(begin, end, 1);
      all += alpha.met[static_cast<std::size_t>(c)] * (end - begin);
    }
    shares[static_cast<std::size_t>(node)] = static_cast<double>(rows) / static_cast<double>(all);
  });
  return {std::ranges::max(shares), std::accumulate(shares.begin(), shares.end(), 0.0) / nodes};
}

PlannedRanks plan_ranks(const StringProduct& space, const DirectProduct& product, int ranks, int together,
                        const cuda::DirectConfig& config) {
  const DirectTables& tables = product.tables();
  PlannedRanks result;
  result.number = ranks;
  result.of_rank = reach_of(tables, ranks, 1);
  result.of_node = reach_of(tables, ranks, together);
  for (const int rank : std::set<int>{0, ranks / 2, ranks - 1}) {
    const Stopwatch stopwatch;
    const StringShares shares{ranks, rank};
    const DirectPlan plan(product, config, &shares);
    const double seconds = stopwatch.seconds();
    result.ranks.push_back(describe_rank(plan, space, tables, shares));
    result.ranks.back().seconds = seconds;
    if (rank > 0) continue;
    // A class costs any rank as much, and the first has no fewer rows of it than others.
    result.cost = cost_of(plan, tables, {});
    result.imbalance = result.ranks.back().cost * ranks / result.cost;
    result.same_spin = same_spin_cost(plan, product);
    result.strips = static_cast<int>(plan.strips.size());
    result.why_whole = plan.why_whole;
  }
  return result;
}

int run_ranks_plan(const RanksCommand& command) {
  JobOptions options = command.job;
  options.solves = false;
  const BenchJob job = load_problem(options);
  if (direct_obstacle(*job.problem) != DirectObstacle::none)
    throw InputError("ranks: it needs a space made of blocks of strings and hamiltonian.threshold = 0");
  const Basis& basis = *job.problem->basis;
  const StringProduct& space = *basis.as_product();
  const SpinParity parity = command.parity.value_or(wanted_parity(basis));
  const Stopwatch stopwatch;
  const DirectProduct product(space, *job.problem->tables, {}, parity, OwnDoubles::left_out);
  const double host_seconds = stopwatch.seconds();
  const BlockStructure& blocks = product.tables().blocks;
  fmt::print("{}, {}; {} GPUs on a node, {}\n", job.name, describe_parity(parity), command.plan.gpus_per_node,
             command.plan.profile);
  fmt::print(
      "{} alpha strings in {} classes, {} beta strings in {}; {:.3f} GiB of tables on the host, {:.2f} s\n",
      blocks.alpha.num_strings(), blocks.alpha.count(), blocks.beta.num_strings(), blocks.beta.count(),
      gib(product.tables().bytes()), host_seconds);
  auto config = cuda::DirectConfig::for_profile(cuda::device_profile(command.plan.profile));
  config.same_spin = cuda::SameSpin::projected;
  config.most_strip_bytes = command.options.strip_mib << 20;
  nlohmann::json plans;
  for (const int ranks : command.plan.ranks) {
    const PlannedRanks planned = plan_ranks(space, product, ranks, command.plan.gpus_per_node, config);
    print_plan(planned);
    plans.push_back(json_of(planned));
  }
  if (command.json_file.empty()) return 0;
  nlohmann::json report = describe_run("ranks");
  report["job"] = job.name;
  report["rows"] = basis.size();
  report["parity"] = describe_parity(parity);
  report["gpus_per_node"] = command.plan.gpus_per_node;
  report["profile"] = command.plan.profile;
  report["strings"] = {blocks.alpha.num_strings(), blocks.beta.num_strings()};
  report["classes"] = {blocks.alpha.count(), blocks.beta.count()};
  report["host_tables_bytes"] = product.tables().bytes();
  report["host_seconds"] = host_seconds;
  report["plans"] = std::move(plans);
  write_json(report, command.json_file);
  return 0;
}

}  // namespace cisolve::bench
