// SPDX-License-Identifier: MIT
#include "cuda/hamiltonian/direct/spin/spin_plan.hpp"

#include <cstddef>
#include <vector>

#include "cisolve/hamiltonian/string_classes.hpp"
#include "cuda/hamiltonian/direct/own_rows.hpp"

namespace cisolve::cuda::direct {
namespace {

/// The single excitations of the strings of one spin, by the electron that goes.
class MovedStrings {
public:
  MovedStrings(const Strings& strings, const StringClasses& classes) : strings_(strings), classes_(classes) {}

  std::size_t count() const { return static_cast<std::size_t>(classes_.num_strings()); }

  /// put(ordinal, electron, its orbital)
  template <class Put>
  void for_each_electron(const Put& put) const {
#pragma omp parallel for schedule(static)
    for (std::int32_t ordinal = 0; ordinal < classes_.num_strings(); ++ordinal) {
      const auto orbitals = strings_.orbitals(classes_.strings[static_cast<std::size_t>(ordinal)]);
      for (std::size_t k = 0; k < orbitals.size(); ++k)
        put(static_cast<std::size_t>(ordinal), k, orbitals[k]);
    }
  }

  /// put(ordinal, electron, orbital that it goes to, Moved)
  template <class Put>
  void for_each(const Put& put) const {
    const StringExcitations& singles = strings_.singles();
#pragma omp parallel for schedule(static)
    for (std::int32_t ordinal = 0; ordinal < classes_.num_strings(); ++ordinal) {
      const std::int32_t string = classes_.strings[static_cast<std::size_t>(ordinal)];
      const auto orbitals = strings_.orbitals(string);
      for (const auto& [target, code] : singles[string]) {
        const std::int32_t to = classes_.class_of[static_cast<std::size_t>(target)];
        if (to < 0) continue;
        std::size_t electron = 0;
        while (orbitals[electron] != ExcitationCode::hole(code)) ++electron;
        const std::int32_t position = classes_.position[static_cast<std::size_t>(target)];
        put(static_cast<std::size_t>(ordinal), electron,
            static_cast<std::size_t>(ExcitationCode::particle(code)),
            Moved{2 * position + (ExcitationCode::is_negative(code) ? 1 : 0), to});
      }
    }
  }

private:
  const Strings& strings_;
  const StringClasses& classes_;
};

}  // namespace

SpinPlan::SpinPlan(const StringProduct& space, const BlockStructure& blocks, const BlockLayout& layout,
                   const StringShares& shares)
    : numbers{space.num_alpha(), space.num_beta(), space.num_orbitals(), blocks.alpha.count(),
              blocks.beta.num_strings()} {
  const auto electrons = [](const Strings& strings) {
    return static_cast<std::size_t>(strings.num_electrons());
  };
  const auto orbitals = static_cast<std::size_t>(space.num_orbitals());
  const MovedStrings alpha(space.alpha(), blocks.alpha), beta(space.beta(), blocks.beta);
  const std::size_t of_alpha = electrons(space.alpha()), of_beta = electrons(space.beta());
  arrays.alpha_moved.assign(alpha.count() * of_alpha * orbitals, Moved{Moved::none, 0});
  arrays.alpha_occupied.resize(alpha.count() * of_alpha);
  alpha.for_each_electron([&](std::size_t string, std::size_t electron, std::uint8_t orbital) {
    arrays.alpha_occupied[string * of_alpha + electron] = orbital;
  });
  alpha.for_each([&](std::size_t string, std::size_t electron, std::size_t orbital, Moved moved) {
    arrays.alpha_moved[(string * of_alpha + electron) * orbitals + orbital] = moved;
  });
  arrays.beta_moved.assign(beta.count() * of_beta * orbitals, Moved{Moved::none, 0});
  arrays.beta_occupied.resize(beta.count() * of_beta);
  beta.for_each_electron([&](std::size_t string, std::size_t electron, std::uint8_t orbital) {
    arrays.beta_occupied[electron * beta.count() + string] = orbital;
  });
  beta.for_each([&](std::size_t string, std::size_t electron, std::size_t orbital, Moved moved) {
    arrays.beta_moved[(electron * orbitals + orbital) * beta.count() + string] = moved;
  });

  const OwnRows own(layout, blocks.alpha, shares);
  for (int d = 0; d < blocks.beta.count(); ++d) {
    const BlockLayout::Panel& panel = layout.panels[static_cast<std::size_t>(d)];
    arrays.panels.push_back({panel.offset, static_cast<std::int32_t>(panel.stride),
                             static_cast<std::int32_t>(panel.columns),
                             blocks.beta.offsets[static_cast<std::size_t>(d)]});
    for (int c = 0; c < blocks.alpha.count(); ++c) {
      const std::int64_t first = layout.row(d, c);
      arrays.first_rows.push_back(first);
      if (first < 0) continue;
      const StringShares::Range range = own.range(c);
      for (std::int32_t k = range.first; k < range.last; ++k) {
        arrays.rows.push_back({own.origin(d, c) + k * panel.stride,
                               blocks.alpha.offsets[static_cast<std::size_t>(c)] + k, d,
                               static_cast<std::int32_t>(first + k)});
      }
    }
  }
}

}  // namespace cisolve::cuda::direct
