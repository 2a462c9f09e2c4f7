// SPDX-License-Identifier: MIT
#include "tasks/files/column_io.hpp"

namespace cisolve {

void write_lists(Hdf5Group& group, const std::string& name, const std::vector<std::vector<double>>& lists,
                 bool per_pair, const Hdf5Label& label) {
  std::size_t width = 0;
  for (const auto& list : lists) width = std::max(width, list.size());
  std::vector<double> values;
  for (const auto& list : lists) {
    values.insert(values.end(), list.begin(), list.end());
    values.resize(values.size() + width - list.size(), padding<double>());
  }
  Hdf5Shape shape = {lists.size(), width};
  if (per_pair && !lists.empty()) {
    shape = {lists.size(), lists.size(), width / lists.size()};
    if (shape.back() == 1) shape.pop_back();
  }
  group.write<double>(name, values, shape, label);
}

std::vector<std::vector<double>> read_lists(const Hdf5Group& group, const std::string& name,
                                            std::size_t rows) {
  Hdf5Shape shape = group.open_dataset<double>(name).shape();
  if (shape.empty()) shape.resize(1);
  shape[0] = rows;
  const std::vector<double> values = group.read<double>(name, shape);
  const auto width = static_cast<std::ptrdiff_t>(rows == 0 ? 0 : values.size() / rows);
  std::vector<std::vector<double>> lists;
  for (auto at = values.begin(); lists.size() < rows; at += width) lists.emplace_back(at, at + width);
  return lists;
}

}  // namespace cisolve
