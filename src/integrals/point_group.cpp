// SPDX-License-Identifier: MIT
#include "cisolve/integrals/point_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cisolve/core/error.hpp"
#include "cisolve/core/names.hpp"

namespace cisolve {
namespace {

struct Group {
  std::string name;
  std::vector<std::string> irreps, kernels;
};

/// Molpro's numbering: position in the lists is number - 1.
const std::vector<Group>& groups() {
  static const std::vector<Group> table = {
      {"D2h",
       {"Ag", "B3u", "B2u", "B1g", "B1u", "B2g", "B3g", "Au"},
       {"D2h", "C2v", "C2v", "C2h", "C2v", "C2h", "C2h", "D2"}},
      {"C2v", {"A1", "B1", "B2", "A2"}, {"C2v", "Cs", "Cs", "C2"}},
      {"C2h", {"Ag", "Au", "Bu", "Bg"}, {"C2h", "C2", "Cs", "Ci"}},
      {"D2", {"A", "B3", "B2", "B1"}, {"D2", "C2", "C2", "C2"}},
      {"Cs", {"A'", "A''"}, {"Cs", "C1"}},
      {"C2", {"A", "B"}, {"C2", "C1"}},
      {"Ci", {"Ag", "Au"}, {"Ci", "C1"}},
      {"C1", {"A"}, {"C1"}},
  };
  return table;
}

constexpr int unknown_group_irreps = 8;  // The label of an irrep has three bits.

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

PointGroup::PointGroup() : name_("unknown") {}

PointGroup::PointGroup(std::string name, std::vector<std::string> irreps)
    : name_(std::move(name)), irreps_(std::move(irreps)) {}

PointGroup PointGroup::parse(std::string_view name) {
  std::vector<std::string> names;
  for (const Group& group : groups()) {
    if (equal_ignoring_case(name, group.name)) return PointGroup(group.name, group.irreps);
    names.push_back(group.name);
  }
  throw InputError(fmt::format("point group '{}' is not one of {}; the nearest is {}", name, joined(names),
                               nearest_name(name, names)));
}

int PointGroup::num_irreps() const noexcept {
  return is_known() ? static_cast<int>(irreps_.size()) : unknown_group_irreps;
}

std::string PointGroup::irrep_name(int number) const {
  if (number < 1 || number > num_irreps()) {
    throw DimensionError(fmt::format("PointGroup: irrep {} outside 1..{}", number, num_irreps()));
  }
  return is_known() ? irreps_[number - 1] : std::to_string(number);
}

std::string PointGroup::kernel(int number) const {
  if (number < 1 || number > num_irreps()) {
    throw DimensionError(fmt::format("PointGroup: irrep {} outside 1..{}", number, num_irreps()));
  }
  const auto of_name = [&](const Group& group) { return group.name == name_; };
  return is_known() ? std::ranges::find_if(groups(), of_name)->kernels[number - 1] : name_;
}

int PointGroup::irrep_number(std::string_view text) const {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = status == std::errc() && end == text.data() + text.size();
  if (is_number && number >= 1 && number <= num_irreps()) return number;
  if (!is_known()) {
    throw InputError(fmt::format(
        "irrep '{}' is not a number from 1 to {}, and irreps have names only where the point group is given; "
        "the nearest is {}",
        text, num_irreps(), is_number ? std::clamp(number, 1, num_irreps()) : 1));
  }
  if (is_number) {
    std::vector<std::string> numbered;
    for (int k = 1; k <= num_irreps(); ++k) numbered.push_back(fmt::format("{} {}", k, irrep_name(k)));
    throw InputError(fmt::format("irrep {} is not one of {} ({}); the nearest is {}", number,
                                 joined(numbered), name_, std::clamp(number, 1, num_irreps())));
  }
  // The double prime may be typed as one character.
  const std::string_view name = text == "A\"" || text == "a\"" ? std::string_view("A''") : text;
  for (int k = 1; k <= num_irreps(); ++k) {
    if (equal_ignoring_case(name, irreps_[k - 1])) return k;
  }
  throw InputError(
      fmt::format("irrep '{}' is not one of {} ({}; or a number from 1 to {}); the nearest is {}", text,
                  joined(irreps_), name_, num_irreps(), nearest_name(name, irreps_)));
}

}  // namespace cisolve
