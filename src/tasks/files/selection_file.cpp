// SPDX-License-Identifier: MIT
#include "tasks/files/selection_file.hpp"

#include <algorithm>

#include "cisolve/core/error.hpp"
#include "tasks/files/column_io.hpp"
#include "tasks/files/result_columns.hpp"

namespace cisolve {

void write_selection(Hdf5Group& parent, const CiResult::Selection& selection) {
  Hdf5Group group = parent.create_group("selection");
  write_attributes(group, selection, selection_columns());
  write_arrays(group, selection, selection_arrays());
}

CiResult::Selection read_selection(const Hdf5Group& parent) {
  const Hdf5Group group = parent.open_group("selection");
  CiResult::Selection selection;
  read_attributes(group, selection, selection_columns());
  constexpr int most_stages = 1'000'000;
  if (selection.num_roots < 1 || selection.stage < 0 || selection.stage > most_stages)
    throw InputError("group '" + group.name() + "' is damaged: it names no roots, or no stage");
  read_arrays(group, selection, selection_arrays());
  return selection;
}

void write_checkpoint_selection(Hdf5Group& root, const CheckpointSelection& selection) {
  Hdf5Group group = root.create_group("list");
  const auto words = static_cast<std::uint64_t>(selection.words);
  const Hdf5Shape shape = {selection.list.alpha.size() / words, words};
  group.write<std::uint64_t>("alpha", selection.list.alpha, shape,
                             {.description = "alpha strings of the list"}, Hdf5Packing::compressed);
  group.write<std::uint64_t>("beta", selection.list.beta, shape, {.description = "beta strings of the list"},
                             Hdf5Packing::compressed);
  write_selection(group, selection.reached);
}

std::shared_ptr<const CheckpointSelection> read_checkpoint_selection(const Hdf5Group& root) {
  const Hdf5Group group = root.open_group("list");
  auto selection = std::make_shared<CheckpointSelection>();
  auto alpha = group.read<std::uint64_t>("alpha");
  auto beta = group.read<std::uint64_t>("beta");
  if (alpha.shape.size() != 2 || alpha.shape[1] < 1 || beta.shape != alpha.shape)
    throw InputError("group '" + group.name() + "' is damaged: its strings do not go together");
  selection->words = static_cast<int>(alpha.shape[1]);
  selection->list.alpha = std::move(alpha.values);
  selection->list.beta = std::move(beta.values);
  selection->reached = read_selection(group);
  return selection;
}

std::uint64_t bytes_of(const CheckpointSelection& selection) {
  return 8 * (selection.list.alpha.size() + selection.list.beta.size()) + 64 * 1024;
}

}  // namespace cisolve
