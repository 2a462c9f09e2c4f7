// SPDX-License-Identifier: MIT
// How the work of a direct product is cut and which way each piece is done. Cuts depend on the number of
// threads, the order of sums does not.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hamiltonian/direct_kernels.hpp"
#include "hamiltonian/direct_parts.hpp"

namespace cisolve {
namespace {

/// Columns of a panel that one task owns: lists of columns joined by a pair fill a tile about once.
constexpr std::int64_t task_columns = 128;

/// Tasks per thread that even out their different costs.
constexpr double tasks_per_thread = 8.0;

// Cycles of a core with 64-byte vectors, measured: a product with a vector of lanes of a tile, and with one in
// registers; an element gathered into a tile, added to y, returned from a dense product.
// With shorter ones both ways take longer alike; the same figures for all make the same plan, and order of sums, everywhere.
constexpr double cycles_walked = 2.2;
constexpr double cycles_dense = 0.8;
constexpr double cycles_gathered = 1.3;
constexpr double cycles_scattered = 1.5;
constexpr double cycles_returned = 1.7;

/// Opposite-spin doubles from one class of the minor spin to another through pairs of one irrep.
struct Work {
  std::vector<SpinLinks::PairList> lists;
  double excitations = 0.0;  ///< of the minor spin
  double singles = 0.0;      ///< of the major spin, into the rows that are handled
  double dense_singles =
      0.0;               ///< of them, those that a dense product works on: half where a block mirrors itself
  double rows = 0.0;     ///< handled
  double sources = 0.0;  ///< rows that excitations come from
  double stride = 0.0;   ///< of the source panel

  double tile_cycles() const {
    return excitations * (cycles_walked * singles / BlockLayout::lanes + cycles_scattered * rows +
                          cycles_gathered * sources);
  }
  double dense_cycles() const {
    return cycles_dense * dense_singles *
               direct::dense_cost(lists.size(), static_cast<std::int64_t>(stride)) +
           cycles_returned * excitations * rows;
  }
};

template <class Side>
Work work_between(const Side& s, int target_class, int source_class, int irrep) {
  Work work;
  for (const SpinLinks::PairList& list : s.minor_links.pair_lists_between(target_class, source_class)) {
    if (list.irrep != irrep) continue;
    work.lists.push_back(list);
    work.excitations += static_cast<double>(list.last - list.first);
  }
  if (work.lists.empty()) return work;
  work.stride = static_cast<double>(s.layout.panels[source_class].stride);
  for (int c = 0; c < s.major.count(); ++c) {
    if (!s.handles(c, target_class)) continue;
    const StringShares::Range own = s.own[static_cast<std::size_t>(c)];
    work.rows += own.size();
    const double before = work.singles;
    const std::int32_t offset = s.major.offsets[c];
    for (std::int32_t i = own.first; i < own.last; ++i) {
      for (const SpinLinks::Group& group : s.major_links.singles_of(offset + i, irrep)) {
        if (s.layout.row(source_class, group.source_class) >= 0) work.singles += group.size;
      }
    }
    work.dense_singles += (work.singles - before) * (s.takes_half(c, target_class) ? 0.5 : 1.0);
  }
  for (int from = 0; from < s.major.count(); ++from) {
    bool linked = false;
    for (int c = 0; c < s.major.count(); ++c)
      linked = linked || (s.handles(c, target_class) && s.major_links.is_linked(c, from));
    if (linked && s.layout.row(source_class, from) >= 0) work.sources += s.major.size(from);
  }
  return work;
}

}  // namespace

DirectProduct::Side DirectProduct::side(int layout, const Share& share) const {
  const BlockStructure& blocks = direct_.blocks;
  if (layout == 0) {
    return {direct_.alpha_major,  blocks.alpha,      blocks.beta, direct_.alpha_links, direct_.beta_links,
            direct_.beta_coulomb, integrals_.beta(), true,        has_parity(),        share.own[0]};
  }
  return {direct_.beta_major,    blocks.beta,        blocks.alpha, direct_.beta_links, direct_.alpha_links,
          direct_.alpha_coulomb, integrals_.alpha(), false,        has_parity(),       share.own[1]};
}

double DirectProduct::cost_of(const Task& task, const Share& share) const {
  const Side s = side(task.layout, share);
  const auto columns = static_cast<double>(task.last_column - task.first_column);
  double doubles = 0.0;
  s.for_each_class(task.panel, task.first_row, task.last_row,
                   [&](int c, std::int32_t first, std::int32_t last, auto) {
                     for (std::int32_t i = first; i < last; ++i) {
                       for (const auto& group : s.major_links.own_doubles_of(s.major.offsets[c] + i)) {
                         if (s.layout.row(task.panel, group.source_class) >= 0) doubles += group.size;
                       }
                     }
                   });
  double cost = cycles_walked * doubles * columns / BlockLayout::lanes;
  const double part = columns / static_cast<double>(s.layout.panels[task.panel].columns);
  for (int d = 0; d < s.minor.count(); ++d) {
    for (int irrep = 0; irrep < 8; ++irrep) {
      const Work work = work_between(s, task.panel, d, irrep);
      cost +=
          dense_->has(s, task.layout, task.panel, d, irrep) ? work.dense_cycles() : part * work.tile_cycles();
    }
  }
  return cost;
}

/// Dense products where they cost less.
void DirectProduct::choose_dense() const {
  dense_ = std::make_unique<DensePlan>();
  for (int layout = 0; layout < num_layouts(); ++layout) {
    const Side s = side(layout, whole_);
    for (int target = 0; target < s.minor.count(); ++target) {
      for (int source = 0; source < s.minor.count(); ++source) {
        auto& chosen = dense_->between[layout].emplace_back();
        for (int irrep = 0; irrep < 8; ++irrep) {
          Work work = work_between(s, target, source, irrep);
          std::erase_if(work.lists,
                        [&](const SpinLinks::PairList& list) { return couples_[layout][list.pair] == 0; });
          if (work.lists.empty() || work.singles == 0.0 || work.dense_cycles() >= work.tile_cycles())
            continue;
          chosen.push_back(dense_->links[layout].size());
          dense_->links[layout].emplace_back(s.minor_links, work.lists, s.layout.panels[source].stride,
                                             s.minor_integrals, has_parity(), kernels_);
          dense_->scratch =
              std::max(dense_->scratch, static_cast<std::size_t>(dense_->links[layout].back().scratch()));
        }
      }
    }
  }
}

double DirectProduct::expected_cycles() const {
  plan();
  double cycles = 0.0;
  for (const Task& task : whole_.tasks) cycles += task.cost;
  return cycles;
}

DirectProduct::Share DirectProduct::share_of(const StringShares& shares) const {
  Share share;
  const StringClasses* classes[] = {&direct_.blocks.alpha, &direct_.blocks.beta};
  for (int spin = 0; spin < 2; ++spin) {
    for (int c = 0; c < classes[spin]->count(); ++c)
      share.own[spin].push_back(shares.own(classes[spin]->size(c)));
  }
  return share;
}

void DirectProduct::list_tasks(Share& share) const {
  double total = 0.0;
  std::vector<Task> whole;
  for (int layout = 0; layout < num_layouts(); ++layout) {
    const Side s = side(layout, share);
    const auto& panels = s.layout.panels;
    for (std::size_t panel = 0; panel < panels.size(); ++panel) {
      const std::int64_t rows = s.own_rows(static_cast<int>(panel));
      if (rows == 0) continue;
      const auto first = dense_->between[layout].begin() + static_cast<std::ptrdiff_t>(panel * panels.size());
      const bool any_dense =
          std::any_of(first, first + std::ssize(panels), [](const auto& chosen) { return !chosen.empty(); });
      // A dense product makes all columns at once.
      const std::int64_t parts = any_dense ? 1 : (panels[panel].columns + task_columns - 1) / task_columns;
      const std::int64_t width = whole_lanes((panels[panel].columns + parts - 1) / parts);
      for (std::int64_t column = 0; column < panels[panel].columns; column += width) {
        Task task{
            layout, static_cast<int>(panel), 0, rows, column, std::min(column + width, panels[panel].columns),
            0.0};
        task.cost = cost_of(task, share);
        total += task.cost;
        whole.push_back(task);
      }
    }
  }
  std::vector<Task> tasks;
  const double most = total / (tasks_per_thread * omp_get_max_threads());
  for (const Task& task : whole) {
    const auto parts = std::clamp<std::int64_t>(std::llround(task.cost / most), 1, task.last_row);
    for (std::int64_t k = 0; k < parts; ++k) {
      Task part = task;
      part.first_row = task.last_row * k / parts;
      part.last_row = task.last_row * (k + 1) / parts;
      part.cost = task.cost / static_cast<double>(parts);
      tasks.push_back(part);
    }
  }
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.cost > b.cost; });
  share.tile_size = dense_->scratch;
  // The widest tile that may be needed.
  for (const Task& task : tasks) {
    const Side s = side(task.layout, share);
    for (int d = 0; d < s.minor.count(); ++d) {
      if (s.minor_links.pair_lists_between(task.panel, d).empty()) continue;
      const Source source(s, task, d);
      share.tile_size = std::max(
          share.tile_size, static_cast<std::size_t>(source.rows * kernels_.most_groups * direct::lanes));
    }
  }
  share.tasks = std::move(tasks);
}

}  // namespace cisolve
