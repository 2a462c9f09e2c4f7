// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cisolve/selection/externals.hpp"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/transfers.hpp"
#include "selection/strongest.hpp"

namespace cisolve::cuda {

constexpr std::int64_t least_slots =
    128;  ///< of a table, whose slots are a multiple of these: what a warp collects at a time

/// Externals that are chosen. How many there are of which measure a histogram tells, so that the device soon knows what is
/// too weak, and what it has chosen before that goes again.
template <int Words>
class Chosen {
public:
  Chosen(const Stream& stream, const ExternalChoice& choice, std::int64_t capacity)
      : stream_(stream), choice_(choice), capacity_(std::max(capacity, 2 * least_slots)),
        strongest_(choice.threshold, choice.most) {
    for (Buffer& buffer : buffers_) {
      buffer.determinants = DeviceArray<std::uint64_t>(static_cast<std::size_t>(2 * capacity_ * Words));
      buffer.measures = DeviceArray<double>(static_cast<std::size_t>(capacity_));
      clear(stream, buffer.count, 1);
    }
    clear(stream, histogram_, ChoiceView::bins);
    const std::vector<double> threshold = {choice.threshold};
    put(stream, threshold, threshold_);
    stream.synchronize();
  }

  /// Slots, of a determinant and its measure twice, that fit into so many bytes; not many more than may be needed.
  static std::int64_t capacity_for(std::int64_t most, double bytes) {
    constexpr double least = 1 << 22, largest = 1 << 26, times = 4.0;
    constexpr double of_slot = 2.0 * (2 * Words * sizeof(std::uint64_t) + sizeof(double));
    const double wanted = std::clamp(times * static_cast<double>(most), least, largest);
    return static_cast<std::int64_t>(std::max(std::min(wanted, bytes / of_slot), 1.0 * least_slots));
  }

  ChoiceView view() { return view_of(buffers_[now_]); }

  /// After the measures of more externals are in the histogram.
  void raise_threshold() {
    constexpr double tolerance = 2.0 * equal_measures;
    launch_raise_threshold(stream_, view(), choice_.most, tolerance);
  }

  /// Slots of those wanted that may be gone through now.
  std::int64_t make_room(std::int64_t wanted) {
    if (pending_ + wanted > capacity_) {
      pending_ = static_cast<std::int64_t>(download(stream_, buffers_[now_].count, 1)[0]);
      if (pending_ + wanted > capacity_) drop_weak();
      if (2 * pending_ > capacity_) take();
    }
    const std::int64_t room = std::min(wanted, (capacity_ - pending_) / least_slots * least_slots);
    pending_ += room;
    return room;
  }

  Strongest<Words> strongest() {
    pending_ = static_cast<std::int64_t>(download(stream_, buffers_[now_].count, 1)[0]);
    drop_weak();
    take();
    return std::move(strongest_);
  }

private:
  struct Buffer {
    DeviceArray<std::uint64_t> determinants;
    DeviceArray<double> measures;
    DeviceArray<unsigned long long> count;
  };

  ChoiceView view_of(Buffer& buffer) {
    return {buffer.determinants.data(), buffer.measures.data(),
            buffer.count.data(),        threshold_.data(),
            histogram_.data(),          choice_.measure == ExternalMeasure::amplitude};
  }

  void drop_weak() {
    if (pending_ == 0) return;
    Buffer& other = buffers_[1 - now_];
    clear(stream_, other.count, 1);
    launch_keep_above<Words>(stream_, view(), pending_, view_of(other));
    now_ = 1 - now_;
    pending_ = static_cast<std::int64_t>(download(stream_, other.count, 1)[0]);
  }

  /// To the host.
  void take() {
    Buffer& buffer = buffers_[now_];
    const auto n = static_cast<std::size_t>(pending_);
    const std::vector<std::uint64_t> words = download(stream_, buffer.determinants, 2 * n * Words);
    const std::vector<double> measures = download(stream_, buffer.measures, n);
    for (std::size_t k = 0; k < n; ++k) {
      External<Words> external{{}, measures[k]};
      for (std::size_t w = 0; w < static_cast<std::size_t>(Words); ++w) {
        external.determinant.alpha.words[w] = words[2 * k * Words + w];
        external.determinant.beta.words[w] = words[(2 * k + 1) * Words + w];
      }
      strongest_.add(external);
    }
    strongest_.cut();
    clear(stream_, buffer.count, 1);
    pending_ = 0;
  }

  const Stream& stream_;
  ExternalChoice choice_;
  std::int64_t capacity_;
  std::int64_t pending_ = 0;  ///< that may have been chosen
  Strongest<Words> strongest_;
  std::array<Buffer, 2> buffers_;
  int now_ = 0;
  DeviceArray<unsigned long long> histogram_;
  DeviceArray<double> threshold_;
};

}  // namespace cisolve::cuda
