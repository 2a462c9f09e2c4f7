// SPDX-License-Identifier: MIT
#include "problem/ranked/led_search.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/ranks/rows.hpp"

namespace cisolve {
namespace {

/// What rank 0 asks the others for.
struct Request {
  enum class Kind { open, read, proceed, stop } kind = Kind::proceed;
  int column = 0;
  std::int64_t first_row = 0, count = 0;  ///< to be read
};

/// A rank's part in reading rows of a column.
void read_together(const Communicator& ranks, const RowMap& map, const VectorSource& own,
                   const Request& request, std::span<double> out) {
  const std::int64_t first = map.local_below(request.first_row);
  std::vector<double> rows(
      static_cast<std::size_t>(map.local_below(request.first_row + request.count) - first));
  own.read(request.column, first, rows);
  collect_rows(ranks, map, request.first_row, request.count, rows, out);
}

/// Calls work(), and notes when it leaves by an exception.
template <class Work>
auto noting_failure(bool& failed, const Work& work) {
  try {
    return work();
  } catch (...) {
    failed = true;
    throw;
  }
}

/// The columns of all ranks, as rank 0 reads them.
class LedColumns final : public VectorSource {
public:
  /// @param[out] failed  something that all ranks do together has; must outlive this object
  LedColumns(const Communicator& ranks, const RowMap& map, std::unique_ptr<VectorSource> own, bool& failed)
      : ranks_(ranks), map_(map), own_(std::move(own)), failed_(failed) {}

  std::int64_t rows() const override { return map_.rows(); }
  int columns() const override { return own_->columns(); }

  void read(int column, std::int64_t first_row, std::span<double> out) const override {
    const Request request{Request::Kind::read, column, first_row, std::ssize(out)};
    noting_failure(failed_, [&] { read_together(ranks_, map_, *own_, value_of(ranks_, request), out); });
  }

private:
  const Communicator& ranks_;
  const RowMap& map_;
  std::unique_ptr<VectorSource> own_;
  bool& failed_;
};

/// What any rank was asked for.
Requests requests_of_all(const Communicator& ranks, const TakeRequests& take) {
  Requests all;
  for (const Requests& one : all_values(ranks, take ? take() : Requests{})) {
    all.checkpoint = std::max(all.checkpoint, one.checkpoint);
    if (all.stop_signal == 0) all.stop_signal = one.stop_signal;
  }
  return all;
}

}  // namespace

std::function<SolverAction(const SearchState&)> led_observer(
    const Communicator& ranks, const RowMap& map,
    const std::function<SolverAction(const SearchState&)>& observer, const TakeRequests& take,
    std::exception_ptr& failure) {
  if (ranks.rank() == 0) {
    return [&](const SearchState& state) {
      const Requests requests = requests_of_all(ranks, take);
      SolverAction action = SolverAction::stop;
      bool ranks_failed = false;
      const auto open = [&] {
        return noting_failure(ranks_failed, [&] {
          value_of(ranks, Request{Request::Kind::open});
          return std::make_unique<LedColumns>(ranks, map, state.restart_vectors(), ranks_failed);
        });
      };
      try {
        action = observer({state.record, state.history, open, requests});
      } catch (...) {
        if (ranks_failed) throw;
        failure = std::current_exception();  // the others can still be told to stop
      }
      value_of(ranks, Request{action == SolverAction::stop ? Request::Kind::stop : Request::Kind::proceed});
      return action;
    };
  }
  return [&](const SearchState& state) {
    requests_of_all(ranks, take);
    std::unique_ptr<VectorSource> own;
    for (;;) {
      const Request request = value_of(ranks, Request{});
      switch (request.kind) {
        case Request::Kind::open:
          own = state.restart_vectors();
          break;
        case Request::Kind::read:
          read_together(ranks, map, *own, request, {});
          break;
        case Request::Kind::proceed:
          return SolverAction::proceed;
        case Request::Kind::stop:
          return SolverAction::stop;
      }
    }
  };
}

}  // namespace cisolve
