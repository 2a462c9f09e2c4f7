// SPDX-License-Identifier: MIT
#include "cuda/selection/external_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/selection/determinant_runs.hpp"
#include "cisolve/space/string_table.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/selection/chosen.hpp"
#include "cuda/selection/densities.hpp"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/spin_arrays.hpp"
#include "cuda/selection/transfers.hpp"
#include "selection/interleaved.hpp"
#include "selection/unit_sample.hpp"
#include "selection/unit_weights.hpp"

namespace cisolve::cuda {
namespace {

constexpr std::size_t irreps = 8;

double largest_magnitude(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// Strings of so many electrons: all, or those of the irrep that has the most of them.
double most_strings(std::span<const int> of_orbitals, int electrons, bool of_one_irrep) {
  std::vector<std::array<double, irreps>> counts(static_cast<std::size_t>(electrons) + 1);
  counts[0][0] = 1.0;
  for (const int irrep : of_orbitals) {
    for (std::size_t e = counts.size() - 1; e > 0; --e) {
      for (std::size_t g = 0; g < irreps; ++g)
        counts[e][g] += counts[e - 1][g ^ static_cast<std::size_t>(irrep)];
    }
  }
  const auto& all = counts.back();
  return of_one_irrep ? *std::ranges::max_element(all) : std::accumulate(all.begin(), all.end(), 0.0);
}

template <int Words>
bool are_of_one_irrep(std::span<const Determinant<Words>> determinants, std::span<const int> of_orbitals) {
  const auto irrep = [&](const Determinant<Words>& d) {
    return irrep_of(d.alpha, of_orbitals) ^ irrep_of(d.beta, of_orbitals);
  };
  return std::ranges::all_of(determinants, [&, first = irrep(determinants[0])](const Determinant<Words>& d) {
    return irrep(d) == first;
  });
}

/// Units in turn, what each is expected to have, and where its sources and their items begin.
struct UnitList {
  std::vector<unsigned long long> expected;  ///< contributions; of beta strings that are not summed 0
  std::vector<std::uint32_t> sources;        ///< how many there are; empty: none, likewise
  std::vector<unsigned long long> items;     ///< determinants of these
  std::vector<std::int64_t> first_source, first_item;  ///< [units + 1]; empty: they have none
  std::vector<std::int32_t> own;       ///< listed alpha string of each unit, or below 0; likewise
  std::vector<double> weights, draws;  ///< of a sample; empty: there is none
  unsigned long long weight = 0;       ///< of all, as integers, which add up to the same in any order

  std::int64_t size() const { return std::ssize(expected); }
};

}  // namespace

template <int Words>
class ExternalSums<Words>::Sweep {
public:
  Sweep(const IntegralTables& tables, const SameSpinMoves& alpha_moves, const SameSpinMoves& beta_moves,
        std::span<const Determinant<Words>> determinants, const ExternalSumsConfig& config)
      : config_(config), runs_(determinants), num_determinants_(std::ssize(determinants)) {
    if (determinants.empty()) throw DimensionError("externals: the list is empty");
    Uploads upload(stream_);
    const auto& beta = tables.beta();
    within_alpha_ = upload(tables.within());
    if (tables.is_unrestricted()) {
      within_beta_ = upload(beta.within());
      between_ = upload(tables.between());
    }
    const double* within_alpha = within_alpha_.data();
    const double* within_beta = tables.is_unrestricted() ? within_beta_.data() : within_alpha;
    const int electrons_alpha = determinants[0].alpha.count(), electrons_beta = determinants[0].beta.count();
    alpha_.emplace(upload, runs_.alpha, electrons_alpha, tables, alpha_moves, within_alpha);
    beta_.emplace(upload, runs_.beta, electrons_beta, beta, beta_moves, within_beta);
    std::vector<std::uint8_t> of_orbitals(tables.irreps().begin(), tables.irreps().end());
    irreps_ = upload(std::span(std::as_const(of_orbitals)));
    const int n = tables.num_orbitals();
    list_ = {.alpha = alpha_->view(),
             .beta = beta_->view(),
             .between = tables.is_unrestricted() ? between_.data() : within_alpha,
             .irreps = irreps_.data(),
             .single_offsets = nullptr,
             .singles = nullptr,
             .contributions = nullptr,
             .coefficients = nullptr,
             .core_energy = tables.core_energy(),
             .threshold = tables.threshold(),
             .scale = 1.0,
             .none = electrons_alpha == 0 || electrons_beta == 0 ? ~std::uint64_t{0} : 0,
             .num_pairs = tables.num_pairs(),
             .num_orbitals = n,
             .roots = 1};
    list_singles();
    list_moves();
    const auto singles = [&](int e) { return static_cast<double>(e * (n - e)); };
    const auto doubles = [&](int e) { return 0.25 * singles(e) * (e - 1) * (n - e - 1); };
    connections_ = 1.0 + singles(electrons_alpha) + doubles(electrons_alpha) + singles(electrons_beta) +
                   doubles(electrons_beta) + singles(electrons_alpha) * singles(electrons_beta);
    const double two = std::max({largest_magnitude(tables.within()), largest_magnitude(beta.within()),
                                 largest_magnitude(tables.between())});
    largest_element_ = std::max(largest_magnitude(tables.one()), largest_magnitude(beta.one())) +
                       2.0 * two * (electrons_alpha + electrons_beta + 1);
    // No table has more strings than there are: with a string of the other spin, those of one irrep if all have one.
    const bool of_one = are_of_one_irrep(determinants, tables.irreps());
    most_alpha_ = most_strings(tables.irreps(), electrons_alpha, of_one);
    most_beta_ = most_strings(tables.irreps(), electrons_beta, of_one);
    most_units_ = most_strings(tables.irreps(), electrons_alpha, false);
    mean_doubles_ = doubles_of(beta_moves, electrons_beta, n);
    const std::vector<double> strengths = pair_strengths(tables);
    pair_strengths_ = upload(std::span(strengths));
    typical_ = typical_strength(strengths);
    most_strength_ = typical_ + std::accumulate(strengths.begin(), strengths.end(), 0.0) +
                     singles(electrons_alpha) * largest_element_ * largest_element_;
    for (const SameSpinMoves::Move& move : alpha_moves.all()) most_strength_ += move.value * move.value;
    choose_parts(singles(electrons_alpha));
    table_room_ = config_.table_share * free_bytes();
    stream_.synchronize();
  }

  SecondOrder sum(const Wavefunctions& wavefunctions, Chosen<Words>* chosen, const ExternalOptions& options) {
    begin(wavefunctions, chosen, options);
    for (std::uint32_t part = 0; part < parts_; ++part) {
      begin_step(part, parts_ + 1);
      UnitList units = find_part(part);
      PartView view = part_view(part);
      place_sources(units, view);
      sum_units(units, view, true);
    }
    begin_step(parts_, parts_ + 1);
    const UnitList outside = find_outside();
    sum_units(outside, part_view(0), false);
    return result(wavefunctions.energies.size());
  }

  SecondOrder estimate(const Wavefunctions& wavefunctions, const SamplingConfig& config,
                       const ExternalOptions& options) {
    const std::size_t roots = wavefunctions.energies.size();
    begin(wavefunctions, nullptr, options);
    const std::vector<double> of_beta = weigh_strings(wavefunctions);
    std::array<UnitSample::Population, 2> populations;
    UnitList part;  // of several the last
    unsigned long long weight = 0;
    for (std::uint32_t number = 0; number < parts_; ++number) {
      part = find_part(number);
      weight += part.weight;
      populations[0].count += part.size();
    }
    populations[0].weight = static_cast<double>(weight) / weights_.scale;
    UnitList outside = find_outside();
    for (std::size_t u = 0; u < of_beta.size(); ++u) {
      if (outside.expected[u] == 0) continue;
      populations[1].weight += of_beta[u];
      ++populations[1].count;
    }
    outside.weights = of_beta;
    UnitSample sample(config, populations, roots);
    sample_ = &sample;
    do {
      for (std::uint32_t number = 0; number < parts_; ++number) {
        begin_step(number, parts_ + 1);
        if (parts_ > 1) part = find_part(number);
        sum_drawn(part, number);
      }
      begin_step(parts_, parts_ + 1);
      sum_units(drawn_outside(outside), part_view(0), false);
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
    if (parts_ >= most || most_slots_ <= config_.batch_slots) return false;
    if (step_ < parts_) parts_ *= factor;  // else beta strings had no room, which are of no part
    table_room_ /= factor;
    sources_ = {};
    item_begins_ = {};
    table_keys_ = {};
    table_strings_ = {};
    table_energies_ = {};
    table_sums_ = {};
    return true;
  }

  std::int64_t choice_slots(const ExternalChoice& choice) const {
    constexpr double share = 0.25;
    if (config_.choice_slots > 0) return config_.choice_slots;
    return Chosen<Words>::capacity_for(choice.most, share * free_bytes());
  }

private:
  /// What is to be filled.
  struct Pending {
    Portion portion;
    int tries = 0;
  };

  void begin(const Wavefunctions& wavefunctions, Chosen<Words>* chosen, const ExternalOptions& options) {
    const std::vector<double> coefficients = interleaved(wavefunctions, num_determinants_);
    const std::size_t roots = wavefunctions.energies.size();
    list_.roots = static_cast<int>(roots);
    most_slots_ = config_.most_slots > 0 ? config_.most_slots : slots_within(table_room_);
    set_scale(wavefunctions);
    put(stream_, coefficients, coefficients_);
    list_.coefficients = coefficients_.data();
    const std::vector<double> energies(wavefunctions.energies.begin(), wavefunctions.energies.end());
    put(stream_, energies, energies_);
    stream_.synchronize();  // what is on its way goes
    clear(stream_, totals_, roots * TotalsView::per_root + TotalsView::others);
    clear(stream_, inside_, inside_words_);
    densities_ = {Densities(config_.first_density), Densities(config_.first_density)};
    weights_ = {};
    chosen_ = chosen;
    sample_ = nullptr;
    options_ = &options;
  }

  /// What find_part needs for the weights of units. @return those of the units that beta strings are
  std::vector<double> weigh_strings(const Wavefunctions& wavefunctions) {
    const std::vector<double> coefficients = interleaved(wavefunctions, num_determinants_);
    const std::size_t roots = wavefunctions.energies.size();
    std::vector<double> of_alpha, of_beta;
    for (std::int32_t s = 0; s < list_.alpha.size; ++s)
      of_alpha.push_back(weight_of(runs_.alpha[s], coefficients, roots));
    for (std::int32_t s = 0; s < list_.beta.size; ++s)
      of_beta.push_back(typical_ * weight_of(runs_.beta[s], coefficients, roots));
    put(stream_, of_alpha, string_weights_);
    stream_.synchronize();
    const double squares = std::accumulate(of_alpha.begin(), of_alpha.end(), 0.0);
    const double bound = squares * most_strength_;  // of all units together
    constexpr int bits = 61;
    weights_ = {.of_units = nullptr,
                .of_strings = string_weights_.data(),
                .pair_strengths = pair_strengths_.data(),
                .typical = typical_,
                .scale = bound > 0.0 ? std::ldexp(1.0, bits - std::ilogb(bound) - 1) : 1.0};
    return of_beta;
  }

  /// Of a table; it has 32-bit indices.
  std::int64_t slots_within(double bytes) const {
    constexpr double of_string = sizeof(std::uint64_t) * (Words > 1 ? Words + 1 : 1), most = 1U << 31U;
    const double slots = bytes / (of_string + sizeof(double) * (1.0 + list_.roots));
    return static_cast<std::int64_t>(std::clamp(slots, 1.0 * least_slots, most));
  }

  static double free_bytes() {
    int device = 0;
    check(cudaGetDevice(&device));
    return static_cast<double>(device_memory(device).free);
  }

  static double doubles_of(const SameSpinMoves& moves, int e, int n) {
    const double of_all = static_cast<double>(moves.size()), electrons = e, orbitals = n, holes = n - e;
    return e < 2 || holes < 2 ? 0.0
                              : of_all * electrons * (electrons - 1.0) * holes * (holes - 1.0) /
                                    (orbitals * (orbitals - 1.0) * (orbitals - 2.0) * (orbitals - 3.0));
  }

  void list_singles() {
    const std::size_t size = static_cast<std::size_t>(list_.beta.size) * irreps + 1;
    clear(stream_, single_offsets_, size);
    launch_count_singles<Words>(stream_, list_, single_offsets_.data());
    exclusive_sum(stream_, single_offsets_.data(), static_cast<std::int64_t>(size), workspace_);
    list_.single_offsets = single_offsets_.data();
    std::int64_t count = 0;
    check(cudaMemcpyAsync(&count, single_offsets_.data() + size - 1, sizeof(count), cudaMemcpyDeviceToHost,
                          stream_.get()));
    stream_.synchronize();
    singles_ = DeviceArray<std::uint32_t>(static_cast<std::size_t>(count));
    launch_list_singles<Words>(stream_, list_, singles_.data());
    list_.singles = singles_.data();
    contributions_ = DeviceArray<std::int64_t>(static_cast<std::size_t>(list_.alpha.size) * irreps);
    launch_count_contributions(stream_, list_, contributions_.data());
    list_.contributions = contributions_.data();
  }

  void list_moves() {
    const std::size_t size = static_cast<std::size_t>(list_.alpha.size) + 1;
    clear(stream_, inside_begins_, size);
    launch_count_moves<Words>(stream_, list_.alpha, inside_begins_.data());
    exclusive_sum(stream_, inside_begins_.data(), static_cast<std::int64_t>(size), workspace_);
    std::int64_t count = 0;
    check(cudaMemcpyAsync(&count, inside_begins_.data() + size - 1, sizeof(count), cudaMemcpyDeviceToHost,
                          stream_.get()));
    stream_.synchronize();
    num_moves_ = static_cast<double>(count);
    inside_words_ = static_cast<std::size_t>(count / 32 + 1);
    inside_ = DeviceArray<std::uint32_t>(inside_words_);
  }

  /// So many that what is listed of each has room.
  void choose_parts(double singles) {
    const int n = list_.num_orbitals, e = list_.alpha.electrons;
    const double blocked = n < 4 ? 1.0
                                 : static_cast<double>(n - e) * (n - e - 1) /
                                       (static_cast<double>(n - 2) * static_cast<double>(n - 3));
    const double strings = list_.alpha.size, of_source = sizeof(UnitSource) + sizeof(std::int64_t);
    const double of_unit = 4.0 * (sizeof(std::uint64_t) + sizeof(std::int32_t)) + 8.0 * Words + 40.0;
    const double bytes = of_source * (strings * (singles + 1.0) + blocked * num_moves_) +
                         of_unit * std::min(strings * (singles + 1.0), most_units_);
    const double room = config_.memory_share * free_bytes();
    const double parts = std::ceil(bytes / std::max(room, 1.0));
    constexpr double most = 65536.0;
    if (parts > most) throw ResourceError("the device has no room for the sources of external determinants");
    parts_ = std::max(config_.least_parts, static_cast<std::uint32_t>(parts));
  }

  /// Sums are below the largest element times the square root of the connections times the norm (Cauchy, Schwarz).
  void set_scale(const Wavefunctions& wavefunctions) {
    const std::size_t n = num_determinants_;
    double largest = 0.0;
    for (std::size_t k = 0; k < wavefunctions.energies.size(); ++k) {
      double square = 0.0;
      for (const double c : wavefunctions.vectors.subspan(k * n, n)) square += c * c;
      largest = std::max(largest, square);
    }
    const double bound = largest_element_ * std::sqrt(connections_ * largest);
    constexpr int bits = 62;
    list_.scale = bound > 0.0 ? std::ldexp(1.0, bits - std::ilogb(bound) - 1) : 1.0;
  }

  void begin_step(std::uint32_t step, std::uint32_t steps) {
    step_ = step;
    steps_ = steps;
  }
  void report(double share_of_step) const {
    if (options_->stop.stop_requested()) throw Interrupted("stopped in a sum over external determinants");
    if (options_->progress) options_->progress((step_ + share_of_step) / steps_);
  }

  PartView part_view(std::uint32_t number) {
    return {.number = number,
            .of = parts_,
            .keys = keys_.data(),
            .ids = ids_.data(),
            .mask = unit_mask_,
            .count = unit_count_.data(),
            .strings = unit_strings_.data(),
            .num_sources = num_sources_.data(),
            .num_items = num_items_.data(),
            .expected = expected_.data(),
            .own = own_.data(),
            .placed = placed_.data(),
            .first_source = first_source_.data(),
            .sources = sources_.data(),
            .item_counts = item_begins_.data(),
            .inside = inside_.data(),
            .inside_begins = inside_begins_.data(),
            .outside = outside_.data(),
            .mean_doubles = mean_doubles_,
            .weights = weights_,
            .numbers = nullptr};
  }

  /// The units of a part, without places for their sources.
  UnitList find_part(std::uint32_t number) {
    UnitList list;
    clear(stream_, counter_, 1);
    launch_bound_units<Words>(stream_, list_, part_view(number), counter_.data());
    const auto bound = static_cast<std::size_t>(download(stream_, counter_, 1)[0]);
    if (bound == 0) return list;
    const std::size_t capacity = std::bit_ceil(2 * bound);
    unit_mask_ = capacity - 1;
    clear(stream_, keys_, capacity, list_.none == 0 ? 0 : 0xff);
    grow(ids_, capacity);
    grow(unit_strings_, bound * Words);
    clear(stream_, unit_count_, 1);
    launch_find_units<Words>(stream_, list_, part_view(number));
    const auto units = static_cast<std::size_t>(download(stream_, unit_count_, 1)[0]);
    clear(stream_, num_sources_, units);
    clear(stream_, num_items_, units);
    clear(stream_, expected_, units);
    clear(stream_, own_, units, 0xff);
    if (weights_.of_strings != nullptr) {
      clear(stream_, unit_weights_, units);
      weights_.of_units = unit_weights_.data();
    }
    launch_count_sources<Words>(stream_, list_, part_view(number));
    list.expected = download(stream_, expected_, units);
    list.own = download(stream_, own_, units);
    list.sources = download(stream_, num_sources_, units);
    list.items = download(stream_, num_items_, units);
    if (weights_.of_strings == nullptr) return list;
    for (const unsigned long long weight : download(stream_, unit_weights_, units)) {
      list.weights.push_back(static_cast<double>(weight) / weights_.scale);
      list.weight += weight;
    }
    return list;
  }

  /// Writes the sources of units.
  /// @param part  of which these are; what it says of sources is that of those written
  void place_sources(UnitList& list, PartView& part) {
    const auto units = static_cast<std::size_t>(list.size());
    list.first_source.resize(units + 1);
    list.first_item.resize(units + 1);
    for (std::size_t u = 0; u < units; ++u) {
      list.first_source[u + 1] = list.first_source[u] + list.sources[u];
      list.first_item[u + 1] = list.first_item[u] + static_cast<std::int64_t>(list.items[u]);
    }
    if (units == 0) return;
    const auto num_sources = static_cast<std::size_t>(list.first_source.back());
    put(stream_, list.first_source, first_source_);
    grow(sources_, num_sources);
    clear(stream_, item_begins_, num_sources + 1);
    clear(stream_, placed_, units);
    part.first_source = first_source_.data();
    part.sources = sources_.data();
    part.item_counts = item_begins_.data();
    part.placed = placed_.data();
    launch_place_sources<Words>(stream_, list_, part);
    exclusive_sum(stream_, item_begins_.data(), static_cast<std::int64_t>(num_sources) + 1, workspace_);
    stream_.synchronize();  // the list may go
  }

  /// Sums those units of a part that are drawn.
  void sum_drawn(const UnitList& all, std::uint32_t number) {
    const auto units = static_cast<std::size_t>(all.size());
    const std::vector<std::uint64_t> strings = download(stream_, unit_strings_, units * Words);
    UnitList drawn;
    std::vector<std::uint64_t> drawn_strings;
    std::vector<std::int32_t> numbers(units, -1);
    for (std::size_t u = 0; u < units; ++u) {
      BitString<Words> string;
      std::copy_n(strings.begin() + static_cast<std::ptrdiff_t>(u * Words), Words, string.words.begin());
      const double draw = sample_->draw(UnitKind::alpha, mix(string));
      if (!sample_->takes(UnitKind::alpha, all.weights[u], draw)) continue;
      numbers[u] = static_cast<std::int32_t>(drawn.size());
      drawn.expected.push_back(all.expected[u]);
      drawn.own.push_back(all.own[u]);
      drawn.sources.push_back(all.sources[u]);
      drawn.items.push_back(all.items[u]);
      drawn.weights.push_back(all.weights[u]);
      drawn.draws.push_back(draw);
      drawn_strings.insert(drawn_strings.end(), string.words.begin(), string.words.end());
    }
    if (drawn.size() == 0) return;
    put(stream_, numbers, numbers_);
    put(stream_, drawn.own, drawn_own_);
    put(stream_, drawn_strings, drawn_strings_);
    PartView part = part_view(number);
    part.numbers = numbers_.data();
    part.own = drawn_own_.data();
    part.strings = drawn_strings_.data();
    place_sources(drawn, part);
    sum_units(drawn, part, true);
  }

  /// The beta strings, as units.
  UnitList find_outside() {
    const std::size_t alpha = list_.alpha.size, beta = list_.beta.size;
    clear(stream_, outside_, alpha);
    clear(stream_, expected_outside_, beta);
    launch_count_outside<Words>(stream_, list_, part_view(0), outside_.data(), expected_outside_.data());
    UnitList list;
    list.expected = download(stream_, expected_outside_, beta);
    return list;
  }

  /// Those of them that are drawn, the others empty.
  UnitList drawn_outside(const UnitList& all) const {
    UnitList drawn = all;
    drawn.draws.resize(all.expected.size());
    for (std::size_t u = 0; u < all.expected.size(); ++u) {
      drawn.draws[u] = sample_->draw(UnitKind::beta, mix(runs_.beta.strings[u]));
      if (!sample_->takes(UnitKind::beta, all.weights[u], drawn.draws[u])) drawn.expected[u] = 0;
    }
    return drawn;
  }

  /// Slots of a unit: at most half of them are taken if contributions meet as often as `density` says.
  std::int64_t slots_of(double expected, double density, bool is_alpha) const {
    if (expected == 0.0 && !is_alpha) return 0;
    const double strings = std::min(expected * density, is_alpha ? most_beta_ : most_alpha_);
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
      clear(stream_, unit_totals_, count * static_cast<std::size_t>(list_.roots) * TotalsView::per_root);
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
    const auto roots = static_cast<std::size_t>(list_.roots), count = static_cast<std::size_t>(last - first);
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
    clear(stream_, table_keys_, size, list_.none == 0 ? 0 : 0xff);
    clear(stream_, table_sums_, size * static_cast<std::size_t>(list_.roots));
    grow(table_energies_, size);
    if (Words > 1) grow(table_strings_, size * Words);
    clear(stream_, overflows_, num_units);
    clear(stream_, externals_, num_units + 1);
    grow(unit_energies_, num_units);
    grow(unit_fields_, num_units * static_cast<std::size_t>(list_.num_orbitals));
    // Where tables begin, and behind them where the determinants of listed units do.
    begins_ = slots;
    std::int64_t own_items = 0;
    for (std::int64_t u = first; u < last && is_alpha; ++u) {
      begins_.push_back(own_items);
      if (units.own[u] >= 0) own_items += std::ssize(runs_.alpha[units.own[u]]);
    }
    begins_.push_back(own_items);
    put(stream_, begins_, begins_on_device_);
    batch_ = {
        .first = first,
        .count = last - first,
        .first_source = is_alpha ? units.first_source[first] : 0,
        .last_source = is_alpha ? units.first_source[last] : 0,
        .first_item = is_alpha ? units.first_item[first] : runs_.beta.offsets[first],
        .last_item = is_alpha ? units.first_item[last] : runs_.beta.offsets[last],
        .item_begins = item_begins_.data(),
        .own_items = own_items,
        .own_begins = begins_on_device_.data() + num_units + 1,
        .slots = begins_on_device_.data(),
        .strings = is_alpha ? part.strings : list_.beta.strings,
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
    launch_describe_units<Words>(stream_, list_, batch_);
    if (is_alpha) {
      launch_add_sources<Words>(stream_, list_, part, batch_, expected, totals);
      launch_add_own<Words>(stream_, list_, part, batch_, totals);
      launch_remove_listed<Words>(stream_, list_, part, batch_);
    } else {
      launch_add_outside<Words>(stream_, list_, part, batch_, expected, totals);
    }
  }

  void collect(std::int64_t slots) {
    const TotalsView totals{totals_.data()};
    if (chosen_ == nullptr) {
      launch_collect<Words>(stream_, list_, batch_, 0, slots, energies_.data(),
                            sample_ == nullptr ? Collected::totals : Collected::totals_of_units, totals, {});
      return;
    }
    launch_collect<Words>(stream_, list_, batch_, 0, slots, energies_.data(), Collected::totals_and_histogram,
                          totals, chosen_->view());
    chosen_->raise_threshold();
    for (std::int64_t first = 0; first < slots;) {
      const std::int64_t room = chosen_->make_room(slots - first);
      launch_collect<Words>(stream_, list_, batch_, first, first + room, energies_.data(), Collected::chosen,
                            totals, chosen_->view());
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
  DeterminantRuns<Words> runs_;
  std::int64_t num_determinants_;
  DeviceArray<double> within_alpha_, within_beta_, between_;
  std::optional<SpinArrays> alpha_, beta_;
  DeviceArray<std::uint8_t> irreps_;
  DeviceArray<std::int64_t> single_offsets_, contributions_, inside_begins_;
  DeviceArray<std::uint32_t> singles_, inside_;
  std::size_t inside_words_ = 0;
  DeviceArray<double> pair_strengths_;
  double typical_ = 0.0;        ///< of unit_weights.hpp
  double most_strength_ = 0.0;  ///< of all excitations of a string together
  double num_moves_ = 0.0, mean_doubles_ = 0.0, connections_ = 0.0, largest_element_ = 0.0;
  double most_alpha_ = 0.0, most_beta_ = 0.0, most_units_ = 0.0;  ///< strings

  double table_room_ = 0.0;      ///< bytes for a table
  std::int64_t most_slots_ = 0;  ///< of a table
  std::uint32_t parts_ = 1, step_ = 0, steps_ = 1;
  DeviceArray<std::byte> workspace_;
  ListView list_;

  // Of one sum.
  DeviceArray<double> coefficients_, energies_;
  DeviceArray<unsigned long long> totals_;
  Chosen<Words>* chosen_ = nullptr;
  UnitSample* sample_ = nullptr;
  WeightsView weights_{};
  DeviceArray<double> string_weights_;
  const ExternalOptions* options_ = nullptr;
  std::array<Densities, 2> densities_ = {Densities(1.0), Densities(1.0)};  ///< of alpha and of beta units

  // Of a part.
  DeviceArray<unsigned long long> counter_, num_items_, expected_, unit_weights_;
  DeviceArray<std::uint64_t> keys_, unit_strings_, drawn_strings_;
  std::uint64_t unit_mask_ = 0;
  DeviceArray<std::int32_t> ids_, unit_count_, own_, numbers_, drawn_own_;
  DeviceArray<std::uint32_t> num_sources_, placed_;
  DeviceArray<std::int64_t> first_source_, item_begins_;
  DeviceArray<UnitSource> sources_;
  DeviceArray<unsigned long long> outside_, expected_outside_;  ///< of all parts

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
