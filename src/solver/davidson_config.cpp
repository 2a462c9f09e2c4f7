// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "cisolve/core/error.hpp"
#include "solver/davidson_run.hpp"

namespace cisolve {

int default_subspace(int num_roots) { return 8 + 8 * num_roots; }

void check_davidson_input(std::int64_t size, int start_columns, const DavidsonConfig& config) {
  const auto require = [](bool condition, const char* expected) {
    if (!condition) throw DimensionError(std::string("davidson: ") + expected);
  };
  require(size >= 1, "the matrix must have at least one row");
  require(start_columns >= 1, "at least one start vector is needed");
  require(config.num_roots >= 1, "num_roots must be at least 1");
  require(config.tolerance > 0.0, "tolerance must be positive");
  require(config.max_iterations >= 1, "max_iterations must be at least 1");
  require(config.max_subspace >= 0, "max_subspace must not be negative");
  require(config.max_columns >= 0, "max_columns must not be negative");
  require(config.cluster_width >= 0.0, "cluster_width must not be negative");
  require(config.orthogonality_floor > 0.0 && config.orthogonality_floor < 1.0,
          "orthogonality_floor must be between 0 and 1");
  require(config.denominator_floor > 0.0, "denominator_floor must be positive");
  require(config.metric_floor > 0.0 && config.metric_floor < 1.0, "metric_floor must be between 0 and 1");
  require(config.stagnation_window >= 1, "stagnation_window must be at least 1");
  require(config.start_perturbation >= 0.0, "start_perturbation must not be negative");
  require(config.guard_margin >= 0.0, "guard_margin must not be negative");
  require(config.watched_roots >= 0, "watched_roots must not be negative");
  require(config.watched_tolerance > 0.0, "watched_tolerance must be positive");
  require(config.exploration_margin >= 0.0, "exploration_margin must not be negative");
}

SubspaceShape::SubspaceShape(std::int64_t size, int start_block, const DavidsonConfig& config,
                             bool has_metric)
    : metric(has_metric) {
  const auto at_most_size = [size](std::int64_t n) { return static_cast<int>(std::min(n, size)); };
  // A matrix this small is diagonalised whole: cheaper, and exact.
  constexpr std::int64_t small_matrix = 32;
  wanted = at_most_size(config.num_roots);
  watched = config.follow_start ? 0 : at_most_size(std::int64_t{wanted} + config.watched_roots) - wanted;
  const std::int64_t asked = config.max_subspace > 0
                                 ? config.max_subspace
                                 : default_subspace(config.num_roots + config.watched_roots);
  // The roots, their previous directions and one correction for each must fit; so must the start with
  // a first correction, and one guard root.
  const std::int64_t followed = std::int64_t{wanted} + watched, least = 3 * followed + 3;
  const auto with_start = [&] { return start_columns + followed + 2; };
  start_columns = start_block;
  whole = size <= std::max<std::int64_t>(small_matrix, 4 * followed);
  capacity = whole ? at_most_size(size) : at_most_size(std::max({asked, least, with_start()}));
  const auto exceeds = [&](int roots) {
    return config.max_columns > 0 && columns(roots) > config.max_columns;
  };
  if (!whole && config.max_columns > 0) {
    while (capacity > least && exceeds(wanted)) --capacity;
    start_columns = std::min(start_columns, std::max(1, capacity - wanted - watched - 2));
  }
  start_columns = std::min(start_columns, capacity);
  // Room for a degenerate term (an F term has 7 components) around the last wanted root.
  constexpr int cluster_room = 6;
  most_wanted = whole ? capacity : std::max(wanted, std::min(capacity / 3 - watched, wanted + cluster_room));
  while (most_wanted > wanted && exceeds(most_wanted)) --most_wanted;
  kept = std::max(capacity / 2, std::min(2 * (wanted + watched) + 1, capacity - 1));
}

int davidson_columns(const DavidsonConfig& config, std::int64_t size, bool metric) {
  const SubspaceShape shape(size, config.num_roots, config, metric);
  return shape.columns(shape.wanted);
}

int davidson_subspace(const DavidsonConfig& config, std::int64_t size, bool metric) {
  return SubspaceShape(size, config.num_roots, config, metric).capacity;
}

}  // namespace cisolve
