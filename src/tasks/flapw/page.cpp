// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cisolve/lapw/radial.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "tasks/flapw/bands.hpp"
#include "tasks/flapw/report.hpp"
#include "tasks/page/plot.hpp"
#include "tasks/page/sections.hpp"
#include "tasks/report/text.hpp"

namespace cisolve {
namespace {

constexpr std::size_t most_marked = 40;  // k-points of a curve with marks

using page::Fields;
using page::Markup;
using page::Section;
using page::Table;
using report::fixed;

Markup summary(const FlapwResult& result) {
  Fields fields;
  fields.add("Calculation", "H c = λ S c in linearised augmented plane waves, in a given potential");
  fields.add("Made from",
             result.source.empty() ? result.kind : fmt::format("{} ({})", result.source, result.kind));
  fields.add("Atoms, rows of A and B", fmt::format("{}, {}", result.num_atoms, result.num_rows));
  if (result.k_max > 0.0) fields.add("k_max", fmt::format("{} bohr⁻¹", fixed(result.k_max, 4)));
  if (result.relativistic) fields.add("Radial equation", "scalar-relativistic");
  fields.add("k-points", std::to_string(result.points.size()));
  fields.add("Algorithm", fmt::format("{}, coefficients {}, arithmetic {}", result.algorithm,
                                      result.coefficients, result.arithmetic));
  fields.add("Device", result.device);
  fields.add("Products by", result.blas);
  return fields.markup();
}

Section bands_section(const FlapwResult& result) {
  const Bands bands = bands_of(result);
  if (bands.energies.empty() || bands.x.size() < 2) return {"bands", "Bands"};
  std::vector<page::PlotSeries> series;
  for (int band = 0; band < bands.states; ++band) {
    page::PlotSeries line{.name = "", .points = {}, .colour = 0, .has_marks = bands.x.size() <= most_marked};
    for (std::size_t k = 0; k < bands.x.size(); ++k) {
      const double energy =
          bands.energies[k * static_cast<std::size_t>(bands.states) + static_cast<std::size_t>(band)];
      line.points.push_back({bands.x[k], energy,
                             fmt::format("band {}, k-point {} ({}): {} hartree", band + 1, k + 1,
                                         point_text(result.points[k].k.k), fixed(energy, 6))});
    }
    series.push_back(std::move(line));
  }
  std::vector<std::pair<double, std::string>> corners;
  for (std::size_t k = 0; k < bands.x.size(); ++k) {
    if (!bands.labels[k].empty()) corners.emplace_back(bands.x[k], bands.labels[k]);
  }
  const bool has_path = result.path.is_given();
  return {"bands", "Bands",
          page::draw({.title = fmt::format("{} bands at {} k-points", bands.states, bands.x.size()),
                      .caption = has_path ? "Eigenvalues along the path; its corners are named above."
                                          : "Eigenvalues of the k-points, in their order.",
                      .x = {.label = result.crystal ? "length of the path/bohr⁻¹" : "k-point"},
                      .y = {.label = "energy/hartree"},
                      .series = std::move(series),
                      .top = std::move(corners),
                      .is_wide = true})};
}

Section points_section(const FlapwResult& result) {
  constexpr std::size_t most = 10;  // eigenvalues of a row
  Table table("Lowest eigenvalues of each k-point, hartree", {{"k-point"},
                                                              {"fractional", false},
                                                              {"plane waves"},
                                                              {"status", false},
                                                              {"largest residual"},
                                                              {"eigenvalues", false}});
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    const FlapwPoint& point = result.points[k];
    const auto& energies = point.states.energies;
    std::string values;
    for (std::size_t i = 0; i < std::min(most, energies.size()); ++i) values += fixed(energies[i], 8) + "  ";
    if (energies.size() > most) values += fmt::format("… ({} in all)", energies.size());
    const bool is_bad = point.status == "not converged" || point.status == FlapwPoint::wrong;
    table.add({std::to_string(k + 1), point_text(point.k.k), std::to_string(point.waves),
               is_bad ? page::element("span", {{"class", "bad"}}, point.status) : Markup(point.status),
               energies.empty() ? "-" : fmt::format("{:.1e}", std::ranges::max(point.states.residual_norms)),
               values});
  }
  return {"points", "k-points", table.markup()};
}

Section crystal_section(const FlapwResult& result) {
  if (!result.crystal) return {"crystal", "Crystal"};
  Table types("Types of atoms", {{"type", false},
                                 {"radius/bohr"},
                                 {"lmax"},
                                 {"lmax, non-spherical"},
                                 {"E_l/hartree, l = 0"},
                                 {"atoms"},
                                 {"T_AA", false},
                                 {"R²W/2 - 1, largest"}});
  for (std::size_t k = 0; k < result.types.size(); ++k) {
    const lapw::AtomType& type = result.crystal->types[k];
    double worst = 0.0;
    for (const double value : lapw::wronskians(type)) worst = std::max(worst, std::abs(0.5 * value - 1.0));
    types.add(
        {type.name, fixed(type.radius, 4), std::to_string(type.lmax), std::to_string(type.lmax_nonspherical),
         fixed(type.energy.front(), 4), std::to_string(result.types[k].atoms),
         result.types[k].is_definite ? "positive definite" : "indefinite", fmt::format("{:.1e}", worst)});
  }
  Table lattice("Lattice vectors, bohr", {{"vector", false}, {"x"}, {"y"}, {"z"}});
  for (std::size_t i = 0; i < 3; ++i) {
    const lapw::Vector3& row = result.crystal->lattice.a[i];
    lattice.add({std::string(1, "abc"[i]), fixed(row[0], 6), fixed(row[1], 6), fixed(row[2], 6)});
  }
  return {"crystal", "Crystal", lattice.markup() + types.markup()};
}

/// Steps of the algorithm, at the k-point of most plane waves.
Section times_section(const FlapwResult& result) {
  const auto largest = std::ranges::max_element(result.points, {}, &FlapwPoint::waves);
  if (largest == result.points.end() || largest->lines.empty()) return {"times", "Times"};
  Table table(fmt::format("k-point {}, {} plane waves", largest - result.points.begin() + 1, largest->waves),
              {{"step", false}, {"seconds"}, {"GFlop/s"}, {"of ZGEMM"}});
  for (const lapw::LineRecord& line : largest->lines) {
    const double rate = line.flops > 0.0 && line.seconds > 0.0 ? line.flops / line.seconds : 0.0;
    table.add({line.name, fixed(line.seconds, 3), rate > 0.0 ? fixed(rate * 1e-9, 1) : "-",
               rate > 0.0 && largest->gemm_rate > 0.0 ? fixed(rate / largest->gemm_rate, 2) : "-"});
  }
  Fields fields;
  fields.add("ZGEMM of this run", fmt::format("{} GFlop/s", fixed(largest->gemm_rate * 1e-9, 1)));
  fields.add("Total", fmt::format("{} s", fixed(result.seconds, 2)));
  return {"times", "Times", table.markup() + fields.markup()};
}

}  // namespace

std::string flapw_page(const std::filesystem::path& file) {
  const FlapwResult result = read_flapw(file);
  std::vector<std::string> failures;
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    if (result.points[k].status == FlapwPoint::wrong)
      failures.push_back(
          fmt::format("k-point {}: elements of H and S are not those of their definition", k + 1));
    if (result.points[k].status == "not converged")
      failures.push_back(fmt::format("k-point {} has not converged", k + 1));
    if (!result.points[k].is_done()) failures.push_back(fmt::format("k-point {} is not done", k + 1));
  }
  return page::assemble(
      {.program = "cisolve " + result.head.version,
       .title = result.head.title.empty() ? file.stem().string() : result.head.title,
       .created = result.head.created,
       .failures = std::move(failures),
       .warnings = result.warnings,
       .summary = summary(result)},
      {bands_section(result), points_section(result), crystal_section(result), times_section(result),
       page::input_section(result.head, {}, file.filename().string())});
}

}  // namespace cisolve
