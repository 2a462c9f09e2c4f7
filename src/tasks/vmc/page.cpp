// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "cisolve/tasks/ci/ci_result.hpp"
#include "cisolve/tasks/vmc/vmc.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/displacements.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

using page::Fields;
using page::Markup;
using page::Section;
using page::Table;
using report::fixed;

Markup summary(const VmcResult& r) {
  Fields fields;
  fields.add("Model", fmt::format("{} on {} sites, {} electrons", r.lattice.model, r.lattice.n_sites,
                                  r.lattice.n_electrons));
  fields.add("Trial state",
             r.wavefunction == "bcs"
                 ? fmt::format("bcs, {} pairing, delta = {:.6g}, mu = {:.6g}", r.pairing, r.delta, r.mu)
                 : r.wavefunction);
  const auto add_jastrow = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) fields.add(name, fmt::format("{:.5g}, by distance", fmt::join(values, ", ")));
  };
  add_jastrow("Jastrow factor, charges", r.jastrow);
  add_jastrow("Jastrow factor, spins", r.spin_jastrow);
  const Estimate e = r.per_site(r.energy);
  fields.add("Energy per site", fmt::format("{} ± {:.1e} {}", fixed(e.value, 8), e.error, r.lattice.unit));
  fields.add("Chains", fmt::format("{} of {} sweeps", r.chains, r.sweeps));
  fields.add("Device", r.device);
  return fields.markup();
}

/// Means of a long series, few enough for a picture.
std::vector<std::pair<double, double>> thinned(const std::vector<double>& values, double width) {
  constexpr std::size_t most = 400;
  const std::size_t together = (values.size() + most - 1) / most;
  std::vector<std::pair<double, double>> points;
  for (std::size_t first = 0; first < values.size(); first += together) {
    const std::size_t last = std::min(first + together, values.size());
    double sum = 0.0;
    for (std::size_t k = first; k < last; ++k) sum += values[k];
    points.emplace_back(width * 0.5 * static_cast<double>(first + last),
                        sum / static_cast<double>(last - first));
  }
  return points;
}

Section series_section(const VmcResult& r) {
  if (r.series.empty() || r.chains == 0) return {"series", "Energy by sweep"};
  const std::size_t n = r.series.size() / static_cast<std::size_t>(r.chains);
  std::vector<double> mean(n, 0.0);
  for (std::size_t k = 0; k < r.series.size(); ++k) mean[k % n] += r.series[k] / r.chains;
  const double width = static_cast<double>(r.averaged * r.measure_interval);
  page::PlotSeries line{.name = "", .points = {}, .colour = 0, .has_marks = false};
  for (const auto& [sweep, energy] : thinned(mean, width))
    line.points.push_back(
        {sweep, energy, fmt::format("sweep {:.0f}: {} {}", sweep, fixed(energy, 6), r.lattice.unit)});
  return {
      "series", "Energy by sweep",
      page::draw(
          {.title = "Energy per site, mean of all chains",
           .caption = "Sweeps after equilibration; neighbouring sweeps are averaged where there are many.",
           .x = {.label = "sweep"},
           .y = {.label = "E/N, " + r.lattice.unit},
           .series = {std::move(line)},
           .is_wide = true})};
}

Section optimisation_section(const VmcResult& r) {
  const VmcOptimisation& o = r.optimisation;
  if (o.names.empty()) return {"optimisation", "Optimisation"};
  page::PlotSeries energy{.name = "", .points = {}, .colour = 0, .has_marks = true};
  std::vector<page::PlotSeries> parameters;
  for (std::size_t a = 0; a < o.names.size(); ++a)
    parameters.push_back({.name = o.names[a], .points = {}, .colour = a, .has_marks = true});
  for (std::size_t k = 0; k < o.iterations(); ++k) {
    const double x = static_cast<double>(k + 1), e = r.per_site(o.energy[k]);
    energy.points.push_back({x, e, fmt::format("iteration {}: {} {}", k + 1, fixed(e, 6), r.lattice.unit)});
    for (std::size_t a = 0; a < o.names.size(); ++a) {
      const double value = o.parameters[k * o.names.size() + a];
      parameters[a].points.push_back(
          {x, value, fmt::format("iteration {}: {} = {}", k + 1, o.names[a], fixed(value, 5))});
    }
  }
  const Markup pictures = page::draw({.title = "Energy per site by iteration",
                                      .caption = "Of the state of each iteration.",
                                      .x = {.label = "iteration"},
                                      .y = {.label = "E/N, " + r.lattice.unit},
                                      .series = {std::move(energy)}}) +
                          page::draw({.title = "Parameters by iteration",
                                      .caption = "The result is the mean of the last iterations.",
                                      .x = {.label = "iteration"},
                                      .y = {.label = "parameter"},
                                      .series = std::move(parameters)});
  return {"optimisation", "Optimisation", pictures};
}

Section energies_section(const VmcResult& r) {
  Table table("Energies, " + r.lattice.unit,
              {{"", false}, {"of the cluster"}, {"error"}, {"per site"}, {"error"}});
  const auto add = [&](const char* name, const Estimate& e) {
    const Estimate site = r.per_site(e);
    table.add({name, fixed(e.value, 8), fmt::format("{:.1e}", e.error), fixed(site.value, 8),
               fmt::format("{:.1e}", site.error)});
  };
  add("energy", r.energy);
  add("kinetic", r.kinetic);
  add("exchange", r.exchange);
  add("of U", r.interaction);
  add("of V", r.repulsion);
  add("variance", r.variance);
  return {"energies", "Energies", table.markup()};
}

Section correlations_section(const VmcResult& r) {
  if (r.spin_structure_factor.values.empty()) return {"correlations", "Correlations"};
  Table table("Correlation functions", {{"displacement"}, {"<S.S>"}, {"error"}, {"<n n>"}, {"error"}});
  for (const std::size_t d : report::by_distance(r.lattice)) {
    table.add({report::displacement_text(r.lattice, d), fixed(r.s_s.values[d], 6),
               fmt::format("{:.1e}", r.s_s.errors[d]), fixed(r.n_n.values[d], 6),
               fmt::format("{:.1e}", r.n_n.errors[d])});
  }
  return {"correlations", "Correlations", table.markup()};
}

}  // namespace

std::string vmc_page(const std::filesystem::path& file) {
  const VmcResult r = read_vmc(file);
  CiResult head;
  head.version = r.version, head.title = r.title;
  head.input_text = r.input_text, head.resolved_text = r.resolved_text;
  std::vector<std::string> failures;
  if (!r.optimisation.names.empty() && !r.optimisation.converged)
    failures.push_back("the optimisation has not converged");
  return page::assemble({.program = "cisolve " + r.version,
                         .title = r.title.empty() ? file.stem().string() : r.title,
                         .created = r.created,
                         .failures = std::move(failures),
                         .warnings = r.warnings,
                         .summary = summary(r),
                         .unit = r.lattice.unit},
                        {energies_section(r), optimisation_section(r), series_section(r),
                         correlations_section(r), page::input_section(head, {}, file.filename().string())});
}

}  // namespace cisolve
