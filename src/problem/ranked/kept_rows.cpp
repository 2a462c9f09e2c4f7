// SPDX-License-Identifier: MIT
#include "problem/ranked/kept_rows.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "cisolve/ranks/rows.hpp"
#include "problem/ranked/orders.hpp"

namespace cisolve {
namespace {

/// What the first process keeps, and orders to the others.
class KeptVectors final : public VectorSource {
public:
  KeptVectors(const Communicator& processes, std::uint64_t number, KeptRows own)
      : processes_(processes), give_(&processes), number_(number), own_(std::move(own)) {}
  ~KeptVectors() override {
    try {
      give_(KeptOrder{.number = number_, .what = KeptOrder::What::drop});
    } catch (const Error&) {
      // Whoever uses the processes next meets the same, and says so.
    }
  }
  KeptVectors(const KeptVectors&) = delete;
  KeptVectors& operator=(const KeptVectors&) = delete;

  std::int64_t rows() const override { return own_.rows(); }
  int columns() const override { return own_.columns(); }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    together(
        {.what = KeptOrder::What::read, .column = column, .first_row = first_row, .count = std::ssize(out)},
        [&] { own_.read(processes_, column, first_row, std::ssize(out), out); });
  }
  void gather(int column, std::span<const std::int64_t> rows, std::span<double> out) const override {
    together({.what = KeptOrder::What::gather, .column = column, .rows = {rows.begin(), rows.end()}},
             [&] { own_.gather(processes_, column, rows, out); });
  }
  Matrix overlaps() const override {
    return together({.what = KeptOrder::What::overlaps}, [&] { return own_.overlaps(processes_); });
  }
  std::vector<VectorElement> heaviest(int column, std::int64_t count) const override {
    return together({.what = KeptOrder::What::heaviest, .column = column, .count = count},
                    [&] { return own_.heaviest(processes_, column, count); });
  }

private:
  /// Tells the others, and does work() here.
  template <class Work>
  std::invoke_result_t<Work> together(KeptOrder order, const Work& work) const {
    order.number = number_;
    return give_.or_fail([&] {
      give_(order);
      return work();
    });
  }

  const Communicator& processes_;
  OrderGiver give_;
  std::uint64_t number_;
  KeptRows own_;
};

}  // namespace

void read_own(const VectorSource& own, int column, const RowMap& map, std::int64_t first_row,
              std::int64_t count,
              const std::function<void(std::int64_t row, std::span<const double> elements)>& put) {
  constexpr std::int64_t most = std::int64_t{1} << 20;  // at a time, which stay in the cache
  Array<double> buffer;
  const std::int64_t end = map.local_below(first_row + count);
  for (std::int64_t first = map.local_below(first_row); first < end; first += most) {
    const std::int64_t size = std::min(most, end - first);
    const auto elements = own.piece(column, first, size, buffer);
    const std::int64_t from = map.global(first), to = map.global(first + size - 1) + 1;
    map.for_each_within(from, to - from, [&](std::int64_t row, std::int64_t local, std::int64_t rows) {
      put(row, elements.subspan(static_cast<std::size_t>(local - first), static_cast<std::size_t>(rows)));
    });
  }
}

void KeptRows::read(const Communicator& processes, int column, std::int64_t first_row, std::int64_t count,
                    std::span<double> out) const {
  const std::int64_t first = map_.local_below(first_row), end = map_.local_below(first_row + count);
  Array<double> unused;  // they are here
  collect_rows(processes, map_, first_row, count, own_.piece(column, first, end - first, unused), out);
}

void KeptRows::gather(const Communicator& processes, int column, std::span<const std::int64_t> rows,
                      std::span<double> out) const {
  std::vector<std::int64_t> local(rows.size());  // -1: another process has it
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < rows.size(); ++k) local[k] = map_.local(rows[k]).value_or(-1);
  std::vector<std::int64_t> places, of_places;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (local[k] < 0) continue;
    places.push_back(static_cast<std::int64_t>(k));
    of_places.push_back(local[k]);
  }
  std::vector<double> values(places.size());
  own_.gather(column, of_places, values);
  const auto all_places = gather_at<std::int64_t>(processes, places);
  const auto all_values = gather_at<double>(processes, values);
  for (std::size_t r = 0; r < all_places.size(); ++r) {
    for (std::size_t i = 0; i < all_places[r].size(); ++i)
      out[static_cast<std::size_t>(all_places[r][i])] = all_values[r][i];
  }
}

Matrix KeptRows::overlaps(const Communicator& processes) const {
  Matrix overlaps = own_.overlaps();
  const auto size = static_cast<std::size_t>(overlaps.rows()) * static_cast<std::size_t>(overlaps.columns());
  sum(processes, {overlaps.data(), size});
  return overlaps;
}

std::vector<VectorElement> KeptRows::heaviest(const Communicator& processes, int column,
                                              std::int64_t count) const {
  std::vector<VectorElement> own = own_.heaviest(column, count), found;
  for (VectorElement& element : own) element.row = map_.global(element.row);
  for (const auto& of_process : gather_at<VectorElement>(processes, own))
    found.insert(found.end(), of_process.begin(), of_process.end());
  std::ranges::sort(found, is_heavier);
  found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
  return found;
}

std::unique_ptr<VectorSource> kept_vectors(const Communicator& processes, std::uint64_t number,
                                           KeptRows own) {
  return std::make_unique<KeptVectors>(processes, number, std::move(own));
}

}  // namespace cisolve
