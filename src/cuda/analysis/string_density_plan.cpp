// SPDX-License-Identifier: MIT
#include "cuda/analysis/string_density_plan.hpp"

#include <algorithm>
#include <optional>
#include <parallel/algorithm>
#include <span>
#include <string>
#include <utility>

#include "analysis/string_operators.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/hamiltonian/string_classes.hpp"

namespace cisolve::cuda {
namespace {

std::int32_t pair_of(int p, int q) { return p * 256 + q; }

/// A piece of the rows of an alpha class.
struct Piece {
  std::int32_t beta_class, position, size;  ///< in its class
  std::int64_t rows;                        ///< piece_rows of the first string
};

class Planner {
public:
  /// @param shares  of the rank that is planned for; null: there are no ranks
  Planner(const StringProduct& space, const StringDensityConfig& config, const StringShares* shares,
          StringDensityPlan& plan)
      : space_(space), config_(config), plan_(plan), arrays_(plan.arrays), blocks_(space),
        irrep_(space.irrep() == any_irrep ? any_irrep : 0) {
    if (shares != nullptr) layout_.emplace(blocks_, true);
    for (int c = 0; c < blocks_.alpha.count(); ++c)
      own_.push_back((shares != nullptr ? *shares : StringShares{}).own(blocks_.alpha.size(c)));
  }

  void operator()() {
    require_few(count_raising(space_.alpha()) + count_raising(space_.beta()));
    list_pieces();
    list_alpha();
    list_beta();
    arrays_.places = std::move(blocks_.places);
  }

private:
  /// The links of one class pair and pair of orbitals.
  struct AlphaGroup {
    std::int32_t pair, to_class, from_class;
    std::int64_t first, last;
  };
  /// A link of beta strings on its way to its group.
  struct Found {
    std::int32_t tiles;  ///< tile of the target * tiles + tile of the source
    std::int32_t pair;
    std::uint32_t link;

    auto key() const { return std::tuple(tiles, pair, link); }
  };
  /// How the rows of an alpha class are cut.
  struct Tiles {
    std::vector<std::int32_t> class_first;  ///< [beta classes] in the row; -1: not beside it
    std::int32_t strings = 0, count = 0, size = 0;
    std::vector<std::int32_t> first_part;  ///< [count + 1] into tile_parts

    std::int32_t size_of(std::int32_t tile) const { return std::min(size, strings - tile * size); }
  };

  void require_few(std::int64_t entries) const {
    if (entries <= config_.most_entries) return;
    throw ResourceError("density matrices on a device: " + std::to_string(entries) +
                        " links or parts would be listed, more than " + std::to_string(config_.most_entries));
  }

  bool is_allowed(const Strings& strings, std::int32_t source, const StringExcitations::Link& link) const {
    return ExcitationCode::particle(link.code) > ExcitationCode::hole(link.code) &&
           (irrep_ == any_irrep || strings.irrep(source) == strings.irrep(link.target));
  }

  std::int64_t count_raising(const Strings& strings) const {
    const StringExcitations& singles = strings.singles();
    std::int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
    for (std::int32_t s = 0; s < strings.size(); ++s) {
      for (const auto& link : singles[s]) count += is_allowed(strings, s, link) ? 1 : 0;
    }
    return count;
  }

  /// The pieces of an alpha string, which are those of its class, and where it has them.
  void pieces_of(std::int32_t alpha, std::vector<std::pair<Piece, direct::PieceRows>>& found) const {
    found.clear();
    for (int level = 0; level < space_.num_levels(); ++level) {
      const std::int32_t list = space_.run_list(level, alpha);
      if (list == StringProduct::no_list) continue;
      const std::size_t at = list;
      for (std::int64_t k = blocks_.parts_of[at]; k < blocks_.parts_of[at + 1]; ++k) {
        const BlockStructure::ListPart& part = blocks_.parts[k];
        found.push_back(
            {{part.beta_class, part.position, part.size, 0}, {space_.run_offset(level, alpha), part.gather}});
      }
    }
    std::ranges::sort(found, {},
                      [](const auto& one) { return std::pair(one.first.beta_class, one.first.position); });
  }

  /// Where a vector in layout 0 has a piece of a string of an alpha class.
  direct::PieceRows in_layout(const Piece& piece, int alpha_class, std::int32_t k) const {
    const BlockLayout::Panel& panel = layout_->panels[static_cast<std::size_t>(piece.beta_class)];
    const std::int64_t row = layout_->row(piece.beta_class, alpha_class) + k;
    return {panel.offset + row * panel.stride + piece.position, -1};
  }

  bool is_own(int alpha_class, std::uint32_t position) const {
    const StringShares::Range own = own_[static_cast<std::size_t>(alpha_class)];
    return std::int64_t{position} >= own.first && std::int64_t{position} < own.last;
  }

  void list_pieces() {
    std::vector<std::pair<Piece, direct::PieceRows>> found;
    std::int64_t entries = 0;
    for (int c = 0; c < blocks_.alpha.count(); ++c) {
      const std::int32_t size = blocks_.alpha.size(c);
      const std::int32_t* strings = blocks_.alpha.strings.data() + blocks_.alpha.offsets[c];
      pieces_of(strings[0], found);
      std::vector<Piece>& pieces = pieces_.emplace_back();
      const std::int64_t before = std::ssize(arrays_.piece_rows);
      for (auto& [piece, rows] : found) {
        piece.rows = before + std::ssize(pieces) * size;
        pieces.push_back(piece);
      }
      entries += std::ssize(pieces) * size;
      require_few(entries);
      arrays_.piece_rows.resize(entries);
      for (std::int32_t k = 0; k < size; ++k) {
        pieces_of(strings[k], found);
        for (std::size_t piece = 0; piece < found.size(); ++piece)
          arrays_.piece_rows[pieces[piece].rows + k] =
              layout_ ? in_layout(pieces[piece], c, k) : found[piece].second;
      }
    }
  }

  // Alpha strings

  void list_alpha() {
    const StringClasses& classes = blocks_.alpha;
    std::vector<AlphaGroup> groups;
    const LinksByClass singles(space_.alpha().singles(), space_.alpha(), classes, space_.alpha(), classes,
                               irrep_, true);
    for (int to = 0; to < classes.count(); ++to) {
      for (int from = 0; from < classes.count(); ++from) {
        for (const auto& group : singles.between(to, from)) {
          begin(groups, pair_of(group.p, group.q), to, from);
          for (const auto& [source, code] : singles.entries(group)) {
            if (is_own(to, code >> 1U)) arrays_.alpha_links.push_back({source, code});
          }
          groups.back().last = std::ssize(arrays_.alpha_links);
        }
      }
    }
    std::vector<std::vector<std::int32_t>> occupied(space_.num_orbitals());
    for (int c = 0; c < classes.count(); ++c) {
      for (auto& strings : occupied) strings.clear();
      const StringShares::Range own = own_[static_cast<std::size_t>(c)];
      for (std::int32_t k = own.first; k < own.last; ++k) {
        for (const std::uint8_t p : space_.alpha().orbitals(classes.strings[classes.offsets[c] + k]))
          occupied[p].push_back(k);
      }
      for (std::size_t p = 0; p < occupied.size(); ++p) {
        begin(groups, pair_of(static_cast<int>(p), static_cast<int>(p)), c, c);
        for (const std::int32_t k : occupied[p])
          arrays_.alpha_links.push_back({k, 2 * static_cast<std::uint32_t>(k)});
        groups.back().last = std::ssize(arrays_.alpha_links);
      }
    }
    std::ranges::stable_sort(groups, {}, &AlphaGroup::pair);
    cut_alpha(groups);
  }

  void begin(std::vector<AlphaGroup>& groups, std::int32_t pair, int to, int from) const {
    groups.push_back({pair, to, from, std::ssize(arrays_.alpha_links), 0});
  }

  /// visit(piece of the targets, of the sources) for what both classes have.
  template <class Visit>
  void for_common_pieces(const AlphaGroup& group, const Visit& visit) const {
    const auto place = [](const Piece& piece) { return std::pair(piece.beta_class, piece.position); };
    const std::vector<Piece>&to = pieces_[group.to_class], &from = pieces_[group.from_class];
    for (std::size_t i = 0, j = 0; i < to.size() && j < from.size();) {
      if (place(to[i]) == place(from[j])) visit(to[i], from[j]);
      const bool next = place(to[i]) <= place(from[j]);
      if (place(from[j]) <= place(to[i])) ++j;
      if (next) ++i;
    }
  }

  void cut_alpha(std::span<const AlphaGroup> groups) {
    std::int64_t work = 0, parts = 0;
    for (const AlphaGroup& group : groups) {
      for_common_pieces(group, [&](const Piece& piece, const Piece&) {
        work += (group.last - group.first) * piece.size;
        ++parts;
      });
    }
    require_few(parts);
    const std::int64_t of_task = std::max(config_.least_alpha_work, work / config_.most_alpha_tasks);
    for (const AlphaGroup& group : groups) {
      if (plan_.elements.empty() || pair_of(plan_.elements.back().p, plan_.elements.back().q) != group.pair)
        begin_element(false, group.pair, std::ssize(arrays_.alpha_tasks));
      for_common_pieces(group, [&](const Piece& to, const Piece& from) {
        const std::int64_t links = std::max<std::int64_t>(of_task / to.size, 1);
        std::int32_t lanes = 1;
        while (lanes < alpha_threads && lanes < to.size) lanes *= 2;
        for (std::int64_t first = group.first; first < group.last; first += links)
          arrays_.alpha_tasks.push_back(
              {to.rows, from.rows, first, std::min(first + links, group.last), to.size, lanes});
      });
      arrays_.sums.back().last = std::ssize(arrays_.alpha_tasks);
    }
    plan_.num_partials = std::ssize(arrays_.alpha_tasks);
  }

  void begin_element(bool is_beta, std::int32_t pair, std::int64_t first) {
    plan_.elements.push_back(
        {is_beta, static_cast<std::uint8_t>(pair / 256), static_cast<std::uint8_t>(pair % 256)});
    arrays_.sums.push_back({first, first});
  }

  // Beta strings

  void list_beta() {
    const StringClasses& classes = blocks_.beta;
    const LinksByClass singles(space_.beta().singles(), space_.beta(), classes, space_.beta(), classes,
                               irrep_, true);
    std::vector<Found> found;
    for (int c = 0; c < blocks_.alpha.count(); ++c) {
      const Tiles tiles = cut_rows(c);
      found.clear();
      const auto add = [&](std::int32_t pair, std::int32_t target, std::int32_t source, std::uint32_t sign) {
        const auto s = static_cast<std::uint32_t>(source % tiles.size);
        const auto t = static_cast<std::uint32_t>(target % tiles.size);
        found.push_back(
            {target / tiles.size * tiles.count + source / tiles.size, pair, s << 16U | t << 1U | sign});
      };
      std::int64_t links =
          std::ssize(arrays_.beta_links) + std::int64_t{tiles.strings} * space_.beta().num_electrons();
      for_each_group(singles, tiles, [&](const LinksByClass::Group& group, std::int32_t, std::int32_t) {
        links += group.last - group.first;
      });
      require_few(links);
      for_each_group(singles, tiles,
                     [&](const LinksByClass::Group& group, std::int32_t to, std::int32_t from) {
                       for (const auto& [source, code] : singles.entries(group))
                         add(pair_of(group.p, group.q), to + static_cast<std::int32_t>(code >> 1U),
                             from + source, code & 1U);
                     });
      for (int d = 0; d < classes.count(); ++d) {
        const std::int32_t first = tiles.class_first[d];
        for (std::int32_t k = 0; first >= 0 && k < classes.size(d); ++k) {
          for (const std::uint8_t p : space_.beta().orbitals(classes.strings[classes.offsets[d] + k]))
            add(pair_of(p, p), first + k, first + k, 0);
        }
      }
      __gnu_parallel::sort(found.begin(), found.end(),
                           [](const Found& a, const Found& b) { return a.key() < b.key(); });
      add_groups(c, tiles, found);
    }
    cut_beta();
  }

  /// visit(group, where the class of the targets, of the sources begins) for the links within some rows.
  template <class Visit>
  void for_each_group(const LinksByClass& links, const Tiles& tiles, const Visit& visit) const {
    for (std::size_t to = 0; to < tiles.class_first.size(); ++to) {
      for (std::size_t from = 0; from < tiles.class_first.size(); ++from) {
        if (tiles.class_first[to] < 0 || tiles.class_first[from] < 0) continue;
        for (const auto& group : links.between(to, from))
          visit(group, tiles.class_first[to], tiles.class_first[from]);
      }
    }
  }

  /// Tiles of about the same size.
  Tiles cut_rows(int c) {
    Tiles tiles;
    tiles.class_first.assign(blocks_.beta.count(), -1);
    for (int d = 0; d < blocks_.beta.count(); ++d) {
      if (!blocks_.is_allowed(c, d)) continue;
      tiles.class_first[d] = tiles.strings;
      tiles.strings += blocks_.beta.size(d);
    }
    const std::int64_t fitting = config_.shared_memory / (2 * static_cast<std::int64_t>(sizeof(double)));
    const auto most = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        std::min<std::int64_t>(config_.most_tile_strings, fitting), 1, most_tile_strings));
    tiles.count = (tiles.strings + most - 1) / most;
    tiles.size = (tiles.strings + tiles.count - 1) / tiles.count;
    tiles.count = (tiles.strings + tiles.size - 1) / tiles.size;
    for (std::int32_t tile = 0; tile < tiles.count; ++tile) {
      tiles.first_part.push_back(static_cast<std::int32_t>(arrays_.tile_parts.size()));
      const std::int32_t begin = tile * tiles.size, end = begin + tiles.size_of(tile);
      for (const Piece& piece : pieces_[c]) {
        const std::int32_t at = tiles.class_first[piece.beta_class] + piece.position;
        const std::int32_t first = std::max(at, begin), last = std::min(at + piece.size, end);
        if (first < last) arrays_.tile_parts.push_back({piece.rows, first - at, first - begin, last - first});
      }
    }
    tiles.first_part.push_back(static_cast<std::int32_t>(arrays_.tile_parts.size()));
    require_few(std::ssize(arrays_.tile_parts));
    return tiles;
  }

  /// @param found  links of beta strings beside the alpha strings of a class, sorted
  void add_groups(int c, const Tiles& tiles, std::span<const Found> found) {
    for (std::size_t k = 0; k < found.size(); ++k) {
      const bool is_new_pair = k == 0 || found[k].tiles != found[k - 1].tiles;
      if (is_new_pair) {
        const std::int32_t to = found[k].tiles / tiles.count, from = found[k].tiles % tiles.count;
        const std::int64_t group = std::ssize(arrays_.beta_groups);
        arrays_.tile_pairs.push_back({group, group, tiles.first_part[to], tiles.first_part[to + 1],
                                      tiles.first_part[from], tiles.first_part[from + 1], tiles.size_of(to),
                                      tiles.size_of(from)});
        class_of_pair_.push_back(c);
      }
      if (is_new_pair || found[k].pair != found[k - 1].pair) {
        const std::int64_t first = std::ssize(arrays_.beta_links);
        arrays_.beta_groups.push_back({first, first, 0});
        orbitals_of_group_.push_back(found[k].pair);
        tile_pair_of_group_.push_back(static_cast<std::int32_t>(arrays_.tile_pairs.size()) - 1);
        ++arrays_.tile_pairs.back().last_group;
      }
      arrays_.beta_links.push_back(found[k].link);
      ++arrays_.beta_groups.back().last;
    }
  }

  /// Multiplications, and reads of as many elements, of an alpha string with a tile pair.
  std::int64_t work_of(const TilePair& pair) const {
    return arrays_.beta_groups[pair.last_group - 1].last - arrays_.beta_groups[pair.first_group].first +
           pair.to_size + pair.from_size;
  }

  StringShares::Range own_of_pair(std::size_t tile_pair) const {
    return own_[static_cast<std::size_t>(class_of_pair_[tile_pair])];
  }

  void cut_beta() {
    std::int64_t work = 0;
    for (std::size_t k = 0; k < arrays_.tile_pairs.size(); ++k)
      work += work_of(arrays_.tile_pairs[k]) * own_of_pair(k).size();
    const std::int64_t of_task = std::max(config_.least_beta_work, work / config_.most_beta_tasks);
    std::vector<std::int64_t> tasks_of(arrays_.tile_pairs.size());
    for (std::size_t k = 0; k < tasks_of.size(); ++k) {
      const TilePair& pair = arrays_.tile_pairs[k];
      const StringShares::Range own = own_of_pair(k);
      constexpr std::int64_t of_sum = 64;  // multiplications, lest there be more partial sums than reads
      const std::int64_t least = std::max(of_task, of_sum * (pair.last_group - pair.first_group));
      const auto at_once = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(least / work_of(pair), 1, std::max(own.size(), 1)));
      for (std::int32_t first = own.first; first < own.last; first += at_once) {
        arrays_.beta_tasks.push_back({static_cast<std::int32_t>(k), first,
                                      std::min(first + at_once, own.last),
                                      static_cast<std::int32_t>(tasks_of[k]++)});
      }
      const std::int64_t both = std::int64_t{pair.to_size} + pair.from_size;
      plan_.doubles_of_two = std::max(plan_.doubles_of_two, both);
      plan_.doubles_of_one =
          std::max(plan_.doubles_of_one, pair.to_first == pair.from_first ? pair.to_size : both);
    }
    number_partials(tasks_of);
  }

  /// Partial sums of the same orbitals one after another.
  void number_partials(std::span<const std::int64_t> tasks_of) {
    std::vector<std::int64_t> order(arrays_.beta_groups.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int64_t>(k);
    std::ranges::stable_sort(order, {}, [&](std::int64_t group) { return orbitals_of_group_[group]; });
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::int32_t pair = orbitals_of_group_[order[k]];
      if (k == 0 || pair != orbitals_of_group_[order[k - 1]]) begin_element(true, pair, plan_.num_partials);
      arrays_.beta_groups[order[k]].partial = plan_.num_partials;
      plan_.num_partials += tasks_of[tile_pair_of_group_[order[k]]];
      arrays_.sums.back().last = plan_.num_partials;
    }
  }

  const StringProduct& space_;
  const StringDensityConfig& config_;
  StringDensityPlan& plan_;
  StringDensityArrays<direct::HostArray>& arrays_;
  BlockStructure blocks_;
  int irrep_;                               ///< of excitations
  std::optional<BlockLayout> layout_;       ///< that vectors have; none: they are in the order of the space
  std::vector<StringShares::Range> own_;    ///< [alpha classes]
  std::vector<std::vector<Piece>> pieces_;  ///< of each alpha class
  std::vector<std::int32_t> class_of_pair_, orbitals_of_group_, tile_pair_of_group_;
};

}  // namespace

StringDensityPlan::StringDensityPlan(const StringProduct& space, const StringDensityConfig& config)
    : num_rows(space.size()), num_orbitals(space.num_orbitals()) {
  if (num_rows > 0) Planner(space, config, nullptr, *this)();
}

StringDensityPlan::StringDensityPlan(const StringProduct& space, const StringDensityConfig& config,
                                     const StringShares& shares)
    : num_rows(space.size()), num_orbitals(space.num_orbitals()) {
  if (num_rows > 0) Planner(space, config, &shares, *this)();
}

}  // namespace cisolve::cuda
