// SPDX-License-Identifier: MIT
#include "cisolve/space/strings.hpp"

#include <algorithm>
#include <mutex>

namespace cisolve {

struct Strings::Singles {
  std::once_flag made;
  StringExcitations table;
};

void Strings::classify(std::vector<std::uint8_t> orbitals, std::vector<std::int8_t> levels,
                       std::vector<int> irreps, bool class_by_irrep) {
  class_by_irrep_ = class_by_irrep;
  orbitals_ = std::move(orbitals);
  level_ = std::move(levels);
  orbital_irreps_ = std::move(irreps);
  num_electrons_ = level_.empty() ? 0 : static_cast<int>(orbitals_.size() / level_.size());
  singles_ = std::make_shared<Singles>();
  const auto highest = std::max_element(level_.begin(), level_.end());
  classes_.resize(highest == level_.end() ? 8U : (static_cast<std::size_t>(*highest) + 1) * 8U);
  for (std::int32_t i = 0; i < size(); ++i) {
    int irrep = 0;
    for (const std::uint8_t p : this->orbitals(i)) irrep ^= irrep_of_orbital(p);
    irrep_.push_back(static_cast<std::int8_t>(irrep));
    auto& members = classes_[class_number(level(i), irrep)];
    position_.push_back(static_cast<std::int32_t>(members.size()));
    members.push_back(i);
  }
}

std::span<const std::int32_t> Strings::members(int level, int irrep) const {
  if (level < 0 || level >= num_levels()) return {};
  return classes_[class_number(level, irrep)];
}

const StringExcitations& Strings::singles() const {
  std::call_once(singles_->made, [&] { singles_->table = find_singles(); });
  return singles_->table;
}

}  // namespace cisolve
