// SPDX-License-Identifier: MIT
#include "cisolve/ranks/rows.hpp"

#include <algorithm>
#include <vector>

#include "cisolve/core/array.hpp"

namespace cisolve {
namespace {

/// Of some thousand, of some thousand rows each, that a rank has of a large vector.
constexpr int slabs_at_a_time = 16;

struct Copy {
  const double* from;
  double* to;
  std::int64_t count;
};

/// Rows side by side that a rank has.
struct Run {
  std::int64_t first_row, rows;
};

std::vector<Run> runs_within(const RowMap& map, std::int64_t first_row, std::int64_t count) {
  std::vector<Run> runs;
  map.for_each_within(first_row, count, [&](std::int64_t first, std::int64_t, std::int64_t rows) {
    runs.push_back({first, rows});
  });
  return runs;
}

std::size_t rows_in(std::span<const RowMap::Slab> slabs) {
  return slabs.empty() ? 0 : static_cast<std::size_t>(slabs.back().first_local + slabs.back().count);
}

void copy_all(std::span<const Copy> copies) {
#pragma omp parallel for schedule(dynamic, slabs_at_a_time)
  for (const Copy& one : copies) std::copy_n(one.from, one.count, one.to);
}

}  // namespace

void collect_rows(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                  std::span<const double> own, std::span<double> out, int root) {
  const std::vector<Run> runs = runs_within(map, first_row, count);
  struct Sizes {
    std::size_t runs, rows;
  };
  const std::vector<Sizes> sizes = all_values(ranks, Sizes{runs.size(), own.size()});
  const std::vector<Outgoing> send{{root, std::as_bytes(std::span(runs))}, {root, std::as_bytes(own)}};
  if (ranks.rank() != root) return ranks.exchange(send, {});
  std::vector<std::vector<Run>> runs_of;
  std::vector<Array<double>> rows_of;
  std::vector<Incoming> receive;
  for (int r = 0; r < ranks.size(); ++r) {
    runs_of.emplace_back(sizes[static_cast<std::size_t>(r)].runs);
    rows_of.emplace_back(sizes[static_cast<std::size_t>(r)].rows);
    receive.push_back({r, std::as_writable_bytes(std::span(runs_of.back()))});
    receive.push_back({r, std::as_writable_bytes(std::span(rows_of.back()))});
  }
  ranks.exchange(send, receive);
  std::vector<Copy> copies;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const double* from = rows_of[r].data();
    for (const Run& run : runs_of[r]) {
      copies.push_back({from, out.data() + (run.first_row - first_row), run.rows});
      from += run.rows;
    }
  }
  copy_all(copies);
}

void hand_out_rows(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                   std::span<const double> rows, std::span<double> own, int root) {
  const std::vector<Run> mine = runs_within(map, first_row, count);
  const auto runs = gather_all<Run>(ranks, mine);
  std::vector<Array<double>> packed;
  std::vector<Outgoing> send;
  if (ranks.rank() == root) {
    std::vector<Copy> copies;
    for (int r = 0; r < ranks.size(); ++r) {
      const auto& of_rank = runs[static_cast<std::size_t>(r)];
      std::int64_t size = 0;
      for (const Run& run : of_rank) size += run.rows;
      double* to = packed.emplace_back(static_cast<std::size_t>(size)).data();
      for (const Run& run : of_rank) {
        copies.push_back({rows.data() + (run.first_row - first_row), to, run.rows});
        to += run.rows;
      }
      send.push_back({r, std::as_bytes(std::span<const double>(packed.back()))});
    }
    copy_all(copies);
  }
  const Incoming receive{root, std::as_writable_bytes(own)};
  ranks.exchange(send, {&receive, 1});
}

void gather_rows(const Communicator& ranks, const RowMap& map, std::span<const double> own,
                 std::span<double> whole) {
  const auto slabs = gather_all<RowMap::Slab>(ranks, map.slabs());
  std::vector<Array<double>> rows;
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int r = 0; r < ranks.size(); ++r) {
    rows.emplace_back(rows_in(slabs[static_cast<std::size_t>(r)]));
    send.push_back({r, std::as_bytes(own)});
    receive.push_back({r, std::as_writable_bytes(std::span(rows.back()))});
  }
  ranks.exchange(send, receive);
  std::vector<Copy> copies;
  for (std::size_t r = 0; r < slabs.size(); ++r) {
    for (const RowMap::Slab& slab : slabs[r])
      copies.push_back({rows[r].data() + slab.first_local, whole.data() + slab.first_row, slab.count});
  }
  copy_all(copies);
}

void put_rows(const RowMap& map, std::int64_t first_row, std::span<const double> own, std::span<double> out) {
  const std::int64_t first_local = map.local_below(first_row);
  const std::int64_t end = first_row + std::ssize(out);
  const std::span<const RowMap::Slab> slabs = map.slabs();
#pragma omp parallel for schedule(dynamic, slabs_at_a_time)
  for (const RowMap::Slab& slab : slabs) {
    const std::int64_t from = std::max(slab.first_row, first_row);
    const std::int64_t to = std::min(slab.first_row + slab.count, end);
    if (from >= to) continue;
    std::copy_n(own.begin() + (slab.first_local + (from - slab.first_row) - first_local), to - from,
                out.begin() + (from - first_row));
  }
}

void take_rows(const RowMap& map, std::span<const double> whole, std::span<double> own) {
  const std::span<const RowMap::Slab> slabs = map.slabs();
#pragma omp parallel for schedule(dynamic, slabs_at_a_time)
  for (const RowMap::Slab& slab : slabs)
    std::copy_n(whole.begin() + slab.first_row, slab.count, own.begin() + slab.first_local);
}

}  // namespace cisolve
