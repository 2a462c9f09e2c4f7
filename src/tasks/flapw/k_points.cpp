// SPDX-License-Identifier: MIT
// [k_points].
#include <algorithm>

#include "tasks/flapw/readers.hpp"
#include "tasks/input/text.hpp"

namespace cisolve::detail {

namespace {

constexpr std::string_view list_key = "k_points.list", grid_key = "k_points.grid",
                           corners_key = "k_points.path.points", labels_key = "k_points.path.labels",
                           segments_key = "k_points.path.segments";
constexpr std::int64_t most_points = 1'000'000;

/// The keys among list, grid and path that are given; of a path the first of its fields.
std::vector<std::string_view> given_keys(const EntryReader& reader) {
  std::vector<std::string_view> given;
  for (const std::string_view key : {list_key, grid_key}) {
    if (reader.has(key)) given.push_back(key);
  }
  for (const std::string_view key :
       {std::string_view("k_points.path"), corners_key, labels_key, segments_key}) {
    if (!reader.has(key)) continue;
    given.push_back(key);
    break;
  }
  return given;
}

std::vector<lapw::Vector3> read_points(const EntryReader& reader, std::string_view path) {
  std::vector<lapw::Vector3> points;
  for (const auto& row : reader.get<std::vector<std::vector<double>>>(path))
    points.push_back(three_numbers(reader, path, row));
  return points;
}

void require_few(const EntryReader& reader, std::string_view path, std::int64_t count) {
  if (count > most_points)
    reader.refuse(path, fmt::format("makes {} k-points; at most {} are taken", count, most_points));
}

/// i/n for i from 0, from -1/2 (not itself) to 1/2.
std::vector<double> folded_steps(std::int64_t n) {
  std::vector<double> steps;
  for (std::int64_t i = 0; i < n; ++i)
    steps.push_back(static_cast<double>(2 * i > n ? i - n : i) / static_cast<double>(n));
  return steps;
}

std::vector<lapw::Vector3> points_of_grid(const EntryReader& reader) {
  const auto& grid = reader.get<std::vector<std::int64_t>>(grid_key);
  if (grid.size() != 3)
    reader.refuse(grid_key, fmt::format("has {} numbers; three integers are expected", grid.size()));
  std::int64_t count = 1;
  for (const std::int64_t n : grid) require_few(reader, grid_key, count *= n);
  std::vector<lapw::Vector3> points;
  for (const double x : folded_steps(grid[0])) {
    for (const double y : folded_steps(grid[1])) {
      for (const double z : folded_steps(grid[2])) points.push_back({x, y, z});
    }
  }
  return points;
}

std::vector<std::string> read_labels(const EntryReader& reader, const std::vector<lapw::Vector3>& corners) {
  if (reader.has(labels_key)) {
    std::vector<std::string> labels = reader.texts(labels_key);
    if (labels.size() != corners.size())
      reader.refuse(labels_key, fmt::format("names {} corners; k_points.path.points has {}", labels.size(),
                                            corners.size()));
    return labels;
  }
  std::vector<std::string> labels;
  for (const lapw::Vector3& corner : corners) labels.push_back(fmt::format("{}", fmt::join(corner, " ")));
  return labels;
}

std::vector<lapw::Vector3> points_of_path(const EntryReader& reader, std::string_view given, BandPath& path) {
  if (!reader.has(corners_key))
    reader.refuse(given,
                  "makes no path without points, as in path = { points = [[0, 0, 0], [0.5, 0.5, 0]] }");
  const std::vector<lapw::Vector3> corners = read_points(reader, corners_key);
  if (corners.size() < 2)
    reader.refuse(corners_key, fmt::format("has {} corners; a path needs two or more", corners.size()));
  path.labels = read_labels(reader, corners);
  const int segments = reader.integer(segments_key);
  require_few(reader, corners_key, static_cast<std::int64_t>(corners.size() - 1) * segments + 1);
  std::vector<lapw::Vector3> points;
  for (std::size_t leg = 0; leg + 1 < corners.size(); ++leg) {
    path.corners.push_back(static_cast<int>(points.size()));
    for (int step = 0; step < segments; ++step) {
      const double along = static_cast<double>(step) / segments;
      lapw::Vector3 point{};
      for (std::size_t axis = 0; axis < 3; ++axis)
        point[axis] = corners[leg][axis] + along * (corners[leg + 1][axis] - corners[leg][axis]);
      points.push_back(point);
    }
  }
  path.corners.push_back(static_cast<int>(points.size()));
  points.push_back(corners.back());
  return points;
}

}  // namespace

void read_k_points(const EntryReader& reader, const std::string& place, FlapwConfig& config) {
  const std::vector<std::string_view> given = given_keys(reader);
  if (given.empty())
    throw InputError(fmt::format(
        "{}: [crystal] has no k-points; one of k_points.list, k_points.grid and k_points.path is needed",
        place));
  if (given.size() > 1)
    reader.refuse(given[1],
                  fmt::format("does not go with {}; one of list, grid and path is needed", given[0]));
  const std::string_view key = given.front();
  const std::vector<lapw::Vector3> points = key == list_key   ? read_points(reader, list_key)
                                            : key == grid_key ? points_of_grid(reader)
                                                              : points_of_path(reader, key, config.path);
  if (points.empty()) reader.refuse(key, "is empty; at least one k-point is needed");
  const double weight = 1.0 / static_cast<double>(points.size());
  for (const lapw::Vector3& point : points) config.k_points.push_back({.k = point, .weight = weight});
}

}  // namespace cisolve::detail
