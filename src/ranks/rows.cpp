// SPDX-License-Identifier: MIT
#include "cisolve/ranks/rows.hpp"

#include <algorithm>
#include <vector>

namespace cisolve {
namespace {

/// Of some thousand, of some thousand rows each, that a rank has of a large vector.
constexpr int slabs_at_a_time = 16;

}  // namespace

void collect_rows(const Communicator& ranks, const RowMap& map, std::int64_t first_row, std::int64_t count,
                  std::span<const double> own, std::span<double> out, int root) {
  struct Run {
    std::int64_t first_row, rows;
  };
  std::vector<Run> runs;
  map.for_each_within(first_row, count, [&](std::int64_t first, std::int64_t, std::int64_t rows) {
    runs.push_back({first, rows});
  });
  struct Sizes {
    std::size_t runs, rows;
  };
  const std::vector<Sizes> sizes = all_values(ranks, Sizes{runs.size(), own.size()});
  const std::vector<Outgoing> send{{root, std::as_bytes(std::span(runs))}, {root, std::as_bytes(own)}};
  if (ranks.rank() != root) return ranks.exchange(send, {});
  std::vector<std::vector<Run>> runs_of;
  std::vector<std::vector<double>> rows_of;
  std::vector<Incoming> receive;
  for (int r = 0; r < ranks.size(); ++r) {
    runs_of.emplace_back(sizes[static_cast<std::size_t>(r)].runs);
    rows_of.emplace_back(sizes[static_cast<std::size_t>(r)].rows);
    receive.push_back({r, std::as_writable_bytes(std::span(runs_of.back()))});
    receive.push_back({r, std::as_writable_bytes(std::span(rows_of.back()))});
  }
  ranks.exchange(send, receive);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const double* from = rows_of[r].data();
    for (const Run& run : runs_of[r]) {
      std::copy_n(from, run.rows, out.begin() + (run.first_row - first_row));
      from += run.rows;
    }
  }
}

void hand_out_rows(const Communicator& ranks, const RowMap& map, std::span<const double> whole,
                   std::span<double> own, int root) {
  const auto slabs = gather_all<RowMap::Slab>(ranks, map.slabs());
  std::vector<std::vector<double>> packed;
  std::vector<Outgoing> send;
  if (ranks.rank() == root) {
    for (int r = 0; r < ranks.size(); ++r) {
      auto& rows = packed.emplace_back();
      for (const RowMap::Slab& slab : slabs[static_cast<std::size_t>(r)]) {
        const auto first = whole.begin() + slab.first_row;
        rows.insert(rows.end(), first, first + slab.count);
      }
      send.push_back({r, std::as_bytes(std::span(rows))});
    }
  }
  const Incoming receive{root, std::as_writable_bytes(own)};
  ranks.exchange(send, {&receive, 1});
}

void gather_rows(const Communicator& ranks, const RowMap& map, std::span<const double> own,
                 std::span<double> whole) {
  const auto slabs = gather_all<RowMap::Slab>(ranks, map.slabs());
  std::vector<std::vector<double>> rows;
  std::vector<Outgoing> send;
  std::vector<Incoming> receive;
  for (int r = 0; r < ranks.size(); ++r) {
    const auto& of_rank = slabs[static_cast<std::size_t>(r)];
    const std::int64_t count = of_rank.empty() ? 0 : of_rank.back().first_local + of_rank.back().count;
    rows.emplace_back(static_cast<std::size_t>(count));
    send.push_back({r, std::as_bytes(own)});
    receive.push_back({r, std::as_writable_bytes(std::span(rows.back()))});
  }
  ranks.exchange(send, receive);
  for (std::size_t r = 0; r < slabs.size(); ++r) {
    for (const RowMap::Slab& slab : slabs[r])
      std::copy_n(rows[r].begin() + slab.first_local, slab.count, whole.begin() + slab.first_row);
  }
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
