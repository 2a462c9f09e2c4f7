// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "cisolve/core/units.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/page/states.hpp"
#include "tasks/report/text.hpp"
#include "tasks/scan/spectroscopy.hpp"

namespace cisolve::page {
namespace {

using report::fixed;

constexpr double line_width = 0.3;  // eV, full width at half maximum, as tools/plot has it
constexpr double strength_per_area =
    4.319e-9;  // f of the molar absorption coefficient over wavenumbers, L/mol/cm^2
constexpr double ev_in_nanometre = 1239.841984;
constexpr double weakest = 1e-6;  // of what the table shows as more than 0

struct Transition {
  std::size_t to;
  double energy, strength;  ///< eV
};

/// As far as they are known.
std::vector<Transition> transitions_from(const CiResult& result, std::size_t from) {
  std::vector<Transition> found;
  const std::vector<double>& strengths = result.root(from).oscillator_strength;
  if (strengths.size() != result.roots.size()) return found;
  const auto multiplicity = [&](std::size_t k) {
    return result.sectors[result.roots[k].sector].multiplicity;
  };
  for (std::size_t k = from + 1; k < result.roots.size(); ++k) {
    if (multiplicity(k) != multiplicity(from) || !std::isfinite(strengths[k])) continue;
    found.push_back(
        {k, (result.root(k).energy - result.root(from).energy) * units::hartree_in_ev, strengths[k]});
  }
  return found;
}

Markup transitions_table(const CiResult& result) {
  Table table("Transitions from the lowest root of each multiplicity",
              {{"transition", false}, {"ΔE/eV"}, {"λ/nm"}, {"x"}, {"y"}, {"z/(e bohr)"}, {"strength f"}});
  std::set<int> done;
  for (std::size_t from = 0; from < result.roots.size(); ++from) {
    if (!done.insert(result.sectors[result.roots[from].sector].multiplicity).second) continue;
    const Root& lower = result.root(from);
    for (const Transition& t : transitions_from(result, from)) {
      const bool has_dipole = lower.transition_dipole.size() >= 3 * (t.to + 1);
      const auto component = [&](std::size_t k) {
        return has_dipole ? fixed(lower.transition_dipole[3 * t.to + k], 6) : "-";
      };
      constexpr double longest = 1e5;  // nm: between what is all but degenerate a wavelength says nothing
      const double wavelength = ev_in_nanometre / t.energy;
      table.add({fmt::format("{} → {}: {} → {}", from + 1, t.to + 1, state_name(lower),
                             state_name(result.root(t.to))),
                 fixed(t.energy, 5), wavelength < longest && wavelength > 0.0 ? fixed(wavelength, 2) : "-",
                 component(0), component(1), component(2), fixed(t.strength, 6)});
    }
  }
  return table.markup();
}

/// Molar absorption coefficient at an energy in eV, L/mol/cm.
double absorption(const std::vector<Transition>& lines, double energy) {
  const double wavenumbers = hartree_in_wavenumbers / units::hartree_in_ev;  // per eV
  const double sigma = line_width / std::sqrt(8.0 * std::numbers::ln2);      // eV
  const double area = 1.0 / (strength_per_area * wavenumbers);               // L/mol/cm eV
  double sum = 0.0;
  for (const Transition& line : lines) {
    const double x = (energy - line.energy) / sigma;
    sum += line.strength * area * std::exp(-0.5 * x * x) / (sigma * std::sqrt(2.0 * std::numbers::pi));
  }
  return sum;
}

Markup absorption_plot(const CiResult& result) {
  if (result.roots.empty()) return {};
  std::vector<Transition> lines = transitions_from(result, 0);
  std::erase_if(lines,
                [](const Transition& line) { return !(line.strength >= weakest) || !(line.energy > 0.0); });
  if (lines.empty()) return {};
  const auto [first, last] = std::ranges::minmax(lines, {}, &Transition::energy);
  const double begin = std::max(0.0, first.energy - 4.0 * line_width), end = last.energy + 4.0 * line_width;
  constexpr int samples = 300;
  PlotSeries curve{.name = "absorption", .points = {}, .has_marks = false};
  for (int k = 0; k <= samples; ++k) {
    const double energy = begin + (end - begin) * k / samples;
    curve.points.push_back({energy, absorption(lines, energy)});
  }
  PlotSeries sticks{.name = "oscillator strength f", .points = {}, .colour = 1, .is_sticks = true};
  for (const Transition& line : lines) {
    sticks.points.push_back(
        {line.energy, line.strength,
         fmt::format("root {}, {}: {} eV, f = {}", line.to + 1, state_name(result.root(line.to)),
                     fixed(line.energy, 3), fixed(line.strength, 4))});
  }
  return draw(
      {.title = fmt::format("Absorption of the lowest root: {} lines from {} to {} eV", lines.size(),
                            fixed(first.energy, 2), fixed(last.energy, 2)),
       .caption = fmt::format("Absorption of the lowest root, {}: Gaussians of {} eV full width at half "
                              "maximum; the area under each is its oscillator strength.",
                              state_name(result.root(0)), line_width),
       .x = {.label = "energy/eV", .low = begin, .high = end},
       .y = {.label = "ε/(L mol⁻¹ cm⁻¹)", .low = 0.0},
       .series = {std::move(curve), std::move(sticks)},
       .right = PlotAxis{.label = "f", .low = 0.0},
       .is_wide = true});
}

}  // namespace

Section spectrum_section(const CiResult& result) {
  return {"spectrum", "Spectrum", absorption_plot(result) + transitions_table(result)};
}

}  // namespace cisolve::page
