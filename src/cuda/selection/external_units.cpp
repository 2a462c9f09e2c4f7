// SPDX-License-Identifier: MIT
#include "cuda/selection/external_units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/space/string_table.hpp"
#include "cuda/core/device_info.hpp"
#include "cuda/core/uploads.hpp"
#include "cuda/selection/external_kernels.hpp"
#include "cuda/selection/transfers.hpp"
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

double doubles_of(const SameSpinMoves& moves, int e, int n) {
  const double of_all = static_cast<double>(moves.size()), electrons = e, orbitals = n, holes = n - e;
  return e < 2 || holes < 2 ? 0.0
                            : of_all * electrons * (electrons - 1.0) * holes * (holes - 1.0) /
                                  (orbitals * (orbitals - 1.0) * (orbitals - 2.0) * (orbitals - 3.0));
}

}  // namespace

template <int Words>
ExternalUnits<Words>::ExternalUnits(const Stream& stream, const IntegralTables& tables,
                                    const SameSpinMoves& alpha_moves, const SameSpinMoves& beta_moves,
                                    std::span<const Determinant<Words>> determinants,
                                    const ExternalSumsConfig& config)
    : stream_(stream), runs_(determinants), num_determinants_(std::ssize(determinants)) {
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
  choose_parts(config);
  stream_.synchronize();
}

template <int Words>
void ExternalUnits<Words>::list_singles() {
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

template <int Words>
void ExternalUnits<Words>::list_moves() {
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
template <int Words>
void ExternalUnits<Words>::choose_parts(const ExternalSumsConfig& config) {
  const int n = list_.num_orbitals, e = list_.alpha.electrons;
  const double singles = e * (n - e);
  const double blocked = n < 4 ? 1.0
                               : static_cast<double>(n - e) * (n - e - 1) /
                                     (static_cast<double>(n - 2) * static_cast<double>(n - 3));
  const double strings = list_.alpha.size, of_source = sizeof(UnitSource) + sizeof(std::int64_t);
  const double of_unit = 4.0 * (sizeof(std::uint64_t) + sizeof(std::int32_t)) + 8.0 * Words + 40.0;
  const double bytes = of_source * (strings * (singles + 1.0) + blocked * num_moves_) +
                       of_unit * std::min(strings * (singles + 1.0), most_units_);
  const double room = config.memory_share * static_cast<double>(free_device_bytes());
  const double parts = std::ceil(bytes / std::max(room, 1.0));
  constexpr double most = 65536.0;
  if (parts > most) throw ResourceError("the device has no room for the sources of external determinants");
  parts_ = std::max(config.least_parts, static_cast<std::uint32_t>(parts));
}

template <int Words>
void ExternalUnits<Words>::begin(const std::vector<double>& coefficients, std::size_t roots) {
  list_.roots = static_cast<int>(roots);
  set_scale(coefficients, roots);
  put(stream_, coefficients, coefficients_);
  list_.coefficients = coefficients_.data();
  stream_.synchronize();  // what is on its way goes
  clear(stream_, inside_, inside_words_);
  weights_ = {};
}

/// Sums are below the largest element times the square root of the connections times the norm (Cauchy, Schwarz).
template <int Words>
void ExternalUnits<Words>::set_scale(const std::vector<double>& coefficients, std::size_t roots) {
  std::vector<double> squares(roots);
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    squares[k % roots] += coefficients[k] * coefficients[k];
  const double bound = largest_element_ * std::sqrt(connections_ * std::ranges::max(squares));
  constexpr int bits = 62;
  list_.scale = bound > 0.0 ? std::ldexp(1.0, bits - std::ilogb(bound) - 1) : 1.0;
}

template <int Words>
std::vector<double> ExternalUnits<Words>::weigh(const std::vector<double>& coefficients) {
  const auto roots = static_cast<std::size_t>(list_.roots);
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

template <int Words>
PartView ExternalUnits<Words>::part_view(std::uint32_t number) {
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

template <int Words>
UnitList ExternalUnits<Words>::find_part(std::uint32_t number) {
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
template <int Words>
void ExternalUnits<Words>::place_sources(UnitList& list, PartView& part) {
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

template <int Words>
PartView ExternalUnits<Words>::place_part(std::uint32_t number, UnitList& list) {
  PartView part = part_view(number);
  place_sources(list, part);
  return part;
}

template <int Words>
PartView ExternalUnits<Words>::place_some(std::uint32_t number, UnitSubset& subset) {
  put(stream_, subset.numbers, numbers_);
  put(stream_, subset.list.own, subset_own_);
  put(stream_, subset.strings, subset_strings_);
  PartView part = part_view(number);
  part.numbers = numbers_.data();
  part.own = subset_own_.data();
  part.strings = subset_strings_.data();
  place_sources(subset.list, part);
  return part;
}

template <int Words>
std::vector<std::uint64_t> ExternalUnits<Words>::strings_of_part(std::size_t units) const {
  return download(stream_, unit_strings_, units * Words);
}

template <int Words>
UnitList ExternalUnits<Words>::find_outside() {
  const std::size_t alpha = list_.alpha.size, beta = list_.beta.size;
  clear(stream_, outside_, alpha);
  clear(stream_, expected_outside_, beta);
  launch_count_outside<Words>(stream_, list_, part_view(0), outside_.data(), expected_outside_.data());
  UnitList list;
  list.expected = download(stream_, expected_outside_, beta);
  return list;
}

template <int Words>
void ExternalUnits<Words>::cut_finer(std::uint32_t factor) {
  parts_ *= factor;
  sources_ = {};
  item_begins_ = {};
}

#define INSTANTIATE(W) template class ExternalUnits<W>;
CISOLVE_FOR_ALL_WORDS(INSTANTIATE)
#undef INSTANTIATE

}  // namespace cisolve::cuda
