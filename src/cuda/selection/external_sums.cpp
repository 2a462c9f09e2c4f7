// SPDX-License-Identifier: MIT
#include "cuda/selection/external_sums.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/selection/chosen.hpp"
#include "cuda/selection/densities.hpp"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/external_units.hpp"
#include "cuda/selection/transfers.hpp"
#include "selection/interleaved.hpp"
#include "selection/unit_sample.hpp"

namespace cisolve::cuda {

template <int Words>
class ExternalSums<Words>::Sweep {
public:
  Sweep(const IntegralTables& tables, const SameSpinMoves& alpha_moves, const SameSpinMoves& beta_moves,
        std::span<const Determinant<Words>> determinants, const ExternalSumsConfig& config)
      : config_(config), units_(stream_, tables, alpha_moves, beta_moves, determinants, config),
        table_room_(config.table_share * static_cast<double>(free_device_bytes())) {}

  SecondOrder sum(const Wavefunctions& wavefunctions, Chosen<Words>* chosen, const ExternalOptions& options) {
    begin(wavefunctions, chosen, options);
    for (step_ = 0; step_ < units_.parts(); ++step_) {
      UnitList units = units_.find_part(step_);
      const PartView part = units_.place_part(step_, units);
      sum_units(units, part, true);
    }
    const UnitList outside = units_.find_outside();
    sum_units(outside, units_.outside_view(), false);
    return result(wavefunctions.energies.size());
  }

  SecondOrder estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                       const ExternalOptions& options) {
    const std::size_t roots = wavefunctions.energies.size();
    begin(wavefunctions, nullptr, options);
    const std::vector<double> of_beta = units_.weigh(interleaved(wavefunctions, units_.num_determinants()));
    std::array<UnitSample::Population, 2> populations;
    UnitList part;  // of several the last
    unsigned long long weight = 0;
    for (std::uint32_t number = 0; number < units_.parts(); ++number) {
      part = units_.find_part(number);
      weight += part.weight;
      populations[0].count += part.size();
    }
    populations[0].weight = static_cast<double>(weight) / units_.weight_scale();
    UnitList outside = units_.find_outside();
    for (std::size_t u = 0; u < of_beta.size(); ++u) {
      if (outside.expected[u] == 0) continue;
      populations[1].weight += of_beta[u];
      ++populations[1].count;
    }
    outside.weights = of_beta;
    UnitSample sample(config, populations, roots);
    sample_ = &sample;
    do {
      for (step_ = 0; step_ < units_.parts(); ++step_) {
        if (units_.parts() > 1) part = units_.find_part(step_);
        sum_drawn(part);
      }
      sum_units(drawn_outside(outside), units_.outside_view(), false);
    } while (sample.end_stage());
    sample_ = nullptr;
    SecondOrder found = result(roots);
    found.energy = sample.energy();
    found.energy_error = sample.error();
    found.variance = sample.variance();
    return found;
  }

  const Stream& stream() const { return stream_; }

  /// Leaves more of the device to the tables, after these had no room. @return false: it would not help
  bool cut_finer() {
    constexpr std::uint32_t factor = 4, most = 1024;
    if (units_.parts() >= most || most_slots_ <= config_.batch_slots) return false;
    if (step_ < units_.parts())
      units_.cut_finer(factor);  // else beta strings had no room, which are of no part
    table_room_ /= factor;
    table_keys_ = {};
    table_strings_ = {};
    table_energies_ = {};
    table_sums_ = {};
    return true;
  }

  std::int64_t choice_slots(const ExternalChoice& choice) const {
    constexpr double share = 0.25;
    if (config_.choice_slots > 0) return config_.choice_slots;
    return Chosen<Words>::capacity_for(choice.most, share * static_cast<double>(free_device_bytes()));
  }

private:
  /// What is to be filled.
  struct Pending {
    Portion portion;
    int tries = 0;
  };

  void begin(const Wavefunctions& wavefunctions, Chosen<Words>* chosen, const ExternalOptions& options) {
    const std::size_t roots = wavefunctions.energies.size();
    units_.begin(interleaved(wavefunctions, units_.num_determinants()), roots);
    most_slots_ = config_.most_slots > 0 ? config_.most_slots : slots_within(table_room_);
    const std::vector<double> energies(wavefunctions.energies.begin(), wavefunctions.energies.end());
    put(stream_, energies, energies_);
    stream_.synchronize();  // what is on its way goes
    clear(stream_, totals_, roots * TotalsView::per_root + TotalsView::others);
    densities_ = {Densities(config_.first_density), Densities(config_.first_density)};
    step_ = 0;
    chosen_ = chosen;
    sample_ = nullptr;
    options_ = &options;
  }

  /// Of a table; it has 32-bit indices.
  std::int64_t slots_within(double bytes) const {
    constexpr double of_string = sizeof(std::uint64_t) * (Words > 1 ? Words + 1 : 1), most = 1U << 31U;
    const double slots = bytes / (of_string + sizeof(double) * (1.0 + units_.list().roots));
    return static_cast<std::int64_t>(std::clamp(slots, 1.0 * least_slots, most));
  }

  void report(double share_of_step) const {
    if (options_->stop.stop_requested()) throw Interrupted("stopped in a sum over external determinants");
    if (options_->progress) options_->progress((step_ + share_of_step) / (units_.parts() + 1));
  }

  /// Sums those units of a part that are drawn.
  void sum_drawn(const UnitList& all) {
    const auto units = static_cast<std::size_t>(all.size());
    const std::vector<std::uint64_t> strings = units_.strings_of_part(units);
    UnitSubset subset{.numbers = std::vector<std::int32_t>(units, -1), .strings = {}, .list = {}};
    UnitList& drawn = subset.list;
    for (std::size_t u = 0; u < units; ++u) {
      BitString<Words> string;
      std::copy_n(strings.begin() + static_cast<std::ptrdiff_t>(u * Words), Words, string.words.begin());
      const double draw = sample_->draw(UnitKind::alpha, mix(string));
      if (!sample_->takes(UnitKind::alpha, all.weights[u], draw)) continue;
      subset.numbers[u] = static_cast<std::int32_t>(drawn.size());
      drawn.expected.push_back(all.expected[u]);
      drawn.own.push_back(all.own[u]);
      drawn.sources.push_back(all.sources[u]);
      drawn.items.push_back(all.items[u]);
      drawn.weights.push_back(all.weights[u]);
      drawn.draws.push_back(draw);
      subset.strings.insert(subset.strings.end(), string.words.begin(), string.words.end());
    }
    if (drawn.size() == 0) return;
    const PartView part = units_.place_some(step_, subset);
    sum_units(drawn, part, true);
  }

  /// Those of the beta strings that are drawn, the others empty.
  UnitList drawn_outside(const UnitList& all) const {
    UnitList drawn = all;
    drawn.draws.resize(all.expected.size());
    for (std::size_t u = 0; u < all.expected.size(); ++u) {
      drawn.draws[u] = sample_->draw(UnitKind::beta, mix(units_.runs().beta.strings[u]));
      if (!sample_->takes(UnitKind::beta, all.weights[u], drawn.draws[u])) drawn.expected[u] = 0;
    }
    return drawn;
  }

  /// Slots of a unit: at most half of them are taken if contributions meet as often as `density` says.
  std::int64_t slots_of(double expected, double density, bool is_alpha) const {
    if (expected == 0.0 && !is_alpha) return 0;
    const double strings = std::min(expected * density, units_.most_externals(is_alpha));
    return least_slots * (1 + static_cast<std::int64_t>(2.0 * strings) / least_slots);
  }

  void sum_units(const UnitList& units, const PartView& part, bool is_alpha) {
    const Densities& densities = densities_[is_alpha ? 0 : 1];
    const std::int64_t room = std::min(config_.batch_slots, most_slots_);
    const double all = std::accumulate(units.expected.begin(), units.expected.end(), 1.0);
    double done = 0.0;
    for (std::int64_t first = 0; first < units.size();) {
      std::vector<std::int64_t> slots(1, 0);
      std::int64_t last = first;
      while (last < units.size()) {
        constexpr double more = 1.25;  // some units have more than those before them
        const auto expected = static_cast<double>(units.expected[last]);
        const std::int64_t own = slots_of(expected, std::min(1.0, more * densities(expected)), is_alpha);
        const bool is_full = last > first && slots.back() + own > room;
        constexpr std::int64_t most_units = 1 << 20;
        if (is_full || last - first >= most_units) break;
        slots.push_back(slots.back() + own);
        ++last;
      }
      const auto expected = std::span(units.expected).subspan(first, last - first);
      const double of_batch = std::accumulate(expected.begin(), expected.end(), 0.0);
      if (slots.back() > 0)
        sum_batch(units, part, is_alpha, first, last, std::move(slots),
                  [&](double share) { report((done + share * of_batch) / all); });
      done += of_batch;
      first = last;
    }
  }

  /// Tables too large for the device are filled portion by portion.
  /// @param at  called with the share that is done
  template <class At>
  void sum_batch(const UnitList& units, const PartView& part, bool is_alpha, std::int64_t first,
                 std::int64_t last, std::vector<std::int64_t> slots, const At& at) {
    constexpr int most_tries = 12;
    constexpr std::uint32_t finer = 4;
    const auto count = static_cast<std::size_t>(last - first);
    if (sample_ != nullptr)
      clear(stream_, unit_totals_,
            count * static_cast<std::size_t>(units_.list().roots) * TotalsView::per_root);
    std::vector<unsigned long long> externals(count);
    std::vector<Pending> pending = portions(slots);
    while (!pending.empty()) {
      Pending& now = pending.back();
      at(static_cast<double>(now.portion.number) / now.portion.of);
      fill(units, part, is_alpha, first, last, slots, now);
      collect(slots.back());
      const std::vector<std::uint32_t> found = download(stream_, externals_, count + 1);
      if (found.back() == 0) {
        for (std::size_t u = 0; u < count; ++u) externals[u] += found[u];
        pending.pop_back();
        continue;
      }
      if (++now.tries > most_tries) throw ResourceError("a table of external determinants overflowed");
      std::vector<std::int64_t> wider =
          widened(slots, download(stream_, overflows_, count),
                  std::span(units.expected).subspan(first, count), now.portion.of, is_alpha);
      if (count > 1 || wider.back() <= most_slots_) {
        slots = std::move(wider);
        continue;
      }
      const Pending whole = now;
      pending.pop_back();
      for (std::uint32_t k = finer; k-- > 0;)
        pending.push_back({{whole.portion.number * finer + k, whole.portion.of * finer}, whole.tries});
    }
    densities_[is_alpha ? 0 : 1].learn(std::span(units.expected).subspan(first, count), externals);
    if (sample_ != nullptr) add_to_sample(units, is_alpha, first, last, slots);
  }

  /// All portions of the tables of a batch.
  /// @param slots  of whole tables; becomes those of a portion
  std::vector<Pending> portions(std::vector<std::int64_t>& slots) const {
    const auto of = slots.size() > 2 ? 1 : static_cast<std::uint32_t>((slots.back() - 1) / most_slots_ + 1);
    if (of > 1) slots.back() = (slots.back() / of / least_slots + 1) * least_slots;
    std::vector<Pending> all;
    for (std::uint32_t k = of; k-- > 0;) all.push_back({{k, of}, 0});
    return all;
  }

  void add_to_sample(const UnitList& units, bool is_alpha, std::int64_t first, std::int64_t last,
                     const std::vector<std::int64_t>& slots) {
    const auto roots = static_cast<std::size_t>(units_.list().roots),
               count = static_cast<std::size_t>(last - first);
    const std::size_t each = roots * TotalsView::per_root;
    const std::vector<unsigned long long> totals = download(stream_, unit_totals_, count * each);
    std::vector<double> energy(roots), variance(roots);
    for (std::size_t u = 0; u < count; ++u) {
      if (slots[u] == slots[u + 1]) continue;
      for (std::size_t k = 0; k < roots; ++k) {
        const auto sums = std::span(totals).subspan(u * each + k * TotalsView::per_root);
        energy[k] = total_of(sums);
        variance[k] = total_of(sums.subspan(2));
      }
      const std::size_t unit = static_cast<std::size_t>(first) + u;
      sample_->add(is_alpha ? UnitKind::alpha : UnitKind::beta, units.weights[unit], units.draws[unit],
                   energy, variance);
    }
  }

  /// With more slots for units whose tables were too small: what was expected of them is a mean, in part. First they get what is
  /// enough if no contributions meet, as tables of whole gigabytes have no room to be much too large.
  std::vector<std::int64_t> widened(const std::vector<std::int64_t>& slots,
                                    const std::vector<std::uint8_t>& overflows,
                                    std::span<const unsigned long long> expected, std::uint32_t portions,
                                    bool is_alpha) const {
    constexpr std::int64_t factor = 4;
    constexpr double any = 1e18;
    const std::int64_t largest = slots_of(any, 1.0, is_alpha);
    std::vector<std::int64_t> wider(1, 0);
    for (std::size_t at = 0; at < overflows.size(); ++at) {
      const std::int64_t own = slots[at + 1] - slots[at];
      const std::int64_t enough = slots_of(static_cast<double>(expected[at]) / portions, 1.0, is_alpha);
      const std::int64_t more = std::min(factor * own, own < enough ? enough : largest);
      wider.push_back(wider.back() + (overflows[at] == 0 ? own : more));
    }
    return wider;
  }

  /// Fills the tables of units.
  void fill(const UnitList& units, const PartView& part, bool is_alpha, std::int64_t first, std::int64_t last,
            const std::vector<std::int64_t>& slots, const Pending& pending) {
    const auto size = static_cast<std::size_t>(slots.back());
    const auto num_units = static_cast<std::size_t>(last - first);
    clear(stream_, table_keys_, size, units_.list().none == 0 ? 0 : 0xff);
    clear(stream_, table_sums_, size * static_cast<std::size_t>(units_.list().roots));
    grow(table_energies_, size);
    if (Words > 1) grow(table_strings_, size * Words);
    clear(stream_, overflows_, num_units);
    clear(stream_, externals_, num_units + 1);
    grow(unit_energies_, num_units);
    grow(unit_fields_, num_units * static_cast<std::size_t>(units_.list().num_orbitals));
    // Where tables begin, and behind them where the determinants of listed units do.
    begins_ = slots;
    std::int64_t own_items = 0;
    for (std::int64_t u = first; u < last && is_alpha; ++u) {
      begins_.push_back(own_items);
      if (units.own[u] >= 0) own_items += std::ssize(units_.runs().alpha[units.own[u]]);
    }
    begins_.push_back(own_items);
    put(stream_, begins_, begins_on_device_);
    batch_ = {
        .first = first,
        .count = last - first,
        .first_source = is_alpha ? units.first_source[first] : 0,
        .last_source = is_alpha ? units.first_source[last] : 0,
        .first_item = is_alpha ? units.first_item[first] : units_.runs().beta.offsets[first],
        .last_item = is_alpha ? units.first_item[last] : units_.runs().beta.offsets[last],
        .item_begins = units_.item_begins(),
        .own_items = own_items,
        .own_begins = begins_on_device_.data() + num_units + 1,
        .slots = begins_on_device_.data(),
        .strings = is_alpha ? part.strings : units_.list().beta.strings,
        .energies = unit_energies_.data(),
        .fields = unit_fields_.data(),
        .overflows = overflows_.data(),
        .externals = externals_.data(),
        .totals = sample_ == nullptr ? nullptr : unit_totals_.data(),
        .table = {table_keys_.data(), table_strings_.data(), table_energies_.data(), table_sums_.data()},
        .portion = pending.portion,
        .is_alpha = is_alpha};
    const TotalsView totals{pending.tries == 0 ? totals_.data() : nullptr};  // contributions count once
    double expected = 0.0;
    for (std::int64_t u = first; u < last; ++u) expected += static_cast<double>(units.expected[u]);
    launch_describe_units<Words>(stream_, units_.list(), batch_);
    if (is_alpha) {
      launch_add_sources<Words>(stream_, units_.list(), part, batch_, expected, config_.chunk, totals);
      launch_add_own<Words>(stream_, units_.list(), part, batch_, totals);
      launch_remove_listed<Words>(stream_, units_.list(), part, batch_);
    } else {
      launch_add_outside<Words>(stream_, units_.list(), part, batch_, expected, totals);
    }
  }

  void collect(std::int64_t slots) {
    const TotalsView totals{totals_.data()};
    if (chosen_ == nullptr) {
      launch_collect<Words>(stream_, units_.list(), batch_, 0, slots, energies_.data(),
                            sample_ == nullptr ? Collected::totals : Collected::totals_of_units, totals, {});
      return;
    }
    launch_collect<Words>(stream_, units_.list(), batch_, 0, slots, energies_.data(),
                          Collected::totals_and_histogram, totals, chosen_->view());
    chosen_->raise_threshold();
    for (std::int64_t first = 0; first < slots;) {
      const std::int64_t room = chosen_->make_room(slots - first);
      launch_collect<Words>(stream_, units_.list(), batch_, first, first + room, energies_.data(),
                            Collected::chosen, totals, chosen_->view());
      first += room;
    }
  }

  /// Of its high and its low part.
  static double total_of(std::span<const unsigned long long> parts) {
    return static_cast<double>(static_cast<long long>(parts[0])) / TotalsView::high_scale +
           static_cast<double>(static_cast<long long>(parts[1])) / TotalsView::low_scale;
  }

  SecondOrder result(std::size_t roots) const {
    const auto totals = download(stream_, totals_, roots * TotalsView::per_root + TotalsView::others);
    const auto value = [&](std::size_t at) { return total_of(std::span(totals).subspan(at)); };
    SecondOrder found;
    for (std::size_t k = 0; k < roots; ++k) {
      found.energy.push_back(value(k * TotalsView::per_root));
      found.variance.push_back(value(k * TotalsView::per_root + 2));
      found.energy_error.push_back(0.0);
    }
    const std::size_t others = roots * TotalsView::per_root;
    found.externals = static_cast<std::int64_t>(totals[others]);
    found.intruders = static_cast<std::int64_t>(totals[others + 1]);
    found.contributions = static_cast<std::int64_t>(totals[others + 2]);
    return found;
  }

  ExternalSumsConfig config_;
  Stream stream_;
  ExternalUnits<Words> units_;
  double table_room_;  ///< bytes for a table

  // Of one sum.
  std::uint32_t step_ = 0;       ///< part, or behind these the beta strings
  std::int64_t most_slots_ = 0;  ///< of a table
  DeviceArray<double> energies_;
  DeviceArray<unsigned long long> totals_;
  Chosen<Words>* chosen_ = nullptr;
  UnitSample* sample_ = nullptr;
  const ExternalOptions* options_ = nullptr;
  std::array<Densities, 2> densities_ = {Densities(1.0), Densities(1.0)};  ///< of alpha and of beta units

  // Of a batch.
  BatchView batch_{};
  std::vector<std::int64_t> begins_;
  DeviceArray<std::int64_t> begins_on_device_;
  DeviceArray<std::uint64_t> table_keys_, table_strings_;
  DeviceArray<double> table_energies_, unit_energies_, unit_fields_;
  DeviceArray<unsigned long long> table_sums_, unit_totals_;
  DeviceArray<std::uint8_t> overflows_;
  DeviceArray<std::uint32_t> externals_;
};

template <int Words>
ExternalSums<Words>::ExternalSums(const IntegralTables& tables, const SameSpinMoves& alpha_moves,
                                  const SameSpinMoves& beta_moves,
                                  std::span<const Determinant<Words>> determinants,
                                  const ExternalSumsConfig& config)
    : sweep_(std::make_unique<Sweep>(tables, alpha_moves, beta_moves, determinants, config)) {}

template <int Words>
ExternalSums<Words>::~ExternalSums() = default;

template <int Words>
ExternalSums<Words>::ExternalSums(ExternalSums&&) noexcept = default;

namespace {

/// Runs a sum, in more parts if it has no room.
template <class Sweep, class Sum>
auto with_room(Sweep& sweep, const Sum& sum) {
  while (true) {
    try {
      return sum();
    } catch (const ResourceError&) {
      if (!sweep.cut_finer()) throw;
    }
  }
}

}  // namespace

template <int Words>
SecondOrder ExternalSums<Words>::sum(const Wavefunctions& wavefunctions, const ExternalOptions& options) {
  return with_room(*sweep_, [&] { return sweep_->sum(wavefunctions, nullptr, options); });
}

template <int Words>
SecondOrder ExternalSums<Words>::estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                                          const ExternalOptions& options) {
  return with_room(*sweep_, [&] { return sweep_->estimate(wavefunctions, config, options); });
}

template <int Words>
SecondOrder ExternalSums<Words>::sum(const Wavefunctions& wavefunctions, const ExternalChoice& choice,
                                     std::vector<External<Words>>& chosen, const ExternalOptions& options) {
  return with_room(*sweep_, [&] {
    Chosen<Words> those(sweep_->stream(), choice, sweep_->choice_slots(choice));
    const SecondOrder result = sweep_->sum(wavefunctions, &those, options);
    std::vector<Strongest<Words>> found;
    found.push_back(those.strongest());
    chosen = strongest_of(std::move(found));
    return result;
  });
}

#define INSTANTIATE(W) template class ExternalSums<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
