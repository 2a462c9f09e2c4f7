// SPDX-License-Identifier: MIT
#include "sparse/coded_dictionary.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace cisolve {
namespace {

/// Counts the magnitudes of coded entries, up to a number of entries.
class CountingSink final : public RowSink {
public:
  explicit CountingSink(std::int64_t budget) : budget_(budget) {}

  void row(const MatrixRow& row) override {
    auto general = row.general.begin();
    for (std::size_t at = 0; at < row.values.size() && budget_ > 0; ++at) {
      if (general != row.general.end() && static_cast<std::size_t>(*general) == at) {
        ++general;
        continue;
      }
      ++counts_[magnitude_bits(row.values[at])];
      --budget_;
    }
  }
  bool is_full() const { return budget_ <= 0; }
  const std::unordered_map<std::uint64_t, std::int64_t>& counts() const { return counts_; }

private:
  std::int64_t budget_;
  std::unordered_map<std::uint64_t, std::int64_t> counts_;
};

constexpr std::int64_t sampled_entries = std::int64_t{1} << 23;
constexpr std::int64_t sampled_slices = 128;  // enough for neighbours of all kinds, at little cost

}  // namespace

CodedWord MagnitudeCodes::search(std::uint64_t bits, std::size_t at) {
  while (slots_[at].bits != 0) {
    at = (at + 1) & mask_;
    if (slots_[at].bits == bits) return slots_[at].code;
  }
  return bits == 0 ? 0 : learn(bits);
}

CodedWord MagnitudeCodes::learn(std::uint64_t bits) {
  if (!shared_.can_grow_ && num_known_ == shared_.magnitudes_.size()) return 0;
  const std::lock_guard lock(shared_.mutex_);
  // Whatever others have found comes along, so that the lock is seldom needed.
  std::vector<std::uint64_t>& all = shared_.magnitudes_;
  CodedWord found = 0;
  const auto take_next = [&] {
    const std::uint64_t next = all[num_known_++];
    insert(next, static_cast<CodedWord>(num_known_));
    if (next == bits) found = static_cast<CodedWord>(num_known_);
  };
  while (num_known_ < all.size()) take_next();
  if (found != 0 || !shared_.can_grow_) return found;
  if (std::ssize(all) >= shared_.max_codes_) throw TooManyMagnitudes{};
  all.push_back(bits);
  take_next();
  return found;
}

void MagnitudeCodes::insert(std::uint64_t bits, CodedWord code) {
  if (num_known_ * 4 > slots_.size()) rehash(64 - shift_ + 1);
  std::size_t at = first_slot(bits);
  while (slots_[at].bits != 0) at = (at + 1) & mask_;
  slots_[at] = {bits, code};
}

void MagnitudeCodes::rehash(int log2_slots) {
  const std::vector<Slot> before = std::exchange(slots_, {});
  shift_ = 64 - log2_slots;
  slots_.assign(std::size_t{1} << log2_slots, {});
  mask_ = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.bits == 0) continue;
    std::size_t at = first_slot(slot.bits);
    while (slots_[at].bits != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

std::vector<std::uint64_t> most_frequent_magnitudes(const RowSource& source, std::int32_t max_codes) {
  // Every stride-th group of rows, then those beside them, until the budget is used: small matrices are
  // counted whole, and in large ones the sample is spread evenly.
  constexpr std::int64_t group_rows = 16;
  const std::int64_t n = source.num_rows();
  const std::int64_t groups = (n + group_rows - 1) / group_rows;
  const std::int64_t stride = std::max<std::int64_t>(groups / 256, 1);
  CountingSink sink(sampled_entries);
  for (std::int64_t first = 0; first < stride && !sink.is_full(); ++first) {
    for (std::int64_t group = first; group < groups && !sink.is_full(); group += stride) {
      source.fill({group * group_rows, std::min((group + 1) * group_rows, n)}, sink);
    }
  }

  std::vector<std::pair<std::int64_t, std::uint64_t>> order;
  for (const auto& [bits, count] : sink.counts()) {
    if (bits != 0) order.emplace_back(-count, bits);
  }
  std::sort(order.begin(), order.end());
  if (std::ssize(order) > max_codes) order.resize(static_cast<std::size_t>(max_codes));
  std::vector<std::uint64_t> result;
  for (const auto& [count, bits] : order) result.push_back(bits);
  return result;
}

std::vector<CodedWord> number_by_first_touch(const CodedMatrix& a,
                                             const std::vector<std::uint64_t>& magnitudes) {
  std::vector<CodedWord> numbers(magnitudes.size() + 1, 0);
  CodedWord next = 1;
  const std::int64_t stride = std::max<std::int64_t>(a.num_slices() / sampled_slices, 1);
  for (std::int64_t slice = 0; slice < a.num_slices(); slice += stride) {
    const auto at = static_cast<std::size_t>(slice);
    const std::int64_t chunks = a.chunk_offsets[at + 1] - a.chunk_offsets[at];
    const CodedWord* words = a.words_of(slice);
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk, words += coded_lanes * coded_chunk_words) {
      for (int step = 0; step < coded_chunk_words; ++step) {
        for (int lane = 0; lane < coded_lanes; ++lane) {
          const CodedWord code = code_of(words[lane * coded_chunk_words + step]);
          if (code != 0 && numbers[code] == 0) numbers[code] = next++;
        }
      }
    }
  }

  std::vector<CodedWord> others;
  for (CodedWord code = 1; code < numbers.size(); ++code) {
    if (numbers[code] == 0) others.push_back(code);
  }
  std::sort(others.begin(), others.end(),
            [&](CodedWord left, CodedWord right) { return magnitudes[left - 1] < magnitudes[right - 1]; });
  for (const CodedWord code : others) numbers[code] = next++;
  return numbers;
}

}  // namespace cisolve
