// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "cuda/core/stream.hpp"

namespace cisolve::cuda {

/// Stages of a RankedDirectProduct, in their order on its stream. Where transfers hide behind sums, `*_sent` are over at
/// once; else they take the whole transfer.
enum class RankedStage {
  x_packed,          ///< own rows of x by alpha; with a parity, what others mirror is packed
  x_received,        ///< with a parity: waits for what comes
  x_mirrored,        ///< with a parity
  rows_sent,         ///< of x, to all
  own_rows,          ///< what own rows alone bring to each other
  rows_received,     ///< waits for those of all others
  first_sums,        ///< all that must be there before columns of y can go
  columns_sent,      ///< to whom they belong
  last_sums,         ///< what is added meanwhile
  columns_received,  ///< waits for those of others
  y_collected
};

inline constexpr std::array<std::string_view, 11> ranked_stage_names = {
    "x packed",   "x received",   "x mirrored", "rows sent",        "own rows",   "rows received",
    "first sums", "columns sent", "last sums",  "columns received", "y collected"};

/// Whether a rank waits for others in a stage, and computes nothing.
constexpr bool is_transfer(RankedStage stage) {
  return stage == RankedStage::x_received || stage == RankedStage::rows_sent ||
         stage == RankedStage::rows_received || stage == RankedStage::columns_sent ||
         stage == RankedStage::columns_received;
}

/// How long the stages of a product take on its stream: of the column that was multiplied last.
class RankedStages {
public:
  static constexpr std::size_t count = ranked_stage_names.size();

  RankedStages() {
    for (Event& event : ends_) event = Event(Event::Kind::timing);
  }

  /// A column begins.
  void begin(const Stream& stream) {
    passed_.fill(false);
    start_.record(stream);
  }
  void end(RankedStage stage, const Stream& stream) {
    const auto at = static_cast<std::size_t>(stage);
    ends_[at].record(stream);
    passed_[at] = true;
  }

  /// Of each stage, 0 for those that the product does not have. Waits for the product.
  /// @throws CudaError
  std::array<double, count> milliseconds() const {
    std::array<double, count> result{};
    const Event* before = &start_;
    for (std::size_t at = 0; at < count; ++at) {
      if (!passed_[at]) continue;
      result[at] = cuda::milliseconds(*before, ends_[at]);
      before = &ends_[at];
    }
    return result;
  }

private:
  Event start_{Event::Kind::timing};
  std::array<Event, count> ends_;
  std::array<bool, count> passed_{};
};

}  // namespace cisolve::cuda
